import path from 'node:path';
import { afterAll } from 'vitest';
import { startStore } from '@/embedded/store/server';

// Import first, for its side effect, before anything reads the environment: `import '@/test/store'`. The test file's server
// then has its own object store, as after a start without S3_*.
const credentials = { accessKeyId: 'laurel', secretAccessKey: 'a secret of the tests', region: 'us-east-1' };
const directory = path.join(process.env.LAUREL_DATA_DIR ?? '', 'objects');
export const store = await startStore({ ...credentials, directory, bucket: 'laurel', port: 0 });
Object.assign(process.env, {
  S3_ENDPOINT: store.url,
  S3_REGION: credentials.region,
  S3_BUCKET: 'laurel',
  S3_ACCESS_KEY_ID: credentials.accessKeyId,
  S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  S3_UPLOAD_LOCK: 'query-content-sha256',
  S3_PROXY_UPLOADS: '1',
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
});
// The suite can use any S3 instead: CONFORMANCE_S3_ENDPOINT, CONFORMANCE_S3_BUCKET and so on.
for (const [name, value] of Object.entries(process.env)) {
  if (name.startsWith('CONFORMANCE_S3_')) process.env[name.replace('CONFORMANCE_', '')] = value;
}
afterAll(() => store.stop());
