import { z } from 'zod';
import { lineField } from '@/domain/text/line';
import { webAddress } from '@/domain/text/web-address';

/** Stations of one tournament: as many as one page of a list has. */
export const maxStations = 100;

export const stationName = lineField({ max: 60 });

const notAnAddress = 'Enter a web address, such as https://twitch.tv/laurel.';
/** Where a station can be watched: pages open it in a browser, so it has to be a web address. */
export const stationStreamUrl = z
  .url({ protocol: /^https?$/, error: notAnAddress })
  .max(500)
  .refine((text) => webAddress(text) !== null, notAnAddress);
