'use client';

import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { InlineText } from '@/components/docs/inline-text';
import { describeLimits, describeType, type JsonSchema, withoutNull } from '@/domain/api-reference/api-document';

/** The object schema inside a value: the value's own, or that of its list items. Null when it has no fields. */
function objectSchemaIn(schema: JsonSchema): JsonSchema | null {
  const plain = withoutNull(schema);
  if (plain.properties && Object.keys(plain.properties).length > 0) return plain;
  if (plain.items) return objectSchemaIn(plain.items);
  return null;
}

/** One field or parameter: name, type, description, allowed values and limits. */
export function FieldRow({
  name,
  schema,
  required,
  description,
  children,
}: {
  name: string;
  schema: JsonSchema;
  required?: boolean;
  description?: string;
  children?: ReactNode;
}) {
  const plain = withoutNull(schema);
  const text = description ?? schema.description;
  const limits = describeLimits(plain);
  return (
    <li className="py-2.5">
      <p className="flex flex-wrap items-baseline gap-x-2.5 gap-y-0.5">
        <code className="font-mono text-sm font-medium wrap-anywhere text-ink">{name}</code>
        <span className="text-xs text-muted">{describeType(schema)}</span>
        {required ? <span className="text-xs font-medium text-accent">required</span> : null}
      </p>
      {text ? (
        <p className="mt-0.5 text-muted">
          <InlineText>{text}</InlineText>
        </p>
      ) : null}
      {plain.enum ? (
        <p className="mt-1 flex flex-wrap gap-1">
          {plain.enum.map((value) => (
            <code key={String(value)} className="rounded bg-hover px-1.5 font-mono text-xs leading-5">
              {String(value)}
            </code>
          ))}
        </p>
      ) : null}
      {limits.length > 0 ? <p className="mt-0.5 text-xs text-faint">{limits.join(', ')}</p> : null}
      {children}
    </li>
  );
}

/** The fields of an object, with nested fields collapsed. */
export function SchemaFields({ schema, depth = 0 }: { schema: JsonSchema; depth?: number }) {
  const object = objectSchemaIn(schema);
  if (!object?.properties) return <p className="py-2 text-muted">{describeType(schema)}</p>;
  const required = new Set(object.required);
  return (
    <ul className="divide-y">
      {Object.entries(object.properties).map(([name, field]) => {
        const nested = depth < 5 ? objectSchemaIn(field) : null;
        return (
          <FieldRow key={name} name={name} schema={field} required={required.has(name)}>
            {nested ? (
              <details open={depth < 1 && name === 'data'} className="mt-1.5">
                <summary className="inline-flex min-h-7 cursor-pointer items-center gap-1 text-xs text-accent marker:content-none">
                  Fields of {name}
                  <ChevronDown aria-hidden className="size-3.5 [details[open]>summary>&]:rotate-180" />
                </summary>
                <div className="border-l pl-4">
                  <SchemaFields schema={nested} depth={depth + 1} />
                </div>
              </details>
            ) : null}
          </FieldRow>
        );
      })}
    </ul>
  );
}
