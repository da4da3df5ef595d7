import { type Reason, reasons } from '@/server/errors';
import { type Route, takesTurns } from '@/server/http/rest/routes';
import { exceededText } from '@/server/limits/quota-words';
import { type QuotaName, quotaOf } from '@/server/limits/quotas';

const everywhere: Reason[] = ['INTERNAL', 'NOT_READY'];
const ofBodies: Reason[] = ['MALFORMED_JSON', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];
const ofPosts: Reason[] = ['INVALID_IDEMPOTENCY_KEY', 'IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_IN_PROGRESS'];

const ofAccess: Record<Route['access'], Reason[]> = {
  public: ['INVALID_ACCESS_TOKEN'],
  user: ['UNAUTHENTICATED', 'INVALID_ACCESS_TOKEN', 'ACCOUNT_SUSPENDED'],
  apiKey: ['API_KEY_MISSING', 'API_KEY_INVALID', 'RATE_LIMITED', 'SCOPE_MISSING'],
  client: ['CLIENT_TOKEN_INVALID'],
};

/** What a request of a route can use up; every POST may carry an Idempotency-Key. */
const quotasOf = ({ meta, method, access }: Route): readonly QuotaName[] => [
  ...(meta.quotas ?? []),
  ...(method === 'POST' ? (['idempotencyKeys'] as const) : []),
  ...(access === 'user' && method !== 'GET' && !meta.quotas?.includes('matchEvents') ? (['writes'] as const) : []),
];

/** Every reason a route can refuse with: those of its kind, and those that its procedure names in its meta. */
export function reasonsOf(route: Route): Reason[] {
  const { method, access, meta, input, takesBody } = route;
  const all: Reason[] = [
    ...(input.size > 0 || takesBody ? (['VALIDATION_FAILED'] as const) : []),
    ...ofAccess[access],
    ...(meta.capability ? (['PLAN_LACKS_CAPABILITY'] as const) : []),
    ...(meta.gate ?? []),
    ...(meta.confirmed ? (['EMAIL_NOT_CONFIRMED'] as const) : []),
    ...(quotasOf(route).length > 0 ? (['QUOTA_EXCEEDED'] as const) : []),
    ...(meta.errors ?? []),
    ...(meta.wholeDraw || takesTurns(route) ? (['OVERLOADED'] as const) : []),
    ...(takesBody ? ofBodies : []),
    ...(method === 'POST' ? ofPosts : []),
    ...everywhere,
  ];
  return [...new Set(all)];
}

function example(reason: Reason, message: string) {
  const issues = reason === 'VALIDATION_FAILED' ? { issues: [{ path: 'limit', message: 'Too big' }] } : {};
  const requestId = 'req_01k9zq3v4e8m6t2r5x7c1b0a9d';
  return {
    summary: message,
    value: { success: false, data: null, message, error: { code: reason, message, ...issues, requestId } },
  };
}

type Described = { reason: Reason; status: number; message: string; isRate: boolean };

/** A reason with its status and sentence on a route; a route that takes from a number and from a rate has both statuses. */
function describe(route: Route, reason: Reason): Described[] {
  const { status, message } = reasons[reason];
  if (reason !== 'QUOTA_EXCEEDED') return [{ reason, status, message, isRate: false }];
  const taken = quotasOf(route).map((name) => ({ isRate: quotaOf(name).seconds !== undefined, name }));
  return [false, true].flatMap((isRate) => {
    const sentences = taken.filter((one) => one.isRate === isRate).map(({ name }) => exceededText(name));
    const ownStatus = isRate ? reasons[reason].rateStatus : status;
    return sentences.length > 0 ? [{ reason, status: ownStatus, message: sentences.join(' '), isRate }] : [];
  });
}

/** The errors of a route as responses of the document, by status. */
export function errorResponses(route: Route): Record<string, unknown> {
  const byStatus = new Map<number, Described[]>();
  for (const one of reasonsOf(route).flatMap((reason) => describe(route, reason))) {
    byStatus.set(one.status, [...(byStatus.get(one.status) ?? []), one]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [
      String(status),
      {
        description: list.map(({ reason, message }) => `\`${reason}\`: ${message}`).join('\n\n'),
        headers: headersOf(route, status, list),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            examples: Object.fromEntries(list.map(({ reason, message }) => [reason, example(reason, message)])),
          },
        },
      },
    ]),
  );
}

const waitsFor = new Set<Reason>(['RATE_LIMITED', 'TOO_MANY_ATTEMPTS', 'IDEMPOTENCY_IN_PROGRESS', 'OVERLOADED']);

function headersOf(route: Route, status: number, list: Described[]): Record<string, unknown> {
  const header = (name: string) => ({ $ref: `#/components/headers/${name}` });
  const rate = list.some(({ isRate }) => isRate);
  return {
    'X-Request-Id': header('X-Request-Id'),
    ...(rate || list.some(({ reason }) => waitsFor.has(reason)) ? { 'Retry-After': header('Retry-After') } : {}),
    ...(rate || (route.access === 'apiKey' && status !== 401) ? limitHeaders : {}),
  };
}

/** The headers that every response to a valid key carries. */
export const limitHeaders = {
  'X-RateLimit-Limit': { $ref: '#/components/headers/X-RateLimit-Limit' },
  'X-RateLimit-Remaining': { $ref: '#/components/headers/X-RateLimit-Remaining' },
  'X-RateLimit-Reset': { $ref: '#/components/headers/X-RateLimit-Reset' },
};

/** The body of every error response. */
export const errorSchema = {
  type: 'object',
  description: 'The body of every error response.',
  required: ['success', 'data', 'message', 'error'],
  properties: {
    success: { type: 'boolean', const: false },
    data: { type: 'null' },
    message: { type: 'string', description: 'For people.' },
    error: {
      type: 'object',
      required: ['code', 'message', 'requestId'],
      properties: {
        code: { type: 'string', enum: Object.keys(reasons), description: 'For programs; stable.' },
        message: { type: 'string' },
        issues: {
          type: 'array',
          description: 'What is wrong with each field.',
          items: {
            type: 'object',
            required: ['path', 'message'],
            properties: {
              path: { type: 'string', description: 'Dotted path of the field; empty for the whole input.' },
              message: { type: 'string' },
            },
          },
        },
        requestId: { type: 'string' },
      },
    },
  },
};
