/** The buses that are plugged into the gateway's own machine: a bridge for each, which speaks to the broker like one on another box. */
import { join } from 'node:path';
import type { Bridge } from '#bridge/bridge.ts';
import type { BusHealth, Problem } from '#contract/site/node.ts';
import type { CanSetting } from '#settings/config.ts';

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

/** One bus: its bridge, or why it has none now. */
interface Bus {
  readonly setting: CanSetting;
  bridge: Bridge | undefined;
  failure: string | null;
}

/** A bridge that could not start, for want of a writable disk, is tried again. */
const RETRY_MS = 5_000;

/** Starts a bridge for each bus; one that is not there, or cannot start, is waited for: the gateway runs without. */
export async function startBuses(options: BusesOptions): Promise<Buses> {
  const { can, folder, url, key, clock, log, version } = options;
  const buses = can.map((setting): Bus => ({ setting, bridge: undefined, failure: null }));
  let stopped = false;

  async function start(bus: Bus): Promise<void> {
    if (bus.bridge !== undefined || stopped) return;
    const { device_id, source } = bus.setting;
    // Most gateways have no bus of their own: they start without the drivers.
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
      if (bus.failure === null) log('error', 'a bus cannot be heard', { device_id, error: String(error) });
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
              `The bus of ${device_id} (${source}) cannot be heard. ${failure ?? ''}`.trim(),
              'Its frames.',
              'Make room on the disk, or make it writable; it is tried again by itself.',
            ),
          ];
        const { bus, gateway } = bridge.report();
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
