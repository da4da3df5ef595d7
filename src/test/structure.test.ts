import { describe, expect, it } from 'vitest';
import { completeLock, missingFromLock } from './lock.mjs';
import { breaches } from './structure.mjs';

const routers = 'src/server/routers';
const sound: Record<string, string> = {
  'src/env.ts': 'export const env = process.env;\n',
  'src/main.ts': "import { serve } from '@/server/http/server';\nserve();\n",
  'src/domain/ids.ts': 'export const id = 1;\n',
  'src/server/logger.ts': "import { env } from '@/env';\nexport const logger = env;\n",
  'src/server/jobs/client.ts': "import { logger } from '@/server/logger';\nexport const client = logger;\n",
  'src/server/db.ts': "import { client } from '@/server/jobs/client';\nexport const db = client;\n",
  'src/server/trpc.ts': 'export const openScope = 1;\n',
  'src/server/delivery/queue.ts': "import { db } from '@/server/db';\nexport const queue = db;\n",
  'src/server/delivery/queue.test.ts': "import { queue } from './queue';\nqueue;\n",
  'src/server/delivery/delivery.crash.test.ts': "import { queue } from './queue';\nqueue;\n",
  'src/server/http/server.ts': "import { appRouter } from '@/server/routers/_app';\nexport const serve = appRouter;\n",
  [`${routers}/_app.ts`]: "import { teamsRouter } from './teams/router';\nexport const appRouter = teamsRouter;\n",
  [`${routers}/projects/data.ts`]: "import { db } from '@/server/db';\nexport const find = db;\n",
  [`${routers}/projects/gate.ts`]: "import { openScope } from '@/server/trpc';\nexport const admit = openScope;\n",
  [`${routers}/teams/router.ts`]:
    "import { find } from '@/server/routers/projects/data';\nexport const teamsRouter = find;\n",
  [`${routers}/teams/members.ts`]: `import { admit } from '@/server/routers/projects/gate';
import { matchRows } from '@/server/routers/matches/data';
export const members = router({ admit, matchRows });\n`,
  [`${routers}/matches/data.ts`]: 'export const matchRows = 1;\n',
  [`${routers}/matches/reports/reports.ts`]: 'export const reports = router({});\n',
  'src/inngest/functions/email.ts': `import { find } from '@/server/routers/projects/data';\nexport const send = find;\n`,
  'src/embedded/inngest/executor.ts': "import { client } from '@/server/jobs/client';\nexport const run = client;\n",
  'src/trpc/client.tsx': "import type { appRouter } from '@/server/routers/_app';\nexport type A = typeof appRouter;\n",
  'src/components/ui/data/card.tsx': "import { id } from '@/domain/ids';\nexport const Card = id;\n",
  'src/app/page.tsx': "import { Card } from '@/components/ui/data/card';\nexport default Card;\n",
  'src/app/api/x/route.ts': "import { serve } from '@/server/http/server';\nexport const GET = serve;\n",
};

function check(changed: Record<string, string>, banned: string[] = []): string[] {
  return breaches(new Map(Object.entries({ ...sound, ...changed })), { banned });
}

describe('the structure check', () => {
  it('finds nothing wrong with a sound tree', () => {
    expect(check({})).toEqual([]);
  });

  const broken: [string, Record<string, string>, RegExp][] = [
    [
      'a component that imports the database',
      { 'src/components/ui/a.tsx': "import { db } from '@/server/db';\n" },
      /\(components\) may not import src\/server\/db\.ts \(kernel\)/,
    ],
    [
      'a page that imports a router',
      { 'src/app/x.tsx': `import { find } from '@/server/routers/projects/data';\n` },
      /\(app\) may not import/,
    ],
    [
      'the kernel importing a router',
      { 'src/server/a.ts': "import { x } from './routers/teams/router';\n" },
      /\(kernel\) may not import/,
    ],
    [
      'the domain reading the environment',
      { 'src/domain/a.ts': "import { env } from '@/env';\n" },
      /\(domain\) may not import/,
    ],
    [
      'jobs importing the kernel',
      { 'src/server/jobs/events.ts': "import { db } from '@/server/db';\n" },
      /\(jobs\) may not import src\/server\/db\.ts \(kernel\)/,
    ],
    [
      'jobs importing the executor',
      { 'src/server/jobs/events.ts': "import { run } from '@/embedded/inngest/executor';\n" },
      /\(jobs\) may not import .* \(embedded\)/,
    ],
    [
      'the delivery engine importing a router',
      { 'src/server/delivery/a.ts': `import { find } from '@/server/routers/projects/data';\n` },
      /\(delivery\) may not import .* \(routers\)/,
    ],
    [
      'the kernel importing the delivery engine',
      { 'src/server/a.ts': "import { queue } from './delivery/queue';\n" },
      /\(kernel\) may not import .* \(delivery\)/,
    ],
    [
      'anything importing the process',
      { 'src/embedded/a.ts': "import '@/main';\n" },
      /\(embedded\) may not import src\/main\.ts \(main\)/,
    ],
    [
      'a function that imports a router',
      { 'src/inngest/functions/a.ts': "import { x } from '@/server/routers/teams/router';\n" },
      /only data, rules, schema and gate/,
    ],
    [
      'a dynamic import of a router by a function',
      { 'src/inngest/functions/a.ts': "const x = import('@/server/routers/teams/router');\n" },
      /only data, rules, schema and gate/,
    ],
    [
      'a function that imports a gate',
      { 'src/inngest/functions/a.ts': "import { admit } from '@/server/routers/projects/gate';\n" },
      /only data, rules, schema and gate/,
    ],
    [
      'a procedure that imports procedures of another domain',
      { [`${routers}/projects/a.ts`]: "import { members } from '../teams/members';\nexport const a = router({});\n" },
      /only data, rules, schema and gate of another domain, not src\/server\/routers\/teams\/members\.ts/,
    ],
    [
      'a model that imports one above it',
      { [`${routers}/projects/rules.ts`]: `import { matchRows } from '@/server/routers/matches/data';\n` },
      /is a model of projects, which is below matches/,
    ],
    [
      'a model in a sub-folder that imports one above it',
      { [`${routers}/tournaments/desk/data-list.ts`]: `import { matchRows } from '@/server/routers/matches/data';\n` },
      /is a model of tournaments, which is below matches/,
    ],
    [
      'a model that imports its own procedures',
      { [`${routers}/teams/data.ts`]: "import { members } from './members';\n" },
      /is a model and may import models only/,
    ],
    [
      'a model that imports a gate',
      { [`${routers}/projects/data-list.ts`]: "import { admit } from './gate';\n" },
      /is a model and may import models only/,
    ],
    [
      'a procedure that admits callers by itself',
      {
        [`${routers}/teams/a.ts`]:
          "import { openScope } from '@/server/trpc';\nexport const a = router({ openScope });\n",
      },
      /uses "openScope", which is for gate\.ts files/,
    ],
    [
      'code that imports a test',
      {
        'src/server/a.ts': "import { x } from '@/test/factories';\n",
        'src/test/factories.ts': 'export const x = 1;\n',
      },
      /imports the test file/,
    ],
    [
      'a test of no file beside it',
      { 'src/server/delivery/sending.test.ts': 'export const x = 1;\n' },
      /tests no file beside it/,
    ],
    [
      'a cycle',
      {
        'src/domain/a.ts': "import { b } from './b';\nexport const a = b;\n",
        'src/domain/b.ts': "import { a } from './a';\nexport const b = a;\n",
      },
      /imports itself: src\/domain\/a\.ts > src\/domain\/b\.ts > src\/domain\/a\.ts/,
    ],
    [
      'a file of no kind among the procedures',
      { [`${routers}/teams/service.ts`]: 'export const x = 1;\n' },
      /neither a router nor procedures/,
    ],
    [
      'a folder two levels down',
      { [`${routers}/teams/parts/more/data.ts`]: 'export const x = 1;\n' },
      /one level of sub-folders/,
    ],
    ['an unknown domain', { [`${routers}/lounge/data.ts`]: 'export const x = 1;\n' }, /is no domain/],
    [
      'a full folder',
      Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`src/domain/teams/a${index}.ts`, 'export {};\n'])),
      /src\/domain\/teams: holds 17 files/,
    ],
    [
      'a barrel',
      { 'src/domain/index.ts': "// All of it.\nexport * from './ids';\nexport { id as other } from './ids';\n" },
      /only re-exports/,
    ],
    ['a file of odds and ends', { 'src/domain/utils.ts': 'export const x = 1;\n' }, /could mean anything/],
    ['a long file', { 'src/domain/long.ts': 'export const x = 1;\n'.repeat(401) }, /has 401 lines/],
    [
      'a second reader of the environment',
      { 'src/server/a.ts': 'export const x = process.env.X;\n' },
      /reads process\.env/,
    ],
    ['a skipped test', { 'src/domain/a.ts': '', 'src/domain/a.test.ts': `it${'.skip'}('x');\n` }, /holds "\.skip\("/],
    ['a silenced compiler', { 'src/domain/a.ts': `// ${'@ts-'}ignore\nexport const x = 1;\n` }, /holds "@ts/],
    ['work put off', { 'src/domain/a.ts': `// ${'TO'}${'DO'}: more\nexport const x = 1;\n` }, /holds "TO/],
    ['an emoji', { 'src/domain/a.ts': "export const x = '\u{1F680}';\n" }, /emoji/],
    ['a document that names no file', { 'docs/a.md': 'See `src/domain/money.ts`.' }, /names src\/domain\/money\.ts/],
    ['a retired word', { 'src/domain/a.ts': 'export const entrants = 1; // entrants\n' }, /says "entrants"/],
  ];
  it.each(broken)('finds %s', (_what, files, problem) => {
    expect(check(files)).toEqual([expect.stringMatching(problem)]);
  });

  it('finds words of the machine in any file', () => {
    expect(check({ 'README.md': 'see /builds/here/x' }, ['/builds/here/'])).toEqual([
      expect.stringContaining('README.md: holds'),
    ]);
  });

  it('allows type imports in a cycle, comments about process.env, and old addresses', () => {
    const files = {
      'src/domain/a.ts': "import type { B } from './b';\n// process.env is read elsewhere\nexport type A = B;\n",
      'src/domain/b.ts': "import type { A } from './a';\nexport type B = A; // /entrants\n",
      'docs/a.md': 'See [docs/a.md](docs/a.md) and `src/domain/<domain>/forms.ts`.',
    };
    expect(check(files)).toEqual([]);
  });
});

describe('the lock file check', () => {
  const lock = {
    packages: {
      '': {},
      'node_modules/tool': {
        version: '1.0.0',
        dev: true,
        optionalDependencies: { '@tool/linux-x64-musl': '1.0.0', '@tool/here': '1.0.0' },
      },
      'node_modules/tool/node_modules/@tool/here': { version: '1.0.0' },
    },
  };

  it('names an optional package that is not locked, and adds it for its platform', () => {
    expect(missingFromLock(lock)).toEqual([
      { name: '@tool/linux-x64-musl', spec: '1.0.0', wantedBy: 'node_modules/tool' },
    ]);
    const complete = completeLock(lock);
    expect(missingFromLock(complete)).toEqual([]);
    expect(complete.packages['node_modules/@tool/linux-x64-musl']).toEqual({
      version: '1.0.0',
      cpu: ['x64'],
      libc: ['musl'],
      os: ['linux'],
      optional: true,
      dev: true,
    });
  });
});
