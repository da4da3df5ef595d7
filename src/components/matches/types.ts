import type { Outputs } from '@/trpc/outputs';

/** A match as lists and brackets show it. */
export type Match = Outputs['matches']['list']['items'][number];
export type Station = Outputs['matches']['stations']['list']['items'][number];
export type Bracket = Outputs['matches']['bracket'];
export type Draw = Outputs['matches']['draw'];
export type Correction = Outputs['matches']['correct'];
/** A line of the thread of a match. */
export type ThreadLine = Outputs['matches']['listMessages']['items'][number];
