export type Theme = 'system' | 'light' | 'dark';

/** Where a browser keeps a chosen theme; nothing is kept for `system`. */
export const themeStorageKey = 'laurel-theme';

/** Runs before the first paint, so that a chosen theme never flashes. The system's needs no script. */
export const themeScript = `try{var t=localStorage.getItem('${themeStorageKey}');if(t==='light'||t==='dark')document.documentElement.dataset.theme=t}catch(e){}`;
