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

const isLateSql = (what: string) => `${what} IN (SELECT unnest($9::text[]))`;
/** How fast it is for whose turn it takes, where these domains are prompt. */
const paceSql = (turn: string, prompt: string) => `CASE
  WHEN ${isLateSql('recipient')} OR ${isLateSql(domainSql)} OR ${isLateSql(`${domainSql} || ' ' || ${turn}`)} THEN 'late'
  WHEN ${prompt}::text[] IS NULL OR ${domainSql} IN (SELECT unnest(${prompt})) THEN 'prompt' ELSE 'unknown' END`;

const byTurn = (who: string) => `array_position($16::text[], ${who}) NULLS FIRST,`;
/** What people asked for at domains of one pace; those of `$15`, who have as much under way as they may, wait. Who had their turn comes last. */
const askedSql = (pace: Pace, room: string) => `
  SELECT id, '${pace}' AS pace, "askedBy", "dueAt" FROM outgoing_mail
  WHERE "causedBy" = '' AND "dueAt" <= now() AND ${room}::int > 0 AND NOT (ARRAY['${pace} ' || "askedBy", 'any ' || "askedBy"] && $15::text[])
    AND ${paceSql('"askedBy"', '$12')} = '${pace}'
  ORDER BY ${byTurn('"askedBy"')} "dueAt", id LIMIT greatest(0, ${room}::int) FOR UPDATE SKIP LOCKED`;

/**
 * Whose turn the email `r` takes that others cause: of an invitation, the network's that sends it; of others, the block's or
 * account's that created the project. A digest takes that of the emails in it. Projects, teams and domains cost little: with a
 * turn for each, one person could have all connections, and each takes time in the statement that looks for emails.
 */
export const causedBySql = `CASE WHEN r."sourceId" = '' THEN '' WHEN r."askedBy" > '' THEN 'by ' || r."askedBy"
  ELSE coalesce((SELECT coalesce(p."createdFrom", p."createdById") FROM "project" p WHERE p."id" = r."sourceId"), r."sourceId") END`;
export const isInviter = (turn: string) => turn.startsWith('by ');
/** Whose turn an email takes. Empty: nobody's. */
export const turnOf = ({ askedBy, causedBy }: ClaimedEmail): string => causedBy || askedBy;
/** So many emails of a turn are looked at for one of a pace, those that are due longest. Among them, projects take turns. */
const maxSeen = 100;
/** The same for prompt domains, more, so that few wait behind those that are not: a thousand take ten milliseconds. */
export const maxSeenPrompt = 1_000;
/**
 * And the first and the last one of so many blocks of recipients, from another block on each time: who has thousands sent to domains that hang, such
 * as by registering and cancelling again and again, would hide those of everybody behind them.
 */
const maxBlocksElsewhere = 125;

/** The block of a recipient in an index, in random order; where it is not known, each recipient is one. */
const indexedBlockSql = 'md5(coalesce("recipientFrom", recipient))';
/** Blocks with emails of a turn, one after the other, by the index: from the first one that fulfils a condition. */
const blocksSql = (name: string, condition: string) => `${name} AS (
        (SELECT ${indexedBlockSql} AS block FROM outgoing_mail
         WHERE "causedBy" = c.id AND "dueAt" IS NOT NULL AND ${condition} ORDER BY ${indexedBlockSql} LIMIT 1)
        UNION ALL
        SELECT (SELECT ${indexedBlockSql} FROM outgoing_mail
          WHERE "causedBy" = c.id AND "dueAt" IS NOT NULL AND ${indexedBlockSql} > b.block ORDER BY ${indexedBlockSql} LIMIT 1)
        FROM ${name} b WHERE b.block IS NOT NULL)`;

/** Recipients whose block is not known count as one, with who causes their emails: they can all be one person's. */
const blockSql = `coalesce("recipientFrom", 'of ' || c.id)`;
/** The emails of a turn that are looked at for one of a pace, the first of each block before the second of any. */
const seenSql = (pace: Pace, most: number, busy = 'false') => `
        SELECT id, row_number() OVER (PARTITION BY "sourceId" ORDER BY of_block, "dueAt", id) AS turn, "dueAt", block FROM (
          SELECT *, row_number() OVER (PARTITION BY "sourceId", block ORDER BY "dueAt", id) AS of_block FROM (
            SELECT *, ${blockSql} AS block FROM (
              (SELECT id, recipient, "recipientFrom", "sourceId", "dueAt" FROM outgoing_mail
               WHERE "causedBy" = c.id AND "dueAt" <= now() ORDER BY "dueAt", id LIMIT ${most})
              UNION
              (SELECT id, recipient, "recipientFrom", "sourceId", "dueAt" FROM elsewhere e WHERE e.turn = c.id)) seen
            WHERE NOT ('${pace} ' || c.id = ANY ($15)) AND ${paceSql('c.id', '$18')} = '${pace}') seen
          WHERE NOT (${busy})) seen`;

/**
 * The first email of each turn to a domain of one pace, and one for each block that recipients signed up from, which can
 * register in anybody's tournaments. Who had their turn comes last, and within a turn the blocks that had theirs (`$19`).
 */
const causedSql = (pace: Pace, room: string) => `
  SELECT id, number FROM (
    SELECT id, number, row_number() OVER (PARTITION BY block ORDER BY number) AS of_block FROM (
      SELECT m.id, m.block, row_number() OVER (ORDER BY ${byTurn('c.id')} m."dueAt", m.id) AS number
      FROM causers c CROSS JOIN LATERAL (
        SELECT * FROM (${seenSql(pace, maxSeen, `'${pace} to ' || block IN (SELECT unnest($15::text[]))`)}) seen
        ORDER BY ($19::jsonb->>block)::int NULLS FIRST, turn, "dueAt", id LIMIT 1) m
      WHERE ${room}::int > 0) m) m
  WHERE of_block = 1 ORDER BY number LIMIT greatest(0, ${room}::int)`;

// Who causes emails takes turns: the next claim begins behind the last one that got something. Where domains are not prompt they
// have other turns: few get something there, and those at the beginning would get it again before the others. A claim lasts
// until "dueAt", or until the process that it names dies.
const CLAIM = `
  WITH RECURSIVE ids AS (
    (SELECT "causedBy" AS id FROM outgoing_mail WHERE "dueAt" IS NOT NULL AND "causedBy" > '' ORDER BY 1 LIMIT 1)
    UNION ALL
    SELECT (SELECT m."causedBy" FROM outgoing_mail m WHERE m."dueAt" IS NOT NULL AND m."causedBy" > i.id ORDER BY 1 LIMIT 1)
    FROM ids i WHERE i.id IS NOT NULL
  ), causers AS (
    SELECT * FROM (SELECT id, $3 - coalesce(($5::jsonb->>id)::int, 0) AS free FROM ids WHERE id IS NOT NULL) c WHERE free > 0
  ), elsewhere AS MATERIALIZED (
    SELECT c.id AS turn, m.* FROM causers c CROSS JOIN LATERAL (
      WITH RECURSIVE ${blocksSql('behind', `${indexedBlockSql} >= $17`)}, ${blocksSql('before', `${indexedBlockSql} < $17`)}
      (SELECT block FROM behind WHERE block IS NOT NULL)
      UNION ALL
      (SELECT block FROM before WHERE block < $17)
      LIMIT ${maxBlocksElsewhere}) b
    CROSS JOIN LATERAL (${['ASC', 'DESC']
      .map(
        (order) => `
      (SELECT id, recipient, "recipientFrom", "sourceId", "dueAt" FROM outgoing_mail
       WHERE "causedBy" = c.id AND ${indexedBlockSql} = b.block AND "dueAt" <= now() ORDER BY "dueAt" ${order}, id ${order} LIMIT 1)`,
      )
      .join(' UNION ')}) m
    WHERE EXISTS (SELECT FROM outgoing_mail WHERE "causedBy" = c.id AND "dueAt" <= now() ORDER BY "dueAt", id OFFSET ${maxSeen})
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
    SELECT m.* FROM (SELECT * FROM causers ORDER BY id <= $1, id) c CROSS JOIN LATERAL (
      SELECT o.id FROM (${seenSql('prompt', maxSeenPrompt)}) p
      JOIN outgoing_mail o ON o.id = p.id AND o."dueAt" <= now() ORDER BY p.turn, p."dueAt", p.id
      LIMIT CASE WHEN starts_with(c.id, 'by ') THEN 1 ELSE c.free END FOR UPDATE OF o SKIP LOCKED) m
    LIMIT $4
  ), caused_unknown AS (${causedSql('unknown', '$14')}
  ), caused_late AS (${causedSql('late', '$11')}
  ), caused AS (
    SELECT id FROM (
      SELECT id, row_number() OVER () AS number FROM caused_prompt
      UNION ALL TABLE caused_unknown UNION ALL TABLE caused_late) c
    ORDER BY number, random() LIMIT least($4, $7 - (SELECT count(*) FROM asked))
  ), locked AS (
    SELECT id FROM outgoing_mail WHERE id = ANY (ARRAY(SELECT id FROM caused)) AND "dueAt" <= now() FOR UPDATE SKIP LOCKED
  ), claimed AS (
    TABLE locked UNION ALL SELECT id FROM asked
  )
  UPDATE outgoing_mail m SET attempts = attempts + 1, "dueAt" = now() + $6 * interval '1 ms', "claimedBy" = $8
  FROM claimed c WHERE m.id = c.id
  RETURNING m.id, m."causedBy", m.recipient, m.kind, m."contentEncrypted", m.attempts, m."createdAt", m."askedBy",
    m."recipientFrom"`;

/**
 * Emails to claim: behind whose turn to begin; how many in all, of those that people ask for, of those that others cause, and of each
 * who causes some, with how many of theirs are under way.
 */
export type Room = {
  behind: string;
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
};

/** @param by the name of this process while others can see that it is alive; null: the claim ends by time alone */
export async function claimEmails(room: Room, by: string | null = null): Promise<ClaimedEmail[]> {
  const { behind, free, asked, caused, each, underWay, late, unknown, askers, blocks = [] } = room;
  const lateRoom = [late?.names ?? [], late?.asked ?? 0, late?.caused ?? 0];
  const unknownRoom = [unknown?.prompt ?? null, unknown?.asked ?? 0, unknown?.caused ?? 0];
  const askersRoom = [askers?.full ?? [], askers?.served ?? []];
  const common = [behind, asked, each, caused, JSON.stringify(underWay), claimMs, free, by];
  const wellKnown = unknown?.wellKnown ?? unknown?.prompt ?? null;
  const places = JSON.stringify(Object.fromEntries(blocks.map((block, place) => [block, place])));
  const values = [
    ...common,
    ...lateRoom,
    ...unknownRoom,
    ...askersRoom,
    randomBytes(16).toString('hex'),
    wellKnown,
    places,
  ];
  const { rows } = await pool.query<ClaimedEmail>({ name: 'email_claim', text: CLAIM, values });
  return rows;
}
