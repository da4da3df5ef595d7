import type { SendMailOptions } from 'nodemailer';
import MailComposer from 'nodemailer/lib/mail-composer/index.js';
import type MimeNode from 'nodemailer/lib/mime-node/index.js';
import qp from 'nodemailer/lib/qp/index.js';
import { env } from '@/env';
import type { EmailContent } from '@/server/email/layout';

/** An email with the id of its row in the outbox. */
export type Message = { id: string; to: string; content: EmailContent };

/** The parts of an email. A repetition after a crash has the same id, so that mail servers can drop the copy. */
export function compileMessage({ id, to, content }: Message): MimeNode {
  const host = env.MAIL_FROM.match(/@([^>\s]+)/)?.[1] ?? 'laurel';
  const { subject, text, html, headers } = content;
  const message: SendMailOptions = {
    from: env.MAIL_FROM,
    to,
    messageId: `<${id}@${host}>`,
    subject,
    text,
    html,
    headers,
  };
  return new MailComposer({ ...message, textEncoding: 'quoted-printable' }).compile();
}

/**
 * An email as it is sent: what nodemailer's own `build` returns, without a handful of streams for each part, which take
 * longer than everything else about a short email.
 */
export function writeMessage(node: MimeNode): string {
  const { boundary, childNodes, content = '' } = node;
  const head = `${node.buildHeaders()}\r\n\r\n`;
  if (childNodes.length > 0) {
    const parts = childNodes.map((part) => `--${boundary}\r\n${writeMessage(part)}\r\n`);
    return `${head}${parts.join('')}--${boundary}--\r\n`;
  }
  // Short lines in ASCII stay as they are.
  const encoded = node.getTransferEncoding() === 'quoted-printable';
  return head + (encoded ? qp.wrap(qp.encode(String(content))) : String(content));
}
