/** Image types that every browser supports and that cannot contain scripts. */
export const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/avif'] as const;
export type ImageType = (typeof imageTypes)[number];

export const maxImageMiB = 5;
/** Maximum size of a banner or a screenshot in bytes. */
export const imageLimit = maxImageMiB * 1024 * 1024;
