import { router } from '@/server/trpc';
import { heartbeat, postReports } from './client';
import { clientsRouter } from './clients';
import { list } from './detections';
import { presign } from './evidence';
import { decide } from './review/decide';
import { detection, reports } from './review/detection';
import { evidence, viewEvidence } from './review/evidence';
import { live } from './review/live';
import { queue } from './review/queue';
import { end, start } from './sessions';
import { staffSessionsRouter } from './staff/staff-sessions';
import { rulesRouter } from './tuning/game-rules';
import { replaysRouter } from './tuning/replays';

export const antiCheatRouter = router({
  sessions: router({ start, end }),
  detections: router({ list }),
  evidence: router({ presign }),
  clients: clientsRouter,
  client: router({ heartbeat, postReports }),
  staffSessions: staffSessionsRouter,
  rules: rulesRouter,
  replays: replaysRouter,
  review: router({ queue, detection, reports, evidence, decide, viewEvidence, live }),
});
