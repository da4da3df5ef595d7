import { activeRegistrationStatuses } from '@/domain/participants/statuses';
import type { ParticipantWhereInput, TournamentModel } from '@/generated/prisma/models';
import type { Tx } from '@/server/db';
import { refuse } from '@/server/errors';
import { readPlay } from '@/server/routers/matches/data-bracket';
import { maxPeople } from '@/server/routers/matches/data-size';
import { noSuchTournament, settingsSelect } from '@/server/routers/tournaments/data';
import { toSettings } from '@/server/routers/tournaments/data-settings';
import { renameInOptions, toFileBracket, toFileStandings } from './rules';

const participantSelect = {
  id: true,
  name: true,
  seed: true,
  registrationStatus: true,
  status: true,
  waitlistOrder: true,
  registeredAt: true,
  checkedInAt: true,
  roster: { select: { name: true, role: true, user: { select: { name: true } } }, orderBy: { id: 'asc' } },
} as const;

/**
 * Everyone who is part of the tournament: once it has started or is cancelled, whoever had a slot. The others can be thousands of
 * strangers, whom staff can remove only before.
 */
const inFile = ({ id, status }: Pick<TournamentModel, 'id' | 'status'>): ParticipantWhereInput => ({
  tournamentId: id,
  registrationStatus: {
    in: status === 'DRAFT' || status === 'PUBLISHED' ? [...activeRegistrationStatuses] : ['approved'],
  },
});

/** By seed, then the others in the order in which they registered. */
async function readParticipants(tx: Tx, where: ParticipantWhereInput) {
  const rows = await tx.participant.findMany({ where, select: participantSelect });
  const last = Number.MAX_SAFE_INTEGER;
  return rows.sort(
    (a, b) =>
      (a.seed ?? last) - (b.seed ?? last) ||
      Number(a.waitlistOrder ?? 0) - Number(b.waitlistOrder ?? 0) ||
      a.registeredAt.getTime() - b.registeredAt.getTime() ||
      (a.id < b.id ? -1 : 1),
  );
}

const iso = (date: Date | null) => date?.toISOString() ?? null;

/** @throws INVALID_STATE where the file would have more participants and players than a file may have */
async function requireFit(tx: Tx, tournamentId: string, where: ParticipantWhereInput): Promise<void> {
  const take = maxPeople + 1;
  const participants = await tx.participant.count({ where, take });
  const players = await tx.rosterMember.count({ where: { tournamentId, participant: where }, take });
  if (participants + players <= maxPeople) return;
  const message = `A file has at most ${maxPeople.toLocaleString('en')} participants and players, and this tournament has more.`;
  throw refuse('INVALID_STATE', { message });
}

/**
 * A tournament as a file that can be imported again. It names participants `p1`, `p2`, …, and has no accounts, email
 * addresses, answers or feeds.
 */
export async function readFile(tx: Tx, tournamentId: string) {
  const row = await tx.tournament.findUnique({
    where: { id: tournamentId },
    select: { ...settingsSelect, cancelledAt: true },
  });
  if (!row) throw noSuchTournament();
  const where = inFile(row);
  await requireFit(tx, tournamentId, where);
  const play = await readPlay(tx, tournamentId);
  const participants = await readParticipants(tx, where);
  const names = new Map(participants.map(({ id }, at) => [id, `p${at + 1}`]));
  const { slug: _slug, ...settings } = toSettings(row);
  // A participant who was assigned to a group by hand and removed since is in no file.
  const groupAssignments = settings.formatOptions.groupAssignments?.filter(({ participantId }) =>
    names.has(participantId),
  );
  const options = groupAssignments ? { ...settings.formatOptions, groupAssignments } : settings.formatOptions;
  return {
    format: 'laurel' as const,
    version: 1 as const,
    tournament: {
      ...settings,
      formatOptions: renameInOptions(options, names),
      status: row.status,
      publishedAt: iso(row.publishedAt),
      startedAt: iso(row.startedAt),
      completedAt: iso(row.completedAt),
      cancelledAt: iso(row.cancelledAt),
    },
    participants: participants.map(
      ({ id, name, seed, registrationStatus, status, roster, registeredAt, checkedInAt }) => ({
        ...{ id: names.get(id) ?? '', name, seed, registrationStatus, status },
        ...(roster.length > 0
          ? { roster: roster.map((member) => ({ name: member.user?.name ?? member.name ?? '', role: member.role })) }
          : {}),
        registeredAt: registeredAt.toISOString(),
        ...(checkedInAt ? { checkedInAt: checkedInAt.toISOString() } : {}),
      }),
    ),
    bracket: play && toFileBracket(play, names),
    standings: play ? toFileStandings(play, names) : [],
  };
}
