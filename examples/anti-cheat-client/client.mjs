#!/usr/bin/env node
// A reference anti-cheat client for Laurel. Node 20 or newer, no dependencies. README.md beside it says how to use it.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';

const usage = `
  client.mjs enroll   --url https://laurel.example --project prj_… --token lpat_… [--game cs2] [--device "Desk at home"]
  client.mjs use      --url https://laurel.example --client-token lac_…
  client.mjs run      [--for seconds]
  client.mjs evidence --url https://laurel.example --key lrl_… --session acs_… --kind screenshot --type image/png file
`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: Object.fromEntries(
    ['url', 'project', 'token', 'client-token', 'game', 'device', 'for', 'key', 'session', 'kind', 'type', 'state'].map(
      (name) => [name, { type: 'string' }],
    ),
  ),
});
const [command, file] = positionals;
const stateFile = options.state ?? '.laurel-client.json';

class ApiError extends Error {
  constructor(status, body, retryAfter) {
    super(`${status} ${body?.error?.code ?? ''}: ${body?.message ?? 'no message'}`);
    this.status = status;
    this.retryAfterMs = Number(retryAfter ?? 0) * 1000;
  }
}

async function post(base, route, headers, body) {
  const response = await fetch(`${base}/api/v1/anti-cheat${route}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  const answer = await response.json().catch(() => null);
  if (!response.ok) throw new ApiError(response.status, answer, response.headers.get('retry-after'));
  return answer;
}

/** The state of the client between runs: its token, and the sequence of its last report. */
const readState = async () => JSON.parse(await readFile(stateFile, 'utf8'));
async function saveState(state) {
  // A crash must leave the old file or the new one, never half of it.
  await writeFile(`${stateFile}.new`, JSON.stringify(state), { mode: 0o600 });
  await rename(`${stateFile}.new`, stateFile);
}

async function enroll() {
  const { url, project, token, game, device } = options;
  const body = { projectId: project, game, deviceName: device };
  const { id, clientToken } = await post(url, '/clients', { Authorization: `Bearer ${token}` }, body);
  await saveState({ url, id, clientToken, sequence: 0 });
  console.log(`Enrolled as ${id}. The token is in ${stateFile}; keep it private.`);
}

/** Takes a token from the account settings. The sequence goes on: the client may be the same one with a new token. */
async function use() {
  const before = await readState().catch(() => null);
  await saveState({
    url: options.url ?? before?.url,
    clientToken: options['client-token'],
    sequence: before?.sequence ?? 0,
  });
  console.log(`The token is in ${stateFile}; keep it private.`);
}

const run = promisify(execFile);

/** Names of the programs that run on this machine. */
async function listPrograms() {
  if (process.platform === 'win32') {
    const { stdout } = await run('tasklist', ['/fo', 'csv', '/nh']);
    return stdout.split('\n').flatMap((line) => /^"([^"]+)"/.exec(line)?.[1] ?? []);
  }
  const { stdout } = await run('ps', ['-axo', 'comm=']);
  return stdout.split('\n').flatMap((line) => (line.trim() ? [path.basename(line.trim())] : []));
}

/** Beats every 10 seconds and reports new programs every second. What could not be sent is sent again in order. */
async function watch() {
  const state = await readState();
  const headers = { Authorization: `Bearer ${state.clientToken}` };
  const until = options.for ? Date.now() + Number(options.for) * 1000 : Number.POSITIVE_INFINITY;
  const seen = new Set();
  let waiting = [];
  let nextBeat = 0;
  let pausedUntil = 0;
  while (Date.now() < until) {
    for (const name of await listPrograms()) {
      if (seen.has(name)) continue;
      seen.add(name);
      state.sequence += 1;
      waiting.push({ sequence: state.sequence, at: new Date().toISOString(), kind: 'process', data: { name } });
    }
    // Saved before it is sent: a sequence is never used for two reports.
    await saveState(state);
    try {
      if (Date.now() >= nextBeat) {
        await post(state.url, '/clients/me/heartbeat', headers, {});
        nextBeat = Date.now() + 10_000;
      }
      while (waiting.length > 0 && Date.now() >= pausedUntil) {
        const batch = waiting.slice(0, 100);
        await post(state.url, '/clients/me/reports', headers, { reports: batch });
        console.log(`Reported ${batch.length} programs`);
        waiting = waiting.slice(100);
      }
    } catch (error) {
      // A token that is not valid will not become valid; anything else is tried again.
      if (error.status === 401) throw error;
      pausedUntil = Date.now() + (error.retryAfterMs || 2_000);
      console.error(`Trying again: ${error.message}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

async function uploadEvidence() {
  const { url, key, session, kind, type } = options;
  const bytes = await readFile(file);
  const grant = await post(
    url,
    '/evidence/presign',
    { 'X-API-Key': key },
    {
      sessionId: session,
      kind,
      contentType: type,
      sizeBytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    },
  );
  const stored = await fetch(grant.uploadUrl, { method: 'PUT', headers: grant.requiredHeaders, body: bytes });
  if (!stored.ok) throw new Error(`The store refused the upload: ${stored.status} ${await stored.text()}`);
  console.log(`Uploaded ${bytes.length} bytes as ${grant.mediaFileId}`);
}

const commands = { enroll, use, run: watch, evidence: uploadEvidence };
if (!commands[command]) {
  console.error(usage);
  process.exit(2);
}
await commands[command]().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
