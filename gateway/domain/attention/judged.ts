/** What the data of a machine and the people say about its state, at one moment. */
import { isCurrent, machineFreshnessAt, USUAL_MACHINE_INTERVAL_S } from '#contract/base/freshness.ts';
import type { EquipmentLive, EquipmentStatus } from '#contract/fleet/equipment.ts';
import { shownStatus } from '#contract/fleet/shown-status.ts';
import type { MachineTile } from '#contract/site/live.ts';
import { wholeSecond } from '#domain/base/number-text.ts';

/** The fields of a tile that do not depend on the reasons for attention. */
export type Judged = Pick<
  MachineTile,
  'status' | 'live_status' | 'live_since_ms' | 'freshness' | 'last_data_ms' | 'conflict' | 'stop_lamp'
> & {
  readonly interval_s: number;
  /** True if the engine stood still when the machine sent its last data. */
  readonly parked: boolean;
};

/** What the state of a machine depends on besides its live data. */
export interface Stated {
  readonly status: EquipmentStatus;
  /** Expected seconds between two messages of the machine's slowest device; null if no device has an expected interval. */
  readonly interval_s: number | null;
}

/** The engine speed belongs to the last data of a machine if it is at most this much older, in milliseconds. */
const TOGETHER_MS = 60_000;

/**
 * Returns the time of the last live data of a machine. If the machine has never sent live data, returns the time of its newest value from a
 * recording, or null if it has no value.
 */
export function lastHeard(live: EquipmentLive | undefined): number | null {
  if (live === undefined) return null;
  if (live.last_live_data_at !== null) return Date.parse(live.last_live_data_at);
  const times = Object.values(live.values).map((value) => Date.parse(value.observed_at));
  return times.length === 0 ? null : Math.max(...times);
}

/** Returns the expected seconds between live data of a machine. */
function machineInterval({ interval_s }: Stated, live: EquipmentLive | undefined): number {
  return live?.expected_interval_s ?? interval_s ?? USUAL_MACHINE_INTERVAL_S;
}

/**
 * Returns the freshness of a machine (fresh, ageing, stale or none). It depends on the age of the newest data of the machine, whatever its
 * signal.
 */
function machineFreshness(machine: Stated, live: EquipmentLive | undefined, now_ms: number, max_age_s?: number) {
  return machineFreshnessAt(lastHeard(live), machineInterval(machine, live), now_ms, max_age_s);
}

/** Returns true while the freshness of the machine is `fresh` or `ageing`. */
export function reports(machine: Stated, live: EquipmentLive | undefined, now_ms: number, max_age_s?: number): boolean {
  return isCurrent(machineFreshness(machine, live, now_ms, max_age_s));
}

/** Judges the state of a machine. `max_age_s` is the age limit of a widget, if it sets one. */
export function judge(machine: Stated, live: EquipmentLive | undefined, now_ms: number, max_age_s?: number): Judged {
  const age = machineFreshness(machine, live, now_ms, max_age_s);
  const heard = lastHeard(live);
  const silent = age === 'none' || age === 'never';
  const live_status = live === undefined || silent ? 'unknown' : live.live_status;
  const speed = live?.values['engine.speed'];
  return {
    status: shownStatus(machine.status),
    live_status,
    live_since_ms:
      live_status === 'unknown' || live?.live_status_since == null ? null : Date.parse(live.live_status_since),
    freshness: age,
    last_data_ms: heard === null ? null : wholeSecond(heard),
    interval_s: machineInterval(machine, live),
    conflict:
      (machine.status === 'down' || machine.status === 'maintenance') && live_status === 'running' && isCurrent(age),
    stop_lamp: (live?.dtc_counts?.red_stop ?? 0) > 0,
    parked: speed?.value === 0 && heard !== null && heard - Date.parse(speed.observed_at) <= TOGETHER_MS,
  };
}
