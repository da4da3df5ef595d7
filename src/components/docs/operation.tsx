import { Globe, KeyRound, LockKeyhole } from 'lucide-react';
import type { ReactNode } from 'react';
import { Sample } from '@/components/docs/credentials';
import { ErrorCodes } from '@/components/docs/error-codes';
import { InlineText } from '@/components/docs/inline-text';
import { Method } from '@/components/docs/method';
import { FieldRow, SchemaFields } from '@/components/docs/schema-fields';
import { Badge } from '@/components/ui/data/badge';
import { CodeBlock } from '@/components/ui/text/code-block';
import {
  buildCodeSamples,
  buildExample,
  type Endpoint,
  type Operation,
  type Parameter,
  successOf,
} from '@/domain/api-reference/api-document';

function RequiredCredential({ operation }: Pick<Endpoint, 'operation'>) {
  const needs = operation.security[0] ?? {};
  if ('apiKey' in needs) return <Badge icon={KeyRound}>API key</Badge>;
  if ('bearer' in needs) return <Badge icon={LockKeyhole}>Access token</Badge>;
  return <Badge icon={Globe}>Public</Badge>;
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="mt-6">
      <h3 className="label border-b pb-1.5 text-muted">{title}</h3>
      {children}
    </section>
  );
}

function Parameters({ title, list }: { title: string; list: Parameter[] }) {
  if (list.length === 0) return null;
  return (
    <Section title={title}>
      <ul className="divide-y">
        {list.map((parameter) => (
          <FieldRow
            key={parameter.name}
            name={parameter.name}
            schema={parameter.schema}
            required={parameter.required}
            description={parameter.description}
          />
        ))}
      </ul>
    </Section>
  );
}

/**
 * One endpoint: its description, parameters, body, response and errors, with code samples beside them.
 * @param sameAs an operation of the page that returns the same; its fields are not shown again
 */
export function OperationDetail({
  base,
  endpoint,
  sameAs,
}: {
  base: string;
  endpoint: Endpoint;
  sameAs: Operation | undefined;
}) {
  const { method, path, operation } = endpoint;
  const success = successOf(operation);
  const errors = Object.entries(operation.responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { content }]) =>
      Object.entries(content?.['application/json']?.examples ?? {}).map(([code, { summary }]) => ({
        status,
        code,
        summary,
      })),
    );
  const body = operation.requestBody?.content['application/json']?.schema;
  const from = (place: Parameter['in']) => operation.parameters.filter((parameter) => parameter.in === place);
  return (
    <article id={operation.operationId} className="scroll-mt-20 border-t pt-8 pb-12 first:border-t-0 first:pt-0">
      <header>
        <h2 className="display text-xl">
          <a href={`#${operation.operationId}`} className="hover:underline">
            {operation.summary}
          </a>
        </h2>
        <p className="mt-2 flex flex-wrap items-center gap-x-2 gap-y-2">
          <Method method={method} className="w-auto" />
          <code className="font-mono text-sm wrap-anywhere text-ink">/api/v1{path}</code>
          <RequiredCredential operation={operation} />
        </p>
      </header>
      <div className="mt-4 grid items-start gap-x-8 gap-y-6 xl:grid-cols-[minmax(0,1fr)_minmax(0,25rem)]">
        <div className="min-w-0 xl:-mt-2">
          {operation.description?.split('\n\n').map((paragraph) => (
            <p key={paragraph} className="mb-2 max-w-prose leading-6 sm:text-base">
              <InlineText>{paragraph}</InlineText>
            </p>
          ))}
          <Parameters title="Path" list={from('path')} />
          <Parameters title="Query" list={from('query')} />
          <Parameters title="Headers" list={from('header')} />
          {body ? (
            <Section title="Body">
              <SchemaFields schema={body} />
            </Section>
          ) : null}
          {success ? (
            <Section title={`Response ${success.status}`}>
              {sameAs ? (
                <p className="py-2 text-muted">
                  The same fields as from{' '}
                  <a
                    href={`#${sameAs.operationId}`}
                    className="text-ink underline underline-offset-4 hover:text-accent"
                  >
                    {sameAs.summary}
                  </a>
                </p>
              ) : (
                <SchemaFields schema={success.schema} />
              )}
            </Section>
          ) : null}
          <Section title="Errors">
            <ErrorCodes codes={errors} />
          </Section>
        </div>
        <div className="grid min-w-0 gap-4 xl:sticky xl:top-20">
          <Sample title="Request" samples={buildCodeSamples(base, endpoint)} />
          {success ? (
            <CodeBlock
              title={`Response ${success.status}`}
              samples={[{ label: 'JSON', code: JSON.stringify(buildExample(success.schema), null, 2) }]}
            />
          ) : null}
        </div>
      </div>
    </article>
  );
}
