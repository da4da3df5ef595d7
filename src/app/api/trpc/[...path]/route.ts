import { handleTrpcFetch } from '@/server/http/trpc/handler';

// For hosts that run Next.js alone; the product's own server answers these paths before they get here.
export const dynamic = 'force-dynamic';

export { handleTrpcFetch as GET, handleTrpcFetch as POST };
