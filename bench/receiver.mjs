// A receiver in a process of its own: answers at once, and reports how many requests it had on GET /count.
import { createServer } from 'node:http';

let count = 0;
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(String(count));
    return;
  }
  request.resume();
  request.on('end', () => {
    count += 1;
    response.end('ok');
  });
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address().port));
process.on('disconnect', () => process.exit(0));
