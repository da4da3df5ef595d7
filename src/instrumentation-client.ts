import { transitionStart } from '@/domain/navigation/transition';

/** Next.js calls this when the router begins to open another page. */
export function onRouterTransitionStart(url: string): void {
  window.dispatchEvent(new CustomEvent(transitionStart, { detail: url }));
}
