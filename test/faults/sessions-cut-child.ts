/**
 * The life of MQTT sessions, each promise a line in `acknowledged`, each removal a line before it is asked for:
 * node sessions-cut-child.ts FOLDER STEPS
 */
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { SESSION_LIMITS } from '#servers/mqtt/sessions/session-limits.ts';
import { openSessions } from '#servers/mqtt/sessions/sessions.ts';

const [folder = '', count = '60'] = process.argv.slice(2);
const acknowledged = openSync(join(folder, 'acknowledged'), 'a');
const tell = (kind: string, n: number): void => void writeSync(acknowledged, `${kind} ${n}\n`);
const client = { id: 'truck/unit' };
const steps = Number(count);
const ROUNDS = 3;

for (let round = 1; round <= ROUNDS; round++) {
  const sessions = await openSessions({
    folder: join(folder, 'mqtt'),
    // Written anew several times.
    limits: { ...SESSION_LIMITS, messages: 1_000, subscriptions: 1_000, logBytes: 6_000 },
    maySubscribe: () => true,
    onDropped: () => {},
    closeConnection: () => {},
    warn: () => {},
  });
  await sessions.setup({ id: `process-${round}` });
  const step = async (n: number): Promise<void> => {
    const payload = Buffer.from(`${n} ${'x'.repeat(n % 200)}`);
    const packet = { cmd: 'publish', topic: 'x', payload, qos: 1 + (n % 2), brokerId: `b${round}`, brokerCounter: n };
    await Promise.all([
      sessions.outgoingEnqueue({ clientId: client.id, qos: 2 }, packet).then(() => tell('queued', n)),
      sessions.incomingStorePacket(client, { cmd: 'publish', messageId: n }).then(() => tell('received', n)),
      sessions.addSubscriptions(client, [{ topic: `t/${n}`, qos: 1 }]).then(() => tell('subscribed', n)),
      sessions.storeRetained({ topic: 'kept', payload: Buffer.from(String(n)), qos: 1 }).then(() => tell('kept', n)),
    ]);
    await sessions.outgoingUpdate(client, { ...packet, messageId: n });
    if (n % 3 > 0) return;
    tell('completing', n);
    tell('clearing', n);
    if (packet.qos === 2) await sessions.outgoingUpdate(client, { cmd: 'pubrel', messageId: n });
    await sessions.outgoingClearMessageId(client, { cmd: packet.qos === 2 ? 'pubcomp' : 'puback', messageId: n });
    await sessions.incomingDelPacket(client, { messageId: n }).then(() => tell('completed', n));
  };
  const [from, to] = [round - 1, round].map((part) => Math.floor((steps * part) / ROUNDS)) as [number, number];
  // Three at a time, so that groups hold more than one change; the last process ends without a word.
  for (let n = from + 1; n <= to; n += 3)
    await Promise.all([n, n + 1, n + 2].filter((one) => one <= to).map((one) => step(one)));
  if (round < ROUNDS) await sessions.destroy();
}
