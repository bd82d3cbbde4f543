/** The gateway's own process, a child of the supervisor: starts the node it is told to, says when it serves, stops when told. */
import { flushCompileCache } from 'node:module';
import { type Node, startNode } from '#gateway/main.ts';
import type { Config } from '#settings/config.ts';
import { isFull, mayPass, startSentence } from './start-errors.ts';
import { EXIT, type FromGateway, type ToGateway } from './supervisor.ts';
import { waitForRoom } from './waiting.ts';

let node: Promise<Node> | undefined;
let stopping = false;

process.on('message', (message: ToGateway) => {
  if ('stop' in message) void stop();
  else void start(message.start);
});
// Ctrl-C reaches the whole group, and an operator may address this process alone.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop());
// Without its supervisor nobody could stop it, and it would hold the ports and the data folder; what is acknowledged is on disk.
process.on('disconnect', () => process.exit(EXIT.fault));

async function start(config: Config): Promise<void> {
  node = startNode(config);
  try {
    const { httpPort, mqttPort, bucketPort, claim } = await node;
    tell({ ready: { httpPort, mqttPort, bucketPort, claim } });
    // Else it is written when the process ends, which a power cut does not wait for.
    flushCompileCache();
  } catch (error) {
    const refused = startSentence(error, config);
    // Unknown here means a fault of ours: its stack belongs into the log.
    if (refused === undefined) throw error;
    if (isFull(error)) {
      await tell({ waits: refused });
      await waitForRoom(config, refused);
    }
    await tell({ refused, passing: mayPass(error) });
    process.exit(EXIT.refused);
  }
}

async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  await (await node?.catch(() => undefined))?.[Symbol.asyncDispose]();
  process.exit(EXIT.ok);
}

function tell(message: FromGateway): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, undefined, undefined, () => resolve());
  });
}
