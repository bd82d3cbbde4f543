/**
 * The gateway of `stalls.ts`: `fork` it with a folder. It sends where it listens; a message `reset` or `read` asks for the longest time
 * between two turns of its event loop, by the wall clock and in processor time of its thread.
 */

import { startNode } from '#gateway/main.ts';
import { readConfig } from '#settings/config.ts';
import { OWNER_KEY } from '#test/support/gateway.ts';

const [, , data = ''] = process.argv;
const node = await startNode(
  readConfig(
    { data, host: '127.0.0.1', port: '0', 'mqtt-port': '0', 'bucket-port': '0', log: 'error' },
    { HEADFRAME_API_KEY: OWNER_KEY, HEADFRAME_REQUESTS_PER_MINUTE: '1000000' },
  ),
);
const EVERY_MS = 1;
/** Processor time of this thread in ms. */
const used = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
let at = performance.now();
let cpu = used();
let longest = { wall: 0, cpu: 0 };
const probe = () => {
  const now = performance.now();
  const spent = used();
  longest = { wall: Math.max(longest.wall, now - at - EVERY_MS), cpu: Math.max(longest.cpu, spent - cpu) };
  at = now;
  cpu = spent;
  setTimeout(probe, EVERY_MS);
};
probe();
process.on('message', (asked) => {
  if (asked === 'reset') longest = { wall: 0, cpu: 0 };
  // The turn in which the request ends counts too.
  setTimeout(() => process.send?.({ asked, ...longest }), 2 * EVERY_MS);
});
process.once('disconnect', () => void node[Symbol.asyncDispose]().then(() => process.exit(0)));
process.send?.({ asked: 'ready', http: node.http });
