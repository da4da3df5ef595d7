import './globals.css';
import type { Metadata, Viewport } from 'next';
import type { ReactNode } from 'react';
import { Toaster } from '@/components/ui/overlay/toaster';
import { themeScript } from '@/domain/theme';
import { ApiProvider } from '@/trpc/client';

export const metadata: Metadata = {
  title: { default: 'Laurel', template: '%s · Laurel' },
  description: 'Esports tournaments: find one, register, check in and play.',
  applicationName: 'Laurel',
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

export default function RootLayout({ children }: { children: ReactNode }) {
  return (
    // The script below may set data-theme before React hydrates.
    <html lang="en" suppressHydrationWarning>
      <head>
        <script>{themeScript}</script>
      </head>
      <body>
        <ApiProvider>{children}</ApiProvider>
        <Toaster />
      </body>
    </html>
  );
}
