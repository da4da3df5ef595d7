import { newId } from '@/domain/ids';

/** The caller's `X-Request-Id` when it is 1 to 128 printable ASCII characters, else a new one. */
export function takeRequestId(sent: string | undefined): string {
  return sent && /^[\x21-\x7e]{1,128}$/.test(sent) ? sent : newId('req');
}
