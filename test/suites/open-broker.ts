/**
 * The broker open to everybody, for outside conformance suites: `node test/suites/open-broker.ts PORT`.
 * Every client belongs to one device, so that client ids mean what they mean in a suite; every topic may be published, and every
 * filter but `test/nosubscribe` subscribed to. Nothing is stored. `-p PORT` works too, as the scripts of mosquitto start a broker.
 */
import { startBroker } from '#servers/mqtt/broker.ts';

const port = Number(process.argv.slice(2).findLast((word) => /^\d+$/.test(word)) ?? 1888);
const broker = await startBroker({
  host: '127.0.0.1',
  port,
  authenticate: async () => ({ device: 'dev_suite', device_id: 'suite', project_id: 'prj_suite' }),
  accept: async () => {},
  connected: () => {},
  disconnected: () => {},
  refused: () => {},
  loginRefused: () => {},
  limits: { connections: 1_000, sessions: 1_000 },
  access: { publish: () => true, subscribe: (_device, filter) => filter !== 'test/nosubscribe' },
  clock: Date.now,
  log: () => {},
});
process.stdout.write(`${broker.port}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void broker[Symbol.asyncDispose]().then(() => process.exit(0)));
