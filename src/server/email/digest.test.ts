import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { env } from '@/env';
import { db } from '@/server/db';
import { mailboxOf } from '@/server/email/budget';
import { claimEmails } from '@/server/email/claims';
import { digestEmail, queueDigests } from '@/server/email/digest';
import { maxFolded, queueEmail, queueEmailFromOthers, queueEmailsOnce } from '@/server/email/outbox';
import { makeOwnProjects } from '@/server/email/outbox.fixture';
import { setEmailNotifications, unsubscribeAddresses, unsubscribeToken } from '@/server/email/unsubscribe';
import { freshEmail, lastEmail } from '@/test/email';
import { makeUser } from '@/test/factories';

const defaults = { ...env };
afterEach(() => void Object.assign(env, defaults));

const update = (number: number) => ({
  subject: `Update ${number}`,
  paragraphs: ['Something happened.'],
  action: { label: 'Open', url: `https://play.example/${number}` },
  reason: 'You registered.',
});
const cause = (to: string, number = 0, kind = 'update') =>
  db.$transaction((tx) => queueEmailFromOthers(tx, { to, kind, email: update(number), sourceId: 'prj_digest' }));
const statesOf = async (recipient: string) => ({
  alone: await db.outgoingMail.count({ where: { recipient, kind: 'update', foldedAt: null } }),
  folded: await db.outgoingMail.count({ where: { recipient, foldedAt: { not: null }, sentAt: null, failedAt: null } }),
  digests: await db.outgoingMail.count({ where: { recipient, kind: 'digest' } }),
});
/** As if an hour, or a day, had passed since everything that was counted. */
async function letPass(ms: number) {
  await db.$executeRaw`UPDATE "rate_limit_window" SET "slots" = ARRAY(SELECT s - ${ms}::bigint FROM unnest("slots") s)`;
  await db.$executeRaw`UPDATE "outgoing_mail" SET "digestAt" = "digestAt" - ${ms} * interval '1 ms'`;
}
/** Has an address get an email of a project, and others of it wait for a digest. */
async function keepWaiting(sourceId: string, count = 1, domain = ''): Promise<string> {
  const to = `${freshEmail()}${domain}`;
  const emails = Array.from({ length: env.EMAILS_PER_ADDRESS_PER_HOUR + count }, (_, index) => {
    return { to, kind: 'update', email: update(index), dedupeKey: `${to}:${index}`, sourceId };
  });
  await db.$transaction((tx) => queueEmailsOnce(tx, emails));
  return to;
}
/** As if somebody had signed up with an address from a block before it was emailed. */
async function ofBlock(recipientFrom: string, recipient: string): Promise<string> {
  await db.outgoingMail.updateMany({ where: { recipient }, data: { recipientFrom } });
  return recipient;
}

test('of 32 emails that others cause at once, exactly ten go out and the others wait for one digest', async () => {
  const { id, email: to } = await makeUser();
  await db.user.update({ where: { id }, data: { createdFrom: 'block' } });
  const ids = await Promise.all(Array.from({ length: 32 }, (_, index) => cause(to, index)));
  expect(ids.filter((id) => id !== null)).toHaveLength(10);
  expect(await statesOf(to)).toEqual({ alone: 10, folded: 22, digests: 0 });
  await queueDigests(1000);
  expect(await statesOf(to)).toMatchObject({ digests: 0 });
  await letPass(3_600_001);
  await Promise.all([queueDigests(1000), queueDigests(1000)]);
  expect(await statesOf(to)).toEqual({ alone: 10, folded: 0, digests: 1 });
  expect(await db.outgoingMail.count({ where: { recipient: to, recipientFrom: 'block' } })).toBe(33);
  const digest = await lastEmail(to, 'digest');
  expect(digest.subject).toBe('22 more updates from Laurel');
  expect(digest.text).toMatch(/- Update \d+\n {2}https:\/\/play\.example\/\d+/);
  expect(digest.text).toContain('And 2 more.');
  expect(digest.html).toMatch(/<a href="https:\/\/play\.example\/\d+"/);
});

test('addresses without room keep nobody waiting, however many there are', async () => {
  Object.assign(env, { EMAILS_PER_ADDRESS_PER_HOUR: 1, EMAILS_PER_ADDRESS_PER_DAY: 2 });
  await db.outgoingMail.deleteMany();
  const to = await keepWaiting('prj_quiet');
  await letPass(3_600_001);
  for (let index = 0; index < 20; index += 1) await keepWaiting(`prj_${index}`);
  expect(await queueDigests(1000)).toBe(1);
  await cause(to);
  await letPass(3_600_001);
  // The day of one of them is used up, and the others get their digest.
  expect(await queueDigests(1000)).toBe(20);
  expect(await statesOf(to)).toMatchObject({ folded: 1, digests: 1 });
  const later = await keepWaiting('prj_later');
  for (let index = 0; index < 20; index += 1) await keepWaiting(`prj_${index}`);
  expect(await queueDigests(1000)).toBe(0);
  await db.$executeRaw`
    DELETE FROM "rate_limit_window" WHERE "subject" LIKE 'quota:emails%' AND "subject" LIKE ${`%${mailboxOf(later)}`}`;
  await db.outgoingMail.updateMany({ where: { recipient: later }, data: { digestAt: new Date(0) } });
  expect(await queueDigests(1)).toBe(1);
  expect(await statesOf(later)).toMatchObject({ folded: 0, digests: 1 });
});

test('who causes digests takes turns, however many addresses each keeps waiting', async () => {
  Object.assign(env, { EMAILS_PER_ADDRESS_PER_HOUR: 1 });
  await db.outgoingMail.deleteMany();
  for (let index = 0; index < 20; index += 1) await keepWaiting('prj_loud', 3);
  const quiet = [await keepWaiting('prj_quiet'), await keepWaiting('prj_other')];
  await letPass(3_600_001);
  expect(await queueDigests(3)).toBe(3);
  for (const to of quiet) expect(await statesOf(to)).toMatchObject({ folded: 0, digests: 1 });
});

test('in the turn of an organizer, blocks of recipients take turns, however many addresses one has waiting', async () => {
  Object.assign(env, { EMAILS_PER_ADDRESS_PER_HOUR: 1 });
  await db.outgoingMail.deleteMany();
  for (let index = 0; index < 20; index += 1) await ofBlock('loud', await keepWaiting('prj_both'));
  // Of addresses whose block is not known, one comes before the second of a block.
  const quiet = [await ofBlock('quiet', await keepWaiting('prj_both')), await keepWaiting('prj_both')];
  await letPass(3_600_001);
  expect(await queueDigests(3)).toBe(3);
  for (const to of quiet) expect(await statesOf(to)).toMatchObject({ folded: 0, digests: 1 });
});

test('a block of recipients that has addresses waiting with every organizer keeps no other waiting', async () => {
  Object.assign(env, { EMAILS_PER_ADDRESS_PER_HOUR: 1 });
  await db.outgoingMail.deleteMany();
  for (let index = 0; index < 12; index += 1) await ofBlock('loud', await keepWaiting(`prj_${index % 6}`));
  const quiet = await ofBlock('quiet', await keepWaiting('prj_3'));
  await letPass(3_600_001);
  expect(await queueDigests(3)).toBe(3);
  expect(await statesOf(quiet)).toMatchObject({ folded: 0, digests: 1 });
});

test('digests to any number of domains take the turn of who caused them, also once its project is deleted', async () => {
  Object.assign(env, { EMAILS_PER_ADDRESS_PER_HOUR: 1 });
  await db.outgoingMail.deleteMany();
  const own = await makeOwnProjects(2);
  for (let index = 0; index < 6; index += 1) await keepWaiting(own[index % 2] ?? '', 1, `.own-${index}.test`);
  const to = await keepWaiting('prj_quiet');
  await letPass(3_600_001);
  await db.outgoingMail.deleteMany({ where: { foldedAt: null } });
  await db.project.delete({ where: { id: own[0] ?? '' } });
  expect(await queueDigests(1000)).toBe(7);
  const claimed = await claimEmails({ free: 9, asked: 9, caused: 9, each: 2, underWay: {} });
  expect(claimed).toHaveLength(3);
  expect(claimed.map(({ recipient }) => recipient)).toContain(to);
});

test('a digest takes the turn of who caused most of it, and of who invites only where there is nothing else', async () => {
  Object.assign(env, { EMAILS_PER_ADDRESS_PER_HOUR: 1 });
  const [first = '', second = ''] = await makeOwnProjects(2);
  const from = fc.constantFrom(
    ...[first, second, 'prj_other'].map((sourceId) => ({ kind: 'update', sourceId })),
    ...['192.0.2.1', '198.51.100.1'].map((askedBy) => ({ kind: 'team_invitation', sourceId: 'tem_1', askedBy })),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(from, { minLength: 1, maxLength: 9 }), async (sources) => {
      const to = freshEmail();
      await cause(to);
      for (const source of sources)
        await db.$transaction((tx) => queueEmailFromOthers(tx, { to, email: update(1), ...source }));
      await letPass(3_600_001);
      await queueDigests(1000);
      const folded = await db.outgoingMail.findMany({ where: { recipient: to, foldedAt: { not: null } } });
      expect(folded).toHaveLength(sources.length);
      const updates = folded.filter(({ kind }) => kind === 'update');
      const counts = new Map<string, number>();
      for (const { causedBy } of updates.length > 0 ? updates : folded)
        counts.set(causedBy, (counts.get(causedBy) ?? 0) + 1);
      const digest = await db.outgoingMail.findFirstOrThrow({ where: { recipient: to, kind: 'digest' } });
      expect(counts.get(digest.causedBy)).toBe(Math.max(...counts.values()));
    }),
    { numRuns: 25 },
  );
}, 60_000);

test('what a player reports against an opponent does not have the digest wait with all that their block causes', async () => {
  Object.assign(env, { EMAILS_PER_ADDRESS_PER_HOUR: 1 });
  const to = freshEmail();
  await cause(to);
  await cause(to, 1);
  const report = { to, kind: 'match.report', email: update(2), sourceId: 'prj_digest', askedBy: 'block' };
  for (let count = 0; count < 5; count += 1) await db.$transaction((tx) => queueEmailFromOthers(tx, report));
  await letPass(3_600_001);
  await queueDigests(1000);
  const digest = await db.outgoingMail.findFirstOrThrow({ where: { recipient: to, kind: 'digest' } });
  expect(digest.causedBy).toBe('prj_digest');
});

test('a digest is looked for as soon as the budget may have room', async () => {
  Object.assign(env, { EMAILS_PER_ADDRESS_PER_HOUR: 3, EMAILS_PER_ADDRESS_PER_DAY: 5 });
  const email = fc.record({ kind: fc.constantFrom('update', 'team_invitation'), minutes: fc.nat(90) });
  const some = fc.array(email, { minLength: 3, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(some, async (caused) => {
      const to = freshEmail();
      for (const { kind, minutes } of caused) {
        await letPass(minutes * 60_000);
        await cause(to, 0, kind);
      }
      await queueDigests(1000);
      const waiting = () =>
        db.outgoingMail.findFirst({ where: { recipient: to, foldedAt: { not: null }, sentAt: null } });
      const { digests } = await statesOf(to);
      for (let looks = 0, row = await waiting(); row; row = await waiting(), looks += 1) {
        expect(looks).toBeLessThan(20);
        const before = Math.max(0, row.digestAt.getTime() - Date.now() - 60_000);
        await letPass(before);
        await db.outgoingMail.updateMany({ where: { recipient: to }, data: { digestAt: new Date(0) } });
        await queueDigests(1000);
        if (before > 0) expect(await statesOf(to), 'there is no room before').toMatchObject({ digests });
        await letPass(60_001);
        await queueDigests(1000);
        if ((await statesOf(to)).digests > digests) return;
      }
    }),
    { numRuns: 10 },
  );
}, 60_000);

test('thirty in a day, the digests included', async () => {
  const to = freshEmail();
  for (let hour = 0; hour < 4; hour += 1) {
    for (let index = 0; index < 12; index += 1) await cause(to);
    await letPass(3_600_001);
    await queueDigests(1000);
  }
  const { alone, digests } = await statesOf(to);
  expect(alone + digests).toBe(30);
  await letPass(86_400_000);
  await queueDigests(1000);
  expect(await statesOf(to)).toMatchObject({ folded: 0, digests: digests + 1 });
});

test('invitations get half of the budget at most, and all together no more than it', async () => {
  const to = freshEmail();
  const kinds = ['team_invitation', 'invitation', 'roster_notice'];
  const sentOf = async (wanted: string[]) => {
    const sent: (string | null)[] = [];
    for (const kind of wanted) sent.push(await cause(to, 0, kind));
    return sent.filter((id) => id !== null).length;
  };
  const invitations = Array.from({ length: 12 }, (_, index) => kinds[index % 3] ?? '');
  const updates = (count: number) => Array<string>(count).fill('update');
  expect(await sentOf(invitations)).toBe(5);
  expect(await sentOf(updates(5))).toBe(5);
  await letPass(3_600_001);
  expect(await sentOf([...updates(8), ...invitations])).toBe(10);
  await letPass(3_600_001);
  expect(await sentOf([...invitations, ...invitations])).toBe(5);
  await letPass(3_600_001);
  expect(await sentOf([...invitations, ...updates(9)])).toBe(5);
});

test('invitations alone get half of a day, their digests included', async () => {
  const to = freshEmail();
  let sent = 0;
  for (let hour = 0; hour < 6; hour += 1) {
    for (let index = 0; index < 6; index += 1) if (await cause(to, 0, 'team_invitation')) sent += 1;
    await letPass(3_600_001);
    await queueDigests(1000);
  }
  const { digests } = await statesOf(to);
  expect(digests).toBeGreaterThan(0);
  expect(sent + digests).toBe(15);
});

test('each project has places of its own in the digest', async () => {
  const to = freshEmail();
  const causeFrom = (sourceId: string) =>
    db.$transaction((tx) => queueEmailFromOthers(tx, { to, kind: 'update', email: update(1), sourceId }));
  for (let index = 0; index < 10 + maxFolded + 5; index += 1) await causeFrom('prj_loud');
  for (let index = 0; index < 5; index += 1) expect(await causeFrom('prj_other')).toBeNull();
  expect(await statesOf(to)).toMatchObject({ folded: maxFolded + 5 });
});

test('invitations take no place in a digest that others need', async () => {
  env.EMAILS_PER_ADDRESS_PER_HOUR = 1;
  const to = freshEmail();
  await cause(to);
  for (let index = 0; index < maxFolded + 2; index += 1) await cause(to, index, 'team_invitation');
  await cause(to, 1_000);
  expect(await statesOf(to)).toEqual({ alone: 1, folded: maxFolded + 1, digests: 0 });
  await letPass(3_600_001);
  await queueDigests(1000);
  const { text } = await lastEmail(to, 'digest');
  expect(text).toMatch(/- Update 1000\n/);
  // Some can be accepted by their link alone, so those that are not named wait for the next digest.
  expect(text.match(/- Update \d+\n/g)).toHaveLength(11);
  expect(await statesOf(to)).toEqual({ alone: 1, folded: maxFolded - 10, digests: 1 });
});

test('whoever invites from one network takes no place of others, and the first of each is named', async () => {
  env.EMAILS_PER_ADDRESS_PER_HOUR = 1;
  const to = freshEmail();
  const invite = (askedBy: string, number: number) =>
    db.$transaction((tx) => {
      const email = { to, kind: 'team_invitation', email: update(number), sourceId: `team_${number}`, askedBy };
      return queueEmailFromOthers(tx, email);
    });
  await cause(to);
  for (let index = 0; index < maxFolded + 5; index += 1) await invite('192.0.2.1', index);
  expect(await invite('198.51.100.1', 1_000)).toBeNull();
  expect(await statesOf(to)).toMatchObject({ folded: maxFolded + 1 });
  await letPass(3_600_001);
  await queueDigests(1000);
  expect((await lastEmail(to, 'digest')).text).toMatch(/- Update 1000\n/);
});

test('invitations are named beside many updates', async () => {
  env.EMAILS_PER_ADDRESS_PER_HOUR = 1;
  const to = freshEmail();
  for (let index = 0; index < 31; index += 1) await cause(to, index);
  await cause(to, 1_000, 'invitation');
  await letPass(3_600_001);
  await queueDigests(1000);
  const { text } = await lastEmail(to, 'digest');
  expect(text).toMatch(/- Update 1000\n/);
  expect(text).toContain('And 11 more.');
});

test('a digest that cannot be written keeps no other waiting', async () => {
  const broken = await Promise.all(Array.from({ length: 8 }, () => keepWaiting('prj_broken')));
  await db.outgoingMail.updateMany({
    where: { recipient: { in: broken }, foldedAt: { not: null } },
    data: { contentEncrypted: 'of another key' },
  });
  const to = await keepWaiting('prj_whole');
  await letPass(3_600_001);
  await queueDigests(1000);
  expect(await statesOf(to)).toMatchObject({ folded: 0, digests: 1 });
});

test('no email overtakes those that wait, and a digest names the first of each project first', async () => {
  const to = freshEmail();
  const causeBy = (sourceId: string, number: number) =>
    db.$transaction((tx) => queueEmailFromOthers(tx, { to, kind: 'update', email: update(number), sourceId }));
  for (let index = 0; index < 40; index += 1) await causeBy('prj_loud', index);
  expect(await causeBy('prj_quiet', 77)).toBeNull();
  await letPass(3_600_001);
  expect(await causeBy('prj_loud', 40)).toBeNull();
  await queueDigests(1000);
  expect(await statesOf(to)).toEqual({ alone: 10, folded: 0, digests: 1 });
  expect((await lastEmail(to, 'digest')).text).toContain('https://play.example/77');
  expect(await causeBy('prj_loud', 41)).not.toBeNull();
});

test('an email that waits for the digest is not sent by itself', async () => {
  env.EMAILS_PER_ADDRESS_PER_HOUR = 1;
  const to = freshEmail();
  await cause(to);
  expect(await cause(to)).toBeNull();
  const folded = await db.outgoingMail.findFirstOrThrow({ where: { recipient: to, foldedAt: { not: null } } });
  expect(folded.contentEncrypted).not.toContain('Update');
  const claimed = await claimEmails({
    free: 2_000,
    asked: 1_000,
    caused: 1_000,
    each: 1_000,
    underWay: {},
  });
  expect(claimed.map(({ recipient }) => recipient)).toContain(to);
  expect(claimed.map(({ id }) => id)).not.toContain(folded.id);
});

test('a mailbox is one, whatever follows a plus in its address', async () => {
  const [name, host] = freshEmail().split('@');
  const ids = await Promise.all(Array.from({ length: 16 }, (_, index) => cause(`${name}+${index}@${host}`)));
  expect(ids.filter((id) => id !== null)).toHaveLength(10);
});

test('what the recipient asked for is neither counted nor folded', async () => {
  env.EMAILS_PER_ADDRESS_PER_HOUR = 1;
  const to = freshEmail();
  const ask = () => db.$transaction((tx) => queueEmail(tx, { to, kind: 'asked', email: update(0) }));
  for (let index = 0; index < 3; index += 1) expect(await ask()).not.toBeNull();
  expect(await cause(to)).not.toBeNull();
  expect(await cause(to)).toBeNull();
  expect(await ask()).not.toBeNull();
  const own = { to, kind: 'asked', email: update(1), asked: true, dedupeKey: `${to}:asked`, sourceId: 'prj_digest' };
  expect(await db.$transaction((tx) => queueEmailsOnce(tx, [own]))).toHaveLength(1);
});

test('what its owner causes has a limit of its own, past which it waits for the digest', async () => {
  env.OWN_EMAILS_PER_ADDRESS_PER_HOUR = 3;
  const [to, other] = [freshEmail(), freshEmail()];
  const own = (address: string, numbers: number[]) =>
    numbers.map((number) => ({
      ...{ to: address, kind: 'update', email: update(number), asked: true, dedupeKey: `${address}:${number}` },
      sourceId: 'prj_digest',
    }));
  const queue = (emails: ReturnType<typeof own>) => db.$transaction((tx) => queueEmailsOnce(tx, emails));
  await Promise.all([1, 2, 3, 4, 5].map((number) => queue(own(to, [number]))));
  await queue(own(to, [5, 6, 7]));
  await queue(own(other, [1, 2]));
  expect(await statesOf(to)).toEqual({ alone: 3, folded: 4, digests: 0 });
  expect(await statesOf(other)).toEqual({ alone: 2, folded: 0, digests: 0 });
  await queueDigests(1000);
  expect((await lastEmail(to, 'digest')).subject).toBe('4 more updates from Laurel');
});

test('the digest of an address stays small however much is caused', async () => {
  env.EMAILS_PER_ADDRESS_PER_HOUR = 1;
  const to = freshEmail();
  const emails = Array.from({ length: 80 }, (_, index) => ({
    ...{ to, kind: 'update', email: update(index), dedupeKey: `${to}:${index}`, sourceId: 'prj_digest' },
  }));
  expect(await db.$transaction((tx) => queueEmailsOnce(tx, emails))).toHaveLength(1);
  expect(await db.$transaction((tx) => queueEmailsOnce(tx, emails))).toHaveLength(0);
  expect(await statesOf(to)).toMatchObject({ folded: maxFolded });
  await cause(to, 81);
  expect(await statesOf(to)).toMatchObject({ folded: maxFolded });
  // Those without a place are not stored.
  expect(await db.outgoingMail.count({ where: { recipient: to } })).toBe(1 + maxFolded);
});

test('who unsubscribes gets no digest of what waited for them, but what they cannot unsubscribe from', async () => {
  env.EMAILS_PER_ADDRESS_PER_HOUR = 1;
  const { id, email: to } = await makeUser({ email: freshEmail() });
  const email = { ...update(0), unsubscribe: unsubscribeAddresses(id) };
  const optional = { to, kind: 'update', email, dedupeKey: null, sourceId: 'prj_digest' };
  await db.$transaction((tx) => queueEmailsOnce(tx, [optional, optional, optional]));
  await setEmailNotifications(unsubscribeToken(id), false);
  await letPass(3_600_001);
  await queueDigests(1000);
  expect(await statesOf(to)).toEqual({ alone: 1, folded: 0, digests: 0 });
  await cause(to);
  await db.$transaction((tx) => queueEmailsOnce(tx, [optional]));
  await cause(to);
  await letPass(3_600_001);
  await queueDigests(1000);
  expect((await lastEmail(to, 'digest')).subject).toBe('1 more update from Laurel');
});

test('whoever signs up with an address that they do not confirm gives up nothing that waits for it', async () => {
  env.EMAILS_PER_ADDRESS_PER_HOUR = 1;
  const { id, email: to } = await makeUser({ email: freshEmail() });
  await db.user.update({ where: { id }, data: { emailVerifiedAt: null, emailNotifications: false } });
  const email = { ...update(0), unsubscribe: unsubscribeAddresses(id) };
  const optional = { to, kind: 'update', email, dedupeKey: null, sourceId: 'prj_digest' };
  await db.$transaction((tx) => queueEmailsOnce(tx, [optional, optional]));
  await letPass(3_600_001);
  await queueDigests(1000);
  expect(await statesOf(to)).toEqual({ alone: 1, folded: 0, digests: 1 });
});

test('markup in a subject stays text', () => {
  const email = digestEmail([{ ...update(1), subject: '<b>Cup</b>' }]);
  expect(email.subject).toBe('1 more update from Laurel');
  expect(email.items).toEqual([{ text: '<b>Cup</b>', url: 'https://play.example/1' }]);
});
