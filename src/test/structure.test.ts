import { describe, expect, it } from 'vitest';
import { completeLock, missingFromLock } from './lock.mjs';
import { breaches } from './structure.mjs';

const rooms = 'src/server/routers';
const sound: Record<string, string> = {
  'src/env.ts': 'export const env = process.env;\n',
  'src/domain/ids.ts': 'export const id = 1;\n',
  'src/server/db.ts': "import { env } from '@/env';\nexport const db = env;\n",
  'src/server/http/server.ts': "import { appRouter } from '@/server/routers/_app';\nexport const serve = appRouter;\n",
  [`${rooms}/_app.ts`]: "import { teamsRouter } from './teams/router';\nexport const appRouter = teamsRouter;\n",
  [`${rooms}/projects/data.ts`]: "import { db } from '@/server/db';\nexport const find = db;\n",
  [`${rooms}/teams/router.ts`]:
    "import { find } from '@/server/routers/projects/data';\nexport const teamsRouter = find;\n",
  [`${rooms}/teams/members.ts`]: 'export const members = router({});\n',
  'src/inngest/functions/email.ts': `import { find } from '@/server/routers/projects/data';\nexport const mail = find;\n`,
  'src/trpc/client.tsx': "import type { appRouter } from '@/server/routers/_app';\nexport type A = typeof appRouter;\n",
  'src/components/ui/data/card.tsx': "import { id } from '@/domain/ids';\nexport const Card = id;\n",
  'src/app/page.tsx': "import { Card } from '@/components/ui/data/card';\nexport default Card;\n",
  'src/app/api/x/route.ts': "import { serve } from '@/server/http/server';\nexport const GET = serve;\n",
};

function check(changed: Record<string, string>, banned: string[] = []): string[] {
  return breaches(new Map(Object.entries({ ...sound, ...changed })), { banned });
}

describe('the structure check', () => {
  it('is content with a sound house', () => {
    expect(check({})).toEqual([]);
  });

  const broken: [string, Record<string, string>, RegExp][] = [
    [
      'a component that reaches for the database',
      { 'src/components/ui/a.tsx': "import { db } from '@/server/db';\n" },
      /\(components\) may not import src\/server\/db\.ts \(server\)/,
    ],
    [
      'a page that reaches for a room',
      { 'src/app/x.tsx': `import { find } from '@/server/routers/projects/data';\n` },
      /\(app\) may not import/,
    ],
    [
      'the server reaching for a router',
      { 'src/server/a.ts': "import { x } from './routers/teams/router';\n" },
      /\(server\) may not import/,
    ],
    ['lib reading the environment', { 'src/lib/a.ts': "import { env } from '@/env';\n" }, /\(lib\) may not import/],
    [
      'a function that imports a router',
      { 'src/inngest/functions/a.ts': "import { x } from '@/server/routers/teams/router';\n" },
      /only data, rules and schema/,
    ],
    [
      'a dynamic import of a router by a function',
      { 'src/inngest/functions/a.ts': "const x = import('@/server/routers/teams/router');\n" },
      /only data, rules and schema/,
    ],
    [
      'a room that imports another one\u2019s router',
      { [`${rooms}/circuits/data.ts`]: "import { t } from '../teams/router';\n" },
      /only data, rules and schema/,
    ],
    [
      'a room that imports one above it',
      {
        [`${rooms}/projects/rules.ts`]: `import { x } from '@/server/routers/matches/data';\n`,
        [`${rooms}/matches/data.ts`]: 'export const x = 1;\n',
      },
      /projects may not import from matches/,
    ],
    [
      'webhooks importing tournaments',
      {
        [`${rooms}/webhooks/data.ts`]: `import { x } from '@/server/routers/tournaments/data';\n`,
        [`${rooms}/tournaments/data.ts`]: 'export const x = 1;\n',
      },
      /webhooks may not import from tournaments/,
    ],
    [
      'rules of auth used elsewhere',
      {
        [`${rooms}/teams/data.ts`]: `import { x } from '@/server/routers/auth/rules';\n`,
        [`${rooms}/auth/rules.ts`]: 'export const x = 1;\n',
      },
      /only data of auth/,
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
      'a cycle',
      {
        'src/lib/a.ts': "import { b } from './b';\nexport const a = b;\n",
        'src/lib/b.ts': "import { a } from './a';\nexport const b = a;\n",
      },
      /imports itself: src\/lib\/a\.ts > src\/lib\/b\.ts > src\/lib\/a\.ts/,
    ],
    [
      'a file of no kind in a room',
      { [`${rooms}/teams/service.ts`]: 'export const x = 1;\n' },
      /neither a router nor procedures/,
    ],
    [
      'a room that reaches for an outgrown part of a router',
      {
        [`${rooms}/teams/data.ts`]: "import { t } from '../projects/members';\n",
        [`${rooms}/projects/members.ts`]: 'export const t = router({});\n',
        [`${rooms}/projects/data-members.ts`]: 'export const x = 1;\n',
      },
      /only data, rules and schema of a room, not src\/server\/routers\/projects\/members\.ts/,
    ],
    ['a folder in a room', { [`${rooms}/teams/parts/data.ts`]: 'export const x = 1;\n' }, /rooms are flat/],
    ['an unknown room', { [`${rooms}/lounge/data.ts`]: 'export const x = 1;\n' }, /no room/],
    [
      'a barrel',
      { 'src/lib/index.ts': "// All of it.\nexport * from './ids';\nexport { id as other } from './ids';\n" },
      /only re-exports/,
    ],
    ['a file of odds and ends', { 'src/lib/utils.ts': 'export const x = 1;\n' }, /nothing in particular/],
    ['a long file', { 'src/lib/long.ts': 'export const x = 1;\n'.repeat(401) }, /has 401 lines/],
    [
      'a second reader of the environment',
      { 'src/server/a.ts': 'export const x = process.env.X;\n' },
      /reads process\.env/,
    ],
    ['a test left out', { 'src/lib/a.test.ts': `it${'.skip'}('x');\n` }, /holds "\.skip\("/],
    ['a silenced compiler', { 'src/lib/a.ts': `// ${'@ts-'}ignore\nexport const x = 1;\n` }, /holds "@ts/],
    ['work put off', { 'src/lib/a.ts': `// ${'TO'}${'DO'}: more\nexport const x = 1;\n` }, /holds "TO/],
    ['a picture in the text', { 'src/lib/a.ts': "export const x = '\u{1F680}';\n" }, /emoji/],
  ];
  it.each(broken)('finds %s', (_what, files, problem) => {
    expect(check(files)).toEqual([expect.stringMatching(problem)]);
  });

  it('finds words of the machine in any file', () => {
    expect(check({ 'README.md': 'see /builds/here/x' }, ['/builds/here/'])).toEqual([
      expect.stringContaining('README.md: holds'),
    ]);
  });

  it('lets type imports close a circle and comments speak of process.env', () => {
    const files = {
      'src/lib/a.ts': "import type { B } from './b';\n// process.env is read elsewhere\nexport type A = B;\n",
      'src/lib/b.ts': "import type { A } from './a';\nexport type B = A;\n",
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
