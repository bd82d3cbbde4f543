/**
 * A process of a head office on PostgreSQL: `node webhook-child.ts FOLDER DATABASE`. Its webhooks to `hook.test` go to this computer. Prints
 * its log, and a line with its address when it is ready.
 */
import { startNode } from '#gateway/main.ts';
import { readConfig } from '#settings/config.ts';
import { OWNER_KEY } from '#test/support/gateway.ts';

const [, , data = '', HEADFRAME_DATABASE = ''] = process.argv;
const flags = { data, host: '127.0.0.1', port: '0', 'https-port': '0', log: 'info' };
const settings = { HEADFRAME_ROLE: 'cloud', HEADFRAME_API_KEY: OWNER_KEY, HEADFRAME_DATABASE };
const webhookRequest = { resolve: async () => ['127.0.0.1'], permits: () => true };
const node = await startNode(readConfig(flags, settings), { webhookRequest });
process.stdout.write(`${JSON.stringify({ http: node.http })}\n`);
