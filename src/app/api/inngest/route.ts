import { serve } from 'inngest/next';
import { serveOptions } from '@/inngest/index';
import { embeddedTransport } from '@/server/jobs/client';

// For hosts that run Next.js alone; the product's own server answers this path before it gets here.
export const dynamic = 'force-dynamic';

const notHere = () => new Response('Not found\n', { status: 404 });
const served = serve(serveOptions);

/** Only an Inngest server signs what it sends; without one this path does not exist. */
export const GET = embeddedTransport ? notHere : served.GET;
export const POST = embeddedTransport ? notHere : served.POST;
export const PUT = embeddedTransport ? notHere : served.PUT;
