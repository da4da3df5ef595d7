'use client';

import { type ComponentType, useRef, useState } from 'react';
import { toastError } from '@/components/ui/overlay/toaster';

/**
 * A component whose code is loaded when it is first needed, so that pages do not wait for what opens on a press.
 * `prepare` loads it ahead, when a pointer or the focus arrives; `isLoading` is true from the press until it can be shown.
 */
export function useOnDemand<Props>(load: () => Promise<ComponentType<Props>>) {
  const [Loaded, setLoaded] = useState<ComponentType<Props> | null>(null);
  const [isLoading, setLoading] = useState(false);
  const isRequested = useRef(false);

  async function request(): Promise<void> {
    if (isRequested.current) return;
    isRequested.current = true;
    setLoading(true);
    try {
      const component = await load();
      setLoaded(() => component);
    } catch (error) {
      isRequested.current = false;
      toastError(error, 'This could not be loaded');
    } finally {
      setLoading(false);
    }
  }

  // A failure shows when it is asked for.
  const prepare = () => void load().catch(() => undefined);
  return { Loaded, isLoading, request: () => void request(), prepare };
}
