import type { MetadataRoute } from 'next';
import { publicUrl } from '@/env';

export const dynamic = 'force-dynamic';

export default function robots(): MetadataRoute.Robots {
  return {
    rules: { userAgent: '*', allow: '/', disallow: ['/api/', '/dashboard', '/settings', '/me'] },
    sitemap: `${publicUrl}/sitemap.xml`,
  };
}
