import { earlySubmitScript } from '@/domain/early-submit';
import { themeScript } from '@/domain/theme';
import { zoneScript } from '@/domain/time/zone-cookie';

/** The one inline script of every page; the content security policy names it by its hash. */
export const headScript = `${themeScript};${zoneScript};${earlySubmitScript}`;
