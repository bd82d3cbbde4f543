/**
 * Builds the documents in which segments (samples of one machine) are stored. An open segment has the samples of about a minute, a sealed
 * segment those of an hour.
 */
import { createHash } from 'node:crypto';
import { hashId } from '#contract/base/ids.ts';
import type { SampleSeries, Seal, SegmentData } from './samples.ts';
import { encodeSegment, openSegment, type SegmentContent } from './segment.ts';

const DAY_S = 86_400;

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

/** Returns the data of an open segment with these samples, which must be of one UTC day. */
export function openSegmentData(equipment_id: string, content: SegmentContent): SegmentData {
  return dataOf(equipment_id, content.series, encodeSegment(content));
}

/** The hour of a sealed segment, its number within the hour, and the sealed segment that it replaces. */
export interface SealOf extends Pick<Seal, 'generation' | 'supersedes'> {
  readonly equipment_id: string;
  /** Hours since 1970. */
  readonly hour: number;
}

/** Returns the data of a sealed segment, and its id, which is computed from its content. `bytes` are the encoded samples. */
export function sealedSegmentData(
  { equipment_id, hour, generation, supersedes }: SealOf,
  series: readonly SampleSeries[],
  bytes: Uint8Array,
): { readonly id: string; readonly data: SegmentData } {
  const sha256 = sha256Of(bytes);
  return {
    id: hashId('segment', sha256Of(`${equipment_id}\n${hour}\n${sha256}`)),
    data: {
      ...dataOf(equipment_id, series, bytes),
      sealed_hour: hour,
      seal: { generation, supersedes, sha256 },
    },
  };
}

function dataOf(equipment_id: string, series: readonly SampleSeries[], bytes: Uint8Array): SegmentData {
  return {
    equipment_id,
    device_id: null,
    from_ms: firstOf(series) * 1000,
    to_ms: lastOf(series) * 1000,
    slot: slotAt(equipment_id, firstOf(series)),
    samples: countOf(series),
    body: Buffer.from(bytes).toString('base64'),
  };
}

/**
 * Removes the samples of a device from a stored segment. Returns 'unchanged' if the segment has no samples of the device. Returns null if
 * the segment has only samples of the device, or is damaged. An open segment of an earlier build has no origins; all its samples count as
 * samples of the device.
 */
export function withoutDevice(id: string, stored: SegmentData, device: string): Replaced | 'unchanged' | null {
  const segment = openSegment(Buffer.from(stored.body, 'base64'));
  if (segment === undefined) return null;
  const { origins, raw } = segment;
  const isOwn = origins.map((one) => one.device === device || (one.device === null && stored.seal === undefined));
  if (!isOwn.includes(true)) return 'unchanged';
  if (!isOwn.includes(false)) return null;
  let series: SampleSeries[];
  try {
    series = segment.signals.flatMap((signal) => segment.read(signal) ?? []).flatMap((one) => others(one, isOwn));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
  if (series.length === 0) return null;
  const content = { series, origins, raw };
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

/** Returns the series without the samples of the device (those with an origin in `isOwn`); an empty list if no sample remains. */
function others({ signal, t, v, o }: SampleSeries, isOwn: readonly boolean[]): SampleSeries[] {
  const kept = o.flatMap((origin, i) => (isOwn[origin] === true ? [] : [i]));
  if (kept.length === 0) return [];
  const pick = (of: readonly number[]) => kept.map((i) => of[i] as number);
  return [{ signal, t: pick(t), v: pick(v), o: pick(o) }];
}
