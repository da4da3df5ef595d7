import type { Receivers } from '@/server/delivery/later';

/** Receivers with room for so many deliveries each, and for no more soon. */
export const withRoom = (room: number): Receivers => ({ room: () => room, soon: () => false, sending: () => false });
