// `npm test`: every check, fastest first. Plain JavaScript, because nothing is installed yet.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { alone, buildPages, bundle, checkNode, generate, install, Refusal, root, run } from '../embedded/prepare.mjs';

const results = mkdtempSync(path.join(tmpdir(), 'laurel-results-'));
const times = [];
const tool = (file) => [process.execPath, path.join(root, 'node_modules', file)];

/** Runs a check, shows its output and records its time. */
async function check(title, [command, ...args], env = {}) {
  console.log(`\n== ${title}`);
  const begin = performance.now();
  const code = await new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...env },
    });
    child.once('error', reject);
    child.once('exit', (status, signal) => resolve(signal ?? status));
  });
  times.push([title, (performance.now() - begin) / 1000, code === 0]);
  if (code !== 0) throw new Refusal(`${title} failed`);
}

async function browser() {
  const { findChromium } = await import('./chromium.mjs');
  let file = findChromium();
  if (
    !file &&
    process.platform === 'linux' &&
    process.getuid() === 0 &&
    spawnSync('apt-get', ['--version']).status === 0
  ) {
    console.log('\nNo Chromium is installed; installing one with apt-get');
    const apt = (...args) => run(`apt-get ${args[0]}`, ['apt-get', ...args], { DEBIAN_FRONTEND: 'noninteractive' });
    await apt('update');
    await apt('install', '-y', 'chromium');
    file = findChromium();
  }
  if (!file) {
    throw new Refusal(
      'The browser tests need a Chromium: install the package "chromium", run "npx playwright install --with-deps chromium", or set PLAYWRIGHT_CHROMIUM to one',
    );
  }
  return file;
}

function counted(file, passed, failed) {
  try {
    const report = JSON.parse(readFileSync(path.join(results, file), 'utf8'));
    return [passed(report), failed(report)];
  } catch {
    return [0, 0];
  }
}

function summary() {
  console.log('\nTimes');
  for (const [title, seconds, good] of times)
    console.log(`  ${title.padEnd(20)} ${seconds.toFixed(1).padStart(7)} s${good ? '' : '  failed'}`);
  const vitest = counted(
    'vitest.json',
    (report) => report.numPassedTests,
    (report) => report.numFailedTests,
  );
  const playwright = counted(
    'playwright.json',
    ({ stats }) => stats.expected,
    ({ stats }) => stats.unexpected + stats.flaky,
  );
  console.log(`\n${vitest[0] + playwright[0]} passed, ${vitest[1] + playwright[1]} failed`);
}

async function main() {
  checkNode();
  process.chdir(root);
  const begin = performance.now();
  await alone(async () => {
    await install();
    await generate();
  });
  await run('next typegen', [...tool('next/dist/bin/next'), 'typegen']);
  times.push(['install and generate', (performance.now() - begin) / 1000, true]);
  await check('format and lint', [...tool('@biomejs/biome/bin/biome'), 'check', '.']);
  await check('types', [...tool('typescript/bin/tsc'), '--noEmit', '--incremental', 'false']);
  await check('structure', [process.execPath, 'src/test/structure.mjs']);
  const json = `--outputFile.json=${path.join(results, 'vitest.json')}`;
  await check('unit and integration', [
    ...tool('vitest/vitest.mjs'),
    'run',
    '--reporter=default',
    '--reporter=json',
    json,
  ]);
  const built = performance.now();
  await alone(async () => {
    await bundle();
    await buildPages();
  });
  times.push(['build', (performance.now() - built) / 1000, true]);
  await check('browser', [...tool('playwright/cli.js'), 'test', '--reporter=list,json'], {
    PLAYWRIGHT_CHROMIUM: await browser(),
    PLAYWRIGHT_JSON_OUTPUT_NAME: path.join(results, 'playwright.json'),
  });
}

try {
  await main();
} catch (error) {
  process.exitCode = 1;
  console.error(error instanceof Refusal ? error.message : error);
}
summary();
rmSync(results, { recursive: true, force: true });
