/** What the chain of a device is judged by, and what several of its steps ask of that. */
import type { Device } from '#contract/fleet/device.ts';
import type { ChainStep } from '#contract/fleet/device-diagnosis.ts';
import type { DeviceTrail, Transport } from '#contract/fleet/ingest.ts';

/** A file of the device that came last. */
export interface LatestFile {
  readonly name: string;
  readonly received_at: string;
  /** Of the run that decodes it; null for a picture. */
  readonly run: { readonly status: string; readonly message: string | null; readonly remedy: string | null } | null;
}

/** What the chain is judged by. */
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
  /** Whether it has a key for the way it sends: of the device, or a pair for the bucket. */
  readonly key: { readonly state: 'none' | 'revoked' | 'expired' | 'active'; readonly since: string | null };
  /** Null: on no machine. */
  readonly machine: { readonly unit_number: string; readonly retired: boolean } | null;
  /** Name of the place where it stands. */
  readonly location: string | null;
  /** The newest log that it uploaded, or picture that it sent. */
  readonly file: LatestFile | null;
  /** Where devices reach this gateway. */
  readonly at: { readonly mqtt: string; readonly http: string; readonly bucket: string; readonly folder: string };
}

export type Judged = Omit<ChainStep, 'step' | 'title'>;
export type Judge = (facts: ChainFacts) => Judged;

/** A device that says nothing of its interval is silent after this (D-19), and has no data after the other; in milliseconds. */
const SILENT_MS = 180_000;
const DATA_MS = 60_000;
export const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
export const number = (n: number) => n.toString().replace(/\B(?=(\d{3})+$)/g, ',');
export const several = (n: number, one: string, more: string) => `${number(n)} ${n === 1 ? one : more}`;

export function step(
  state: ChainStep['state'],
  since: string | null,
  detail: string,
  remedy: string | null = null,
): Judged {
  return { state, since, detail, remedy };
}

export const isCamera = ({ device }: ChainFacts) => device.kind === 'camera';
export const isOpen = ({ device }: ChainFacts) => device.state.connectivity?.session === 'open';
export const seenMs = ({ device }: ChainFacts) =>
  device.last_seen_at === null ? null : Date.parse(device.last_seen_at);

/** True while what came last that could be used is no older than it should be. */
export function hasFreshData({ trail: { usable_ms }, now, device }: ChainFacts): boolean {
  return usable_ms !== null && now - usable_ms <= Math.max(2000 * (device.expected_interval_s ?? 0), DATA_MS);
}

/** True when nothing was heard of it for longer than it should be silent. */
export function isSilent(facts: ChainFacts): boolean {
  const { device, now } = facts;
  const seen = seenMs(facts);
  if (seen === null || isOpen(facts)) return false;
  return device.status === 'offline' || now - seen > Math.max(3000 * (device.expected_interval_s ?? 0), SILENT_MS);
}
