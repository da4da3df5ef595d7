import path from 'node:path';
import { env, publicUrl } from '@/env';
import { closeDatabase } from '@/server/db';
import { readJson, writePrivateJson } from '../data-dir';
import { freshUntil, renewDemo } from './dates';
import { type Demo, seedDemo } from './demo';

// Its own process, because the supervisor read its environment before there was a database.
const file = path.join(env.LAUREL_DATA_DIR, 'demo.json');
const made = process.argv.includes('--renew') ? await readJson<Demo>(file) : null;
if (made) {
  const now = Date.now();
  await renewDemo(now);
  await writePrivateJson(file, { ...made, freshUntil: freshUntil(now) });
} else {
  await writePrivateJson(file, await seedDemo({ baseUrl: publicUrl }));
}
await closeDatabase();
