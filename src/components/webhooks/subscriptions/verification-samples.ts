/**
 * Complete servers that verify a signature over the raw body, in constant time. They read the secret from the environment
 * variable SIGNING_SECRET.
 */
export const verificationSamples = [
  {
    label: 'Node.js',
    code: `import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { env } from 'node:process';

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const expected = createHmac('sha256', env.SIGNING_SECRET).update(body).digest();
  const received = Buffer.from(request.headers['x-webhook-signature'] ?? '', 'hex');
  const valid = received.length === expected.length && timingSafeEqual(received, expected);
  response.writeHead(valid ? 200 : 401).end();
  if (valid) console.log(JSON.parse(body).event.type);
}).listen(8080);`,
  },
  {
    label: 'Python',
    code: `import hashlib, hmac, json, os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class WebhookHandler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        secret = os.environ["SIGNING_SECRET"].encode()
        expected = hmac.new(secret, body, hashlib.sha256).hexdigest().encode()
        received = self.headers.get("X-Webhook-Signature", "").encode()
        valid = hmac.compare_digest(expected, received)
        self.send_response(200 if valid else 401)
        self.end_headers()
        if valid:
            print(json.loads(body)["event"]["type"], flush=True)

ThreadingHTTPServer(("", 8080), WebhookHandler).serve_forever()`,
  },
  {
    label: 'Go',
    code: `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"log"
	"net/http"
	"os"
)

func handleWebhook(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, "unreadable body", http.StatusBadRequest)
		return
	}
	mac := hmac.New(sha256.New, []byte(os.Getenv("SIGNING_SECRET")))
	mac.Write(body)
	received, err := hex.DecodeString(r.Header.Get("X-Webhook-Signature"))
	if err != nil || !hmac.Equal(mac.Sum(nil), received) {
		http.Error(w, "invalid signature", http.StatusUnauthorized)
		return
	}
	w.WriteHeader(http.StatusOK)
	log.Printf("%s", body)
}

func main() {
	log.Fatal(http.ListenAndServe(":8080", http.HandlerFunc(handleWebhook)))
}`,
  },
  {
    label: 'PHP',
    code: `<?php
// php -S 0.0.0.0:8080 webhooks.php
$body = file_get_contents('php://input');
$expected = hash_hmac('sha256', $body, getenv('SIGNING_SECRET'));
$received = $_SERVER['HTTP_X_WEBHOOK_SIGNATURE'] ?? '';
if (!hash_equals($expected, $received)) {
    http_response_code(401);
    exit;
}
http_response_code(200);
error_log(json_decode($body, true)['event']['type']);`,
  },
  {
    label: 'Ruby',
    code: `# config.ru, run with: rackup --port 8080
require "json"
require "openssl"
require "rack/utils"

run lambda { |env|
  body = env["rack.input"].read
  expected = OpenSSL::HMAC.hexdigest("SHA256", ENV.fetch("SIGNING_SECRET"), body)
  received = env["HTTP_X_WEBHOOK_SIGNATURE"].to_s
  next [401, {}, []] unless Rack::Utils.secure_compare(expected, received)

  warn JSON.parse(body)["event"]["type"]
  [200, {}, []]
}`,
  },
];
