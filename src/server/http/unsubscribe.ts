import { setEmailNotifications } from '@/server/email/unsubscribe';
import { bodyLimit, type HttpRequest, type HttpResponse } from '@/server/http/exchange';
import { changeInTurn } from '@/server/http/turns/turns';

const textResponse = (status: number, body: string, headers: Record<string, string> = {}): HttpResponse => ({
  status,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', ...headers },
  body: `${body}\n`,
});

/**
 * Handles an email program's one-click request: a POST with the token of the email, whatever its body. A GET changes
 * nothing, because email scanners follow links.
 */
export async function handleUnsubscribe(request: HttpRequest): Promise<HttpResponse> {
  if (request.method !== 'POST') {
    return textResponse(405, 'Send a POST, or open the link at the end of the email.', { Allow: 'POST' });
  }
  if (Number(request.headers['content-length'] ?? 0) > bodyLimit) return textResponse(413, 'The body is too large.');
  const token = new URLSearchParams(request.query).get('token') ?? '';
  const settings = await changeInTurn({ ip: request.ip, caller: '' }, () => setEmailNotifications(token, false));
  if (!settings)
    return textResponse(404, 'This link is not valid. Choose which emails you get in your account settings.');
  return textResponse(200, 'You will get no more emails about registrations and teams.');
}
