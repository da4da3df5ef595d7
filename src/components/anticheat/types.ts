import type { Inputs, Outputs } from '@/trpc/outputs';

export type QueueInput = Inputs['antiCheat']['review']['queue'];
export type QueueItem = Outputs['antiCheat']['review']['queue']['items'][number];
export type Detection = Outputs['antiCheat']['review']['detection'];
