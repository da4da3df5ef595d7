import { readdir, readFile } from 'node:fs/promises';

/** The niceness of each thread of this process, on Linux; the 19th field, of which the second is a name in brackets. */
export async function niceness(): Promise<number[]> {
  const threads = await readdir('/proc/self/task');
  return Promise.all(
    threads.map(async (id) => {
      const stat = await readFile(`/proc/self/task/${id}/stat`, 'utf8');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
    }),
  );
}
