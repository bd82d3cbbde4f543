/** The context of a handler: the caller, reads, staged writes and services. */

import type { Kind } from '#contract/base/ids.ts';
import type { Pager } from '#contract/base/page.ts';
import type { Role } from '#contract/base/roles.ts';
import type { ShareKind } from '#contract/base/share-kinds.ts';
import type { SignalName } from '#contract/base/signals.ts';
import type { Stored, View, Write } from '#contract/base/view.ts';
import type { BusHeard } from '#contract/fleet/bus.ts';
import type { DbcLayout, DbcTextData, MappedSignal } from '#contract/fleet/dbc.ts';
import type { DeviceData, DeviceLive } from '#contract/fleet/device.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import type { FrameBatch } from '#contract/fleet/frame.ts';
import type { DeviceTrail, IngestMessage } from '#contract/fleet/ingest.ts';
import type { PurgeCounts, Purged } from '#contract/fleet/quarantine.ts';
import type { TelemetrySeries } from '#contract/fleet/telemetry.ts';
import type { Health } from '#contract/site/node.ts';
import type { ShiftSpent } from '#contract/work/shift-report.ts';
import type { Output } from './operations.ts';

export interface Caller {
  /** control: the command line on the gateway itself. open: no credential (claim, pairing). */
  readonly kind: 'workspace' | 'personal' | 'device' | 'display' | 'control' | 'open';
  readonly id: string | null;
  readonly name: string;
  readonly role: Role | null;
  /** Null: all projects. */
  readonly project_ids: readonly string[] | null;
  /** Scopes that restrict the role; null or absent: no restriction. */
  readonly scopes?: readonly string[] | null;
  /** Client addresses that may use the key; null or absent: all. */
  readonly allowed_cidrs?: readonly string[] | null;
  /** Record id of the device, for a device key. */
  readonly device: string | null;
  readonly device_project: string | null;
  readonly door: 'rest' | 'mcp' | 'cli';
  /** Remote address, for rate limits and health. */
  readonly address: string;
  /** Base address that the caller used, for links in answers. */
  readonly base_url: string;
}

/** Reads of a project and staged writes. After the handler has returned, all staged writes and the idempotency receipt are one commit. */
export interface StagedView extends Omit<View, 'commit' | 'changes'> {
  /** Adds a write to the commit and returns the future document, with its revision and times. */
  stage<T extends object>(write: Write<T> & { readonly current?: Stored<T> | undefined }): Stored<T>;
}

export interface LiveReader {
  /** With `signals`, values of other signals may be left out. */
  equipment(id: string, signals?: readonly SignalName[]): EquipmentLive | undefined;
  device(id: string): DeviceLive | undefined;
}

export interface BusReader {
  /** The bus inventory of a device; undefined before its first frame. */
  bus(id: string): BusHeard | undefined;
}

/** Links between machines and devices. */
export interface Links {
  /** Record ids of the devices linked to a machine, the earliest link first. */
  devicesOf(equipment_id: string): readonly string[];
}

/** The current shift and the next one; null if there is none. */
export interface ShiftClock {
  readonly now: { readonly name: string; readonly from_ms: number; readonly to_ms: number } | null;
  readonly next: { readonly name: string; readonly from_ms: number } | null;
}

export interface ShiftReader {
  /** The current shift of a project, by its shift pattern and time zone. */
  shift(project_id: string): Promise<ShiftClock>;
  /** Time of these machines in the current shift until now, by id; empty between shifts. */
  spent(project_id: string, equipment_ids: readonly string[]): Promise<ReadonlyMap<string, ShiftSpent>>;
}

/** Which stored samples of a machine to read. */
export interface TelemetryQuery {
  readonly project_id: string;
  readonly equipment_id: string;
  readonly signals: readonly SignalName[];
  /** Included. */
  readonly from_ms: number;
  /** Not included. */
  readonly to_ms: number;
  /** Length of a step in seconds, which divides a day; null for single samples. */
  readonly step_s: number | null;
  /** No gap is reported after this time. */
  readonly now_ms: number;
}

/** What a read of stored samples found. */
export interface TelemetryRead {
  /** The end of what was read: `to_ms`, or an earlier start of a UTC day if the read examined too many samples. */
  readonly until_ms: number;
  /** Number of damaged records. */
  readonly unreadable: number;
  readonly series: readonly TelemetrySeries[];
}

/** The relation by which files of an object are found: the object that they show, the device that sent them, or their run. */
export type MediaOf = 'subject' | 'device' | 'run';

export interface MediaReader {
  /** Ids of the newest files by object id, the newest first. Objects without a file are left out. */
  newest(project_id: string, by: MediaOf, ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
}

/** Encrypts secrets for storage. `record` names the record that stores the secret; it can be decrypted only for the same record. */
export interface Sealer {
  seal(plain: string, record: string): string;
  /** Throws if the text was not sealed by this gateway, or for another record. */
  open(sealed: string, record: string): string;
}

/** The context of one call: who calls, which documents it may read, and how it stages writes. */
export interface CallContext {
  readonly caller: Caller;
  /** The project of the call; for node-scoped operations the node's own documents. */
  readonly view: StagedView;
  /** The node's own documents: keys, shares, projects. Same commit. */
  readonly node: StagedView;
  /** The documents of another project, which a device key or a share gives access to. Same commit. */
  project(id: string): StagedView;
  /** Id of this node. */
  readonly nodeId: string;
  /** The time of the call, ISO 8601 with milliseconds. */
  readonly now: string;
  newId(kind: Kind, place?: number): string;
  /** Random bytes as base64url. */
  secret(bytes: number): string;
  /** SHA-256 in hexadecimal. A string is hashed as UTF-8. */
  sha256(text: string | Uint8Array): string;
  /** Cursors of the list that is being read. */
  readonly page: Pager;
  /** Reports a stored document that the handler cannot read; a list leaves it out and has a warning. */
  reportUnreadable(id: string | null, error: unknown): void;
  /** The revision in If-Match; null if the request has none. */
  readonly if_match: number | null;
}

/** Services that every node gives to every handler. */
export interface CommonServices {
  readonly live: LiveReader & Links & BusReader;
  readonly media: MediaReader;
  readonly sealer: Sealer;
}

/** Services that a node has only if the parts behind them run. A handler group declares which of them it needs. */
export interface NodeServices {
  readonly shifts: ShiftReader;
  /** Reads the stored samples of a machine; throws `rate_limited` if too many reads wait. */
  readTelemetry(query: TelemetryQuery): Promise<TelemetryRead>;
  /** Writes a message to the journal and resolves when it is on disk. */
  accept(message: IngestMessage): Promise<void>;
  health(): Promise<Health>;
  /** Claim state of the node. */
  readonly claim: Claim;
  /** Stores a content among the artifacts and resolves when it is on disk; the same content is stored once. */
  putArtifact(content: Uint8Array): Promise<{ readonly sha256: string; readonly bytes: number; readonly md5: string }>;
  /** Reads a content of the artifacts, of 64 MiB at most; undefined when there is none. */
  readArtifact(sha256: string): Promise<Uint8Array | undefined>;
  /** Returns how many logs of a device (its record id) wait to be decoded. */
  decodesWaiting(device: string): number;
  /** Removes documents and files that a device stored; works for some seconds, then returns the counts. */
  purge(device: Stored<DeviceData>, what: readonly Purged[]): Promise<PurgeCounts>;
  /** Reads DBC files in threads of their own. */
  readonly dbc: DbcReader;
  /** The frames that a device sent since then, as far as the raw journal reaches. Reading the next batch overwrites the previous one. */
  recentFrames(device: string, since_ms: number): AsyncIterable<FrameBatch>;
  /** The last messages of a device, and its last refused ones. */
  trail(device: string): DeviceTrail;
  /** Where loggers upload files; `listening` is false until the bucket accepts connections. */
  readonly bucket: { readonly host: string; readonly port: number; readonly listening: boolean };
  /** Checks and encrypts configuration files of loggers. */
  readonly logger: LoggerTools;
  /** Encodes a text as a QR code, an SVG document; null when the text is too long for one. */
  qr(text: string): string | null;
  /** Where devices reach the broker. */
  readonly mqtt: { readonly host: string; readonly port: number };
  /** Short-lived pairing codes, in memory and bounded. */
  readonly pairings: Pairings;
}

export type ServiceName = keyof NodeServices;

/** The context of a handler that needs the services `S` besides the common ones. */
export type HandlerContext<S extends ServiceName = never> = CallContext & CommonServices & Pick<NodeServices, S>;

export interface LoggerTools {
  /** Validates a configuration with a JSON schema, both as text, and returns the faults. The schema comes from outside, so validation may take two seconds at most. */
  check(schema: string, config: string): Promise<readonly { readonly path: string; readonly message: string }[]>;
  /**
   * Encrypts texts for the owner of a public key (64 bytes, X and Y on P-256, base64) with ECDH, HMAC-SHA256 over "config" and
   * AES-128-CTR. Returns them with the public key that is needed to decrypt them. Throws `RangeError` if `kpub` is not a key.
   */
  encrypt(kpub: string, texts: readonly string[]): { readonly kpub: string; readonly encrypted: readonly string[] };
  /** CRC-32 (IEEE), eight hex digits. */
  crc32(content: Uint8Array): string;
}

/** A stored DBC file. Its text is read only if the parser has not cached it. */
export interface DbcText {
  readonly sha256: string;
  text(): Promise<DbcTextData>;
}

/** A fault of one entry of a mapping. */
export interface MappingFault {
  /** Index of the entry in the mapping. */
  readonly at: number;
  readonly message: string;
  /** Possible units, if the unit is the fault. */
  readonly units: readonly string[];
}

/** Result of parsing a DBC file: its properties, and the input of live decoding. */
export interface DbcRead {
  readonly sha256: string;
  readonly bytes: number;
  readonly file_version: string;
  readonly messages: number;
  readonly signals: number;
  readonly notes: string[];
  /** Faults of the mapping. If there are any, the layout is empty. */
  readonly faults: readonly MappingFault[];
  readonly layout: DbcLayout;
}

/** Input of a test: a log among the artifacts, or frames. Reading the next batch overwrites the previous one. */
type Traffic =
  | { readonly log: string; readonly passwords: readonly string[] }
  | { readonly frames: AsyncIterable<FrameBatch> };

/**
 * Parses and tests DBC files. Each call returns within two minutes or throws: `backend_unavailable` if its thread took too long or
 * ended, `rate_limited` if too many calls wait, `dbc_invalid` with line and column, `parameter_invalid` if the log cannot be read.
 */
export interface DbcReader {
  /** Parses a file. `packed` is the text in its stored form. */
  read(text: string, mapping: readonly MappedSignal[]): Promise<DbcRead & { readonly packed: string }>;
  layout(of: DbcText, mapping: readonly MappedSignal[]): Promise<DbcRead>;
  signals(of: DbcText, q: string | undefined): Promise<Omit<Output<'dbc_signals'>, 'object'>>;
  /** Tests a file; undefined if the log does not exist. */
  trial(
    of: DbcText,
    mapping: readonly MappedSignal[],
    traffic: Traffic,
  ): Promise<Omit<Output<'dbc_test'>, 'object' | `${'dbc' | 'artifact' | 'device'}_id` | 'version'> | undefined>;
}

export interface Claim {
  claimed(): Promise<boolean>;
  /** True if the code is right and has not expired. Counts failed attempts. */
  check(code: string): boolean;
  renew(): { code: string; expires_at: string };
  current(): { code: string; expires_at: string } | null;
}

export interface Pairing {
  readonly device_code: string;
  readonly user_code: string;
  readonly expires_at_ms: number;
  /** The object that a person chose for the screen. Its link is read when the screen asks, so that an uncommitted link is never returned. */
  target: { readonly project_id: string; readonly kind: ShareKind; readonly object_id: string } | null;
  /** Network address of the screen. */
  readonly address: string;
}

export interface Pairings {
  /** Makes a new pair of codes, and discards older codes of the same address. Throws `rate_limited` at the limit. */
  begin(address: string): Pairing;
  byDeviceCode(code: string): Pairing | undefined;
  /** The waiting pairing with this code. Failed attempts are counted per `by`; too many throw `rate_limited`. */
  byUserCode(code: string, by: string): Pairing | undefined;
}
