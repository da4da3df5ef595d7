import { closeDatabase } from '@/server/db';
import { rebuildStats } from '@/server/routers/matches/stats/data-rebuild';

const rows = await rebuildStats();
console.log(`Player statistics rebuilt: ${rows} ${rows === 1 ? 'row' : 'rows'}`);
await closeDatabase();
process.exit(0);
