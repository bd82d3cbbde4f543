/**
 * Parses the payloads of the topics `telemetry`, `events` and `status`. No function throws for invalid content: the result is undefined, or
 * contains the number of invalid parts.
 */
import { unsafeJson } from '#contract/base/json.ts';
import { isPlausible, SIGNAL_NAMES, type SignalName } from '#contract/base/signals.ts';
import { MAX_POINTS, timeOfEvent, timeOfPoint } from '#contract/fleet/telemetry.ts';

const MAX_EVENTS = 100;
const MAX_EVENT_BYTES = 16 * 1024;
const MAX_REPORT_BYTES = 4 * 1024;

const SIGNAL_INDEX: ReadonlyMap<string, number> = new Map(SIGNAL_NAMES.map((name, i) => [name, i]));
const text = new TextDecoder('utf-8', { fatal: true });

type Json = Record<string, unknown>;

function parseJson(payload: Uint8Array): unknown {
  try {
    const value: unknown = JSON.parse(text.decode(payload));
    return unsafeJson(value) === undefined ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export interface Point {
  /** The time of the point in milliseconds since 1970; null if the point has no time. */
  readonly ms: number | null;
  readonly seq: number | null;
  /** The values of the point, each as a pair of the index of its signal and the value. */
  readonly values: readonly (readonly [signal: number, value: number])[];
}

export interface PointsResult {
  readonly points: readonly Point[];
  /** The number of invalid parts: points that are not valid, values that are no numbers, and numbers outside the plausible range. */
  readonly broken: number;
  /** The number of values with unknown signal names. Only the journal keeps these values. */
  readonly unknown: number;
}

/** Returns the points of a payload, valid or not: one point, an array of points, or `{points: [...]}`; undefined for anything else. */
export function listPoints(payload: Uint8Array): readonly unknown[] | undefined {
  const json = parseJson(payload);
  if (Array.isArray(json)) return json;
  if (!isObject(json)) return undefined;
  return Array.isArray(json.points) ? json.points : [json];
}

/** Parses one point, and counts its invalid and unknown values; undefined if it is not a valid point. */
export function parsePoint(
  one: unknown,
): { readonly point: Point; readonly broken: number; readonly unknown: number } | undefined {
  if (!isObject(one) || !isObject(one.values)) return undefined;
  const ms = timeOfPoint(one);
  if (ms === undefined) return undefined;
  const values: [number, number][] = [];
  let broken = 0;
  let unknown = 0;
  for (const [name, value] of Object.entries(one.values)) {
    const signal = SIGNAL_INDEX.get(name);
    if (signal === undefined) unknown++;
    else if (typeof value === 'number' && isPlausible(name as SignalName, value)) values.push([signal, value]);
    else if (value !== null) broken++;
  }
  const seq = Number.isSafeInteger(one.seq) ? (one.seq as number) : null;
  return { point: { ms, seq, values }, broken, unknown };
}

/** Parses the points of a payload (`listPoints`); undefined if the payload has no list of points. */
export function parsePoints(payload: Uint8Array): PointsResult | undefined {
  const list = listPoints(payload);
  if (list === undefined) return undefined;
  const points: Point[] = [];
  let broken = Math.max(0, list.length - MAX_POINTS);
  let unknown = 0;
  for (const one of list.slice(0, MAX_POINTS)) {
    const parsed = parsePoint(one);
    if (parsed !== undefined) points.push(parsed.point);
    broken += parsed?.broken ?? 1;
    unknown += parsed?.unknown ?? 0;
  }
  return { points, broken, unknown };
}

export interface DeviceEvent {
  readonly type: string;
  readonly ms: number | null;
  readonly id: string | null;
  readonly data: Json;
}

export interface EventsResult {
  readonly events: readonly DeviceEvent[];
  readonly broken: number;
  readonly reason: string | null;
}

/** Returns true for the event types that a device may add to its own log. */
function isOwnKind(type: unknown): type is string {
  return (
    typeof type === 'string' && type.length <= 80 && (type === 'note' || /^x\.[A-Za-z0-9][A-Za-z0-9._-]*$/.test(type))
  );
}

/** Parses one event or an array of events: `{type, occurred_at?, id?, data?}`. */
export function parseEvents(payload: Uint8Array): EventsResult {
  if (payload.length > MAX_EVENT_BYTES) return { events: [], broken: 1, reason: 'events payload over 16 KiB' };
  const json = parseJson(payload);
  const list = Array.isArray(json) ? json : isObject(json) ? [json] : undefined;
  if (list === undefined) return { events: [], broken: 1, reason: 'events payload is not JSON' };
  const events: DeviceEvent[] = [];
  let broken = Math.max(0, list.length - MAX_EVENTS);
  let reason = broken > 0 ? `more than ${MAX_EVENTS} events in a message` : null;
  for (const one of list.slice(0, MAX_EVENTS)) {
    const ms = isObject(one) && one.occurred_at !== undefined ? timeOfEvent(one.occurred_at) : null;
    const data = isObject(one) ? (one.data ?? {}) : undefined;
    if (!isObject(one) || !isOwnKind(one.type) || ms === undefined || !isObject(data)) {
      broken++;
      reason =
        isObject(one) && !isOwnKind(one.type)
          ? 'a device may only log events of the type `note` or of a type that begins with `x.`'
          : 'malformed event';
      continue;
    }
    const id = typeof one.id === 'string' && one.id !== '' && one.id.length <= 200 ? one.id : null;
    events.push({ type: one.type, ms, id, data });
  }
  return { events, broken, reason };
}

export interface StatusReport {
  readonly status: 'online' | 'offline' | 'fault';
  readonly buffer_depth: number | null;
  readonly rtt_ms: number | null;
  /** The other fields of the report, which the API shows in `device.state.reported`. */
  readonly rest: Json;
}

/** Parses `{"status": "online" | "offline" | "fault", ...}`; undefined for anything else. */
export function parseStatus(payload: Uint8Array): StatusReport | undefined {
  if (payload.length > MAX_REPORT_BYTES) return undefined;
  const json = parseJson(payload);
  if (!isObject(json)) return undefined;
  const { status, buffer_depth, rtt_ms, ...rest } = json;
  if (status !== 'online' && status !== 'offline' && status !== 'fault') return undefined;
  const number = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null);
  return { status, buffer_depth: number(buffer_depth), rtt_ms: number(rtt_ms), rest };
}
