/** The buses that are plugged into the gateway's own machine: a bridge for each, which speaks to the broker like one on another box. */
import { join } from 'node:path';
import type { Bridge } from '#bridge/bridge.ts';
import type { BusHealth, Problem } from '#contract/node.ts';
import type { CanSetting } from './config.ts';

export interface BusesOptions {
  readonly can: readonly CanSetting[];
  /** The data folder. */
  readonly folder: string;
  /** Of the gateway's own broker. */
  readonly url: string;
  /** The token of this machine: speaks for every device. */
  readonly key: string;
  readonly clock: () => number;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
  readonly version: string;
}

export interface Buses extends AsyncDisposable {
  health(): BusHealth[];
  problems(): Problem[];
}

/** Starts a bridge for each bus; one that is not there is waited for. */
export async function startBuses(options: BusesOptions): Promise<Buses> {
  const { can, folder, url, key, clock, log, version } = options;
  await using parts = new AsyncDisposableStack();
  const bridges: Bridge[] = [];
  for (const { device_id, source } of can) {
    // Most gateways have no bus of their own: they start without the drivers.
    const { startBridge } = await import('#bridge/bridge.ts');
    bridges.push(
      parts.use(
        await startBridge({
          device_id,
          source,
          url,
          key,
          folder: join(folder, 'bridge', device_id),
          clock,
          firmware: version,
          log: (level, message, data) => log(level, message, { device_id, ...data }),
        }),
      ),
    );
  }
  const running = parts.move();
  return {
    health: () =>
      bridges.map((bridge) => {
        const { device_id, source, bus, waiting, lost_frames, sending } = bridge.report();
        const { state, detail, bitrate, bus_state, load_pct, frames, frames_per_s, malformed, overruns } = bus;
        return {
          device_id,
          source,
          ...{ state, detail, bitrate, bus_state, load_pct, frames, frames_per_s, malformed, overruns },
          waiting_messages: waiting.messages,
          waiting_bytes: waiting.bytes,
          lost_frames,
          requests: sending.armed ? (sending.active ? 'sending' : 'waiting') : 'never',
        };
      }),
    problems: () =>
      bridges.flatMap((bridge) => {
        const { device_id, source, bus, gateway } = bridge.report();
        const problem = (code: string, message: string, given_up: string | null, remedy: string): Problem => ({
          code,
          message,
          since: null,
          given_up,
          remedy,
        });
        return [
          ...(gateway.state === 'refused'
            ? [
                problem(
                  'bus_without_device',
                  `HEADFRAME_CAN names the device ${device_id}, which no project has.`,
                  'Its frames wait on disk, 256 MiB at most.',
                  `Add a device with the id ${device_id} on the office page.`,
                ),
              ]
            : []),
          ...(bus.state === 'away' || bus.state === 'refused'
            ? [
                problem(
                  'bus_away',
                  `The bus of ${device_id} (${source}) cannot be heard. ${bus.detail ?? ''}`.trim(),
                  null,
                  'See that the adapter is plugged in and that HEADFRAME_CAN names it; it is tried again by itself.',
                ),
              ]
            : []),
        ];
      }),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}
