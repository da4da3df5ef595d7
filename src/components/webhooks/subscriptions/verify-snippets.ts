/**
 * Receivers that check a signature, each whole: the digest is made of the raw bytes, and compared in constant time. The
 * secret stands in the environment as SIGNING_SECRET.
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
  const wanted = createHmac('sha256', env.SIGNING_SECRET).update(body).digest();
  const given = Buffer.from(request.headers['x-webhook-signature'] ?? '', 'hex');
  const genuine = given.length === wanted.length && timingSafeEqual(given, wanted);
  response.writeHead(genuine ? 200 : 401).end();
  if (genuine) console.log(JSON.parse(body).event.type);
}).listen(8080);`,
  },
  {
    label: 'Python',
    code: `import hashlib, hmac, json, os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        secret = os.environ["SIGNING_SECRET"].encode()
        wanted = hmac.new(secret, body, hashlib.sha256).hexdigest().encode()
        given = self.headers.get("X-Webhook-Signature", "").encode()
        genuine = hmac.compare_digest(wanted, given)
        self.send_response(200 if genuine else 401)
        self.end_headers()
        if genuine:
            print(json.loads(body)["event"]["type"], flush=True)

ThreadingHTTPServer(("", 8080), Receiver).serve_forever()`,
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

func receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, "unreadable body", http.StatusBadRequest)
		return
	}
	mac := hmac.New(sha256.New, []byte(os.Getenv("SIGNING_SECRET")))
	mac.Write(body)
	given, err := hex.DecodeString(r.Header.Get("X-Webhook-Signature"))
	if err != nil || !hmac.Equal(mac.Sum(nil), given) {
		http.Error(w, "not genuine", http.StatusUnauthorized)
		return
	}
	w.WriteHeader(http.StatusOK)
	log.Printf("%s", body)
}

func main() {
	log.Fatal(http.ListenAndServe(":8080", http.HandlerFunc(receive)))
}`,
  },
  {
    label: 'PHP',
    code: `<?php
// php -S 0.0.0.0:8080 receiver.php
$body = file_get_contents('php://input');
$wanted = hash_hmac('sha256', $body, getenv('SIGNING_SECRET'));
$given = $_SERVER['HTTP_X_WEBHOOK_SIGNATURE'] ?? '';
if (!hash_equals($wanted, $given)) {
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
  wanted = OpenSSL::HMAC.hexdigest("SHA256", ENV.fetch("SIGNING_SECRET"), body)
  given = env["HTTP_X_WEBHOOK_SIGNATURE"].to_s
  next [401, {}, []] unless Rack::Utils.secure_compare(wanted, given)

  warn JSON.parse(body)["event"]["type"]
  [200, {}, []]
}`,
  },
];
