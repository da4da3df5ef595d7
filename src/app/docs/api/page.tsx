import Link from 'next/link';
import { Method } from '@/components/docs/method';
import { ButtonLink } from '@/components/ui/form/button';
import { PageHeader } from '@/components/ui/page/page-header';
import { Markdown } from '@/components/ui/text/markdown';
import { listEndpoints, sectionSlug } from '@/domain/api-reference/api-document';
import { apiReference } from '@/trpc/reference';

export default function IntroductionPage() {
  const document = apiReference();
  return (
    <>
      <PageHeader
        title="API reference"
        description={
          <>
            Base URL: <code className="font-mono text-sm wrap-anywhere text-ink">{document.servers[0]?.url}</code>
          </>
        }
        actions={
          <ButtonLink href="/api/v1/openapi.json" prefetch={false}>
            OpenAPI document
          </ButtonLink>
        }
      />
      <Markdown>{document.info.description}</Markdown>
      <h2 className="display mt-12 mb-2 text-2xl">Endpoints</h2>
      {document.tags.map(({ name, description }) => {
        const endpoints = listEndpoints(document, name);
        const href = `/docs/api/${sectionSlug(name)}`;
        if (endpoints.length === 0) return null;
        return (
          <section key={name} className="mt-6">
            <h3 className="display text-lg">
              <Link href={href} className="hover:underline">
                {name}
              </Link>
            </h3>
            <p className="text-muted">{description}</p>
            <ul className="mt-2 divide-y rounded border bg-surface">
              {endpoints.map(({ method, path, operation }) => (
                <li key={operation.operationId}>
                  <Link
                    href={`${href}#${operation.operationId}`}
                    className="flex flex-wrap items-center gap-x-3 px-4 py-2 hover:bg-hover"
                  >
                    <Method method={method} />
                    <code className="min-w-0 flex-1 font-mono text-xs wrap-anywhere text-ink">{path}</code>
                    <span className="text-muted max-sm:w-full max-sm:pl-17">{operation.summary}</span>
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </>
  );
}
