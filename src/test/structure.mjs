// The rules of the layout that neither the compiler nor the linter knows. `npm run structure` names every breach and
// fails on any. docs/architecture.md explains them.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { missingFromLock } from './lock.mjs';

const maxLines = 400;
/** A test file is a list that is searched, not read from end to end. */
const maxTestLines = 500;
/** Source files directly in one folder, tests and fixtures not counted. */
const maxFolderFiles = 16;

/** The layer of a file; the first pattern that fits decides. Listed from the top of the house down. */
const layers = [
  ['test', /\.test\.tsx?$|\.fixture\.ts$|^src\/test\//],
  ['generated', /^src\/generated\//],
  ['env', /^src\/env\.ts$/],
  ['main', /^src\/(main|jobs|worker)\.ts$/],
  ['mount', /^src\/app\/(.*\/)?route\.tsx?$/],
  ['app', /^src\/(app\/|instrumentation-client\.ts$)/],
  ['embedded', /^src\/embedded\//],
  ['components', /^src\/components\//],
  ['inngest', /^src\/inngest\//],
  ['trpc', /^src\/trpc\//],
  ['http', /^src\/server\/http\//],
  ['contents', /^src\/server\/routers\/_app\.ts$/],
  ['routers', /^src\/server\/routers\//],
  ['delivery', /^src\/server\/delivery\//],
  ['email', /^src\/server\/email\//],
  ['jobs', /^src\/server\/jobs\//],
  ['logger', /^src\/server\/logger\.ts$/],
  ['kernel', /^src\/server\//],
  ['domain', /^src\/domain\//],
];

const ground = ['domain', 'env', 'generated', 'logger'];
const server = [...ground, 'jobs', 'kernel', 'email', 'delivery'];

/** What a layer may import besides itself. Tests may import anything; nothing may import tests. */
const directions = {
  env: [],
  generated: [],
  domain: [],
  logger: ['env', 'domain'],
  jobs: ground,
  kernel: [...ground, 'jobs'],
  email: [...ground, 'jobs', 'kernel'],
  delivery: [...ground, 'jobs', 'kernel', 'email'],
  routers: server,
  contents: ['routers', 'kernel', 'domain'],
  http: [...server, 'routers', 'contents'],
  // The browser's client knows the routers by type; pages render through the server-side caller.
  trpc: ['domain', 'env', 'kernel', 'contents', 'http'],
  inngest: [...server, 'routers'],
  components: ['trpc', 'domain'],
  app: ['components', 'trpc', 'domain', 'env'],
  // Route handlers for hosts that run Next.js alone.
  mount: [...server, 'http', 'contents', 'inngest', 'trpc'],
  embedded: [...server, 'routers', 'contents', 'inngest'],
  main: [...server, 'http', 'inngest', 'embedded'],
};

/** The domains whose models a domain's own models may import; payments and what follows may import all of `played`. */
const played = ['auth', 'projects', 'teams', 'circuits', 'tournaments', 'participants', 'matches'];
const domainsBelow = {
  ...Object.fromEntries(played.map((domain, index) => [domain, played.slice(0, index)])),
  payments: played,
  broadcasts: played,
  anticheat: played,
  data: played,
  webhooks: ['auth', 'projects'],
};

const vagueNames = /^(utils?|helpers?|common|misc|shared|constants)\.(tsx?|mjs)$/;
const escapeHatches =
  /@ts-(ignore|expect-error|nocheck)|biome-ignore|eslint-disable|\bTODO\b|\bFIXME\b|\.(skip|only|todo)\(/;
/** Words that another word stands for everywhere; CONTRIBUTING.md has the list. Old addresses that redirect keep theirs. */
const retiredWords = /(?<!\/)\bentrants?\b|\bmend(s|ed|ing)?\b|\bcatalogues?\b|\bcall(ed|s|ing)? off\b/i;
/** What only the procedure builders of a domain use: they decide who is admitted. */
const gateTools = /\b(openScope|memberProcedure)\b/;

const isSource = (file) => /\.(tsx?|mjs)$/.test(file) && !file.startsWith('src/generated/') && !file.endsWith('.d.ts');
const layerOf = (file) => layers.find(([, pattern]) => pattern.test(file))?.[0];
const domainOf = (file) => /^src\/server\/routers\/([^/]+)\//.exec(file)?.[1];
/** Models: `data.ts`, or `data-<subject>.ts` once it outgrows its file; so with rules and schema. */
const isModel = (part) => /^(schema|rules|data)(-[a-z-]+)?$/.test(part);
const isTest = (file) => /\.test\.tsx?$/.test(file);

/**
 * @param {Map<string, string>} files text by path from the root of the checkout
 * @param {{banned?: string[]}} options strings that no file may contain
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
    if (isTest(file)) checkTestName(file, files, report);
    const imports = importsOf(file, text, files);
    for (const { target } of imports) checkImport(file, target, report);
    graph.set(
      file,
      imports.filter(({ typeOnly }) => !typeOnly).map(({ target }) => target),
    );
  }
  for (const cycle of cyclesOf(graph)) found.push(`${cycle[0]}: imports itself: ${cycle.join(' > ')}`);
  return [...found, ...fullFolders(files), ...deadPaths(files)];
}

function checkFile(file, text, report) {
  const name = path.basename(file);
  const lines = text.split('\n').length - 1;
  const layer = layerOf(file);
  const max = layer === 'test' ? maxTestLines : maxLines;
  if (lines > max) report(`has ${lines} lines, more than ${max}`);
  if (vagueNames.test(name)) report('has a name that could mean anything');
  if (isBarrel(text)) report('only re-exports; import from where things are');
  if (layer && !['env', 'embedded', 'test'].includes(layer) && /\bprocess\.env\b/.test(withoutComments(text))) {
    report('reads process.env; src/env.ts does that');
  }
  if (/\p{Emoji_Presentation}/u.test(text)) report('holds an emoji');
  // This file and its test name what they look for.
  if (file.startsWith('src/test/structure.')) return;
  const hatch = escapeHatches.exec(text);
  if (hatch) report(`holds "${hatch[0]}"`);
  const word = retiredWords.exec(text);
  if (word) report(`says "${word[0]}"; CONTRIBUTING.md has the word we use`);
  if (layer === 'routers' && path.basename(file) !== 'gate.ts' && gateTools.test(withoutComments(text))) {
    report(`uses "${gateTools.exec(withoutComments(text))?.[0]}", which is for gate.ts files`);
  }
  if (layer === 'routers') checkRouterFile(file, text, report);
}

/** A test carries the name of the file beside it, or of its folder where it is about all of it. */
function checkTestName(file, files, report) {
  if (!file.startsWith('src/')) return;
  const folder = path.dirname(file);
  const subject = path.basename(file).split('.')[0];
  if (subject === path.basename(folder)) return;
  if (!['ts', 'tsx', 'mjs', 'css'].some((ending) => files.has(`${folder}/${subject}.${ending}`))) {
    report(`tests no file beside it: name it after one, or after its folder`);
  }
}

function fullFolders(files) {
  const counts = new Map();
  for (const file of files.keys()) {
    if (!isSource(file) || !file.startsWith('src/') || layerOf(file) === 'test') continue;
    const folder = path.dirname(file);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > maxFolderFiles)
    .map(([folder, count]) => `${folder}: holds ${count} files, more than ${maxFolderFiles}; group them by subject`);
}

/** Paths of the checkout that a document names and that are not there. */
function deadPaths(files) {
  const known = new Set();
  for (const file of files.keys()) {
    for (let place = file; place !== '.'; place = path.dirname(place)) known.add(place);
  }
  const found = [];
  for (const [file, text] of files) {
    if (!file.endsWith('.md')) continue;
    for (const [, named] of text.matchAll(/(?<![\w/.])((?:src|e2e|bench|prisma|docs|examples)\/[\w@()[\]./-]*\w)/g)) {
      const base = named.replace(/\]\(.*$/, '').replace(/\/$/, '');
      if (base.endsWith('.png')) continue;
      const isThere =
        known.has(base) || known.has(`${base}.ts`) || known.has(`${base}.tsx`) || base.startsWith('src/generated');
      if (!isThere) found.push(`${file}: names ${named}, which is not there`);
    }
  }
  return found;
}

function checkRouterFile(file, text, report) {
  const domain = domainOf(file);
  const rest = file.slice(`src/server/routers/${domain}/`.length);
  if (!(domain in domainsBelow)) report(`is in "${domain}", which is no domain`);
  if (rest.split('/').length > 2) return report('is in a folder of a folder; one level of sub-folders is enough');
  const part = path.basename(file, '.ts');
  if (part === 'router' || part === 'gate' || isModel(part)) return;
  if (!/\bexport const \w+ = (router\(|\w*[pP]rocedure\b)/.test(text)) {
    report('is none of router, gate, schema, rules and data, and exports neither a router nor procedures');
  }
}

function checkImport(file, target, report) {
  const from = layerOf(file);
  const to = layerOf(target);
  if (!from || !to || from === 'test') return;
  if (to === 'test') return report(`imports the test file ${target}`);
  if (from !== to && !directions[from].includes(to)) return report(`(${from}) may not import ${target} (${to})`);
  if (to === 'routers') checkRouterImport(file, from, target, report);
}

/** Procedures may use the models and gates of any domain; models only the models of the domains below their own. */
function checkRouterImport(file, from, target, report) {
  const part = path.basename(target, '.ts');
  if (from === 'contents') {
    if (part !== 'router' && domainOf(target) !== 'auth') report(`may import routers only, not ${target}`);
    return;
  }
  const [here, there] = [domainOf(file), domainOf(target)];
  const fromModel = from === 'routers' && isModel(path.basename(file, '.ts'));
  if (fromModel && !isModel(part)) return report(`is a model and may import models only, not ${target}`);
  if (here === there) return;
  if (!isModel(part) && !(from === 'routers' && part === 'gate')) {
    return report(`may import only data, rules, schema and gate of another domain, not ${target}`);
  }
  if (fromModel && !(domainsBelow[here] ?? []).includes(there)) {
    report(`is a model of ${here}, which is below ${there}: a procedure can put the two together`);
  }
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
