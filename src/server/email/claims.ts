import { randomBytes } from 'node:crypto';
import { second } from '@/domain/time/durations';
import { pool } from '@/server/db';
import { sendingMs } from '@/server/email/mail-server';

/** How long one sender has an email to itself; longer than any sending takes. */
const claimMs = sendingMs + 5 * second;
/** What one person registers is one domain, with all names below it: the last two labels, or three as in `co.uk`. */
const domainPattern = '([^.@]+[.][^.@]{1,3}[.][^.@]{2}|[^.@]+[.][^.@]+)$';
export const domainOf = (address: string) => address.match(domainPattern)?.[0] ?? '';

export type ClaimedEmail = {
  id: string;
  /** With whose emails it counts that others cause; empty: the recipient asked for it. */
  causedBy: string;
  recipient: string;
  kind: string;
  contentEncrypted: string;
  attempts: number;
  createdAt: Date;
  askedBy: string;
  /** The block of addresses that the recipient signed up from; null: not known. */
  recipientFrom: string | null;
};

/** How fast the recipient of an email is, or its domain, as far as this process knows. */
const paces = ['prompt', 'unknown', 'late'] as const;
export type Pace = (typeof paces)[number];
const inOrderOfPace = `array_position('{${paces}}'::text[], pace)`;

const domainSql = `coalesce(substring(recipient from '${domainPattern}'), '')`;

const isAmong = (what: string, names: string) => `${what} IN (SELECT unnest(${names}::text[]))`;
const isLateSql = (what: string) => isAmong(what, '$9');
/** How fast it is for whose turn it takes, where these domains are prompt. */
const paceSql = (turn: string, prompt: string, domain = domainSql) => `CASE
  WHEN ${isLateSql('recipient')} OR ${isLateSql(domain)} OR ${isLateSql(`${domain} || ' ' || ${turn}`)} THEN 'late'
  WHEN ${prompt}::text[] IS NULL OR ${isAmong(domain, prompt)} THEN 'prompt' ELSE 'unknown' END`;

/** Where an email is looked for by its id: an index of what is due cannot serve it. */
const isDueSql = `coalesce("dueAt", 'infinity') <= now()`;
/** Locks those of `m` that no other process claims at the moment. */
const lockSql = `CROSS JOIN LATERAL (SELECT FROM outgoing_mail o WHERE o.id = m.id AND ${isDueSql} FOR UPDATE SKIP LOCKED) locked`;

const byTurn = (who: string) => `array_position($16::text[], ${who}) NULLS FIRST,`;
/** What people asked for at domains of one pace; those of `$15`, who have as much under way as they may, wait. Who had their turn comes last. */
const askedSql = (pace: Pace, room: string) => `
  SELECT m.* FROM (
    SELECT id, pace, "askedBy", "dueAt" FROM asked_by_pace
    WHERE pace = '${pace}' AND ${room}::int > 0 AND NOT (ARRAY['${pace} ' || "askedBy", 'any ' || "askedBy"] && $15::text[])
    ORDER BY ${byTurn('"askedBy"')} "dueAt", id) m
  ${lockSql} LIMIT greatest(0, ${room}::int)`;

/**
 * Whose turn the email `r` takes that others cause: of an invitation, the network's that sends it; of others, the block's or
 * account's that created the project. A digest takes that of the emails in it. Projects, teams and domains cost little: with a
 * turn for each, one person could have all connections, and each takes time in the statement that looks for emails.
 */
export const causedBySql = `CASE WHEN r."sourceId" = '' THEN '' WHEN r."askedBy" > '' THEN 'by ' || r."askedBy"
  ELSE coalesce((SELECT coalesce(p."createdFrom", p."createdById") FROM "project" p WHERE p."id" = r."sourceId"), r."sourceId") END`;
export const isInviter = (turn: string) => turn.startsWith('by ');

/**
 * The block that an email counts for in a turn: that from which the recipient signed up, or of who invites, names or reports, since any
 * number of recipients would otherwise come before others. Recipients whose block is not known count as one, with who causes their
 * emails: they can all be one person's.
 */
export const countedBlock = ({ turn, block }: { turn: string; block?: string | null }): string =>
  isInviter(turn) ? turn.slice(3) : (block ?? `of ${turn}`);
/** Whose turn an email takes. Empty: nobody's. */
export const turnOf = ({ askedBy, causedBy }: ClaimedEmail): string => causedBy || askedBy;
/**
 * A claim looks at so many turns, and at so many blocks of recipients in all of them together, from others on each time: who registers with
 * many organizers, or again and again with one, would otherwise have each claim look at all that hangs, or hide what is behind it.
 */
export const maxTurns = 500;
const maxBlocks = 500;
/** So many emails are looked at as those that are due longest in each turn, all turns together, and as many as the first of the blocks. */
export const maxSeen = 500;

/**
 * The turn of an email that others cause and is not sent, and the block of its recipient in it, in random order; where that is not known,
 * each recipient is one. No other index has it: statistics from when nothing was due make all conditions look alike that they can serve.
 */
const placeSql = `(CASE WHEN "dueAt" IS NOT NULL AND "causedBy" <> '' THEN md5("causedBy") || md5(coalesce("recipientFrom", "recipient")) END)`;
/** The same of one that a person asked for: the turn of who did, in random order. */
const askedPlaceSql = `(CASE WHEN "dueAt" IS NOT NULL AND "causedBy" = '' THEN md5("askedBy") END)`;
/** Comes behind all places of a turn. */
const endOf = (turn: string) => `${turn} || 'g'`;
/** The first email, by its place, from one on; where there is none, the first one from the beginning. */
const nextPlaceSql = (
  place: string,
  columns: string,
  { from, first, start, end }: Record<'from' | 'first' | 'start' | 'end', string>,
) => `(
      (SELECT ${columns}, from_first FROM outgoing_mail
       WHERE ${place} > ${from} AND ${place} < CASE WHEN from_first THEN ${start} ELSE ${end} END ORDER BY ${place} LIMIT 1)
      UNION ALL
      (SELECT ${columns}, true FROM outgoing_mail
       WHERE NOT from_first AND ${place} >= ${first} AND ${place} < ${start} ORDER BY ${place} LIMIT 1)
      LIMIT 1)`;

const seenColumns = 'id, "causedBy" AS turn, recipient, "recipientFrom", "sourceId", "dueAt"';
/** Those of the turn `c` that are due longest or, the other way round, since a moment ago. */
const endsSql = (order: string) => `
        (SELECT ${seenColumns} FROM outgoing_mail WHERE "causedBy" = c.id AND "dueAt" <= now()
         ORDER BY "dueAt" ${order}, id ${order} LIMIT (SELECT ${maxSeen} / count(*) FROM causers))`;
/** As `countedBlock`. */
const blockSql = `CASE WHEN starts_with(turn, 'by ') THEN substr(turn, 4) ELSE coalesce("recipientFrom", 'of ' || turn) END`;
const freeSql = (turn: string) => `$3 - coalesce(($5::jsonb->>${turn})::int, 0)`;

/** Which blocks had theirs (`$19`). */
const byBlock = '($19::jsonb->>block)::int NULLS FIRST,';
/** Late ones take turns by block first: one block can have some with many organizers, each for half a minute. */
const byTurnAt = { unknown: byTurn('turn'), late: `${byBlock} ${byTurn('turn')}` };
/**
 * The first email of each turn to a domain of one pace, and one for each block that recipients signed up from, which can
 * register in anybody's tournaments. Who had their turn comes last, and within a turn the blocks that had theirs.
 */
const causedSql = (pace: 'unknown' | 'late', room: string) => `
  SELECT id, number FROM (
    SELECT id, number, row_number() OVER (PARTITION BY block ORDER BY number) AS of_block FROM (
      SELECT id, block, row_number() OVER (ORDER BY ${byTurnAt[pace]} "dueAt", id) AS number FROM (
        SELECT *, row_number() OVER (PARTITION BY turn ORDER BY ${byBlock} of_source, "dueAt", id) AS of_turn
        FROM caused_by_pace WHERE pace = '${pace}' AND ${room}::int > 0) m
      WHERE of_turn = 1) m) m
  WHERE of_block = 1 ORDER BY number LIMIT greatest(0, ${room}::int)`;

/** The turns, by place, from behind one on; the first row is none. */
const turnsSql = (start: string) => `
  turns AS (
    SELECT '' AS id, ${start}::text AS place, false AS from_first
    UNION ALL
    SELECT next.* FROM turns CROSS JOIN LATERAL ${nextPlaceSql(placeSql, `"causedBy", md5("causedBy")`, { from: endOf('place'), first: "''", start, end: "'g'" })} next
  )`;

/** When a turn, or a block of recipients as `to BLOCK`, had its last email at a prompt domain, as its number in `$1`; null: it had none lately. */
const servedSql = (who: string) => `array_position($1::text[], ${who})`;
/**
 * Emails to prompt domains in their order. One that is the n-th of its turn, or of its recipient's block in the turns of all, comes after
 * the first of all others: one block can register with many organizers, and organizers have recipients of many blocks. Of those, who
 * had their turn comes last, the causer or the recipient's block.
 */
const promptSql = `
  SELECT id, turn, row_number() OVER (ORDER BY greatest(of_turn, of_recipients), greatest(turn_served, block_served) NULLS FIRST, "dueAt", id) AS number
  FROM (
    SELECT *, row_number() OVER (PARTITION BY block ORDER BY of_turn, turn_served NULLS FIRST, "dueAt", id) AS of_recipients FROM (
      SELECT *, row_number() OVER (PARTITION BY turn ORDER BY of_source, block_served NULLS FIRST, "dueAt", id) AS of_turn FROM (
        SELECT id, turn, block, "dueAt", turn_served, block_served,
          row_number() OVER (PARTITION BY turn, "sourceId" ORDER BY of_block, block_served NULLS FIRST, "dueAt", id) AS of_source
        FROM (SELECT *, ${servedSql('turn')} AS turn_served, ${servedSql(`'to ' || block`)} AS block_served FROM caused_by_pace WHERE pace = 'prompt') m) m) m) m`;
/** So many times as many as there is room for are locked: another process may claim those of a turn that has its share. */
const promptMargin = 4;

// Who causes emails takes turns, and so do the blocks of recipients. A claim lasts until "dueAt", or until the process that it names
// dies. Turns and blocks begin at values of their own: from one value, a claim that looks at few of each would come to the same blocks of
// a turn each time.
const CLAIM = `
  WITH RECURSIVE ${turnsSql('$17')}, causers AS MATERIALIZED (
    SELECT id, place FROM (SELECT * FROM turns WHERE id <> '' LIMIT ${maxTurns}) t WHERE ${freeSql('id')} > 0
  ), places AS (
    SELECT place AS turn, place || $20 AS place, false AS from_first FROM causers
    UNION ALL
    SELECT turn, next.* FROM places CROSS JOIN LATERAL ${nextPlaceSql(placeSql, placeSql, { from: 'place', first: 'turn', start: 'turn || $20', end: endOf('turn') })} next
  ), blocks AS MATERIALIZED (
    SELECT place FROM places WHERE place <> turn || $20 LIMIT ${maxBlocks}
  ), seen AS MATERIALIZED (
    SELECT *, ${domainSql} AS domain, ${blockSql} AS block FROM (
      SELECT m.* FROM causers c CROSS JOIN LATERAL (${['ASC', 'DESC'].map(endsSql).join(' UNION ALL ')}) m
      UNION
      SELECT m.* FROM blocks b CROSS JOIN LATERAL (
        (SELECT ${seenColumns} FROM outgoing_mail
         WHERE ${placeSql} = b.place ORDER BY ${placeSql}, "dueAt", id LIMIT (SELECT ${maxSeen} / count(*) FROM blocks))
        UNION ALL
        (SELECT ${seenColumns} FROM outgoing_mail
         WHERE ${placeSql} >= b.place AND (${placeSql}, "dueAt") <= (b.place, now())
         ORDER BY ${placeSql} DESC, "dueAt" DESC, id DESC LIMIT 1)) m) m
    WHERE "dueAt" <= now()
  ), paced AS MATERIALIZED (
    SELECT *, ${paceSql('turn', '$18', 'domain')} AS pace FROM seen
  ), caused_by_pace AS MATERIALIZED (
    SELECT *, row_number() OVER (PARTITION BY pace, turn, "sourceId" ORDER BY of_block, "dueAt", id) AS of_source FROM (
      SELECT *, row_number() OVER (PARTITION BY pace, turn, "sourceId", block ORDER BY "dueAt", id) AS of_block FROM paced
      WHERE NOT ${isAmong(`pace || ' ' || turn`, '$15')} AND NOT ${isAmong(`pace || ' to ' || block`, '$15')}) m
  ), askers AS (
    SELECT $17 AS place, false AS from_first
    UNION ALL
    SELECT next.* FROM askers CROSS JOIN LATERAL ${nextPlaceSql(askedPlaceSql, askedPlaceSql, { from: 'place', first: "''", start: '$17', end: "'g'" })} next
  ), asked_places AS MATERIALIZED (
    SELECT place FROM askers WHERE place <> $17 LIMIT ${maxTurns}
  ), asked_by_pace AS MATERIALIZED (
    SELECT *, ${paceSql('"askedBy"', '$12')} AS pace FROM (
      SELECT m.* FROM asked_places a CROSS JOIN LATERAL (
        (SELECT id, recipient, "askedBy", "dueAt" FROM outgoing_mail WHERE ${askedPlaceSql} = a.place
         ORDER BY ${askedPlaceSql}, "dueAt", id LIMIT (SELECT ${maxSeen} / count(*) FROM asked_places))
        UNION
        (SELECT id, recipient, "askedBy", "dueAt" FROM outgoing_mail
         WHERE ${askedPlaceSql} >= a.place AND (${askedPlaceSql}, "dueAt") <= (a.place, now())
         ORDER BY ${askedPlaceSql} DESC, "dueAt" DESC, id DESC LIMIT (SELECT ${maxSeen} / count(*) FROM asked_places))) m) m
    WHERE "dueAt" <= now()
  ), asked_prompt AS (${askedSql('prompt', '$2')}
  ), asked_unknown AS (${askedSql('unknown', '$13')}
  ), asked_late AS (${askedSql('late', '$10')}
  ), asked AS (
    SELECT id FROM (
      SELECT *, row_number() OVER (PARTITION BY "askedBy" ORDER BY ${inOrderOfPace}, "dueAt", id) AS number
      FROM (TABLE asked_prompt UNION ALL TABLE asked_unknown UNION ALL TABLE asked_late) a) a
    WHERE number = 1 OR "askedBy" = ''
    ORDER BY ${inOrderOfPace}, ${byTurn('"askedBy"')} "dueAt", id LIMIT $2
  ), caused_prompt AS (
    SELECT id, number FROM (
      SELECT id, turn, number, row_number() OVER (PARTITION BY turn ORDER BY number) AS of_turn FROM (
        SELECT m.* FROM (SELECT * FROM (${promptSql}) m ORDER BY number) m ${lockSql} LIMIT ${promptMargin} * $4) m) m
    WHERE of_turn <= CASE WHEN starts_with(turn, 'by ') THEN 1 ELSE ${freeSql('turn')} END ORDER BY number LIMIT $4
  ), caused_unknown AS (${causedSql('unknown', '$14')}
  ), caused_late AS (${causedSql('late', '$11')}
  ), caused AS (
    SELECT id FROM (
      SELECT id, row_number() OVER (ORDER BY number) AS number FROM caused_prompt
      UNION ALL TABLE caused_unknown UNION ALL TABLE caused_late) c
    ORDER BY number, random() LIMIT least($4, $7 - (SELECT count(*) FROM asked))
  ), locked AS (
    SELECT id FROM outgoing_mail WHERE id = ANY (ARRAY(SELECT id FROM caused)) AND ${isDueSql} FOR UPDATE SKIP LOCKED
  ), claimed AS (
    TABLE locked UNION ALL SELECT id FROM asked
  )
  UPDATE outgoing_mail m SET attempts = attempts + 1, "dueAt" = now() + $6 * interval '1 ms', "claimedBy" = $8
  WHERE m.id = ANY (ARRAY(SELECT id FROM claimed))
  RETURNING m.id, m."causedBy", m.recipient, m.kind, m."contentEncrypted", m.attempts, m."createdAt", m."askedBy",
    m."recipientFrom"`;

/** So many claims follow on each other at most, until one finds something. */
const maxClaims = 10;
/** Where further claims begin, each behind the turns that the one before looked at. */
const FURTHER = `
  WITH RECURSIVE ${turnsSql('$1')}
  SELECT place FROM (SELECT place, row_number() OVER () - 1 AS number FROM turns LIMIT ${(maxClaims - 1) * maxTurns + 1}) t
  WHERE number > 0 AND number % ${maxTurns} = 0 ORDER BY number`;

/**
 * Emails to claim: how many in all, of those that people ask for, of those that others cause, and of each who causes some, with how many
 * of theirs are under way.
 */
export type Room = {
  free: number;
  asked: number;
  caused: number;
  each: number;
  underWay: Record<string, number>;
  /** What is late, as recipient, domain, or domain and turn behind a space; and how many such emails there is room for, of each kind. */
  late?: { names: readonly string[]; asked: number; caused: number };
  /**
   * The same of all that are not `prompt`, or for emails that others cause not `wellKnown`; left out: all that are not late are
   * prompt.
   */
  unknown?: { prompt: readonly string[]; wellKnown?: readonly string[]; asked: number; caused: number };
  /** For whom there is no room, as `PACE TURN`, `any TURN` or `PACE to BLOCK`; and who had their turns, the last one at the end. */
  askers?: { full: readonly string[]; served: readonly string[] };
  /** The blocks of recipients that had their turns in those of others, the last one at the end. */
  blocks?: readonly string[];
  /** Who had their turns at prompt domains with what they cause, and blocks of recipients as `to BLOCK`, the last one at the end. */
  promptServed?: readonly string[];
};

const randomPlace = () => randomBytes(16).toString('hex');

/** The statement that claims emails. @param start where its turns begin */
export function claimStatement(room: Room, by: string | null, start = randomPlace()) {
  const { free, asked, caused, each, underWay, late, unknown, askers, blocks = [], promptServed = [] } = room;
  const lateRoom = [late?.names ?? [], late?.asked ?? 0, late?.caused ?? 0];
  const unknownRoom = [unknown?.prompt ?? null, unknown?.asked ?? 0, unknown?.caused ?? 0];
  const askersRoom = [askers?.full ?? [], askers?.served ?? []];
  const common = [promptServed, asked, each, caused, JSON.stringify(underWay), claimMs, free, by];
  const wellKnown = unknown?.wellKnown ?? unknown?.prompt ?? null;
  const places = JSON.stringify(Object.fromEntries(blocks.map((block, place) => [block, place])));
  const values = [...common, ...lateRoom, ...unknownRoom, ...askersRoom, start, wellKnown, places, randomPlace()];
  return { name: 'email_claim', text: CLAIM, values };
}

/**
 * Where there are more turns than one claim looks at and it finds nothing, most are yet to be looked at: others follow at once.
 * @param by the name of this process while others can see that it is alive; null: the claim ends by time alone
 */
export async function claimEmails(room: Room, by: string | null = null): Promise<ClaimedEmail[]> {
  const claim = async (start: string) => (await pool.query<ClaimedEmail>(claimStatement(room, by, start))).rows;
  const start = randomPlace();
  const claimed = await claim(start);
  if (claimed.length > 0 || room.caused <= 0) return claimed;
  const further = await pool.query<{ place: string }>({ name: 'email_turns', text: FURTHER, values: [start] });
  for (const { place } of further.rows) {
    const next = await claim(place);
    if (next.length > 0) return next;
  }
  return [];
}
