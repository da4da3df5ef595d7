import path from 'node:path';
import { env, publicUrl } from '@/env';
import { closeDatabase } from '@/server/db';
import { closeLimits } from '@/server/limits/rate-limit';
import { logger } from '@/server/logger';
import { readJson, writePrivateJson } from '../data-dir';
import { freshUntil, renewDemo } from './dates';
import { type Demo, listTournaments, seedDemo } from './demo';
import { findCast } from './people';
import { continueDemo } from './played';

/** A start after the first: new dates when the old ones are stale, and the running tournament goes on a little. */
async function continueWith(made: Demo): Promise<Demo> {
  const now = Date.now();
  const isStale = !(Date.parse(made.freshUntil) > now);
  if (isStale) await renewDemo(now);
  const cast = await findCast();
  if (cast) await continueDemo(made.project.id, cast);
  const tournaments = await listTournaments(made);
  return { ...made, tournaments, freshUntil: isStale ? freshUntil(now) : made.freshUntil };
}

// Its own process, because the supervisor read its environment before there was a database.
const file = path.join(env.LAUREL_DATA_DIR, 'demo.json');
const made = process.argv.includes('--continue') ? await readJson<Demo>(file) : null;
if (made) {
  // Nothing that became of the demo may keep Laurel from starting.
  const next = await continueWith(made).catch((error) => logger.warn({ err: error }, 'the demo does not go on'));
  if (next) await writePrivateJson(file, next);
} else {
  await writePrivateJson(file, await seedDemo({ baseUrl: publicUrl }));
}
closeLimits();
await closeDatabase();
