/** What had the focus, latest first; of a menu, what opened it. What a layer held is gone with it. */
let trail: HTMLElement[] = [];
const kept = 8;

function remember({ target }: FocusEvent): void {
  if (!(target instanceof Element)) return;
  const menu = target.closest('[role="menu"]');
  const held = menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : target;
  // Fields never: on a phone, where buttons take no focus when touched, the keyboard would come up.
  if (!(held instanceof HTMLElement) || held.matches('input, textarea')) return;
  trail = [held, ...trail.filter((element) => element !== held)].slice(0, kept);
}

if (typeof document !== 'undefined') document.addEventListener('focusin', remember);

/**
 * Gives the focus back to what opened the layer that closes. Left to itself only a layer's own trigger gets it, and
 * whoever opened one in another way begins again at the top of the page.
 */
export function giveFocusBack(event: Event): void {
  const from = trail.find((element) => element.isConnected);
  if (!from) return;
  event.preventDefault();
  from.focus({ preventScroll: true });
}
