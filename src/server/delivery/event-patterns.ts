import { eventGroups, isEventType } from '@/server/events/catalog/catalog';

/** Whether a subscription may list this: an event type, `group.*` or `*`. */
export function isEventPattern(text: string): boolean {
  if (text === '*' || isEventType(text)) return true;
  return eventGroups.some((group) => text === `${group}.*`);
}

/** The patterns that match an event type. */
export function patternsFor(type: string): string[] {
  return [type, `${type.split('.')[0]}.*`, '*'];
}
