/**
 * Loaded before the server: ends it when the process that started it is gone, so that a killed start leaves no one on
 * the port.
 */
process.on('disconnect', () => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.exit(1), 2_000).unref();
});
// Listening alone shall not keep a process that has nothing left to do.
process.channel?.unref();
