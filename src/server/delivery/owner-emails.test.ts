import { describe, expect, it } from 'vitest';
import { db } from '@/server/db';
import { findNewNotices } from '@/server/delivery/auto-disable';
import { queueOwnerEmails, queueWebhookEmails } from '@/server/delivery/owner-emails';
import { composeEmail } from '@/server/email/layout';
import { webhookDisabledEmail, webhookFailingEmail } from '@/server/email/webhook-emails';
import { makeMember, makeProject, makeSubscription, makeUser } from '@/test/factories';

const url = 'http://127.0.0.1:9/hook';

describe('emails to owners', () => {
  it('go to owners and admins once for each cause, and not after it ended', async () => {
    const { project, owner } = await makeProject();
    const admin = await makeMember(project.id, 'ADMIN');
    const idle = await makeMember(project.id, 'ADMIN');
    await db.user.update({ where: { id: idle.id }, data: { suspendedAt: new Date() } });
    await makeMember(project.id, 'ORGANIZER');
    await makeUser();
    const { id } = await makeSubscription(project.id, { url, failingSince: new Date('2026-11-18T08:00:00Z') });
    expect(await queueWebhookEmails(id, { kind: 'disabled', reason: 'gone_410' })).toEqual([]);
    const warned = await queueWebhookEmails(id, { kind: 'warned' });
    expect(warned).toHaveLength(2);
    expect(await queueWebhookEmails(id, { kind: 'warned' })).toEqual([]);
    const rows = await db.outgoingMail.findMany({ where: { id: { in: warned } } });
    expect(rows.map((row) => row.recipient).sort()).toEqual([owner.email, admin.email].sort());
    const ended = { status: 'disabled', disabledAt: new Date(), disabledReason: 'only_failures' } as const;
    await db.webhookSubscription.update({ where: { id }, data: ended });
    expect(await queueWebhookEmails(id, { kind: 'disabled', reason: 'only_failures' })).toHaveLength(2);
    expect(await queueWebhookEmails('whs_gone', { kind: 'warned' })).toEqual([]);
    await db.webhookSubscription.update({ where: { id }, data: { failingSince: null } });
    expect(await queueWebhookEmails(id, { kind: 'warned' })).toEqual([]);
  });

  it('are found by the sweep until they are written, and once for each cause', async () => {
    const { project } = await makeProject();
    const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    const warned = { url, failingSince: ago(73), failureWarnedAt: ago(1) };
    const { id } = await makeSubscription(project.id, warned);
    const own = async (kind: string) => {
      const kept = await db.outgoingMail.findMany({ where: { kind, dedupeKey: { contains: id } } });
      return kept.length;
    };
    await Promise.all([queueOwnerEmails(500), queueOwnerEmails(500)]);
    expect(await own('webhook_warned')).toBe(1);
    expect((await findNewNotices(500)).filter(({ subscriptionId }) => subscriptionId === id)).toEqual([]);
    const disabled = { status: 'disabled', disabledAt: new Date(), disabledReason: 'only_failures' } as const;
    await db.webhookSubscription.update({ where: { id }, data: disabled });
    await queueOwnerEmails(500);
    await queueOwnerEmails(500);
    expect([await own('webhook_warned'), await own('webhook_disabled')]).toEqual([1, 1]);
  });

  it('are written for all others where one cannot be written, and for it as soon as it can', async () => {
    const warned = { url, failingSince: new Date(Date.now() - 73 * 3_600_000), failureWarnedAt: new Date() };
    const ids = await Promise.all(
      Array.from({ length: 3 }, async () => (await makeSubscription((await makeProject()).project.id, warned)).id),
    );
    const [bad] = ids;
    await db.$executeRawUnsafe(`
      CREATE FUNCTION reject_email() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'rejected'; END $$`);
    await db.$executeRawUnsafe(`
      CREATE TRIGGER reject_email BEFORE INSERT ON outgoing_mail FOR EACH ROW WHEN (NEW."dedupeKey" LIKE '%${bad}%')
      EXECUTE FUNCTION reject_email()`);
    const written = async () => {
      const rows = await db.outgoingMail.findMany({ where: { kind: 'webhook_warned' }, select: { dedupeKey: true } });
      return ids.filter((id) => rows.some(({ dedupeKey }) => dedupeKey?.includes(id)));
    };
    try {
      await queueOwnerEmails(500);
      expect(await written()).toEqual(ids.slice(1));
    } finally {
      await db.$executeRawUnsafe('DROP FUNCTION reject_email CASCADE');
    }
    await queueOwnerEmails(500);
    expect(await written()).toEqual(ids);
  });

  it('say what happened and link to the webhook, with only the host of its URL', () => {
    const webhook = {
      projectName: 'Northern <League>',
      projectSlug: 'northern',
      id: 'whs_1',
      url: 'https://hooks.example.com/in?token=hidden',
      since: new Date('2026-11-16T08:30:00Z'),
    };
    const emails = [
      webhookFailingEmail(webhook),
      webhookDisabledEmail(webhook, 'only_failures'),
      webhookDisabledEmail(webhook, 'gone_410'),
    ].map(composeEmail);
    for (const { text, html, subject } of emails) {
      expect(text).toContain('hooks.example.com');
      expect(text).toContain('/dashboard/northern/webhooks/whs_1');
      expect(`${text}${html}${subject}`).not.toContain('hidden');
      expect(html).not.toContain('<League>');
    }
    expect(emails[0]?.text).toContain('since 2026-11-16 08:30 UTC');
    expect(emails[2]?.text).toContain('410 Gone');
  });
});
