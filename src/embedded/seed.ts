import path from 'node:path';
import { env, publicUrl } from '@/env';
import { closeDatabase } from '@/server/db';
import { writePrivateJson } from './data-dir';
import { seedDemo } from './demo';

// A process of its own: the supervisor has read its environment before there was a database.
const demo = await seedDemo({ baseUrl: publicUrl });
await writePrivateJson(path.join(env.LAUREL_DATA_DIR, 'demo.json'), demo);
await closeDatabase();
