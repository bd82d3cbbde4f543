/**
 * A gateway as a process of its own that says what it keeps in memory: `node reads-child.ts FOLDER`. It answers each message of its parent
 * with the bytes that are in use after a collection.
 */
import { startNode } from '#gateway/main.ts';
import { readConfig } from '#settings/config.ts';
import { collect } from '#test/support/collect.ts';
import { OWNER_KEY } from '#test/support/gateway.ts';

const [, , data = ''] = process.argv;
const node = await startNode(
  readConfig(
    { data, host: '127.0.0.1', port: '0', 'mqtt-port': '0', 'bucket-port': '0', log: 'error' },
    { HEADFRAME_API_KEY: OWNER_KEY, HEADFRAME_REQUESTS_PER_MINUTE: '100000' },
  ),
);
process.on('message', () => {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  process.send?.({ used: heapUsed + arrayBuffers });
});
process.send?.({ http: node.http });
