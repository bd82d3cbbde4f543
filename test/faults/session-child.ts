/** A broker that hands messages from client to client, to be killed: node session-child.ts FOLDER PORT; prints its port. */
import { startBroker } from '#servers/mqtt/broker.ts';

const [, , folder = '', port = '0'] = process.argv;
const broker = await startBroker({
  host: '127.0.0.1',
  port: Number(port),
  folder,
  // A subscriber that comes back after its sender must find all of it.
  limits: { messages: 100_000, bytes: 64 << 20, totalBytes: 128 << 20 },
  access: { publish: () => true, subscribe: () => true },
  authenticate: async (username) => ({ device: `dev_${username}`, device_id: username, project_id: 'prj_1' }),
  accept: async () => {},
  connected: () => {},
  disconnected: () => {},
  refused: () => {},
  loginRefused: () => {},
  clock: Date.now,
  log: () => {},
});
process.stdout.write(`${broker.port}\n`);
