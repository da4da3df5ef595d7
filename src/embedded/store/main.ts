import { getPriority, setPriority } from 'node:os';
import '../watch-parent';
import { startStore } from './server';

// Files are read ahead of slow clients, and nobody's pages are to wait for that.
setPriority(Math.min(getPriority() + 5, 19));

// Its own process, started with the same S3_* variables as the server.
const {
  S3_ENDPOINT = '',
  S3_BUCKET = '',
  S3_REGION = '',
  S3_ACCESS_KEY_ID = '',
  S3_SECRET_ACCESS_KEY = '',
} = process.env;

const store = await startStore({
  directory: process.env.STORE_DIRECTORY ?? '',
  bucket: S3_BUCKET,
  region: S3_REGION,
  accessKeyId: S3_ACCESS_KEY_ID,
  secretAccessKey: S3_SECRET_ACCESS_KEY,
  port: Number(new URL(S3_ENDPOINT).port),
});
process.send?.('ready');
process.on('SIGTERM', () => void store.stop().then(() => process.exit(0)));
