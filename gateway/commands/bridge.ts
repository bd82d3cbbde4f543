/** `headframe bridge`: sends the frames of a bus of this host to a gateway on another host over MQTT, until it is stopped. */

import { startBridge } from '#bridge/bridge.ts';
import { SpoolError } from '#bridge/spool.ts';
import { tightenAll } from '#host/privacy.ts';
import { EXIT } from '#process/supervisor.ts';
import type { BridgeConfig } from '#settings/config.ts';
import { createLog } from '#settings/log.ts';
import { VERSION } from '#settings/version.ts';
import { CommandError } from './command-line.ts';

/** Runs the bridge until SIGTERM or SIGINT. While the gateway or the bus is unreachable, the bridge retries. */
export async function runBridge(config: BridgeConfig): Promise<number> {
  const { maxBytes, folder, url, device_id, key, source } = config;
  const log = createLog(config.log);
  process.umask(0o077);
  tightenAll(folder, () => true, log);
  const stopped = new Promise<void>((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done());
  });
  await using _bridge = await startBridge({
    ...{ source, url, device_id, key, folder, maxBytes, log },
    clock: Date.now,
    firmware: `headframe ${VERSION}`,
  }).catch((cause) => {
    if (cause instanceof SpoolError) throw new CommandError(cause.message, EXIT.refused, { cause });
    throw cause;
  });
  log('info', 'the bridge runs', { source, gateway: url, device_id, folder });
  await stopped;
  return EXIT.ok;
}
