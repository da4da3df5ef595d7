'use client';

import { type ComponentType, cloneElement, type HTMLAttributes, type ReactElement, type ReactNode } from 'react';
import { useOnDemand } from '@/components/ui/overlay/use-on-demand';

/**
 * A menu whose code is loaded when its trigger is first pressed, and opens then; the trigger is announced as busy meanwhile.
 * `load` returns a component that renders an open `Menu` at the trigger it is given.
 */
export function LazyMenu({
  label,
  trigger,
  load,
}: {
  label: string;
  /** A button. */
  trigger: ReactElement<HTMLAttributes<HTMLElement>>;
  load: () => Promise<ComponentType<{ trigger: ReactNode }>>;
}) {
  const { Loaded, isLoading, request, prepare } = useOnDemand(load);
  if (Loaded) return <Loaded trigger={trigger} />;
  return cloneElement(trigger, {
    'aria-label': label,
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    'aria-busy': isLoading || undefined,
    onClick: request,
    onPointerEnter: prepare,
    onFocus: prepare,
    onKeyDown: (event) => {
      if (event.key !== 'ArrowDown') return;
      event.preventDefault();
      request();
    },
  });
}
