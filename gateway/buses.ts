/**
 * CAN buses with adapters that are plugged into the gateway's own machine (setting `HEADFRAME_CAN`). Each bus gets a bridge, which sends
 * its frames to the MQTT broker, in the same way as a bridge on another computer.
 */
import { join } from 'node:path';
import type { Bridge } from '#bridge/bridge.ts';
import type { BusHealth, Problem } from '#contract/site/node.ts';
import type { CanSetting } from '#settings/config.ts';

export interface BusesOptions {
  readonly can: readonly CanSetting[];
  /** The data folder. */
  readonly folder: string;
  /** URL of the MQTT broker of this gateway. */
  readonly url: string;
  /** The control token of this gateway. A connection with this token may publish for every device. */
  readonly key: string;
  readonly clock: () => number;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
  readonly version: string;
}

export interface Buses extends AsyncDisposable {
  health(): BusHealth[];
  problems(): Problem[];
}

/** A bus with its bridge. While the bridge could not be started, `bridge` is undefined and `failure` is the reason. */
interface Bus {
  readonly setting: CanSetting;
  bridge: Bridge | undefined;
  failure: string | null;
}

/** Interval between two attempts to start a bridge. A bridge cannot start, for example, while the disk is full. */
const RETRY_MS = 5_000;

/** Starts a bridge for each bus. If an adapter is missing or a bridge cannot start, the gateway runs without this bus and tries again. */
export async function startBuses(options: BusesOptions): Promise<Buses> {
  const { can, folder, url, key, clock, log, version } = options;
  const buses = can.map((setting): Bus => ({ setting, bridge: undefined, failure: null }));
  let stopped = false;

  async function start(bus: Bus): Promise<void> {
    if (bus.bridge !== undefined || stopped) return;
    const { device_id, source } = bus.setting;
    // Import the drivers only here, because most gateways have no bus and do not need them.
    const { startBridge } = await import('#bridge/bridge.ts');
    try {
      bus.bridge = await startBridge({
        device_id,
        source,
        url,
        key,
        folder: join(folder, 'bridge', device_id),
        clock,
        firmware: version,
        log: (level, message, data) => log(level, message, { device_id, ...data }),
      });
      bus.failure = null;
    } catch (error) {
      if (bus.failure === null) log('error', 'a CAN bus cannot be read', { device_id, error: String(error) });
      bus.failure = (error as Error).message;
    }
  }

  let starting = Promise.all(buses.map(start));
  await starting;
  const timer = setInterval(() => {
    const missing = buses.filter(({ bridge }) => bridge === undefined);
    if (missing.length > 0 && !stopped) starting = starting.then(() => Promise.all(missing.map(start)));
  }, RETRY_MS);
  await using parts = new AsyncDisposableStack();
  parts.defer(async () => {
    stopped = true;
    clearInterval(timer);
    await starting;
    await Promise.all(buses.map(({ bridge }) => bridge?.[Symbol.asyncDispose]()));
  });
  const running = parts.move();
  return {
    health: () =>
      buses.flatMap(({ bridge }) => {
        if (bridge === undefined) return [];
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
      buses.flatMap(({ setting: { device_id, source }, bridge, failure }) => {
        const problem = (code: string, message: string, given_up: string | null, remedy: string): Problem => ({
          code,
          message,
          since: null,
          given_up,
          remedy,
        });
        if (bridge === undefined)
          return [
            problem(
              'bus_away',
              `The bus of ${device_id} (${source}) cannot be read. ${failure ?? ''}`.trim(),
              'The frames of this bus are lost.',
              'Free space on the disk, or make it writable. The gateway tries again every 5 seconds.',
            ),
          ];
        const { bus, gateway } = bridge.report();
        return [
          ...(gateway.state === 'refused'
            ? [
                problem(
                  'bus_without_device',
                  `HEADFRAME_CAN names the device ${device_id}, which no project has.`,
                  'No data is lost yet: the frames of the bus wait on disk, at most 256 MiB.',
                  `Add a device with the id ${device_id} on the office page.`,
                ),
              ]
            : []),
          ...(bus.state === 'away' || bus.state === 'refused'
            ? [
                problem(
                  'bus_away',
                  `The bus of ${device_id} (${source}) cannot be read. ${bus.detail ?? ''}`.trim(),
                  null,
                  'Check that the adapter is plugged in and that HEADFRAME_CAN names it. The gateway tries again by itself.',
                ),
              ]
            : []),
        ];
      }),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}
