/** A whole session of a game server in ten lines, as the guide shows it. Node 20 or newer, as `session.mjs`. */
export const sessionSample = `
import { argv, env, exit, stdin } from 'node:process';
const api = (path, init = {}) => fetch(\`\${env.LAUREL_URL}/api/v1/anti-cheat\${path}\`, {
  ...init, headers: { 'X-API-Key': env.LAUREL_KEY, 'Content-Type': 'application/json' },
}).then((response) => response.ok ? response.json() : response.json().then((body) => Promise.reject(body)));

const players = argv.slice(2).map((userId) => ({ userId }));
const session = await api('/sessions', { method: 'POST', body: JSON.stringify({ game: 'cs2', participants: players }) });
console.log('started', session.sessionId);
await new Promise((over) => stdin.once('data', over)); // the match is played until you press Enter
await api(\`/sessions/\${session.sessionId}/end\`, { method: 'POST', body: JSON.stringify({ reason: 'match completed' }) });
console.log(await api('/detections?unreviewedOnly=true'));
exit();
`.trim();
