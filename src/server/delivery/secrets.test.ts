import { describe, expect, it } from 'vitest';
import { decryptSecret, encryptSecret, makeKeyring } from '@/server/crypto';
import { db } from '@/server/db';
import { deleteExpiredSecrets, reencryptSecrets } from '@/server/delivery/secrets';
import { makeProject, makeSubscription } from '@/test/factories';

const url = 'http://127.0.0.1:9/hook';
const otherKeyring = makeKeyring(Buffer.alloc(32, 7).toString('base64'));

describe('secrets', () => {
  it('are encrypted under the current key; those that no key decrypts stay and do not block others', async () => {
    const { project } = await makeProject();
    const made = await Promise.all(
      [1, 2, 3].map(() => makeSubscription(project.id, { url, previousSecretEncrypted: encryptSecret('old') })),
    );
    const lost = await makeSubscription(project.id, { url, signingSecretEncrypted: otherKeyring.encrypt('lost') });
    expect(await reencryptSecrets('', 100)).toBe(lost.id);
    expect(await reencryptSecrets(lost.id, 100)).toBeNull();
    const row = await db.webhookSubscription.findUniqueOrThrow({ where: { id: lost.id } });
    expect(otherKeyring.decrypt(row.signingSecretEncrypted ?? '')).toBe('lost');
    for (const { id, signingSecret } of made) {
      const kept = await db.webhookSubscription.findUniqueOrThrow({ where: { id } });
      expect(decryptSecret(kept.signingSecretEncrypted ?? '')).toBe(signingSecret);
    }
    const [over, current] = made;
    const until = (ms: number) => ({ previousSecretUntil: new Date(Date.now() + ms) });
    await db.webhookSubscription.update({ where: { id: over?.id }, data: until(-1_000) });
    await db.webhookSubscription.update({ where: { id: current?.id }, data: until(60_000) });
    await deleteExpiredSecrets();
    const left = await db.webhookSubscription.findMany({
      where: { id: { in: [over?.id ?? '', current?.id ?? ''] } },
      orderBy: { id: 'asc' },
    });
    const byId = new Map(left.map((each) => [each.id, each.previousSecretEncrypted]));
    expect([byId.get(over?.id ?? ''), byId.get(current?.id ?? '')]).toEqual([null, expect.any(String)]);
  });
});
