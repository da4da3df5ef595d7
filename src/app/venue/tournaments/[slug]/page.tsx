import type { Metadata } from 'next';
import { ScreenPage, type ScreenProps } from '@/app/tournaments/[slug]/screen-page';

export const metadata: Metadata = { title: 'Venue screen', robots: { index: false } };

/** A screen at the venue, with type to be read from afar. */
export default function VenuePage(props: ScreenProps) {
  return <ScreenPage {...props} look="venue" />;
}
