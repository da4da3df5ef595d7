/** Image types that every browser supports and that cannot contain scripts. */
export const bannerTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/avif'] as const;
export type BannerType = (typeof bannerTypes)[number];

export const maxBannerMiB = 5;
/** Maximum size of a banner in bytes. */
export const bannerLimit = maxBannerMiB * 1024 * 1024;
