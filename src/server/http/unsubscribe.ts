import { switchMail } from '@/server/email/unsubscribe';
import { bodyLimit, type HttpAnswer, type HttpRequest } from '@/server/http/exchange';

const answer = (status: number, body: string, headers: Record<string, string> = {}): HttpAnswer => ({
  status,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', ...headers },
  body: `${body}\n`,
});

/**
 * Answers a mail program's one-click request: a POST with the token of the letter, whatever its body. A GET changes
 * nothing, since what scans mail follows links.
 */
export async function handleUnsubscribe(request: HttpRequest): Promise<HttpAnswer> {
  if (request.method !== 'POST') {
    return answer(405, 'Send a POST, or open the link at the end of the letter.', { Allow: 'POST' });
  }
  if (Number(request.headers['content-length'] ?? 0) > bodyLimit) return answer(413, 'The body is too large.');
  const token = new URLSearchParams(request.query).get('token') ?? '';
  const settings = await switchMail(token, false);
  if (!settings) return answer(404, 'This link is not valid. Change what you get by mail in your account settings.');
  return answer(200, 'You will get no more mail about registrations and teams.');
}
