/** The input of the device diagnosis, and functions that several steps of the diagnosis share. */
import { type Sayable, type ToldPart, textOf, wordsOf } from '#contract/base/told.ts';
import type { Device } from '#contract/fleet/device.ts';
import type { ChainStep } from '#contract/fleet/device-diagnosis.ts';
import type { DeviceTrail, Transport } from '#contract/fleet/ingest.ts';

/** The newest file of a device. */
export interface LatestFile {
  readonly name: string;
  readonly received_at: string;
  /** State of the run that decodes the file; null for a picture. */
  readonly run: { readonly status: string; readonly message: string | null; readonly remedy: string | null } | null;
}

/** Everything that the diagnosis needs to know about one device. */
export interface ChainFacts {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly device: Pick<
    Device,
    | 'id'
    | 'device_id'
    | 'serial'
    | 'kind'
    | 'status'
    | 'last_seen_at'
    | 'expected_interval_s'
    | 'state'
    | 'observation'
    | 'metrics'
    | 'timeline_changes'
    | 'offline_resolution'
    | 'linked_at'
  >;
  readonly transport: Transport;
  readonly trail: DeviceTrail;
  /**
   * State of the credential that the device needs for its transport. This is a device key, or, for a logger that uploads files, an access
   * key and its secret for the built-in S3 service (the bucket).
   */
  readonly key: { readonly state: 'none' | 'revoked' | 'expired' | 'active'; readonly since: string | null };
  /** The linked machine; null if the device is not linked. */
  readonly machine: { readonly unit_number: string; readonly retired: boolean } | null;
  /** Name of the location that the device is linked to. */
  readonly location: string | null;
  /** The newest log file or picture of the device. */
  readonly file: LatestFile | null;
  /** Addresses to which devices of this gateway connect or upload, by transport. */
  readonly at: { readonly mqtt: string; readonly http: string; readonly bucket: string; readonly folder: string };
}

export type Judged = Omit<ChainStep, 'step' | 'title'>;
export type Judge = (facts: ChainFacts) => Judged;

/**
 * Limits in milliseconds for a device without `expected_interval_s`. The device counts as silent when its last message is older than
 * `SILENT_MS`. Its data counts as old when its newest usable data is older than `DATA_MS`.
 */
const SILENT_MS = 180_000;
const DATA_MS = 60_000;
export const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
export const number = (n: number) => n.toString().replace(/\B(?=(\d{3})+$)/g, ',');

/** A number with what it counts. The template has the forms for one and for more. */
export const several = <const T extends `${string}{count}${string}`>(n: number, text: T): ToldPart => ({
  text,
  params: { n, count: number(n) },
});

export function step(
  state: ChainStep['state'],
  since: string | null,
  detail: Sayable,
  remedy: Sayable | null = null,
): Judged {
  return {
    state,
    since,
    detail: textOf(detail),
    ...(typeof detail !== 'string' && { detail_words: [...wordsOf(detail)] }),
    remedy: remedy === null ? null : textOf(remedy),
    ...(remedy !== null && typeof remedy !== 'string' && { remedy_words: [...wordsOf(remedy)] }),
  };
}

export const isCamera = ({ device }: ChainFacts) => device.kind === 'camera';
export const isOpen = ({ device }: ChainFacts) => device.state.connectivity?.session === 'open';
export const seenMs = ({ device }: ChainFacts) =>
  device.last_seen_at === null ? null : Date.parse(device.last_seen_at);

/** True while the newest usable data is younger than twice the expected interval, or younger than `DATA_MS` if this is longer. */
export function hasFreshData({ trail: { usable_ms }, now, device }: ChainFacts): boolean {
  return usable_ms !== null && now - usable_ms <= Math.max(2000 * (device.expected_interval_s ?? 0), DATA_MS);
}

/** True if the device is offline or has sent no message for longer than expected. False while it has an open session. */
export function isSilent(facts: ChainFacts): boolean {
  const { device, now } = facts;
  const seen = seenMs(facts);
  if (seen === null || isOpen(facts)) return false;
  return device.status === 'offline' || now - seen > Math.max(3000 * (device.expected_interval_s ?? 0), SILENT_MS);
}
