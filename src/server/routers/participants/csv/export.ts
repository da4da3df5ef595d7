import { customFieldDefinition } from '@/domain/tournaments/settings';
import type { Prisma } from '@/generated/prisma/client';
import { refuse } from '@/server/errors';
import { takeNow } from '@/server/limits/take-now';
import { rosterName, rosterOrder, rosterSelect } from '@/server/routers/participants/data';
import { tournamentProcedure } from '@/server/routers/tournaments/gate';
import { type AskedField, askedBefore } from '@/server/routers/tournaments/questions/data';
import { type Cell, toCsv } from './rules';
import { exportInput, exportOutput } from './schema';

/** Participants per part, people who may be on their rosters, and cells; limits what one response takes. */
const most = { participants: 1_000, people: 10_000, cells: 100_000 };

const fixedColumns = [
  'Name',
  'Type',
  'Registration',
  'Status',
  'Seed',
  'Registered at',
  'Checked in at',
  'Captain email',
  'Roster',
];

const rowSelect = {
  id: true,
  name: true,
  type: true,
  registrationStatus: true,
  status: true,
  seed: true,
  registeredAt: true,
  checkedInAt: true,
  customFields: true,
  acceptedAt: true,
  user: { select: { email: true } },
  roster: {
    select: rosterSelect,
    orderBy: rosterOrder,
  },
} satisfies Prisma.ParticipantSelect;

/** Every question of any version, once and with its latest label, current questions first. */
function questionColumns(versions: { definitions: AskedField[] }[]): { key: string; title: string }[] {
  const columns = new Map<string, string>();
  for (const { definitions } of versions.toReversed()) {
    for (const { key, label } of definitions) if (!columns.has(key)) columns.set(key, label);
  }
  const counts = new Map(fixedColumns.map((title) => [title, 1]));
  for (const title of columns.values()) counts.set(title, (counts.get(title) ?? 0) + 1);
  const unique = (title: string) => counts.get(title) === 1;
  return [...columns].map(([key, title]) => ({ key, title: unique(title) ? title : `${title} (${key})` }));
}

/** A cursor has the version of the questions that the header is from, and the id of the last participant. */
function readCursor(cursor: string | undefined, current: number): { version: number; after: string } {
  if (cursor === undefined) return { version: current, after: '' };
  const [, version, after] = /^(\d{1,9})\.(prt_[0-9a-z]{26})$/.exec(cursor) ?? [];
  if (!version || !after) throw refuse('INVALID_CURSOR');
  return { version: Number(version), after };
}

export const exportCsv = tournamentProcedure('participants:read')
  .meta({
    openapi: {
      method: 'GET',
      path: '/tournaments/{tournamentId}/participants/export',
      tags: ['Participants'],
      summary: 'Export all participants as CSV',
      description:
        'Participants in any state, 1,000 per part, fewer where rosters may be long or questions are many, with contact, roster and answers, including answers to questions that were removed. Pass `next` as `cursor` until it is null, and join the parts.',
    },
    errors: ['INVALID_CURSOR'],
    quotas: ['heavyCalls'],
    wholeDraw: 'with rosters',
  })
  .input(exportInput)
  .output(exportOutput)
  .query(async ({ ctx, input }) => {
    const { tournamentId } = ctx;
    await takeNow('heavyCalls', ctx.actingUser.id);
    const [tournament, earlier] = await Promise.all([
      ctx.db.tournament.findUniqueOrThrow({
        where: { id: tournamentId },
        select: { customFields: true, customFieldsVersion: true, rosterMax: true },
      }),
      askedBefore(ctx.db, tournamentId),
    ]);
    const current = {
      version: tournament.customFieldsVersion,
      definitions: customFieldDefinition.array().parse(tournament.customFields),
    };
    const { version, after } = readCursor(input.cursor, current.version);
    // Later versions are ignored, so that the columns stay the same in all parts.
    const columns = questionColumns([...earlier, current].filter((set) => set.version <= version));
    const pageSize = Math.floor(
      Math.min(
        most.participants,
        most.people / tournament.rosterMax,
        most.cells / (fixedColumns.length + columns.length),
      ),
    );
    const [rows, total] = await Promise.all([
      ctx.db.participant.findMany({
        where: { tournamentId, id: { gt: after } },
        orderBy: { id: 'asc' },
        take: pageSize,
        select: rowSelect,
      }),
      ctx.db.participant.count({ where: { tournamentId } }),
    ]);
    const lines = rows.map((row): Cell[] => {
      const answers = row.customFields as Record<string, Cell>;
      return [
        row.name,
        row.type,
        row.registrationStatus,
        row.status,
        row.seed,
        row.registeredAt.toISOString(),
        row.checkedInAt?.toISOString() ?? null,
        row.acceptedAt && row.user ? row.user.email : null,
        row.roster
          .map((member) => (member.role === 'player' ? rosterName(member) : `${rosterName(member)} (${member.role})`))
          .join('; '),
        ...columns.map(({ key }) => (Object.hasOwn(answers, key) ? (answers[key] ?? null) : null)),
      ];
    });
    const header = after === '' ? [[...fixedColumns, ...columns.map(({ title }) => title)]] : [];
    const last = rows.length === pageSize ? rows.at(-1) : undefined;
    return {
      csv: toCsv([...header, ...lines]),
      rows: rows.length,
      total,
      next: last ? `${version}.${last.id}` : null,
    };
  });
