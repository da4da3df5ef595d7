/** Ten lines that check a signature, in the languages of most receivers. `secret` stays a name in the environment. */
export const verifySnippets = [
  {
    label: 'Node.js',
    code: `import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { env } from 'node:process';

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const wanted = createHmac('sha256', env.SIGNING_SECRET).update(body).digest();
  const given = Buffer.from(request.headers['x-webhook-signature'] ?? '', 'hex');
  const genuine = given.length === wanted.length && timingSafeEqual(given, wanted);
  response.writeHead(genuine ? 200 : 401).end();
}).listen(8080);`,
  },
  {
    label: 'Python',
    code: `import hashlib, hmac, os
from flask import Flask, request

app = Flask(__name__)

@app.post("/webhooks")
def receive():
    wanted = hmac.new(os.environ["SIGNING_SECRET"].encode(), request.get_data(), hashlib.sha256).hexdigest()
    genuine = hmac.compare_digest(wanted, request.headers.get("X-Webhook-Signature", ""))
    return ("", 200 if genuine else 401)`,
  },
  {
    label: 'Shell',
    code: `# The hex digest of a body in body.json; compare it with the X-Webhook-Signature header.
openssl dgst -sha256 -hmac "$SIGNING_SECRET" < body.json`,
  },
];
