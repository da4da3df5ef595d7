import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { SendMailOptions } from 'nodemailer';
import MailComposer from 'nodemailer/lib/mail-composer/index.js';
import type MimeNode from 'nodemailer/lib/mime-node/index.js';
import SMTPConnection from 'nodemailer/lib/smtp-connection/index.js';
import SMTPTransport from 'nodemailer/lib/smtp-transport/index.js';
import { withDeadline } from '@/domain/time/deadline';
import { durationInWords, second } from '@/domain/time/durations';
import { env } from '@/env';
import type { EmailContent } from '@/server/email/layout';
import { logger } from '@/server/logger';

/** An email with the id of its row in the outbox. `fallback` is sent in place of a `content` that the server refuses. */
export type Message = { id: string; to: string; content: EmailContent; fallback?: EmailContent };

/** How long a mail server has to take an email. */
export const sendingMs = 40 * second;
/** A connection is closed when it has not been used for so long, which is before servers do it. */
const idleMs = 5 * second;
/** Bytes that a mail server may answer to one email: nodemailer keeps what it gets without the end of a line. */
const maxAnswers = 1024 * 1024;
/** The server counts as one that works for so long after it has greeted us or taken an email. */
const worksForMs = 15 * second;
const timeouts = { connectionTimeout: 10 * second, greetingTimeout: 10 * second, socketTimeout: 30 * second };

/** The mail server takes no email at all now: it cannot be reached, refuses us, or wants no more for the moment. */
export class MailServerError extends Error {}

/** The mail server gives us no connection. It may give others: some accept only a few of one client. */
export class NoConnectionError extends MailServerError {}

/** The mail server has not said within the given time whether it takes an email for this recipient. */
export class LateRecipientError extends Error {}

/** Whether an answer is about the connection and not about the recipient, who is named after it. */
const refusesAll = ({ command, responseCode = 0 }: SMTPConnection.SMTPError) =>
  command === 'MAIL FROM' && responseCode >= 400 && responseCode < 500;

/** Whether an answer is about the text of an email. */
const refusesText = (error: unknown) => {
  const { command, code } = error as SMTPConnection.SMTPError;
  return command === 'DATA' && code === 'EMESSAGE';
};

const hasAskedForText = ({ lastServerResponse }: SMTPConnection) => /^354/.test(lastServerResponse || '');

function compile({ id, to, content }: Message): MimeNode {
  const host = env.MAIL_FROM.match(/@([^>\s]+)/)?.[1] ?? 'laurel';
  // A repetition after a crash has the same id, so that mail servers can drop the copy.
  // A name that looks like an encoded word would be decoded, to characters that names may not have.
  const subject = content.subject.replaceAll('=?', '=\u2060?');
  const message: SendMailOptions = { from: env.MAIL_FROM, to, messageId: `<${id}@${host}>`, ...content, subject };
  return new MailComposer(message).compile();
}

/** What is called when the server is asked for the recipient, over a connection that is there, and when it asks for the text. */
export type Steps = { onRecipient: () => void; onText: () => void };

/** What sends one email after another. */
export interface MailLine {
  readonly isOpen: boolean;
  /** Whether the mail server has it open, or lately did something on it. */
  readonly works: boolean;
  /** Ends when it has been opened, or could not be; at once where nobody opens it. */
  readonly opening: Promise<unknown>;
  /**
   * @param recipientMs how long the server may take over the recipient; left out: as long as for all
   * @throws MailServerError, LateRecipientError, or Error when the server does not take this email
   */
  send(message: Message, recipientMs?: number, steps?: Steps): Promise<void>;
  close(): void;
}

/**
 * Where SMTP_URL leads, as nodemailer reads it. A password needs encryption, unless the address says `?requireTLS=false`: whoever
 * is between us and the server could leave STARTTLS out of what it offers.
 */
function serverSettings() {
  const { options, auth } = new SMTPTransport({ url: env.SMTP_URL, ...timeouts });
  const credentials = auth?.type === 'LOGIN' ? auth.credentials : null;
  return { options: { requireTLS: credentials !== null, ...options }, credentials };
}

/** A connection to the mail server, which is opened when it is needed and used for many emails. */
class SmtpLine implements MailLine {
  private connection: SMTPConnection | null = null;
  private isReady = false;
  private workedAt = Number.NEGATIVE_INFINITY;
  opening: Promise<unknown> = Promise.resolve();
  private idleTimer: NodeJS.Timeout | undefined;
  private answered = 0;
  private steps: Steps | undefined;

  get isOpen(): boolean {
    return this.connection !== null && this.isReady;
  }

  get works(): boolean {
    return this.isOpen || performance.now() - this.workedAt < worksForMs;
  }

  async send(message: Message, recipientMs?: number, steps?: Steps): Promise<void> {
    clearTimeout(this.idleTimer);
    this.steps = steps;
    const reused = this.connection !== null;
    const sending = this.sendOnce(message, recipientMs)
      .catch((error: unknown) => {
        // Servers may end a connection after some emails; nothing was sent then.
        if (!reused || !(error instanceof MailServerError)) throw error;
        this.close();
        return this.sendOnce(message, recipientMs);
      })
      .catch((error: unknown) => {
        if (!message.fallback || !refusesText(error)) throw error;
        logger.info({ err: error, emailId: message.id }, 'the text of an email was refused; sending its fallback');
        this.close();
        return this.sendOnce({ ...message, content: message.fallback }, recipientMs);
      });
    try {
      await withDeadline(sending, sendingMs, `the mail server has not taken it within ${durationInWords(sendingMs)}`);
      this.workedAt = performance.now();
      this.idleTimer = setTimeout(() => this.close(), idleMs).unref();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    clearTimeout(this.idleTimer);
    const open = this.connection;
    this.connection = null;
    open?.close();
  }

  private async sendOnce(message: Message, recipientMs: number | undefined): Promise<void> {
    const node = compile(message);
    const { from, to } = node.getEnvelope();
    const content = await node.build();
    this.answered = 0;
    const reused = this.connection;
    const connection = reused ?? (await this.open());
    this.steps?.onRecipient();
    let patience: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve, reject) => {
      const fail = (error: Error & { code?: string }) => {
        // It ends after the emails before this one, of which a new connection knows nothing. One that is slow is slow again.
        const isOver = reused !== null && !hasAskedForText(connection) && error.code !== 'ETIMEDOUT';
        reject(isOver ? new MailServerError(error.message, { cause: error }) : error);
      };
      connection.once('error', fail);
      connection.once('end', () => fail(new Error('the mail server closed the connection')));
      const giveUp = () => {
        // Whose text it has asked for, it may deliver, and would do so again.
        if (hasAskedForText(connection)) return;
        reject(new LateRecipientError('the mail server waits for that of the recipient'));
      };
      if (recipientMs !== undefined) patience = setTimeout(giveUp, recipientMs);
      connection.send({ from, to }, content, (error) => {
        connection.removeAllListeners('error').removeAllListeners('end');
        this.watch(connection);
        if (!error) resolve();
        else reject(refusesAll(error) ? new MailServerError(error.message, { cause: error }) : error);
      });
    }).finally(() => clearTimeout(patience));
  }

  /** Forgets a connection that the server closes while it is not used. */
  private watch(connection: SMTPConnection): void {
    const forget = () => {
      if (this.connection === connection) this.close();
    };
    connection.on('error', forget).on('end', forget);
  }

  private open(): Promise<SMTPConnection> {
    const connecting = this.connect();
    this.opening = connecting.catch(() => undefined);
    return connecting;
  }

  private async connect(): Promise<SMTPConnection> {
    const { options, credentials } = serverSettings();
    const connection: SMTPConnection & { allowsAuth?: boolean; _onData?: (bytes: Buffer) => void } = new SMTPConnection(
      options,
    );
    this.connection = connection;
    this.isReady = false;
    const read = connection._onData?.bind(connection);
    connection._onData = (bytes) => {
      this.answered += bytes.length;
      if (this.answered > maxAnswers) return void connection._socket.destroy();
      read?.(bytes);
      if (connection === this.connection && hasAskedForText(connection)) this.steps?.onText();
    };
    await new Promise<void>((resolve, reject) => {
      const refuse = (error: Error) => reject(new NoConnectionError(error.message, { cause: error }));
      connection.once('error', refuse);
      connection.once('end', () => refuse(new Error('the mail server closed the connection')));
      connection.connect(() => {
        if (!credentials || !connection.allowsAuth) resolve();
        else connection.login({ credentials }, (error) => (error ? refuse(error) : resolve()));
      });
    });
    connection.removeAllListeners('error').removeAllListeners('end');
    this.isReady = true;
    this.workedAt = performance.now();
    this.watch(connection);
    return connection;
  }
}

/** Writes emails to `mail/<id>.eml` in the data directory, where there is no mail server. */
const files: MailLine = {
  isOpen: true,
  works: true,
  opening: Promise.resolve(),
  async send(message, _recipientMs, steps) {
    steps?.onRecipient();
    const content = await compile(message).build();
    const folder = path.join(env.LAUREL_DATA_DIR, 'mail');
    const file = path.join(folder, `${message.id}.eml`);
    const write = () => writeFile(`${file}.part`, content, { mode: 0o600 });
    await write().catch(async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await write();
    });
    await rename(`${file}.part`, file);
  },
  close: () => undefined,
};

/** A connection to the mail server of SMTP_URL; without one, what writes emails to files. */
export function openLine(): MailLine {
  return env.SMTP_URL ? new SmtpLine() : files;
}
