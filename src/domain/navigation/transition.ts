/** Sent to `window` when the router begins to open another page; its detail is the address. */
export const transitionStart = 'laurel:transition-start';
