import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts the time of processes in hundredths of a second. */
const tickMs = 10;

/** The fields of a process's `stat` behind its name, which may contain anything; null where it has ended. */
function statOf(pid: number | string): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

/** Processor time that a process has used, in milliseconds. */
export function cpuMs(pid: number): number {
  const stat = statOf(pid);
  return stat ? (Number(stat[11]) + Number(stat[12])) * tickMs : 0;
}

/**
 * Processor time of a PostgreSQL server, in milliseconds: of all its processes and of those that ended.
 * @param backend one of them
 */
export function serverCpuMs(backend: number): number {
  const server = statOf(backend)?.[1] ?? '';
  const own = statOf(server);
  const ended = own ? (Number(own[13]) + Number(own[14])) * tickMs : 0;
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && statOf(name)?.[1] === server);
  return children.reduce((sum, pid) => sum + cpuMs(Number(pid)), ended + cpuMs(Number(server)));
}
