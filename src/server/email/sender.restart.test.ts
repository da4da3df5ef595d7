import { expect, test } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { openMailServer } from '@/server/email/mail-server.fixture';
import { queueEmail, queueEmailsOnce } from '@/server/email/outbox';
import { cause, email, setupOutbox, signUp } from '@/server/email/outbox.fixture';
import { startSender, stopSender } from '@/server/email/sender';
import { until } from '@/test/receiver';

setupOutbox();

test('a process that starts knows from where those signed up whose domains hang, however many others did later', async () => {
  const rented = Array.from({ length: 8 }, (_, index) => `rented@own-${index}.test`);
  for (const to of rented) await signUp(to, 'block');
  const later = Array.from({ length: 1_000 }, (_, index) => `later${index}@players.test`);
  await db.$transaction(async (tx) => {
    for (const to of later) await queueEmail(tx, { to, kind: 'verify_email', email, askedBy: to });
    await tx.outgoingMail.updateMany({ data: { sentAt: new Date(), dueAt: null } });
    for (const [index, to] of rented.entries()) {
      const registered = { to, kind: 'participant.registered', email, sourceId: `prj_${index % 4}`, asked: true };
      await queueEmailsOnce(tx, [{ ...registered, dedupeKey: null }]);
    }
  });
  const waited: string[] = [];
  const server = await openMailServer({
    onRcptTo({ address }, _session, callback) {
      if (address.startsWith('rented')) waited.push(address);
      else callback();
    },
  });
  Object.assign(env, { SMTP_URL: server.url, SMTP_CONNECTIONS: 10 });
  startSender();
  await until(() => waited.length > 0);
  const [player = ''] = await cause('prj_9', 1, '', '.players.test');
  await until(() => server.received.includes(player));
  expect(waited.length).toBeLessThan(3);
  await stopSender(0);
  await server.close();
});
