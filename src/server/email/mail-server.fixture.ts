import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

type MailServer = {
  /** To whom emails came, in order. */
  received: string[];
  texts: string[];
  /** The connections so far, and the most at a time. */
  connections: () => { total: number; most: number };
  url: string;
  /** Ends the connections without a word. */
  hangUp: () => void;
  close: () => Promise<void>;
};

/** @param answers what the server does at a recipient or an email; each has to call back */
export async function openMailServer(answers: Partial<SMTPServerOptions> = {}, port = 0): Promise<MailServer> {
  const [received, texts]: [string[], string[]] = [[], []];
  let [open, total, most] = [0, 0, 0];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 50,
    onConnect(_session, callback) {
      open += 1;
      total += 1;
      most = Math.max(most, open);
      callback();
    },
    onClose() {
      open -= 1;
    },
    onData(stream, session, callback) {
      let text = '';
      stream.on('data', (chunk) => {
        text += chunk;
      });
      stream.on('end', () => {
        received.push(...session.envelope.rcptTo.map(({ address }) => address));
        texts.push(text);
        callback();
      });
    },
    ...answers,
  });
  server.on('error', () => undefined);
  const sockets = new Set<Socket>();
  server.server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  const url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  return {
    received,
    texts,
    connections: () => ({ total, most }),
    url,
    hangUp: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
