import { z } from 'zod';
import { stationName, stationStreamUrl } from '@/domain/matches/forms';
import { pageInput, pageOf } from '@/server/paging';
import { match, matchIdInput, tournamentIdInput } from '@/server/routers/matches/schema';

const stationId = z.string().max(60).meta({ example: 'sta_01k9x4p6e0t7w9x1y2a3b4c5d6' });
const name = stationName.describe('Unique in the tournament.').meta({ example: 'Station 3' });
const streamUrl = stationStreamUrl.describe('Where what is played there can be watched; null: it has no stream.');
const autoAssign = z
  .boolean()
  .describe('Takes the next ready match whenever nothing is left to play there, and none for later than in an hour.');

export const station = z.object({
  id: stationId,
  tournamentId: z.string(),
  name: z.string().meta({ example: 'Station 3' }),
  streamUrl: z.string().nullable(),
  autoAssign,
  currentMatch: match
    .nullable()
    .describe(
      'Runs there, or is the next to: the first in `queue` that has both participants and is not for later than in an hour.',
    ),
  queue: z.array(match).describe('Matches assigned to it that come after the current one, in order.'),
});
export type StationOutput = z.infer<typeof station>;

export const stationInput = tournamentIdInput.extend({ stationId });
export const listStationsInput = tournamentIdInput.extend(pageInput.shape);
export const listStationsOutput = pageOf(station);
export const createStationInput = tournamentIdInput.extend({
  name,
  streamUrl: streamUrl.nullable().default(null),
  autoAssign: autoAssign.default(false),
});
export const updateStationInput = stationInput.extend({
  name: name.optional(),
  streamUrl: streamUrl.nullable().optional(),
  autoAssign: autoAssign.optional(),
});

const version = z.number().int().optional().describe("Refused with 412 unless the match's; as `If-Match`.");

export const assignInput = matchIdInput.extend({
  stationId: stationId.nullable().describe('null takes the match off its station.'),
  version,
});
export const callInput = matchIdInput.extend({
  called: z.boolean().default(true).describe('false takes the call back and stops the time to show up.'),
  version,
});

export const streamQueue = z.object({
  tournamentId: z.string(),
  onStream: match
    .nullable()
    .describe('Runs or was called at a station with a stream; without such a station, the first of `items` that runs.'),
  items: z.array(match).describe('The matches to stream that are not over, in order.'),
});
export const setStreamQueueInput = tournamentIdInput.extend({
  matchIds: z.array(z.string().max(60)).max(256).describe('The whole queue, in order.'),
});
