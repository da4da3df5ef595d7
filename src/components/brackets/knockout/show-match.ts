/** Scrolls the bracket, and not the page, so that the match is in its middle. */
export function showMatch(viewport: HTMLElement | null, number: number): void {
  const card = viewport?.querySelector<HTMLElement>(`[data-match="${number}"]`);
  if (!viewport || !card || card.offsetParent === null) return;
  const [frame, box] = [viewport.getBoundingClientRect(), card.getBoundingClientRect()];
  viewport.scrollTo({
    left: viewport.scrollLeft + box.left - frame.left - (frame.width - box.width) / 2,
    top: viewport.scrollTop + box.top - frame.top - (frame.height - box.height) / 2,
    behavior: 'smooth',
  });
}
