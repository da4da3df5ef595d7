'use client';

import { type RefObject, useEffect, useRef } from 'react';
import { showMatch } from '@/components/brackets/knockout/show-match';
import type { Zoom } from '@/components/brackets/knockout/use-zoom';

type Command = { type: string; value: unknown };

function readCommand(data: unknown): Command | null {
  if (typeof data !== 'object' || data === null || !('type' in data) || typeof data.type !== 'string') return null;
  if (!data.type.startsWith('laurel:')) return null;
  return { type: data.type.slice('laurel:'.length), value: 'value' in data ? data.value : undefined };
}

/**
 * Lets the page that frames the bracket steer it with `postMessage`:
 * `{type: 'laurel:zoom', value: 0.8 | 'all'}`, `{type: 'laurel:follow', value: participantId | null}`,
 * `{type: 'laurel:filter', value: 'open' | 'all'}` (folds finished rounds or not) and `{type: 'laurel:match', value:
 * number}`. They change only what is shown, so any origin may send them.
 */
export function useFrameCommands(
  enabled: boolean,
  viewport: RefObject<HTMLElement | null>,
  zoom: Zoom,
  setFollow: (participantId: string | null) => void,
  foldFinished: (fold: boolean) => void,
): void {
  const latest = useRef({ zoom, setFollow, foldFinished });
  useEffect(() => {
    latest.current = { zoom, setFollow, foldFinished };
  });

  useEffect(() => {
    if (!enabled) return;
    function run({ data, source }: MessageEvent) {
      if (source !== window.parent) return;
      const command = readCommand(data);
      if (!command) return;
      const { type, value } = command;
      if (type === 'zoom' && value === 'all') latest.current.zoom.showAll();
      else if (type === 'zoom' && typeof value === 'number' && value > 0) latest.current.zoom.zoomTo(value);
      else if (type === 'follow' && (typeof value === 'string' || value === null)) latest.current.setFollow(value);
      else if (type === 'filter') latest.current.foldFinished(value === 'open');
      else if (type === 'match' && typeof value === 'number') showMatch(viewport.current, value);
    }
    window.addEventListener('message', run);
    // Tells the page around it that commands are understood from now on.
    window.parent.postMessage({ type: 'laurel:ready' }, '*');
    return () => window.removeEventListener('message', run);
  }, [enabled, viewport]);
}
