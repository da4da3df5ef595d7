// The house's rules that neither the compiler nor the linter knows. `npm run structure` names every breach and fails on any.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { missingFromLock } from './lock.mjs';

const lineCeiling = 400;
/** Tests are lists: read where one looks, not from end to end. */
const testLineCeiling = 500;

/** Where a file belongs; the first pattern that fits decides. */
const zones = [
  ['test', /\.test\.tsx?$|\.fixture\.ts$|^src\/test\//],
  ['generated', /^src\/generated\//],
  ['env', /^src\/env\.ts$/],
  ['lib', /^src\/lib\//],
  ['embedded', /^src\/embedded\//],
  ['process', /^src\/server\/(main\.ts|http\/)/],
  ['contents', /^src\/server\/routers\/_app\.ts$/],
  ['room', /^src\/server\/routers\//],
  ['server', /^src\/server\//],
  ['inngest', /^src\/inngest\/(client|events)\.ts$/],
  ['functions', /^src\/inngest\/(functions\/|index\.ts$)/],
  ['executor', /^src\/inngest\/local\//],
  ['trpc', /^src\/trpc\//],
  ['components', /^src\/components\//],
  ['mount', /^src\/app\/(.*\/)?route\.tsx?$/],
  ['app', /^src\/app\//],
];

const ground = ['lib', 'env', 'generated'];

/** What a zone may import besides itself. Tests may import anything; nothing may import tests. */
const directions = {
  env: [],
  generated: [],
  lib: [],
  server: [...ground, 'inngest'],
  // The client hands events to the executor where there is no Inngest server.
  inngest: [...ground, 'server', 'executor'],
  room: [...ground, 'server', 'inngest'],
  contents: ['room', 'server', 'lib'],
  functions: [...ground, 'server', 'inngest', 'room'],
  executor: [...ground, 'server', 'inngest', 'functions'],
  process: [...ground, 'server', 'inngest', 'functions', 'executor', 'contents', 'room'],
  embedded: [...ground, 'server', 'inngest', 'functions', 'executor', 'contents', 'room', 'process'],
  // The API reference is a page made from the document that the process generates.
  trpc: ['lib', 'env', 'server', 'contents', 'process'],
  components: ['trpc', 'lib'],
  app: ['components', 'trpc', 'lib', 'env'],
  mount: [...ground, 'server', 'inngest', 'functions', 'contents', 'process', 'trpc'],
};

const matchRooms = ['auth', 'projects', 'teams', 'circuits', 'tournaments', 'participants', 'matches'];
/** The rooms whose shared files a room may import. */
const roomsBelow = {
  auth: [],
  projects: ['auth'],
  teams: ['auth', 'projects'],
  circuits: ['auth', 'projects', 'teams'],
  tournaments: ['auth', 'projects', 'teams', 'circuits'],
  participants: ['auth', 'projects', 'teams', 'circuits', 'tournaments'],
  matches: ['auth', 'projects', 'teams', 'circuits', 'tournaments', 'participants'],
  payments: matchRooms,
  broadcasts: matchRooms,
  anticheat: matchRooms,
  data: matchRooms,
  webhooks: ['auth', 'projects'],
};

const vagueNames = /^(utils?|helpers?|common|misc|shared|constants)\.(tsx?|mjs)$/;
const escapeHatches =
  /@ts-(ignore|expect-error|nocheck)|biome-ignore|eslint-disable|\bTODO\b|\bFIXME\b|\.(skip|only|todo)\(/;
const isSource = (file) => /\.(tsx?|mjs)$/.test(file) && !file.startsWith('src/generated/') && !file.endsWith('.d.ts');
const zoneOf = (file) => zones.find(([, pattern]) => pattern.test(file))?.[0];
/** `data.ts`, and `data-queue.ts` once a room's shared steps outgrow it; so with rules and schema. */
const sharedPart = /^(schema|rules|data)(-[a-z]+)?$/;
const roomOf = (file) => /^src\/server\/routers\/([^/]+)\//.exec(file)?.[1];

/**
 * @param {Map<string, string>} files text by path from the root of the checkout
 * @param {{banned?: string[]}} options strings that may stand in no file
 * @returns {string[]} one line for every breach, beginning with the file
 */
export function breaches(files, { banned = [] } = {}) {
  const found = [];
  const graph = new Map();
  for (const [file, text] of files) {
    for (const word of banned)
      if (text.includes(word)) found.push(`${file}: holds "${word}", which belongs to this machine`);
    if (!isSource(file)) continue;
    const report = (problem) => found.push(`${file}: ${problem}`);
    checkFile(file, text, report);
    const imports = importsOf(file, text, files);
    for (const { target } of imports) checkImport(file, target, report);
    graph.set(
      file,
      imports.filter(({ typeOnly }) => !typeOnly).map(({ target }) => target),
    );
  }
  for (const cycle of cyclesOf(graph)) found.push(`${cycle[0]}: imports itself: ${cycle.join(' > ')}`);
  return found;
}

function checkFile(file, text, report) {
  const name = path.basename(file);
  const lines = text.split('\n').length - 1;
  const zone = zoneOf(file);
  const ceiling = zone === 'test' ? testLineCeiling : lineCeiling;
  if (lines > ceiling) report(`has ${lines} lines, more than ${ceiling}`);
  if (vagueNames.test(name)) report(`is named after nothing in particular`);
  if (isBarrel(text)) report('only re-exports; import from where things are');
  if (zone && !['env', 'embedded', 'test'].includes(zone) && /\bprocess\.env\b/.test(withoutComments(text))) {
    report('reads process.env; src/env.ts does that');
  }
  const hatch = escapeHatches.exec(text);
  if (hatch && file !== 'src/test/structure.mjs') report(`holds "${hatch[0]}"`);
  if (/\p{Emoji_Presentation}/u.test(text)) report('holds an emoji');
  if (zone === 'room' || (zone === 'test' && roomOf(file))) checkRoom(file, text, report);
}

function checkRoom(file, text, report) {
  const room = roomOf(file);
  const rest = file.slice(`src/server/routers/${room}/`.length);
  if (!(room in roomsBelow)) report(`is in "${room}", which is no room`);
  if (rest.includes('/')) return report('is in a folder of a room; rooms are flat');
  const part = rest.replace(/\.ts$/, '');
  if (/\.test\.ts$/.test(rest) || part === 'router' || sharedPart.test(part)) return;
  if (!/\bexport const \w+ = (router\(|\w*[pP]rocedure\b)/.test(text)) {
    report('is none of router, schema, rules, data and tests, and exports neither a router nor procedures');
  }
}

function checkImport(file, target, report) {
  const from = zoneOf(file);
  const to = zoneOf(target);
  if (!from || !to || from === 'test') return;
  if (to === 'test') return report(`imports the test file ${target}`);
  if (from !== to && !directions[from].includes(to)) return report(`(${from}) may not import ${target} (${to})`);
  if (to !== 'room') return;
  const part = path.basename(target, '.ts');
  if (from === 'contents') {
    if (part !== 'router' && !/^src\/server\/routers\/auth\//.test(target))
      report(`may import routers only, not ${target}`);
    return;
  }
  const [here, there] = [roomOf(file), roomOf(target)];
  if (here === there) return;
  if (!sharedPart.test(part)) report(`may import only data, rules and schema of a room, not ${target}`);
  if (!here) return;
  if (!(roomsBelow[here] ?? []).includes(there)) report(`the room ${here} may not import from ${there}`);
  else if (there === 'auth' && !part.startsWith('data')) report(`may import only data of auth, not ${target}`);
}

/** The files of the checkout that a file imports. */
function importsOf(file, text, files) {
  const pattern =
    /(?:^|[\s;])(?:import|export)\s+(type\s+)?(?:[\w*\s{},$]+?\s+from\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;
  const imports = [];
  for (const [, type, declared, dynamic] of withoutComments(text).matchAll(pattern)) {
    const target = resolve(file, declared ?? dynamic, files);
    // A dynamic import runs when everything is loaded, so it closes no cycle.
    if (target) imports.push({ target, typeOnly: Boolean(type) || declared === undefined });
  }
  return imports;
}

function resolve(file, specifier, files) {
  if (!/^(\.|@\/)/.test(specifier)) return null;
  const base = specifier.startsWith('@/')
    ? `src/${specifier.slice(2)}`
    : path.posix.join(path.posix.dirname(file), specifier);
  const candidates = [base, `${base}.ts`, `${base}.tsx`, `${base}/index.ts`, base.replace(/\.js$/, '.ts')];
  return candidates.find((candidate) => files.has(candidate)) ?? (base.startsWith('src/generated/') ? base : null);
}

function cyclesOf(graph) {
  const cycles = [];
  const done = new Set();
  const visit = (file, trail) => {
    const seen = trail.indexOf(file);
    if (seen >= 0) return cycles.push([...trail.slice(seen), file]);
    if (done.has(file)) return;
    for (const target of graph.get(file) ?? []) visit(target, [...trail, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return cycles;
}

const withoutComments = (text) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');

function isBarrel(text) {
  const statements = withoutComments(text).replace(
    /export\s+(type\s+)?(\*|\{[^}]*\})(\s+as\s+\w+)?\s+from\s+['"][^'"]+['"];?/g,
    '',
  );
  return statements.trim() === '' && /export/.test(text);
}

/** The checkout's own path and its parent's, and the registry this machine installs from. */
function wordsOfThisMachine(root) {
  const parent = path.dirname(root);
  const generic =
    ['/', '/tmp', '/root', '/home', '/var', '/opt', '/srv', '/usr'].includes(parent) ||
    path.dirname(parent) === '/home';
  const words = [`${root}/`, ...(generic ? [] : [`${parent}/`])];
  try {
    const npm = process.env.npm_execpath?.endsWith('.js') ? [process.execPath, process.env.npm_execpath] : ['npm'];
    const [command, ...args] = [...npm, 'config', 'get', 'registry'];
    const registry = execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    words.push(new URL(registry.trim()).hostname);
  } catch {
    console.error('npm does not tell its registry; its name is not looked for');
  }
  return words;
}

function readCheckout(root) {
  let names;
  try {
    const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1e8 };
    names = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], options).split('\0');
  } catch {
    names = ['src', 'e2e', 'bench', 'prisma', 'docs'].flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true }).map((name) => `${folder}/${name}`),
    );
  }
  const text = /\.(tsx?|mjs|js|json|md|prisma|sql|css|ya?ml|toml|example)$|^\.[\w./]+$/;
  return new Map(
    names
      .filter((name) => text.test(name) && existsSync(path.join(root, name)))
      .map((name) => [name, readFileSync(path.join(root, name), 'utf8')]),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
  const files = readCheckout(root);
  const found = breaches(files, { banned: wordsOfThisMachine(root) });
  const lock = files.get('package-lock.json') ?? '{"packages":{}}';
  if (/"resolved": "http/.test(lock)) found.push('package-lock.json: records download addresses; .npmrc forbids that');
  for (const { name } of missingFromLock(JSON.parse(lock))) {
    found.push(`package-lock.json: lacks ${name}, so npm ci refuses it; node src/test/lock.mjs --write`);
  }
  for (const line of found) console.error(line);
  console.log(`${files.size} files read, ${found.length} breaches`);
  process.exit(found.length > 0 ? 1 : 0);
}
