import './globals.css';
import type { Metadata, Viewport } from 'next';
import { cookies } from 'next/headers';
import type { ReactNode } from 'react';
import { fontClasses } from '@/app/fonts';
import { Toaster } from '@/components/ui/overlay/toaster';
import { NavigationProgress } from '@/components/ui/page/navigation-progress';
import { LastZone } from '@/components/ui/text/date-time';
import { headScript } from '@/domain/head-script';
import { zoneCookie, zoneFromCookie } from '@/domain/time/zone-cookie';
import { ApiProvider } from '@/trpc/client';

export const metadata: Metadata = {
  title: { default: 'Laurel', template: '%s · Laurel' },
  description: 'Esports tournaments: find one, register, check in and play.',
  applicationName: 'Laurel',
  // Title and description of a link's preview are those of the page.
  openGraph: { type: 'website', siteName: 'Laurel' },
  formatDetection: { telephone: false, date: false, address: false, email: false },
};

export const viewport: Viewport = {
  width: 'device-width',
  initialScale: 1,
  viewportFit: 'cover',
  colorScheme: 'light dark',
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#f4f4ee' },
    { media: '(prefers-color-scheme: dark)', color: '#0a1010' },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  const zone = zoneFromCookie((await cookies()).get(zoneCookie)?.value);
  return (
    // The script below may set data-theme before React hydrates.
    <html lang="en" className={fontClasses} suppressHydrationWarning>
      <head>
        <script>{headScript}</script>
      </head>
      <body>
        <NavigationProgress />
        <LastZone zone={zone}>
          <ApiProvider>{children}</ApiProvider>
        </LastZone>
        <Toaster />
      </body>
    </html>
  );
}
