import type { EvidenceView } from '@/domain/anticheat/evidence';
import type { Inputs, Outputs } from '@/trpc/outputs';

type Review = Outputs['antiCheat']['review'];

export type QueueInput = Inputs['antiCheat']['review']['queue'];
export type QueuePage = Review['queue'];
export type QueueItem = QueuePage['items'][number];
export type Detection = Review['detection'];
export type EvidenceItem = Review['evidence']['items'][number];
/** A file of evidence whose address was granted. */
export type OpenedEvidence = Review['viewEvidence'] & { view: EvidenceView };
