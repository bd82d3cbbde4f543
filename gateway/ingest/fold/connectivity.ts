/**
 * The state machine of `device.status`. No other code sets the status.
 *
 *   unassigned, provisioned --session or message--> online --good data--> transmitting --no data--> online --silence--> offline
 *   any --status report of the device, or more broken than good data--> fault --three good messages--> transmitting
 *
 * Timeouts use the monotonic time (`mono`); times that people see use the clock of the gateway (`now`).
 */
import type { DeviceLive, DeviceStatus } from '#contract/fleet/device.ts';

/**
 * The shortest timeouts in milliseconds: `DATA_MS` is the time without usable data, `SIGN_MS` the time without any message. A device
 * without an expected interval has these timeouts; for other devices they may be longer.
 */
const DATA_MS = 60_000;
const SIGN_MS = 180_000;
/** The status `fault` ends after this many messages in a row with usable data. */
const RECOVERED = 3;
/** A device gets the status `fault` after this many unreadable lines or payloads, if it sent fewer readable ones in the same time. */
const MANY_BROKEN = 20;
const TIMELINE = 20;
/** After each interval of this length, in milliseconds, the counts of good and broken lines are halved, so that old errors count less. */
const WINDOW_MS = 60_000;

/**
 * The connection state of a device as plain JSON. The `mono` times are monotonic times of one process; a restart sets them to the present
 * time.
 */
export interface Connectivity {
  status: DeviceStatus;
  reported_ms: number | null;
  seen_ms: number | null;
  sessions: number;
  seen_mono: number;
  data_mono: number;
  good: number;
  broken: number;
  window_mono: number;
  /** The number of good messages in a row since the fault began. */
  recovered: number;
  timeline: DeviceLive['timeline_changes'];
}

export interface StatusChange {
  readonly from: DeviceStatus;
  readonly to: DeviceStatus;
  readonly reason: string;
}

export function createConnectivity(status: DeviceStatus, mono: number): Connectivity {
  return {
    status,
    reported_ms: null,
    seen_ms: null,
    sessions: 0,
    seen_mono: mono,
    data_mono: mono,
    good: 0,
    broken: 0,
    window_mono: mono,
    recovered: 0,
    timeline: [],
  };
}

/** Restores a saved state after a restart. No device is connected then, and each device gets its full timeout to connect again. */
export function restoreConnectivity(saved: Connectivity, mono: number): Connectivity {
  return { ...saved, sessions: 0, seen_mono: mono, data_mono: mono, window_mono: mono };
}

function enter(state: Connectivity, to: DeviceStatus, now: number, reason: string): StatusChange | undefined {
  state.reported_ms = now;
  const from = state.status;
  if (from === to) return undefined;
  state.status = to;
  state.timeline.unshift({ at: new Date(now).toISOString(), field: 'status', from, to, reason });
  state.timeline.length = Math.min(state.timeline.length, TIMELINE);
  return { from, to, reason };
}

/**
 * Applies a connection that opened or closed. When the last connection closes, the status stays; it changes if the device does not return
 * before the timeout.
 */
export function noteSession(state: Connectivity, opened: boolean, now: number, mono: number): StatusChange | undefined {
  state.sessions = Math.max(0, state.sessions + (opened ? 1 : -1));
  state.seen_mono = mono;
  state.seen_ms = now;
  if (!opened || state.status === 'transmitting' || state.status === 'fault') return undefined;
  return enter(state, 'online', now, 'connected');
}

/**
 * The content of one message: the number of usable values, and the numbers of readable (good) and unreadable (broken) lines or payloads.
 */
export interface MessageQuality {
  readonly samples: number;
  readonly good: number;
  readonly broken: number;
}

/** Updates the state after a message of the device, which may have arrived by any transport. */
export function noteMessage(
  state: Connectivity,
  quality: MessageQuality,
  now: number,
  mono: number,
): StatusChange | undefined {
  state.seen_mono = mono;
  state.seen_ms = now;
  if (mono - state.window_mono > WINDOW_MS) {
    state.good >>= 1;
    state.broken >>= 1;
    state.window_mono = mono;
  }
  state.good += quality.good;
  state.broken += quality.broken;
  if (quality.samples > 0) state.data_mono = mono;
  if (state.status === 'fault') {
    state.recovered = quality.samples > 0 && quality.broken === 0 ? state.recovered + 1 : 0;
    if (state.recovered < RECOVERED) return undefined;
    state.good = state.broken = 0;
    return enter(state, 'transmitting', now, 'good data again');
  }
  if (state.broken >= MANY_BROKEN && state.broken > state.good) {
    state.recovered = 0;
    return enter(state, 'fault', now, 'the gateway cannot read most of the data that the device sends');
  }
  if (quality.samples > 0) return enter(state, 'transmitting', now, 'data');
  return state.status === 'transmitting' ? undefined : enter(state, 'online', now, 'message');
}

/** Applies a status that the device reported, or its last will. */
export function noteReport(
  state: Connectivity,
  status: 'online' | 'offline' | 'fault',
  now: number,
  mono: number,
): StatusChange | undefined {
  state.recovered = 0;
  if (status !== 'offline') {
    state.seen_mono = mono;
    state.seen_ms = now;
    if (status === 'online' && state.status === 'transmitting') return undefined;
    return enter(state, status, now, 'reported by the device');
  }
  return state.status === 'fault' ? undefined : enter(state, 'offline', now, 'last will or farewell');
}

/** Sets the status after all keys of the device were revoked, or after it got a key again. The handler already wrote the log entry. */
export function noteCredential(state: Connectivity, revoked: boolean, now: number): void {
  if (revoked) enter(state, 'unassigned', now, 'key revoked');
  else if (state.status === 'unassigned') enter(state, 'provisioned', now, 'provisioned');
}

/** Applies the timeouts at the present time; `interval_s` is the expected interval of the device. */
export function sweep(
  state: Connectivity,
  interval_s: number | null,
  now: number,
  mono: number,
): StatusChange | undefined {
  const interval = (interval_s ?? 0) * 1000;
  if (state.status === 'transmitting' && mono - state.data_mono > Math.max(2 * interval, DATA_MS)) {
    return enter(state, 'online', now, 'no data');
  }
  if (state.status === 'online' && state.sessions === 0 && mono - state.seen_mono > Math.max(3 * interval, SIGN_MS)) {
    return enter(state, 'offline', now, 'silent');
  }
  return undefined;
}
