// `npm ci` refuses a lock file that lacks an optional package for another platform, and npm leaves such packages out
// when the registry it was written with does not have them. This finds them; with --write it adds them.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const processors = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];
const aliases = {
  windows: 'win32',
  ppc64le: 'ppc64',
  armv7: 'arm',
  arm32: 'arm',
  i686: 'ia32',
  x86_64: 'x64',
  aarch64: 'arm64',
};

/**
 * Optional dependencies that the lock file names but does not contain.
 * @param {{packages: Record<string, {optionalDependencies?: Record<string, string>, version?: string, dev?: boolean}>}} lock
 * @returns {{name: string, spec: string, wantedBy: string}[]}
 */
export function missingFromLock(lock) {
  const missing = [];
  for (const [location, entry] of Object.entries(lock.packages)) {
    for (const [name, spec] of Object.entries(entry.optionalDependencies ?? {})) {
      if (!find(lock.packages, location, name)) missing.push({ name, spec, wantedBy: location });
    }
  }
  return missing;
}

/** The lock file with the missing packages added, marked for the platform in their name. */
export function completeLock(lock) {
  const packages = { ...lock.packages };
  for (const { name, spec, wantedBy } of missingFromLock(lock)) {
    const location = packages[`node_modules/${name}`] ? `${wantedBy}/node_modules/${name}` : `node_modules/${name}`;
    const entry = { version: spec.replace(/^[\^~]/, ''), ...platformOf(name), optional: true };
    packages[location] = lock.packages[wantedBy]?.dev ? { ...entry, dev: true } : entry;
  }
  const [project, ...rest] = Object.entries(packages);
  return { ...lock, packages: Object.fromEntries([project, ...rest.sort(([a], [b]) => (a < b ? -1 : 1))]) };
}

/** Looks a package up as Node does: below the one that needs it, then beside it, then in every folder above. */
function find(packages, location, name) {
  for (let folder = location; folder !== ''; folder = folder.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    if (packages[`${folder}/node_modules/${name}`]) return true;
  }
  return packages[`node_modules/${name}`] !== undefined;
}

function platformOf(name) {
  const words = name
    .toLowerCase()
    .split(/[/-]/)
    .map((word) => aliases[word] ?? word);
  const cpu = words.filter((word) => processors.includes(word));
  const os = words.filter((word) => systems.includes(word));
  const libc = words.includes('musl')
    ? ['musl']
    : words.some((word) => word === 'gnu' || word === 'glibc')
      ? ['glibc']
      : [];
  if (cpu.length + os.length === 0) os.push('none');
  return { ...(cpu.length && { cpu }), ...(libc.length && { libc }), ...(os.length && { os }) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../package-lock.json');
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  const missing = missingFromLock(lock);
  for (const { name, spec, wantedBy } of missing)
    console.log(`${name}@${spec} (wanted by ${wantedBy.replace(/^node_modules\//, '')})`);
  if (process.argv.includes('--write')) writeFileSync(file, `${JSON.stringify(completeLock(lock), null, 2)}\n`);
  else process.exit(missing.length > 0 ? 1 : 0);
}
