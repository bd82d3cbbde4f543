/** Runs a broker with a journal in a process that a test kills: node broker-child.ts FOLDER. It prints its port. */
import { randomBytes } from 'node:crypto';
import { nodeDisk } from '#ingest/journal/disk.ts';
import { openJournal } from '#ingest/journal/journal.ts';
import { startBroker } from '#servers/mqtt/broker.ts';

const journal = await openJournal({
  folder: process.argv[2] ?? '',
  disk: nodeDisk(),
  clock: Date.now,
  monotonic: () => performance.now(),
  random: (n) => randomBytes(n),
  onGroup: () => {},
  onFatal: (error) => {
    throw error;
  },
});
const broker = await startBroker({
  host: '127.0.0.1',
  port: 0,
  authenticate: async (username) => ({ device: `dev_${username}`, device_id: username, project_id: 'prj_1' }),
  accept: (message) => journal.append(message),
  connected: () => {},
  disconnected: () => {},
  refused: () => {},
  loginRefused: () => {},
  clock: Date.now,
  log: () => {},
});
process.stdout.write(`${broker.port}\n`);
