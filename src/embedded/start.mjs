// `npm start`: brings the checkout from any state to a running Laurel. Plain JavaScript, because nothing is installed yet.
//   --dev           reload on every change     --build-only   prepare and exit
//   --run <script>  an embedded PostgreSQL, migrated, and the TypeScript script with its environment
//   --maintain <script>  as --run, with the database that `npm start` uses
import { createServer } from 'node:net';
import path from 'node:path';
import {
  alone,
  app,
  buildPages,
  bundle,
  checkNode,
  generate,
  install,
  Refusal,
  root,
  watchBundle,
} from './prepare.mjs';

const flags = process.argv.slice(2);
const maintains = flags[0] === '--maintain';
const script = maintains || flags[0] === '--run' ? flags.slice(1) : null;
const development = flags.includes('--dev');

/** Ports stay in use for a moment after a start was killed, until its children exit. */
async function claimPort() {
  const host = process.env.HOST || '127.0.0.1';
  const wanted = Number(process.env.PORT || 3000);
  if (!Number.isInteger(wanted) || wanted < 0 || wanted > 65535) return;
  const deadline = Date.now() + 4000;
  for (;;) {
    const outcome = await new Promise((resolve) => {
      const server = createServer();
      server.once('error', (error) => resolve(error.code));
      server.listen(wanted, host, () => {
        const { port } = server.address();
        server.close(() => resolve(port));
      });
    });
    if (typeof outcome === 'number') {
      process.env.PORT = String(outcome);
      return;
    }
    if (outcome !== 'EADDRINUSE')
      throw new Refusal(`The server cannot listen on ${host}:${wanted} (${outcome}); check HOST and PORT`);
    if (Date.now() > deadline)
      throw new Refusal(`Port ${wanted} is in use; stop what uses it, or choose another: PORT=3100 npm start`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

async function prepare(supervisor) {
  await alone(async () => {
    await install();
    await generate();
    if (development) await watchBundle(() => supervisor.current?.restartServer());
    else await bundle();
  });
}

async function main() {
  // Writing to a closed terminal fails, but everything still has to be stopped in order.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  checkNode();
  process.chdir(root);
  try {
    // A script works on a database of its own, never on the one that .env names; maintenance is there for that one.
    if (!script || maintains) process.loadEnvFile('.env');
  } catch (error) {
    if (error.code !== 'ENOENT') throw new Refusal(`.env cannot be read: ${error.message}`);
  }
  process.env.NODE_ENV = development ? 'development' : 'production';
  const supervisor = { current: null };
  if (flags.includes('--build-only')) {
    await prepare(supervisor);
    await alone(buildPages);
    return;
  }
  if (script) process.env.PORT = '0';
  await claimPort();
  await prepare(supervisor);
  const { Supervisor } = await import(path.join(app, 'embedded/supervisor.js')).catch((error) => {
    throw / environment variables are invalid/.test(error.message) ? new Refusal(error.message) : error;
  });
  supervisor.current = new Supervisor({ root, app, temporary: script !== null && !maintains });
  const stop = () => supervisor.current.stop(0);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
  // npm passes SIGTERM on to a shell, which ends and leaves this process behind.
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event) setInterval(() => process.ppid !== parent && stop(), 250).unref();
  try {
    await supervisor.current.openDatabase();
    if (!development && !script) await alone(buildPages);
    if (script) await supervisor.current.runScript(script);
    else await supervisor.current.serve();
  } catch (error) {
    report(error);
    await supervisor.current.stop(1);
  }
}

function report(error) {
  const plain = error instanceof Refusal || error?.name === 'StartError';
  console.error(plain ? error.message : error);
}

await main().catch((error) => {
  report(error);
  process.exit(1);
});
