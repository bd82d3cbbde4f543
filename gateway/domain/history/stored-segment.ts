/**
 * Builds the documents in which segments (samples of one machine) and rollups (statistics of one machine and UTC day) are stored. An open
 * segment has the samples of about a minute. A sealed segment has the samples of an hour.
 */
import { createHash } from 'node:crypto';
import { hashId } from '#contract/base/ids.ts';
import type { SignalName } from '#contract/base/signals.ts';
import { filteredRows, type MinuteSeries } from './minutes.ts';
import { openRollup, type RollupContent, sealRollup } from './rollup.ts';
import type { RollupData, SampleSeries, Seal, SegmentData } from './samples.ts';
import { encodeSegment, openSegment, type SegmentContent } from './segment.ts';
import { filteredRuns, type StateRuns } from './states.ts';

const DAY_S = 86_400;
const MINUTE_S = 60;

const sha256Of = (content: Uint8Array | string): string => createHash('sha256').update(content).digest('hex');

/** Returns the time of the first sample of all series, in seconds since 1970. */
export const firstOf = (series: readonly SampleSeries[]): number => Math.min(...series.map(({ t }) => t[0] as number));
/** Returns the time of the last sample of all series, in seconds since 1970. */
export const lastOf = (series: readonly SampleSeries[]): number =>
  Math.max(...series.map(({ t }) => t.at(-1) as number));
/** Returns the number of samples of all series. */
export const countOf = (series: readonly SampleSeries[]): number => series.reduce((sum, { t }) => sum + t.length, 0);
/** Returns the slot for a machine and a time. All segments of the same machine and UTC day have the same slot. */
export const slotAt = (equipment_id: string, second: number): string => `${equipment_id}/${Math.floor(second / DAY_S)}`;

/** Returns the UTC day of a minute, in days since 1970. */
export const dayOfMinute = (m: number): number => Math.floor((m * MINUTE_S) / DAY_S);

/**
 * Returns the data of an open segment with these samples, statistics and states. They must be of one UTC day, and contain at least one
 * sample, one row of statistics or one state.
 */
export function openSegmentData(equipment_id: string, content: SegmentContent): SegmentData {
  const data = dataOf(equipment_id, content.series, encodeSegment(content), timesOf(content));
  return { ...data, open_slot: data.slot };
}

/** The most earlier documents that a document names. A day has about 24. */
const MOST_REPLACED = 512;

/** Ids of a document and of all that it replaces. */
export const withReplaced = (id: string, { supersedes, replaces }: Seal): string[] => [
  ...(replaces ?? (supersedes === null ? [] : [supersedes])),
  id,
];

/** The part of a seal that names earlier documents. */
const replacing = (
  id: string,
  { supersedes, replaces }: Pick<Seal, 'supersedes' | 'replaces'>,
): Pick<Seal, 'supersedes' | 'replaces'> => {
  const others = (replaces ?? []).filter((one) => one !== id).slice(-MOST_REPLACED);
  return { supersedes, ...(others.length > 0 && { replaces: others }) };
};

/** The hour of a sealed segment, its number within the hour, and the sealed segment that it replaces. */
export interface SealOf extends Pick<Seal, 'generation' | 'supersedes' | 'replaces'> {
  readonly equipment_id: string;
  /** The hour, as the number of hours since 1970. */
  readonly hour: number;
}

/** Returns the data of a sealed segment, and its id, which is computed from its content. `bytes` are the encoded samples. */
export function sealedSegmentData(
  { equipment_id, hour, generation, ...before }: SealOf,
  series: readonly SampleSeries[],
  bytes: Uint8Array,
): { readonly id: string; readonly data: SegmentData } {
  const sha256 = sha256Of(bytes);
  const id = hashId('segment', sha256Of(`${equipment_id}\n${hour}\n${sha256}`));
  return {
    id,
    data: {
      ...dataOf(equipment_id, series, bytes),
      sealed_hour: hour,
      seal: { generation, ...replacing(id, before), sha256 },
    },
  };
}

/** The machine and day of a rollup, its number within the day, and the rollup that it replaces. */
export interface RollupOf extends Pick<Seal, 'generation' | 'supersedes' | 'replaces'> {
  readonly equipment_id: string;
  /** A text with the machine and the UTC day, the same as in segments. */
  readonly slot: string;
}

/** Returns the data of a rollup, and its id, which is computed from its content. The content must have at least one row or state. */
export async function rollupData(
  { equipment_id, slot, generation, ...before }: RollupOf,
  content: RollupContent,
  breathe: () => Promise<void>,
): Promise<{ readonly id: string; readonly data: RollupData }> {
  const bytes = await sealRollup(content, breathe);
  const sha256 = sha256Of(bytes);
  const { minutes } = content;
  const times = timesOf(content);
  const id = hashId('rollup', sha256Of(`${slot}\n${sha256}`));
  return {
    id,
    data: {
      equipment_id,
      device_id: null,
      from_ms: times.from * 1000,
      to_ms: (times.to + MINUTE_S) * 1000,
      slot,
      rows: minutes.reduce((sum, { m }) => sum + m.length, 0),
      body: bytes,
      seal: { generation, ...replacing(id, before), sha256 },
    },
  };
}

/** The first and the last time of statistics and states. The times of statistics are starts of minutes. */
interface SecondTimes {
  readonly from: number;
  readonly to: number;
}

function timesOf({ minutes = [], states = [] }: Pick<SegmentContent, 'minutes' | 'states'>): SecondTimes {
  return {
    from: Math.min(
      ...minutes.map(({ m }) => (m[0] as number) * MINUTE_S),
      ...states.map(({ from }) => Math.floor((from[0] as number) / MINUTE_S) * MINUTE_S),
    ),
    to: Math.max(
      ...minutes.map(({ m }) => (m.at(-1) as number) * MINUTE_S),
      ...states.flatMap(({ to }) => to).map((second) => Math.floor(second / MINUTE_S) * MINUTE_S),
    ),
  };
}

function dataOf(
  equipment_id: string,
  series: readonly SampleSeries[],
  bytes: Uint8Array,
  others?: SecondTimes,
): SegmentData & { readonly slot: string } {
  const isEmpty = series.length === 0 && others !== undefined;
  const from = isEmpty ? others.from : firstOf(series);
  const to = isEmpty ? others.to : lastOf(series);
  return {
    equipment_id,
    device_id: null,
    from_ms: from * 1000,
    to_ms: to * 1000,
    slot: slotAt(equipment_id, from),
    samples: countOf(series),
    body: bytes,
  };
}

/**
 * Removes the samples of a device from a stored segment. Returns 'unchanged' if the segment has no samples of the device. Returns null if
 * the segment has only samples of the device, or is damaged. An open segment of an earlier build has no origins; all its samples count as
 * samples of the device.
 */
export function withoutDevice(id: string, stored: SegmentData, device: string): Replaced | 'unchanged' | null {
  const segment = openSegment(stored.body);
  if (segment === undefined) return null;
  const { origins, raw } = segment;
  const isOwn = origins.map((one) => one.device === device || (one.device === null && stored.seal === undefined));
  if (!isOwn.includes(true)) return 'unchanged';
  if (!isOwn.includes(false)) return null;
  let series: SampleSeries[];
  let minutes: MinuteSeries[] | undefined;
  let states: StateRuns[] = [];
  try {
    series = segment.signals.flatMap((signal) => segment.read(signal) ?? []).flatMap((one) => others(one, isOwn));
    if (stored.seal === undefined) minutes = filteredRows(segment.minutes(), ({ o }) => isOwn[o] !== true);
    states = filteredRuns(segment.states(), (o) => isOwn[o] !== true);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
  if (series.length === 0 && states.length === 0) return null;
  const content = { series, origins, raw, states, ...(minutes === undefined ? {} : { minutes }) };
  const { equipment_id, seal, sealed_hour } = stored;
  const bytes = encodeSegment(content);
  if (seal !== undefined && sealed_hour !== undefined) {
    const of = { equipment_id, hour: sealed_hour, generation: seal.generation + 1, supersedes: id };
    return sealedSegmentData(of, series, bytes);
  }
  return { id: hashId('segment', sha256Of(`${id}\n${sha256Of(bytes)}`)), data: openSegmentData(equipment_id, content) };
}

/** The document of a stored segment that replaces another segment. */
export interface Replaced {
  readonly id: string;
  readonly data: SegmentData;
}

/** Returns the series with only the samples for which `keep` returns true. It drops series without samples. */
export function filtered(
  series: readonly SampleSeries[],
  keep: (second: number, signal: SignalName, origin: number) => boolean,
): SampleSeries[] {
  return series.flatMap(({ signal, t, v, o }) => {
    const kept = t.flatMap((second, i) => (keep(second, signal, o[i] as number) ? [i] : []));
    if (kept.length === 0) return [];
    const pick = (of: readonly number[]) => kept.map((i) => of[i] as number);
    return [{ signal, t: pick(t), v: pick(v), o: pick(o) }];
  });
}

/** Returns the series without the samples of the device (those with an origin in `isOwn`); an empty list if no sample remains. */
function others({ signal, t, v, o }: SampleSeries, isOwn: readonly boolean[]): SampleSeries[] {
  const kept = o.flatMap((origin, i) => (isOwn[origin] === true ? [] : [i]));
  if (kept.length === 0) return [];
  const pick = (of: readonly number[]) => kept.map((i) => of[i] as number);
  return [{ signal, t: pick(t), v: pick(v), o: pick(o) }];
}

/** Removes the values of a device from a rollup. Returns what `withoutDevice` returns. */
export async function rollupWithoutDevice(
  id: string,
  { body, equipment_id, slot, seal }: RollupData,
  device: string,
): Promise<{ readonly id: string; readonly data: RollupData } | 'unchanged' | null> {
  const rollup = openRollup(body);
  if (rollup === undefined) return null;
  const { origins, raw } = rollup;
  const isOwn = origins.map((one) => one.device === device);
  if (!isOwn.includes(true)) return 'unchanged';
  try {
    const all = rollup.signals.map((signal) => rollup.read(signal) as MinuteSeries);
    const minutes = filteredRows(all, ({ o }) => isOwn[o] !== true);
    const states = filteredRuns(rollup.states(), (o) => isOwn[o] !== true);
    if (minutes.length === 0 && states.length === 0) return null;
    const of = { equipment_id, slot, generation: seal.generation + 1, supersedes: id };
    return await rollupData(of, { minutes, states, origins, raw }, async () => {});
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
