import { describe, expect, it } from 'vitest';
import { decryptSecret, encryptSecret, makeKeyring } from '@/server/crypto';
import { db } from '@/server/db';
import { queueWebhookLetters } from '@/server/delivery/owner-emails';
import { forgetPreviousSecrets, renewSecrets } from '@/server/delivery/secrets';
import { composeEmail } from '@/server/email/layout';
import { webhookDisabledEmail, webhookFailingEmail } from '@/server/email/webhook-emails';
import { makeMember, makeProject, makeSubscription, makeUser } from '@/test/factories';
import { setupTestServer } from '@/test/server';

const server = setupTestServer();

const inside = 'http://127.0.0.1:9/hook';
const strange = makeKeyring(Buffer.alloc(32, 7).toString('base64'));

describe('secrets', () => {
  it('are in no answer that nobody asked them of, however deep one looks', async () => {
    const { project, owner } = await makeProject();
    const credential = encryptSecret(JSON.stringify({ username: 'ada', password: 'pw-5d1e77' }));
    const { id, signingSecret } = await makeSubscription(project.id, {
      url: inside,
      authMode: 'basic_auth',
      authLabel: 'ada',
      authSecretEncrypted: credential,
      previousSecretEncrypted: encryptSecret('whsec_previous'),
      previousSecretUntil: new Date(Date.now() + 60_000),
    });
    const one = `/webhooks/subscriptions/${id}`;
    const call = (method: string, path: string, body?: object) =>
      server.call(method, path, { bearer: owner.bearer, body });
    const answers = [
      await call('GET', one),
      await call('GET', '/webhooks/subscriptions'),
      await call('GET', `/projects/${project.id}/developer/webhooks`),
      await call('GET', '/webhooks/dashboard'),
      await call('GET', `${one}/analytics`),
      await call('GET', `${one}/deliveries`),
      await call('PATCH', one, {
        description: 'Scores',
        authentication: { mode: 'basic_auth', password: 'pw-5d1e77' },
      }),
      await call('POST', `${one}/pause`),
      await call('POST', `${one}/resume`),
      await call('POST', `${one}/circuit-breaker/reset`),
      await call('POST', `${one}/retry-failed`),
      await call('POST', `${one}/replay`),
      await call('POST', `${one}/test`),
      await call('PATCH', one, { authentication: { mode: 'basic_auth', password: '' } }),
      await call('PATCH', one, { authentication: { mode: 'bearer_token', token: 'pw-5d1e77 x' } }),
      await call('DELETE', one),
    ];
    expect(answers.map(({ status }) => status)).toEqual([
      ...[200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 202, 202, 202, 400, 400, 200],
    ]);
    const audits = await db.auditEntry.findMany({ where: { projectId: project.id } });
    expect(audits.length).toBeGreaterThan(6);
    const stored = await db.domainEvent.findMany({
      where: { projectId: project.id },
      select: { payload: true, metadata: true },
    });
    const everything = [...answers.map(({ text }) => text), JSON.stringify([audits, stored])];
    const hidden = [
      signingSecret,
      'whsec_',
      'pw-5d1e77',
      credential,
      'Encrypted',
      Buffer.from('ada:pw-5d1e77').toString('base64'),
    ];
    for (const text of everything) for (const secret of hidden) expect(text).not.toContain(secret);
  });

  it('move under the current key; those that no key opens stay and stop nobody', async () => {
    const { project } = await makeProject();
    const made = await Promise.all(
      [1, 2, 3].map(() => makeSubscription(project.id, { url: inside, previousSecretEncrypted: encryptSecret('old') })),
    );
    const lost = await makeSubscription(project.id, { url: inside, signingSecretEncrypted: strange.encrypt('lost') });
    expect(await renewSecrets('', 100)).toBe(lost.id);
    expect(await renewSecrets(lost.id, 100)).toBeNull();
    const row = await db.webhookSubscription.findUniqueOrThrow({ where: { id: lost.id } });
    expect(strange.decrypt(row.signingSecretEncrypted ?? '')).toBe('lost');
    for (const { id, signingSecret } of made) {
      const kept = await db.webhookSubscription.findUniqueOrThrow({ where: { id } });
      expect(decryptSecret(kept.signingSecretEncrypted ?? '')).toBe(signingSecret);
    }
    const [over, current] = made;
    const until = (ms: number) => ({ previousSecretUntil: new Date(Date.now() + ms) });
    await db.webhookSubscription.update({ where: { id: over?.id }, data: until(-1_000) });
    await db.webhookSubscription.update({ where: { id: current?.id }, data: until(60_000) });
    await forgetPreviousSecrets();
    const left = await db.webhookSubscription.findMany({
      where: { id: { in: [over?.id ?? '', current?.id ?? ''] } },
      orderBy: { id: 'asc' },
    });
    const byId = new Map(left.map((each) => [each.id, each.previousSecretEncrypted]));
    expect([byId.get(over?.id ?? ''), byId.get(current?.id ?? '')]).toEqual([null, expect.any(String)]);
  });
});

describe('letters', () => {
  it('go once for each cause to owners and admins, and not when it has passed', async () => {
    const { project, owner } = await makeProject();
    const admin = await makeMember(project.id, 'ADMIN');
    const idle = await makeMember(project.id, 'ADMIN');
    await db.user.update({ where: { id: idle.id }, data: { suspendedAt: new Date() } });
    await makeMember(project.id, 'ORGANIZER');
    await makeUser();
    const { id } = await makeSubscription(project.id, { url: inside, failingSince: new Date('2026-11-18T08:00:00Z') });
    expect(await queueWebhookLetters(id, { kind: 'disabled', why: 'gone_410' })).toEqual([]);
    const warned = await queueWebhookLetters(id, { kind: 'warned' });
    expect(warned).toHaveLength(2);
    expect(await queueWebhookLetters(id, { kind: 'warned' })).toEqual([]);
    const rows = await db.outgoingMail.findMany({ where: { id: { in: warned } } });
    expect(rows.map((row) => row.recipient).sort()).toEqual([owner.email, admin.email].sort());
    const ended = { status: 'disabled', disabledAt: new Date(), disabledReason: 'only_failures' } as const;
    await db.webhookSubscription.update({ where: { id }, data: ended });
    expect(await queueWebhookLetters(id, { kind: 'disabled', why: 'only_failures' })).toHaveLength(2);
    expect(await queueWebhookLetters('whs_gone', { kind: 'warned' })).toEqual([]);
    await db.webhookSubscription.update({ where: { id }, data: { failingSince: null } });
    expect(await queueWebhookLetters(id, { kind: 'warned' })).toEqual([]);
  });

  it('say what happened, where to look, and no more of the URL than its host', () => {
    const webhook = {
      projectName: 'Northern <League>',
      projectSlug: 'northern',
      id: 'whs_1',
      url: 'https://hooks.example.com/in?token=hidden',
      since: new Date('2026-11-16T08:30:00Z'),
    };
    const letters = [
      webhookFailingEmail(webhook),
      webhookDisabledEmail(webhook, 'only_failures'),
      webhookDisabledEmail(webhook, 'gone_410'),
    ].map(composeEmail);
    for (const { text, html, subject } of letters) {
      expect(text).toContain('hooks.example.com');
      expect(text).toContain('/dashboard/northern/webhooks/whs_1');
      expect(`${text}${html}${subject}`).not.toContain('hidden');
      expect(html).not.toContain('<League>');
    }
    expect(letters[0]?.text).toContain('since 2026-11-16 08:30 UTC');
    expect(letters[2]?.text).toContain('410 Gone');
  });
});
