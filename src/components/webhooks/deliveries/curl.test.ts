import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { toCurl } from '@/components/webhooks/deliveries/curl';

const run = promisify(execFile);
const awkward = {
  url: 'https://example.com/hook?a=1&b=$(id)',
  headers: { 'content-type': 'application/json', 'x-note': `it's "so" $HOME \`id\``, 'content-length': '9' },
  body: `{"name":"O'Brien \\ $PATH","line":"a\nb"}`,
};

test('a shell passes on every argument unchanged', async () => {
  const { stdout } = await run('sh', [
    '-c',
    `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }; ${toCurl(awkward)}`,
  ]);
  expect(stdout.split('\0').slice(0, -1)).toEqual([
    '--request',
    'POST',
    awkward.url,
    '--header',
    'content-type: application/json',
    '--header',
    `x-note: ${awkward.headers['x-note']}`,
    '--data-raw',
    awkward.body,
  ]);
});
