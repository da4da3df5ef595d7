import { generateOpenApiDocument } from 'trpc-openapi';
import { publicUrl } from '@/env';
import { restPrefix } from '@/server/http/routes';
import { appRouter } from '@/server/routers/_app';

let json: string | undefined;

/** The OpenAPI 3.1 document, generated from the routers once. */
export function openApiJson(): string {
  json ??= JSON.stringify(
    generateOpenApiDocument(appRouter, {
      title: 'Laurel',
      version: '1',
      baseUrl: `${publicUrl}${restPrefix}`,
    }),
  );
  return json;
}
