import { newId } from '@/domain/ids';
import { type Scope, scopes } from '@/domain/projects/scopes';
import type { Plan, ProjectRole } from '@/generated/prisma/enums';
import { mintApiKey } from '@/server/auth/api-keys';
import { hashPassword } from '@/server/auth/passwords';
import { db } from '@/server/db';
import { demoTournaments, games, otherTournaments, playerNames } from './content';
import { freshUntil } from './dates';
import type { Cast, Person } from './people';
import { isEdition, seedPlayed } from './played';
import { seedTeams } from './teams';
import { seedTournament } from './tournaments';
import { seedWebhooks } from './webhooks';

/** The content of demo.json: addresses and working credentials. */
export interface Demo {
  baseUrl: string;
  /** ISO 8601. A start after this time gives the tournaments new dates. */
  freshUntil: string;
  project: { id: string; slug: string };
  users: { id: string; email: string; password: string; role: string }[];
  apiKeys: { data: string; antiCheat: string; all: string };
  otherProjects: { id: string; slug: string; plan: string; apiKey: string }[];
  tournaments: { id: string; slug: string; status: string }[];
}

const password = 'demo-password';

async function seedPeople(): Promise<Cast> {
  const passwordHash = await hashPassword(password);
  const staff = [
    ['owner', 'Olivia Owner'],
    ['organizer', 'Oskar Organizer'],
    ['moderator', 'Mona Moderator'],
  ];
  const people = [...staff, ...playerNames.map((name, index) => [`player${index + 1}`, name])];
  const rows = people.map(([account, name]) => ({ email: `${account}@demo.test`, name: name ?? '' }));
  const made = await db.$transaction(
    rows.map(({ email, name }) =>
      db.user.upsert({
        where: { email },
        create: { id: newId('usr'), email, name, passwordHash, emailVerifiedAt: new Date() },
        update: { name, passwordHash, emailVerifiedAt: new Date(), suspendedAt: null },
        select: { id: true, email: true },
      }),
    ),
  );
  const [owner, organizer, moderator, ...players] = made;
  if (!owner || !organizer || !moderator) throw new Error('the demo has no staff');
  return { owner, organizer, moderator, players };
}

type NewProject = { slug: string; name: string; plan: Plan; members: { person: Person; role: ProjectRole }[] };

/** The project with its members. A project with that slug that belongs to other people is left alone. */
async function seedProject({ slug, name, plan, members }: NewProject) {
  const roles = members.map(({ person, role }) => ({ userId: person.id, role }));
  const found = await db.project.findUnique({
    where: { slug },
    select: { id: true, members: { select: { userId: true } } },
  });
  if (!found) {
    return db.project.create({
      data: { id: newId('prj'), slug, name, plan, members: { create: roles } },
      select: { id: true, slug: true, plan: true },
    });
  }
  const owner = members[0]?.person.id;
  if (!found.members.some((member) => member.userId === owner)) {
    throw new Error(`The project "${slug}" belongs to somebody else. Start with LAUREL_DEMO=0 to skip the demo.`);
  }
  await db.member.createMany({ data: roles.map((role) => ({ ...role, projectId: found.id })), skipDuplicates: true });
  return db.project.update({ where: { id: found.id }, data: { plan }, select: { id: true, slug: true, plan: true } });
}

/** A new key that replaces the demo's earlier one with that name, because its text was never stored. */
async function seedKey(projectId: string, name: string, owner: Person, granted: readonly Scope[]): Promise<string> {
  const { key, publicId, keyHash } = mintApiKey();
  await db.$transaction([
    db.apiKey.deleteMany({ where: { projectId, name } }),
    db.apiKey.create({
      data: { id: newId('key'), projectId, name, publicId, keyHash, scopes: [...granted], createdById: owner.id },
      select: { id: true },
    }),
  ]);
  return key;
}

/** What demo.json says of its tournaments, and of the editions that came after, as they are now. */
export async function listTournaments({ project, tournaments }: Demo): Promise<Demo['tournaments']> {
  const rows = await db.tournament.findMany({
    where: { projectId: project.id, OR: [{ id: { in: tournaments.map(({ id }) => id) } }, isEdition] },
    orderBy: { createdAt: 'asc' },
    select: { id: true, slug: true, status: true },
  });
  const known = tournaments.flatMap(({ id }) => rows.find((row) => row.id === id) ?? []);
  return [...known, ...rows.filter((row) => !known.includes(row))];
}

/**
 * Fills the database with the demo. Safe to call again after an interruption, or on a database that has the demo: it
 * replaces what it created and leaves everything else alone.
 */
export async function seedDemo({ baseUrl }: { baseUrl: string }): Promise<Demo> {
  await db.game.createMany({ data: games, skipDuplicates: true });
  const cast = await seedPeople();
  const { owner, organizer, moderator } = cast;
  const staff = [
    { person: owner, role: 'OWNER' as const },
    { person: organizer, role: 'ORGANIZER' as const },
    { person: moderator, role: 'MODERATOR' as const },
  ];
  const project = await seedProject({ slug: 'demo', name: 'Laurel Arena', plan: 'enterprise', members: staff });
  const pro = await seedProject({ slug: 'demo-pro', name: 'Harbour City Esports', plan: 'pro', members: staff });
  const free = await seedProject({ slug: 'demo-free', name: 'Campus LAN', plan: 'free', members: staff });

  const teams = await seedTeams(cast);
  const tournaments = [];
  const now = Date.now();
  for (const content of demoTournaments(now)) tournaments.push(await seedTournament(project.id, content, cast, teams));
  tournaments.push(...(await seedPlayed(project.id, cast)));
  const others = otherTournaments(now);
  await seedTournament(pro.id, others.pro, cast, teams);
  await seedTournament(free.id, others.free, cast, teams);
  // Seeding notifies nobody.
  await db.pendingEvent.deleteMany({ where: { projectId: { in: [project.id, pro.id, free.id] } } });
  await seedWebhooks(project.id, owner, Date.now());

  const dataScopes = scopes.filter((scope) => scope.startsWith('read:'));
  const antiCheatScopes = scopes.filter((scope) => scope.startsWith('anticheat:'));
  const role = (person: Person, name: string) => ({ id: person.id, email: person.email, password, role: name });
  const otherProject = async ({ id, slug, plan }: typeof pro) => ({
    id,
    slug,
    plan,
    apiKey: await seedKey(id, 'Demo', owner, scopes),
  });
  return {
    baseUrl,
    freshUntil: freshUntil(now),
    project: { id: project.id, slug: project.slug },
    users: [
      ...staff.map(({ person, role: name }) => role(person, name)),
      ...cast.players.map((person) => role(person, 'PLAYER')),
    ],
    apiKeys: {
      data: await seedKey(project.id, 'Demo: data API', owner, dataScopes),
      antiCheat: await seedKey(project.id, 'Demo: anti-cheat', owner, antiCheatScopes),
      all: await seedKey(project.id, 'Demo: every scope', owner, scopes),
    },
    otherProjects: [await otherProject(pro), await otherProject(free)],
    tournaments: tournaments.map(({ id, slug, status }) => ({ id, slug, status })),
  };
}
