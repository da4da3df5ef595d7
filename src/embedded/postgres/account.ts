import { execFileSync } from 'node:child_process';
import { userInfo } from 'node:os';
import { StartError } from '../start-error';

/**
 * The user that PostgreSQL runs as: the current one, or an unprivileged one for root, because PostgreSQL refuses to run
 * as root.
 */
export interface Account {
  name: string;
  ids: { uid?: number; gid?: number };
}

/**
 * The account that PostgreSQL runs as; for root, the system user `postgres`, which is created if missing.
 * @throws StartError when running as root and that user cannot be created.
 */
export function postgresAccount(): Account {
  const user = userInfo();
  if (user.uid !== 0) return { name: user.username, ids: {} };
  const ids = idsOf('postgres') ?? createUser('postgres');
  if (!ids) {
    throw new StartError(
      'PostgreSQL does not run as root and the system user "postgres" cannot be made; make it, start as an ordinary user, or set DATABASE_URL',
    );
  }
  return { name: 'postgres', ids };
}

function createUser(name: string) {
  const attempts = [
    [
      ['groupadd', '--system', name],
      ['useradd', '--system', '--no-create-home', '-g', name, '-s', '/bin/false', name],
    ],
    [
      ['addgroup', '-S', name],
      ['adduser', '-S', '-D', '-H', '-G', name, '-s', '/bin/false', name],
    ],
  ];
  for (const commands of attempts) {
    for (const [command, ...args] of commands) {
      try {
        execFileSync(command ?? '', args, { stdio: 'ignore' });
      } catch {
        // The group may exist already, and the second pair is for systems without the first, so only the outcome counts.
      }
    }
    const ids = idsOf(name);
    if (ids) return ids;
  }
  return null;
}

function idsOf(name: string) {
  try {
    const read = (flag: string) =>
      Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
    return { uid: read('-u'), gid: read('-g') };
  } catch {
    return null;
  }
}
