import { router } from '@/server/trpc';
import { calendarRouter } from './calendar/calendar';
import { complete } from './draw/complete';
import { draw, redraw, start } from './draw/draw';
import { exportFile, importFile } from './exchange/exchange';
import { listEvents, postEvents } from './feed/feed';
import { myMatches, myNextMatches } from './reading/mine';
import { champion, idOfNumber, isLarge, standingsPage } from './reading/pages';
import { bracket, get, list, standings } from './reading/views';
import { correct, reopen, undoCorrection } from './results/corrections';
import { forfeit } from './results/forfeit';
import { confirm, dispute, report, resolve } from './results/results';
import { acceptTime, begin, declineTime, reschedule } from './results/schedule';
import { ruleTie, seedStage, withdrawRuling } from './stages/stages';
import { assign } from './stations/assign';
import { callPlayers } from './stations/call';
import { stationsRouter } from './stations/stations';
import { streamQueueRouter } from './stations/stream-queue';
import { grantScreenshot, listMessages, postMessage, viewScreenshot } from './thread/thread';

export const matchesRouter = router({
  bracket,
  list,
  myMatches,
  myNextMatches,
  get,
  standings,
  standingsPage,
  champion,
  idOfNumber,
  isLarge,
  calendar: calendarRouter,
  exportFile,
  importFile,
  draw,
  redraw,
  start,
  complete,
  seedStage,
  ruleTie,
  withdrawRuling,
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
  undoCorrection,
  assign,
  callPlayers,
  stations: stationsRouter,
  streamQueue: streamQueueRouter,
  postEvents,
  listEvents,
  listMessages,
  postMessage,
  grantScreenshot,
  viewScreenshot,
});
