/**
 * The process in which the gateway runs, a child of the supervisor: starts the parts of the gateway (a node), reports when they are ready,
 * and stops them on request.
 */
import { flushCompileCache } from 'node:module';
import { type Node, startNode } from '#gateway/main.ts';
import type { Config } from '#settings/config.ts';
import { isFull, mayPass, startCause, startSentence } from './start-errors.ts';
import { EXIT, type FromGateway, type ToGateway } from './supervisor.ts';
import { waitForRoom } from './waiting.ts';

let node: Promise<Node> | undefined;
let stopping = false;

process.on('message', (message: ToGateway) => {
  if ('stop' in message) void stop();
  else void start(message.start);
});
// Ctrl-C sends SIGINT to supervisor and gateway, and an operator may send a signal to this process alone. Either signal stops the node
// cleanly.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop());
// The supervisor has ended. No other process could stop this process later, and it would occupy the ports and the data folder. So this
// process exits. Acknowledged data is on disk already.
process.on('disconnect', () => process.exit(EXIT.fault));

async function start(config: Config): Promise<void> {
  node = startNode(config, { again: () => void setTimeout(() => void stop(EXIT.again), AGAIN_MS) });
  try {
    const running = await node;
    const { httpPort, mqttPort, bucketPort, httpsPort, mqttsPort, bucketTlsPort, encryptedOnly, claim, headOffice } =
      running;
    const ports = { httpPort, mqttPort, bucketPort, httpsPort, mqttsPort, bucketTlsPort };
    send({ ready: { ...ports, encryptedOnly, claim, headOffice } });
    running.watchNames((names) => void send({ names }));
    // Writes the compile cache now. Node.js writes it only at a clean exit, so after a power cut the next start would be slow.
    flushCompileCache();
  } catch (error) {
    const refused = startSentence(error, config);
    // An error without a message for people is a bug of the gateway. It is thrown, so that its stack is logged.
    if (refused === undefined) throw error;
    if (isFull(error)) {
      await send({ waits: refused });
      await waitForRoom(config, refused);
    }
    await send({ refused, passing: mayPass(error), cause: startCause(error, config) });
    process.exit(EXIT.refused);
  }
}

/** The person who asked for what needs a new start gets the answer first. */
const AGAIN_MS = 500;

async function stop(exit: number = EXIT.ok): Promise<void> {
  if (stopping) return;
  stopping = true;
  await (await node?.catch(() => undefined))?.[Symbol.asyncDispose]();
  process.exit(exit);
}

function send(message: FromGateway): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, undefined, undefined, () => resolve());
  });
}
