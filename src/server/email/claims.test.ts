import { afterAll, beforeEach, expect, test } from 'vitest';
import { createContext } from '@/server/context';
import { closeDatabase, db } from '@/server/db';
import { claimEmails, maxSeen, maxTurns } from '@/server/email/claims';
import { ask, cause, invite, letPass, makeOwnProjects, rowOf } from '@/server/email/outbox.fixture';
import { completeEmails } from '@/server/email/sender';
import { hashedSubject } from '@/server/limits/rate-limit';
import { appRouter } from '@/server/routers/_app';
import { createCallerFactory } from '@/server/trpc';
import { makeUser } from '@/test/factories';

const room = { free: 200, asked: 100, caused: 100, each: 100, underWay: {} };

beforeEach(() => db.outgoingMail.deleteMany());
afterAll(() => closeDatabase());

test('many at once get different emails, and each email one claim', async () => {
  await cause('prj_a', 40);
  const claims = await Promise.all(Array.from({ length: 8 }, () => claimEmails({ ...room, caused: 10 })));
  const ids = claims.flat().map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length + (await claimEmails(room)).length).toBe(40);
  expect(await claimEmails(room)).toEqual([]);
});

test('what a process that died had claimed is free when the claim ends, and then only its success counts', async () => {
  const id = await ask();
  const [dead] = await claimEmails(room);
  await letPass(0.8);
  const [again] = await claimEmails(room);
  expect([dead?.attempts, again?.attempts]).toEqual([1, 2]);
  if (!dead || !again) throw new Error('not claimed');
  await completeEmails([{ email: dead, error: 'too late' }]);
  expect(await rowOf(id)).toMatchObject({ lastError: null, sentAt: null });
  await completeEmails([{ email: dead, error: null }]);
  await completeEmails([{ email: again, error: 'already there' }]);
  expect(await rowOf(id)).toMatchObject({
    lastError: null,
    sentAt: expect.any(Date),
    dueAt: null,
    contentEncrypted: null,
  });
});

test('late domains have room of their own, which the others pass', async () => {
  for (let count = 0; count < 4; count += 1) await ask(`a${count}@n${count}.slow.co.uk`);
  await ask('someone@other.co.uk');
  await cause('prj_a', 3, '', '.far.test');
  const names = ['far.test', 'slow.co.uk'];
  const claim = async (late: { asked: number; caused: number }) =>
    (await claimEmails({ ...room, late: { names, ...late } })).map(({ causedBy, recipient }) =>
      causedBy === '' ? recipient : causedBy,
    );
  expect(await claim({ asked: 0, caused: 0 })).toEqual(['someone@other.co.uk']);
  expect((await claim({ asked: 1, caused: 2 })).sort()).toEqual(['a0@n0.slow.co.uk', 'prj_a']);
  expect(await claim({ asked: 0, caused: 1 })).toEqual(['prj_a']);
  expect(await claim({ asked: 9, caused: 0 })).toHaveLength(3);
  expect(await claim({ asked: 0, caused: 9 })).toEqual(['prj_a']);
});

test('what is late for one recipient, asker or source alone is late for no other at the domain', async () => {
  await ask('slow@players.test', 'one');
  await ask('a@players.test', 'two');
  await ask('b@players.test', 'three');
  await invite('tem_a', 'two', 'c@players.test');
  await cause('prj_a', 1, '', '.players.test');
  await cause('prj_b', 1, '', '.players.test');
  const names = ['slow@players.test', `players.test ${hashedSubject('two')}`, 'players.test prj_a'];
  const claim = async (late: { asked: number; caused: number }) =>
    (await claimEmails({ ...room, late: { names, ...late } }))
      .map(({ recipient, causedBy }) => causedBy || recipient)
      .sort();
  expect(await claim({ asked: 0, caused: 0 })).toEqual(['b@players.test', `by ${hashedSubject('two')}`, 'prj_b']);
  expect(await claim({ asked: 9, caused: 9 })).toEqual(['a@players.test', 'prj_a', 'slow@players.test']);
});

test('domains that are not known come last and have room of their own, in which those who ask take turns', async () => {
  for (let count = 0; count < 4; count += 1) await ask(`a@strange-${count}.test`, 'one');
  await ask('b@strange-5.test', 'two');
  await cause('prj_a', 3, '', '.far.test');
  await ask('someone@players.test', 'one');
  const unknown = { prompt: ['players.test'], asked: 2, caused: 1 };
  const claim = async (options: Partial<Parameters<typeof claimEmails>[0]>) =>
    (await claimEmails({ ...room, unknown, ...options }))
      .map(({ recipient, causedBy }) => causedBy || recipient)
      .sort();
  expect(await claim({ asked: 1, caused: 0 })).toEqual(['someone@players.test']);
  const [{ askedBy } = { askedBy: '' }] = await db.outgoingMail.findMany({
    where: { recipient: 'a@strange-0.test' },
  });
  expect(await claim({ unknown: { ...unknown, asked: 1 }, askers: { full: [], served: [askedBy] } })).toEqual([
    'b@strange-5.test',
    'prj_a',
  ]);
  expect(await claim({ askers: { full: [`unknown ${askedBy}`], served: [] } })).toEqual(['prj_a']);
  expect(await claim({ caused: 0 })).toEqual(['a@strange-0.test']);
  expect(await claim({ unknown: { ...unknown, asked: 0, caused: 0 } })).toEqual([]);
});

test('at domains that are not known, who invites with many teams has one turn, and those who had theirs come last', async () => {
  for (const source of ['tem_a', 'tem_b', 'tem_c']) await invite(source, 'one', `${source}@strange.test`);
  const inviter = `by ${hashedSubject('one')}`;
  await cause('prj_d', 2, '', '.far.test');
  const unknown = { prompt: [], asked: 0, caused: 9 };
  const claim = async (options: Partial<Parameters<typeof claimEmails>[0]>) =>
    (await claimEmails({ ...room, unknown, ...options })).map(({ causedBy }) => causedBy).sort();
  expect(await claim({ unknown: { ...unknown, caused: 1 }, askers: { full: [], served: ['prj_d'] } })).toEqual([
    inviter,
  ]);
  expect(await claim({ askers: { full: [`unknown ${inviter}`], served: [] } })).toEqual(['prj_d']);
  expect(await claim({ askers: { full: ['late prj_d'], served: [] } })).toEqual([inviter, 'prj_d']);
  expect(await claim({ askers: { full: [], served: [] } })).toEqual([inviter]);
});

test('at domains that are prompt, what one network invites is claimed one by one, until it has its share', async () => {
  for (const source of ['tem_a', 'tem_b', 'tem_c']) await invite(source, 'one', `${source}@players.test`);
  await invite('tem_d', 'two', 'd@players.test');
  await cause('tem_d', 2);
  const claim = async (full: readonly string[]) =>
    (await claimEmails({ ...room, askers: { full, served: [] } })).map(({ causedBy }) => causedBy).sort();
  const [one, two] = ['one', 'two'].map((block) => `by ${hashedSubject(block)}`) as [string, string];
  expect(await claim([])).toEqual([one, two, 'tem_d', 'tem_d'].sort());
  expect(await claim([`prompt ${one}`])).toEqual([]);
  expect([await claim([]), await claim([])]).toEqual([[one], [one]]);
});

test('many emails of a turn that hang hide none behind them, of the same source or another', async () => {
  const [own = '', other = ''] = await makeOwnProjects(2);
  await cause(own, 2 * maxSeen, '', '.far.test');
  const behind = [await cause(own, 1, '', '.players.test'), await cause(other, 1, '', '.players.test')].flat().sort();
  await cause(own, 2 * maxSeen, '', '.far.test');
  const late = { names: ['far.test'], asked: 0, caused: 0 };
  const claimAll = async (options: Partial<Parameters<typeof claimEmails>[0]>) => {
    const claimed = new Set<string>();
    for (let count = 0; count < 200 && claimed.size < behind.length; count += 1) {
      for (const { recipient } of await claimEmails({ ...room, late, ...options })) claimed.add(recipient);
    }
    return [...claimed].sort();
  };
  expect(await claimAll({})).toEqual(behind);
  await letPass(5);
  expect(await claimAll({ unknown: { prompt: [], asked: 0, caused: 9 } })).toEqual(behind);
});

test('thousands of emails to recipients of one block hide none behind them, and do not all go before', async () => {
  const [own = ''] = await makeOwnProjects(1);
  const rent = async () => {
    const rented = await cause(own, 2 * maxSeen, '', '.players.test');
    await db.outgoingMail.updateMany({ where: { recipient: { in: rented } }, data: { recipientFrom: 'block' } });
  };
  await rent();
  const [innocent = ''] = await cause(own, 1, '', '.players.test');
  await rent();
  await db.outgoingMail.updateMany({ where: { recipient: innocent }, data: { recipientFrom: 'home' } });
  const claim = async (unknown: Partial<Parameters<typeof claimEmails>[0]>) =>
    (await claimEmails({ ...room, each: 2, caused: 2, ...unknown })).map(({ recipient }) => recipient);
  expect(await claim({})).toContain(innocent);
  await letPass(5);
  const unknown = { prompt: [], asked: 0, caused: 2 };
  expect(await claim({ unknown, askers: { full: ['unknown to block'], served: [] } })).toEqual([innocent]);
}, 60_000);

test('of what a block asks for, one is claimed at a time, whatever the pace of the domains, and none once it has all it may', async () => {
  for (const domain of ['prompt', 'unknown', 'late']) await ask(`a@${domain}.test`, 'one');
  await ask('b@prompt.test', 'two');
  const late = { names: ['late.test'], asked: 1, caused: 0 };
  const unknown = { prompt: ['prompt.test'], asked: 1, caused: 0 };
  const claim = async (askers: { full: string[]; served: string[] }, asked = 9) =>
    (await claimEmails({ ...room, asked, late, unknown, askers })).map(({ recipient }) => recipient).sort();
  const [one, two] = [hashedSubject('one'), hashedSubject('two')];
  expect(await claim({ full: [`any ${one}`], served: [] })).toEqual(['b@prompt.test']);
  await ask('c@prompt.test', 'two');
  expect(await claim({ full: [], served: [one] }, 1)).toEqual(['c@prompt.test']);
  await ask('d@prompt.test', 'two');
  expect(await claim({ full: [], served: [two, one] })).toEqual(['a@prompt.test', 'd@prompt.test']);
  expect(await claim({ full: [], served: [] })).toEqual(['a@unknown.test']);
  expect(await claim({ full: [], served: [] })).toEqual(['a@late.test']);
});

test('of recipients who signed up from one block, one is claimed at unknown domains, and none while one is under way', async () => {
  const register = async (sourceId: string, to: string) => (await cause(sourceId, 1, '', `.${to}.test`))[0] ?? '';
  const rented = [await register('prj_a', 'one'), await register('prj_b', 'two')];
  const other = await register('prj_c', 'three');
  const unknown = { prompt: ['one.test', 'two.test', 'three.test'], wellKnown: [], asked: 0, caused: 9 };
  await db.outgoingMail.updateMany({ where: { recipient: { in: rented } }, data: { recipientFrom: 'block' } });
  const claim = async (full: string[]) =>
    (await claimEmails({ ...room, unknown, askers: { full, served: [] } })).map(({ recipient }) => recipient);
  expect(await claim(['unknown to block'])).toEqual([other]);
  expect(await claim([])).toEqual([rented[0]]);
  expect(await claim(['unknown to block'])).toEqual([]);
  expect(await claim([])).toEqual([rented[1]]);
});

test.each(['unknown', 'late'] as const)(
  'in a turn at %s domains, blocks of recipients that had theirs come last',
  async (pace) => {
    const register = async (recipientFrom: string | null) => {
      const [recipient = ''] = await cause('prj_a', 1, '', '.far.test');
      await db.outgoingMail.updateMany({ where: { recipient }, data: { recipientFrom } });
      return recipient;
    };
    const [first] = [await register('block'), await register('block')];
    const [guest, other] = [await register(null), await register('home')];
    const rooms = {
      unknown: { unknown: { prompt: [], asked: 0, caused: 9 } },
      late: { late: { names: ['far.test'], asked: 0, caused: 9 } },
    };
    const claim = async (blocks: string[]) =>
      (await claimEmails({ ...room, ...rooms[pace], blocks })).map(({ recipient }) => recipient);
    expect(await claim([])).toEqual([first]);
    expect(await claim(['of prj_a', 'block'])).toEqual([other]);
    expect(await claim(['of prj_a', 'block'])).toEqual([guest]);
  },
);

test('takes no more than there is room for, of both kinds together', async () => {
  for (let count = 0; count < 4; count += 1) await ask();
  await cause('prj_a', 6);
  const claimed = await claimEmails({ ...room, free: 5, asked: 3, caused: 4, each: 4 });
  expect(claimed.map(({ causedBy }) => causedBy).sort()).toEqual(['', '', '', 'prj_a', 'prj_a']);
});

test('a mail server that says what cannot be stored loses no result of another email', async () => {
  const [sent, refused] = [await ask(), await ask()];
  const claimed = await claimEmails(room);
  const error = 'no such\0mailbox';
  await completeEmails(claimed.map((one) => ({ email: one, error: one.id === sent ? null : error })));
  expect(await rowOf(sent)).toMatchObject({ sentAt: expect.any(Date), contentEncrypted: null });
  expect(await rowOf(refused)).toMatchObject({ sentAt: null, lastError: 'no such\uFFFDmailbox' });
});

test('late emails of a block that had its turn come after those of others, whatever organizers cause them', async () => {
  const register = async (sourceId: string, recipientFrom: string) => {
    const [recipient = ''] = await cause(sourceId, 1, '', '.far.test');
    await db.outgoingMail.updateMany({ where: { recipient }, data: { recipientFrom } });
    return recipient;
  };
  const rented = [await register('prj_a', 'block'), await register('prj_b', 'block')];
  const other = await register('prj_c', 'home');
  const late = { names: ['far.test'], asked: 0, caused: 1 };
  const claim = async (blocks: string[], full: string[] = []) =>
    (await claimEmails({ ...room, late, blocks, askers: { full, served: ['prj_c'] } })).map(
      ({ recipient }) => recipient,
    );
  expect(await claim(['block'])).toEqual([other]);
  expect(await claim(['home', 'block'], ['late to block'])).toEqual([]);
  expect([await claim(['home', 'block']), await claim(['home', 'block'])].flat()).toEqual(rented);
});

test('late emails that one block has sent to people of many count as one block', async () => {
  const late = { names: ['far.test'], asked: 0, caused: 1 };
  const named: string[] = [];
  for (let count = 0; count < 5; count += 1) {
    named.push(`named${count}@${count}.far.test`);
    await invite('prj_a', 'rented', named[count] ?? '');
    await db.outgoingMail.updateMany({ where: { recipient: named[count] }, data: { recipientFrom: `fresh ${count}` } });
  }
  const [other = ''] = await cause('prj_c', 1, '', '.far.test');
  await db.outgoingMail.updateMany({ where: { recipient: other }, data: { recipientFrom: 'home' } });
  const rented = hashedSubject('rented');
  const claim = async (blocks: string[], full: string[] = []) =>
    (await claimEmails({ ...room, late, blocks, askers: { full, served: ['prj_c'] } })).map(
      ({ recipient }) => recipient,
    );
  // The home had its turn, and that of who has people named came later.
  expect(await claim(['home', rented])).toEqual([other]);
  expect(await claim([], [`late to ${rented}`])).toEqual([]);
  expect(named).toContain((await claim([]))[0]);
});

/** Projects of as many accounts, all created from one block of addresses. @returns their ids */
const makeProjectsOfBlock = () =>
  Promise.all(
    [1, 2, 3].map(async (host) => {
      const { bearer: authorization } = await makeUser();
      const facts = {
        requestId: 'req_1',
        ip: `203.0.113.${host}`,
        transport: 'rest',
        setHeader: () => undefined,
      } as const;
      const caller = createCallerFactory(appRouter)(createContext({ ...facts, authorization }));
      return (await caller.projects.create({ name: 'Own' })).id;
    }),
  );

test.each([
  ['account', () => makeOwnProjects(3)],
  ['block', makeProjectsOfBlock],
])('projects of one %s share what one source gets, whatever the pace of the domains', async (_, makeProjects) => {
  const own = await makeProjects();
  for (const source of [...own, 'prj_~']) await cause(source, 9, '', '.far.test');
  const claim = async (options: Partial<Parameters<typeof claimEmails>[0]>) => {
    const claimed = (await claimEmails({ ...room, ...options })).map(({ causedBy }) => causedBy);
    return [
      claimed.filter((causedBy) => causedBy !== 'prj_~').length,
      claimed.filter((causedBy) => causedBy === 'prj_~').length,
    ];
  };
  expect(await claim({ each: 4 })).toEqual([4, 4]);
  const claimed = await db.outgoingMail.groupBy({ by: ['sourceId'], where: { attempts: 1 } });
  expect(claimed.map(({ sourceId }) => sourceId).sort()).toEqual([...own, 'prj_~'].sort());
  expect(await claim({ each: 2, caused: 4 })).toEqual([2, 2]);
  expect(await claim({ unknown: { prompt: [], asked: 0, caused: 9 } })).toEqual([1, 1]);
  expect(await claim({ late: { names: ['far.test'], asked: 0, caused: 9 } })).toEqual([1, 1]);
});

test('sources take turns, and none gets more than its share', async () => {
  for (const source of ['prj_a', 'prj_b', 'prj_c']) await cause(source, 5);
  await ask();
  const sourcesOf = async (options: Partial<Parameters<typeof claimEmails>[0]>) =>
    (await claimEmails({ ...room, ...options })).map(({ causedBy }) => causedBy).sort();
  expect(await sourcesOf({ asked: 1, caused: 5, each: 2 })).toEqual(['', 'prj_a', 'prj_a', 'prj_b', 'prj_b', 'prj_c']);
  expect(await sourcesOf({ promptServed: ['prj_c', 'prj_a'], caused: 2 })).toEqual(['prj_b', 'prj_c']);
  expect(await sourcesOf({ each: 2, underWay: { prj_a: 2, prj_b: 1 } })).toEqual(['prj_b', 'prj_c', 'prj_c']);
});

test('at prompt domains, a block has one turn in those of many organizers, and an organizer one for many blocks', async () => {
  const register = async (sourceId: string, block: string, count = 1) => {
    const recipients = await cause(sourceId, count);
    await db.outgoingMail.updateMany({ where: { recipient: { in: recipients } }, data: { recipientFrom: block } });
  };
  const organizers = Array.from({ length: 30 }, (_, index) => `prj_${10 + index}`);
  for (const source of organizers) await register(source, 'rented', 4);
  for (let block = 0; block < 40; block += 1) await register('prj_crowd', `crowd ${block}`);
  const others = ['prj_20 home', 'prj_30 school', 'prj_other club', 'prj_other team'];
  for (const [source = '', block = ''] of others.map((other) => other.split(' '))) await register(source, block);
  let served: string[] = [];
  const claimed: string[] = [];
  for (let count = 0; count < 10; count += 1) {
    for (const { causedBy, recipientFrom } of await claimEmails({ ...room, caused: 1, promptServed: served })) {
      const turn = [causedBy, `to ${recipientFrom}`];
      served = [...served.filter((who) => !turn.includes(who)), ...turn];
      claimed.push(`${causedBy} ${recipientFrom}`);
    }
  }
  expect(claimed).toEqual(expect.arrayContaining(others));
  // Those who have a turn are the block, the crowd, and at most three others.
  for (const many of [' rented', 'prj_crowd ']) {
    expect(claimed.filter((one) => one.includes(many)).length).toBeLessThanOrEqual(4);
  }
});

test('what one block has asked for, however much is due, keeps nobody else waiting', async () => {
  const rows = (many: number, turns: number, domain: string) => db.$executeRaw`
    INSERT INTO outgoing_mail (id, recipient, kind, "askedBy", "contentEncrypted", "dueAt")
    SELECT 'eml_' || ${domain} || n, 'a' || n || '@' || ${domain}, 'verify_email', ${domain} || n % ${turns}::int, 'x', now()
    FROM generate_series(1, ${many}::int) n`;
  await rows(2 * maxSeen, 1, 'far.test');
  await ask('someone@players.test', 'home');
  await rows(2 * maxSeen, 1, 'strange.test');
  const late = { names: ['far.test'], asked: 0, caused: 0 };
  const claim = async () => (await claimEmails({ ...room, late, unknown })).map(({ recipient }) => recipient);
  const unknown = { prompt: ['players.test'], asked: 0, caused: 0 };
  expect(await claim()).toEqual(['someone@players.test']);
  // Of more blocks than a claim looks at, all have their turn.
  await rows(3 * maxTurns, 3 * maxTurns, 'players.test');
  const claimed = new Set<string>();
  for (let count = 0; count < 200 && claimed.size < 3 * maxTurns; count += 1)
    for (const to of await claim()) claimed.add(to);
  expect(claimed.size).toBe(3 * maxTurns);
});
