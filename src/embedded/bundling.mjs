/** How the server's sources are bundled: for production, and by tests and benchmarks that run a part of it. */
export const bundling = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  jsx: 'automatic',
  logLevel: 'silent',
};
