/** A script for a process of its own: given a port and a number, it opens so many connections, and ends when the operating system has them all. */
export const openAll = `
  const [port, count] = process.argv.slice(1).map(Number);
  let open = 0;
  for (let at = 0; at < count; at += 1) {
    const socket = require('node:net').connect(port, '127.0.0.1');
    socket.once('connect', () => ++open === count && process.exit(0));
  }`;
