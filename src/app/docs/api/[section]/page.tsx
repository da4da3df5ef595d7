import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { CredentialsForm } from '@/components/docs/credentials';
import { OperationDetail } from '@/components/docs/operation';
import { PageHeader } from '@/components/ui/page/page-header';
import { CodeBlock } from '@/components/ui/text/code-block';
import { Markdown } from '@/components/ui/text/markdown';
import { sessionSample } from '@/domain/api-reference/anti-cheat-sample';
import { listEndpoints, sameResponses, sectionSlug } from '@/domain/api-reference/api-document';
import { apiReference, sectionGuide } from '@/trpc/reference';

type Props = { params: Promise<{ section: string }> };

async function findSection({ params }: Props) {
  const { section } = await params;
  const document = apiReference();
  const tag = document.tags.find(({ name }) => sectionSlug(name) === section);
  const endpoints = tag ? listEndpoints(document, tag.name) : [];
  return tag && endpoints.length > 0 ? { tag, endpoints, base: document.servers[0]?.url ?? '' } : null;
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  return { title: (await findSection(props))?.tag.name };
}

export default async function SectionPage(props: Props) {
  const section = await findSection(props);
  if (!section) notFound();
  const { tag, endpoints, base } = section;
  const guide = sectionGuide(tag.name);
  const same = sameResponses(endpoints);
  return (
    <>
      <PageHeader title={tag.name} description={tag.description} />
      {guide ? (
        <div className="mb-10 grid grid-cols-1 gap-6">
          <CodeBlock title="A session in ten lines" samples={[{ label: 'Node.js', code: sessionSample }]} />
          <Markdown>{guide}</Markdown>
        </div>
      ) : null}
      <div className="mb-10">
        <CredentialsForm />
      </div>
      <div>
        {endpoints.map((endpoint) => (
          <OperationDetail
            key={endpoint.operation.operationId}
            base={base}
            endpoint={endpoint}
            sameAs={same.get(endpoint.operation.operationId)}
          />
        ))}
      </div>
    </>
  );
}
