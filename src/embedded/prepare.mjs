// Prepares a fresh clone to run. Plain JavaScript on Node's own modules, because nothing is installed yet.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { bundling } from './bundling.mjs';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
/** Where the server's bundles go. */
export const app = path.join(root, '.build', 'app');
const at = (...parts) => path.join(root, ...parts);

/** A reason to stop; only its message is shown, without a stack. */
export class Refusal extends Error {}

export function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 20)) {
    throw new Refusal(`Laurel needs Node 20.20 or newer; this is ${process.versions.node}`);
  }
}

/**
 * Prints what is being done, its outcome and its time.
 * @param {string} title
 * @param {() => Promise<string | undefined> | string | undefined} work returns the outcome to print instead of "done"
 */
async function step(title, work) {
  const begin = performance.now();
  process.stdout.write(`${title.padEnd(14)} `);
  try {
    const outcome = (await work()) ?? 'done';
    const seconds = ((performance.now() - begin) / 1000).toFixed(1);
    process.stdout.write(`${outcome} (${seconds} s)\n`);
  } catch (error) {
    process.stdout.write('failed\n');
    throw error;
  }
}

/** Installs the packages of package-lock.json, unless exactly those are installed. */
export function install() {
  return step('Dependencies', async () => {
    if (installed()) return 'up to date';
    const npm = process.env.npm_execpath;
    const args = ['ci', '--include=dev', '--no-audit', '--no-fund'];
    if (npm?.endsWith('.js')) await run('npm ci', [process.execPath, npm, ...args]);
    else await run('npm ci', ['npm', ...args]);
    return 'installed';
  });
}

/** Compares with the lock file that npm keeps inside node_modules and writes last. */
function installed() {
  const wanted = readJson(at('package-lock.json'))?.packages ?? {};
  const found = readJson(at('node_modules/.package-lock.json'))?.packages;
  if (!found) return false;
  return Object.entries(wanted).every(
    ([name, entry]) => name === '' || entry.optional || entry.devOptional || found[name]?.version === entry.version,
  );
}

/** Generates the Prisma client, unless the models are unchanged. */
export function generate() {
  return step('Prisma client', () =>
    unlessCurrent('generate', hashOf(['prisma', 'prisma.config.ts', 'node_modules/prisma/package.json']), {
      proof: at('src/generated/prisma/client.ts'),
      work: () => run('prisma generate', [process.execPath, at('node_modules/prisma/build/index.js'), 'generate']),
    }),
  );
}

const sources = [
  'src',
  'public',
  'prisma',
  'next.config.mjs',
  'postcss.config.mjs',
  'package.json',
  'package-lock.json',
];

const server = {
  ...bundling,
  absWorkingDir: root,
  entryPoints: [
    'src/main.ts',
    'src/jobs.ts',
    'src/worker.ts',
    'src/embedded/supervisor.ts',
    'src/embedded/demo/seed.ts',
    'src/embedded/watch-parent.ts',
    'src/embedded/store/main.ts',
  ],
  outbase: 'src',
  outdir: app,
  splitting: true,
  sourcemap: true,
  chunkNames: 'chunks/[name]-[hash]',
};

/** Bundles the server and the supervisor into .build, unless the sources are unchanged. */
export function bundle() {
  return step('Server code', () =>
    unlessCurrent('bundle', hashOf(sources), {
      proof: path.join(app, 'main.js'),
      work: async () => {
        const { build, formatMessages, stop } = await import('esbuild');
        rmSync(app, { recursive: true, force: true });
        try {
          await build(server);
        } catch (error) {
          throw new Refusal((await formatMessages(error.errors ?? [], { kind: 'error' })).join('\n') || String(error));
        } finally {
          await stop();
        }
      },
    }),
  );
}

/** Bundles now and after every change of a source; `changed` is called for every successful bundle after the first. */
export async function watchBundle(changed) {
  const { context } = await import('esbuild');
  let first = true;
  let settle = () => undefined;
  const built = new Promise((resolve, reject) => {
    settle = (errors) => (errors.length > 0 ? reject(new Refusal('The server cannot be bundled')) : resolve());
  });
  const announce = {
    name: 'announce',
    setup: (build) =>
      build.onEnd(({ errors }) => {
        if (first) settle(errors);
        else if (errors.length === 0) changed();
        first = false;
      }),
  };
  // From here on the output no longer matches the last build.
  rmSync(at('.build', 'bundle.hash'), { force: true });
  const watcher = await context({ ...server, logLevel: 'warning', plugins: [announce] });
  await step('Server code', async () => {
    await watcher.watch();
    await built;
  });
  return watcher;
}

/** Builds the pages with Next.js, unless the sources are unchanged. */
export function buildPages() {
  return step('Pages', () =>
    unlessCurrent('pages', hashOf(sources), {
      proof: at('.next/BUILD_ID'),
      work: async () => {
        await run('next build', [process.execPath, at('node_modules/next/dist/bin/next'), 'build'], {
          NODE_ENV: 'production',
        });
        await compressStatics(at('.next/static'));
      },
    }),
  );
}

/** Puts compressed copies beside every script and style sheet; the best compression takes too long for each request. */
async function compressStatics(folder) {
  const compressions = [
    { suffix: '.br', compress: promisify(brotliCompress), options: {} },
    { suffix: '.gz', compress: promisify(gzip), options: { level: constants.Z_BEST_COMPRESSION } },
  ];
  const files = readdirSync(folder, { recursive: true }).filter((name) => /\.(js|css)$/.test(name));
  await Promise.all(
    files.map(async (name) => {
      const file = path.join(folder, name);
      const content = readFileSync(file);
      for (const { suffix, compress, options } of compressions) {
        writeFileSync(`${file}${suffix}`, await compress(content, options));
      }
    }),
  );
}

/** Does the work if its proof is missing or has another fingerprint; failed or interrupted work counts as not done. */
async function unlessCurrent(name, hash, { proof, work }) {
  const file = at('.build', `${name}.hash`);
  if (existsSync(proof) && existsSync(file) && readFileSync(file, 'utf8') === hash) return 'up to date';
  rmSync(file, { force: true });
  await work();
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, hash);
  return 'built';
}

/** One hash over the contents of files and folders, generated code and tests left out, and over Node's major version. */
function hashOf(entries) {
  const hash = createHash('sha256').update(process.versions.node.split('.')[0] ?? '');
  const visit = (entry) => {
    const file = at(entry);
    if (!existsSync(file) || entry === 'src/generated' || entry === 'src/test' || /\.test\.tsx?$/.test(entry)) return;
    if (statSync(file).isDirectory()) {
      for (const name of readdirSync(file).sort()) visit(`${entry}/${name}`);
    } else {
      hash.update(entry).update('\0').update(readFileSync(file)).update('\0');
    }
  };
  for (const entry of entries) visit(entry);
  return hash.digest('hex');
}

/** Runs a program quietly; its output is shown if it fails. */
export function run(what, [command, ...args], env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...env },
    });
    const output = [];
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => output.push(chunk));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) return resolve();
      const lines = Buffer.concat(output).toString().trim().split('\n');
      const shown = lines.length > 60 ? [...lines.slice(0, 20), '…', ...lines.slice(-40)] : lines;
      reject(new Refusal(`${shown.join('\n')}\n${what} failed with ${signal ?? `exit code ${code}`}`));
    });
  });
}

/** Waits for another start in this checkout that is still preparing it. */
export async function alone(work) {
  const lock = at('.build', 'preparing');
  mkdirSync(path.dirname(lock), { recursive: true });
  for (let announced = false; ; ) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : 0;
    if (holder && !isAlive(holder)) rmSync(lock, { force: true });
    else if (!announced) {
      announced = true;
      console.log(`Waiting for another start (process ${holder}) that is preparing this checkout`);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function isAlive(pid) {
  if (existsSync('/proc/self/cmdline')) {
    const file = `/proc/${pid}/cmdline`;
    return existsSync(file) && readFileSync(file, 'utf8').includes('.mjs');
  }
  return spawnSync('ps', ['-p', String(pid)]).status === 0;
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
