/** When this process began to run, in milliseconds: a silence from before that may be ours. */
export const runningSince = Date.now() - process.uptime() * 1000;
