import type { Metadata } from 'next';
import { ScreenPage, type ScreenProps } from '@/app/tournaments/[slug]/screen-page';

export const metadata: Metadata = { title: 'Overlay', robots: { index: false } };

/** A browser source for streams: 1920 by 1080, transparent. */
export default function OverlayPage(props: ScreenProps) {
  return (
    <>
      <style>{'html, body { background: transparent; } html[data-theme] { color-scheme: normal; }'}</style>
      <ScreenPage {...props} look="overlay" />
    </>
  );
}
