'use client';

import '@/components/brackets/knockout/bracket.css';
import { type CSSProperties, useEffect, useMemo, useRef } from 'react';
import { KnockoutTree } from '@/components/brackets/knockout/knockout-tree';
import { championOf, finishedRounds, layoutKnockout } from '@/components/brackets/knockout/layout';
import type { BracketStage } from '@/components/brackets/types';

const maxZoom = 1.6;
const noLink = () => '#';

/** A knockout stage drawn as large as its box allows, finished rounds folded; nothing in it can be pressed. */
export function FittedTree({ stage, isLast }: { stage: BracketStage; isLast: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const layout = useMemo(() => layoutKnockout(stage, finishedRounds(stage)), [stage]);
  const champion = useMemo(() => (isLast ? championOf(stage) : null), [stage, isLast]);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const resized = new ResizeObserver(() => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      const row = Number.parseFloat(getComputedStyle(element).getPropertyValue('--row')) * rem;
      const zoom = Math.min(
        maxZoom,
        element.clientWidth / ((layout.width + 2) * rem),
        element.clientHeight / (layout.height * row + 2 * rem),
      );
      element.style.setProperty('--zoom', zoom.toFixed(3));
    });
    resized.observe(element);
    return () => resized.disconnect();
  }, [layout]);

  const style = { '--w': layout.width, '--h': layout.height, height: '100%', overflow: 'hidden' } as CSSProperties;
  return (
    <div ref={box} inert data-view="tree" className="bracket-viewport" style={style}>
      <div className="bracket-canvas">
        <KnockoutTree layout={layout} href={noLink} follow={null} champion={champion} onFold={noLink} />
      </div>
    </div>
  );
}
