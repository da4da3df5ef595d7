import { fromFetch, toFetch } from '@/server/http/exchange';
import { handleRest } from '@/server/http/rest/handler';

// For hosts that run Next.js alone; the product's own server answers these paths before they get here.
export const dynamic = 'force-dynamic';

async function handle(request: Request): Promise<Response> {
  return toFetch(request.method, await handleRest(fromFetch(request)));
}

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
