export type Theme = 'system' | 'light' | 'dark';

/** Key in the browser's storage for the chosen theme; `system` stores nothing. */
export const themeStorageKey = 'laurel-theme';

/** Runs before the first paint, so that the chosen theme does not flash. */
export const themeScript = `try{var t=localStorage.getItem('${themeStorageKey}');if(t==='light'||t==='dark')document.documentElement.dataset.theme=t}catch(e){}`;
