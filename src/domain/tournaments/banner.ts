/** Types of image that every browser shows and that hold no script. */
export const bannerTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/avif'] as const;
export type BannerType = (typeof bannerTypes)[number];

/** Largest banner in bytes: 5 MiB. */
export const bannerLimit = 5 * 1024 * 1024;
