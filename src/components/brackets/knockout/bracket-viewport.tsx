'use client';

import '@/components/brackets/knockout/bracket.css';
import { Minus, Plus, Scan } from 'lucide-react';
import type { CSSProperties, ReactNode, RefObject } from 'react';
import type { Zoom } from '@/components/brackets/knockout/use-zoom';
import { useMatchLinks } from '@/components/brackets/use-match-links';
import { Button } from '@/components/ui/form/button';
import { Kbd } from '@/components/ui/navigation/kbd';
import { useShortcut } from '@/components/ui/navigation/use-shortcut';

/** What is left for the bracket on A4 landscape, and on A3 for brackets that would be too small on it; in rem. */
const paper = { a4: { width: 65, height: 33 }, a3: { width: 94, height: 53 } };
const printRow = 4.5;

function printZoom(width: number, height: number): { zoom: number; size: 'A4' | 'A3' } {
  const zoomOn = ({ width: w, height: h }: { width: number; height: number }) =>
    Math.min(1, w / width, h / (height * printRow));
  const onA4 = zoomOn(paper.a4);
  return onA4 >= 0.6 ? { zoom: onA4, size: 'A4' } : { zoom: zoomOn(paper.a3), size: 'A3' };
}

type ViewportProps = {
  ref: RefObject<HTMLDivElement | null>;
  /** In rem and rows. */
  width: number;
  height: number;
  view: 'rounds' | 'tree';
  label: string;
  /** Called with the number of a match that was tapped. */
  onOpen: (match: number) => void;
  children: ReactNode;
};

/** The scrolling area with the bracket in it. */
export function BracketViewport({ ref, width, height, view, label, onOpen, children }: ViewportProps) {
  const print = printZoom(width, height);
  const style = { '--w': width, '--h': height, '--print-zoom': print.zoom.toFixed(3) } as CSSProperties;

  useMatchLinks(ref, onOpen);

  return (
    <>
      <style>{`@page { size: ${print.size} landscape; margin: 8mm; }`}</style>
      {/* In the tab order so that arrow keys scroll it. */}
      <section
        ref={ref}
        aria-label={label}
        tabIndex={0}
        data-view={view}
        className="bracket-viewport rounded border bg-page focus-visible:outline-offset-[-2px]"
        style={style}
      >
        <div className="bracket-canvas">{children}</div>
      </section>
    </>
  );
}

/** Buttons and keys that zoom: `+`, `-`, and `0` to see it all. */
export function ZoomControls({ zoom }: { zoom: Zoom }) {
  useShortcut('0', 'Show the whole bracket', zoom.showAll);
  useShortcut('+', 'Zoom in', () => zoom.zoomBy(1.25));
  useShortcut('-', 'Zoom out', () => zoom.zoomBy(0.8));
  return (
    <fieldset className="flex items-center gap-1">
      <legend className="sr-only">Zoom</legend>
      <Button
        size="icon"
        variant="ghost"
        aria-label="Zoom out"
        onClick={() => zoom.zoomBy(0.8)}
        icon={<Minus aria-hidden />}
      />
      <button
        type="button"
        onClick={() => zoom.zoomTo(1)}
        title="Show at full size"
        className="figure w-12 rounded py-1.5 text-center text-sm text-muted hover:bg-hover"
      >
        {Math.round(zoom.zoom * 100)}%
      </button>
      <Button
        size="icon"
        variant="ghost"
        aria-label="Zoom in"
        onClick={() => zoom.zoomBy(1.25)}
        icon={<Plus aria-hidden />}
      />
      <Button size="sm" onClick={zoom.showAll} icon={<Scan aria-hidden />}>
        Show all <Kbd>0</Kbd>
      </Button>
    </fieldset>
  );
}
