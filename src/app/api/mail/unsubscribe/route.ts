import { fromFetch, toFetch } from '@/server/http/exchange';
import { handleUnsubscribe } from '@/server/http/unsubscribe';

// For hosts that run Next.js alone; the product's own server answers this path before it gets here.
export const dynamic = 'force-dynamic';

async function handle(request: Request): Promise<Response> {
  return toFetch(request.method, await handleUnsubscribe(fromFetch(request)));
}

export { handle as GET, handle as POST };
