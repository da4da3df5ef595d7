import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { env, publicUrl } from '@/env';
import { openDataDir, readJson, readSecrets, writePrivateJson } from './data-dir';
import type { Demo } from './demo/demo';
import { migrate } from './migrations/migrate';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './postgres/postgres';
import { until } from './processes';
import { StartError } from './start-error';
import { type EmbeddedStore, startEmbeddedStore } from './store/process';

export interface SupervisorOptions {
  /** Folder of the checkout. */
  root: string;
  /** Folder of the bundled server. */
  app: string;
  /** Uses a temporary data directory, unless one is set. */
  temporary: boolean;
}

const print = (line: string) => console.log(line);

/** Starts, watches and stops the parts of a running Laurel: the embedded services that nothing replaces, and the server. */
export class Supervisor {
  private dataDir: string;
  private readonly temporary: boolean;
  private postgres: EmbeddedPostgres | undefined;
  private store: EmbeddedStore | undefined;
  private server: ChildProcess | undefined;
  private script: ChildProcess | undefined;
  private childEnv: NodeJS.ProcessEnv = process.env;
  private stopping: Promise<never> | undefined;
  private restarting: Promise<void> | undefined;
  private changedAgain = false;

  constructor(private readonly options: SupervisorOptions) {
    this.dataDir = path.resolve(options.root, env.LAUREL_DATA_DIR);
    this.temporary = options.temporary && !process.env.LAUREL_DATA_DIR;
  }

  /** Starts the database, migrates it and, on an embedded first start, seeds the demo. */
  async openDatabase(): Promise<void> {
    if (this.temporary) {
      this.dataDir = await mkdtemp(path.join(tmpdir(), 'laurel-'));
      await chmod(this.dataDir, 0o711);
    }
    await openDataDir(this.dataDir);
    const pending = path.join(this.dataDir, 'demo.pending');
    if (!env.DATABASE_URL) {
      const first = !existsSync(path.join(this.dataDir, 'postgres.json'));
      // Written before there is a database, so that a killed first start is still followed by the demo.
      if (first && env.LAUREL_DEMO !== false && !this.options.temporary) await writeFile(pending, '');
      await this.step('PostgreSQL', async () => {
        this.postgres = await startEmbeddedPostgres({ dataDir: this.dataDir, log: print });
        this.postgres.ended.then(() => this.lost('PostgreSQL'));
        return 'running';
      });
    }
    const url = env.DATABASE_URL ?? this.postgres?.url ?? '';
    await this.step('Migrations', async () => {
      const applied = await migrate(url, this.postgres && { startOver: `delete ${this.dataDir} and start again` });
      return applied.length > 0 ? `${applied.length} applied` : 'up to date';
    });
    const secrets = await readSecrets(this.dataDir);
    if (!env.S3_ENDPOINT) {
      await this.step('Object store', async () => {
        const { dataDir, options } = this;
        this.store = await startEmbeddedStore({
          dataDir,
          app: options.app,
          secretAccessKey: secrets.S3_SECRET_ACCESS_KEY,
        });
        this.store.ended.then(() => this.lost('The object store'));
        return 'running';
      });
    }
    this.childEnv = {
      ...process.env,
      ...this.store?.env,
      AUTH_SECRET: env.AUTH_SECRET ?? secrets.AUTH_SECRET,
      SECRETS_KEY: env.SECRETS_KEY ?? secrets.SECRETS_KEY,
      DATABASE_URL: url,
      LAUREL_DATA_DIR: this.dataDir,
      LAUREL_EMBEDDED: this.postgres ? '1' : '0',
      NEXT_TELEMETRY_DISABLED: '1',
      // Laurel runs on Node 20, and the lock file pins releases of the SDK that do.
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    };
    const requested = env.LAUREL_DEMO === true && !existsSync(path.join(this.dataDir, 'demo.json'));
    if (requested || (existsSync(pending) && env.LAUREL_DEMO !== false)) {
      await this.step('Demo', async () => {
        await this.runToEnd('The demo', [path.join(this.options.app, 'embedded/demo/seed.js')], 'pipe');
        return 'seeded';
      });
      await rm(pending, { force: true });
    } else if (env.LAUREL_DEMO !== false && existsSync(path.join(this.dataDir, 'demo.json'))) {
      await this.step('Demo', async () => {
        await this.runToEnd('The demo', [path.join(this.options.app, 'embedded/demo/seed.js'), '--continue'], 'pipe');
        return 'continued';
      });
    }
  }

  /** Starts the server, waits until it is ready and prints its address. */
  async serve(): Promise<void> {
    const begin = performance.now();
    this.startServer();
    if (!(await this.ready())) return this.stopping;
    print(outcome('Server', 'ready', begin));
    // A first start has written a thousand files, which take PostgreSQL a second to put on the disk.
    void this.postgres?.flush();
    const demo = await this.refreshDemo();
    if (demo) {
      print('\nDemo accounts (all in demo.json in the data directory):');
      const shown = demo.users.slice(0, 4);
      for (const user of shown) print(`  ${user.email.padEnd(24)} ${user.password.padEnd(16)} ${user.role}`);
      if (demo.users.length > shown.length)
        print(`  and ${demo.users.length - shown.length} more, to ${demo.users.at(-1)?.email}`);
      if (!isLocal(publicUrl) || !isLocal(`http://${env.HOST}`))
        print(
          'These passwords are public. For an instance of your own, start with LAUREL_DEMO=0 and an empty data directory.',
        );
    }
    print(`\nLaurel is ready: ${publicUrl}`);
  }

  /** Replaces the running server with one from the newest bundle. */
  restartServer(): Promise<void> {
    if (this.restarting) this.changedAgain = true;
    this.restarting ??= this.restartUntilCurrent().finally(() => {
      this.restarting = undefined;
    });
    return this.restarting;
  }

  /** Runs a TypeScript file against the database, then stops everything and exits with its exit code. */
  async runScript([script = '', ...args]: string[]): Promise<never> {
    const loader = import.meta.resolve('tsx');
    const code = await this.runToEnd(
      script,
      ['--import', loader, path.resolve(this.options.root, script), ...args],
      'inherit',
    );
    return this.stop(code);
  }

  /** Stops every child, the server first, and exits, within about a second. */
  stop(code: number): Promise<never> {
    this.stopping ??= (async () => {
      this.script?.kill('SIGTERM');
      void this.postgres?.flush();
      await this.stopServer();
      await Promise.all([this.store?.stop(), this.postgres?.stop()]);
      if (this.temporary) await rm(this.dataDir, { recursive: true, force: true });
      process.exit(code);
    })();
    return this.stopping;
  }

  private async restartUntilCurrent(): Promise<void> {
    do {
      this.changedAgain = false;
      print('A source file changed: restarting the server');
      await this.stopServer();
      this.startServer();
      const ready = await this.ready().catch((error) => console.error(error.message));
      if (ready) print(`Laurel is ready again: ${publicUrl}`);
    } while (this.changedAgain);
  }

  private startServer(): void {
    const { app, root } = this.options;
    const watch = path.join(app, 'embedded/watch-parent.js');
    const server = spawn(process.execPath, ['--enable-source-maps', '--import', watch, path.join(app, 'main.js')], {
      cwd: root,
      env: this.childEnv,
      // Its own process group: Ctrl-C reaches this process alone, and SIGKILL also ends what the server started.
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.server = server;
    server.once('exit', (code, signal) => {
      if (this.server !== server) return;
      this.server = undefined;
      this.lost('The server', signal ?? `exit code ${code}`);
    });
  }

  private async stopServer(): Promise<void> {
    const server = this.server;
    this.server = undefined;
    if (!server?.pid || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    const force = setTimeout(() => process.kill(-(server.pid ?? 0), 'SIGKILL'), 10_000);
    await ended;
    clearTimeout(force);
  }

  /** Whether the server became ready; false if it exited instead. */
  private async ready(): Promise<boolean> {
    const host = ['0.0.0.0', '::', '127.0.0.1'].includes(env.HOST) ? '127.0.0.1' : env.HOST;
    let status = 'nothing';
    const answered = await until(
      async () => {
        if (!this.server) return true;
        const response = await fetch(`http://${host}:${env.PORT}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch(
          () => null,
        );
        if (response) status = `${response.status} ${(await response.text()).slice(0, 200)}`;
        return response?.status === 200;
      },
      90_000,
      50,
    );
    if (!answered) throw new StartError(`The server does not become ready: /readyz answers ${status}`);
    return this.server !== undefined;
  }

  /** If a child exits by itself, everything stops: half a Laurel helps nobody. */
  private lost(what: string, how?: string): void {
    if (this.stopping) return;
    if (env.NODE_ENV === 'development' && what === 'The server') {
      console.error(`${what} has exited (${how}); it restarts when a source changes`);
      return;
    }
    console.error(`${what} has exited${how ? ` (${how})` : ''}; stopping Laurel`);
    void this.stop(1);
  }

  private async runToEnd(what: string, args: string[], output: 'pipe' | 'inherit'): Promise<number> {
    const child = spawn(process.execPath, args, {
      cwd: this.options.root,
      env: this.childEnv,
      stdio: ['ignore', output, output],
    });
    this.script = child;
    const said: Buffer[] = [];
    child.stdout?.on('data', (chunk) => said.push(chunk));
    child.stderr?.on('data', (chunk) => said.push(chunk));
    const [code] = (await once(child, 'close')) as [number | null];
    this.script = undefined;
    if (code !== 0 && output === 'pipe') throw new StartError(`${Buffer.concat(said)}\n${what} cannot be made`);
    return code ?? 1;
  }

  /** The content of demo.json, with its address updated if the port or the public URL has changed. */
  private async refreshDemo(): Promise<Demo | null> {
    const file = path.join(this.dataDir, 'demo.json');
    const demo = await readJson<Demo>(file);
    if (demo && demo.baseUrl !== publicUrl) await writePrivateJson(file, { ...demo, baseUrl: publicUrl });
    return demo;
  }

  private async step(title: string, work: () => Promise<string>): Promise<void> {
    const begin = performance.now();
    const said = await work().catch((error) => {
      print(outcome(title, 'failed', begin));
      throw error;
    });
    print(outcome(title, said, begin));
  }
}

/** Whether an address is reachable from this machine only. */
function isLocal(address: string): boolean {
  return !URL.canParse(address) || /^(localhost|127\..*|\[::1\])$/.test(new URL(address).hostname);
}

function outcome(title: string, said: string, begin: number): string {
  return `${title.padEnd(14)} ${said} (${((performance.now() - begin) / 1000).toFixed(1)} s)`;
}
