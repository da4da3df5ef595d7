import { router } from '@/server/trpc';
import { correct, reopen } from './corrections';
import { draw, redraw, start } from './draw';
import { forfeit } from './forfeit';
import { confirm, dispute, report, resolve } from './results';
import { acceptTime, begin, declineTime, reschedule } from './schedule';
import { bracket, get, list, standings } from './views';

export const matchesRouter = router({
  bracket,
  list,
  get,
  standings,
  draw,
  redraw,
  start,
  report,
  confirm,
  dispute,
  resolve,
  forfeit,
  reschedule,
  acceptTime,
  declineTime,
  begin,
  correct,
  reopen,
});
