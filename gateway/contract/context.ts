/** The context of a handler: who calls, how the handler reads and writes documents, and which services it can use. */

import type { Kind } from '#contract/base/ids.ts';
import type { Pager } from '#contract/base/page.ts';
import type { CallerKind, Role } from '#contract/base/roles.ts';
import type { SignalName } from '#contract/base/signals.ts';
import type { Stored, View, Write } from '#contract/base/view.ts';
import type { BusHeard } from '#contract/fleet/bus.ts';
import type { DbcLayout, DbcTextData, MappedSignal } from '#contract/fleet/dbc.ts';
import type { DeviceData, DeviceLive } from '#contract/fleet/device.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import type { FrameBatch } from '#contract/fleet/frame.ts';
import type { DeletedRange } from '#contract/fleet/history.ts';
import type { DeviceTrail, IngestMessage } from '#contract/fleet/ingest.ts';
import type { Lineage } from '#contract/fleet/lineage.ts';
import type { MeterReconciliation, MeterSegments } from '#contract/fleet/meter.ts';
import type { PurgeCounts, Purged } from '#contract/fleet/quarantine.ts';
import type { RunStretch } from '#contract/fleet/run-state.ts';
import type { TelemetrySeries } from '#contract/fleet/telemetry.ts';
import type { AuditData } from '#contract/site/audit.ts';
import type { DisplayReader, PairingTries } from '#contract/site/display.ts';
import type { ListenerAddress, ListenerReader } from '#contract/site/listener.ts';
import type { Health } from '#contract/site/node.ts';
import type { SetupServices } from '#contract/site/setup-plan.ts';
import type { Attention } from '#contract/work/attention.ts';
import type { DayReader } from '#contract/work/day.ts';
import type { ShiftSpent, ShiftUse } from '#contract/work/shift-report.ts';
import type { Output } from './operations.ts';
import type { SignIn } from './sign-in.ts';
import type { DeliveryReader, SyncServices } from './sync-services.ts';

export interface Caller {
  readonly kind: CallerKind;
  readonly id: string | null;
  readonly name: string;
  readonly role: Role | null;
  /** Ids of the projects to which the key gives access. Null: all projects. */
  readonly project_ids: readonly string[] | null;
  /** Id of the session, if the caller is a user. */
  readonly session?: string;
  /** Id of the shared tablet on which the user signed in with a PIN. */
  readonly tablet?: string;
  /** Scopes of the key, which restrict its role. Null or absent: no restriction. */
  readonly scopes?: readonly string[] | null;
  /** Client addresses that may use the key. Null or absent: every address. */
  readonly allowed_cidrs?: readonly string[] | null;
  /** Record id of the device if the caller uses a device key; otherwise null. */
  readonly device: string | null;
  readonly device_project: string | null;
  readonly door: 'rest' | 'mcp' | 'cli';
  /** Network address of the caller, for rate limits and health. */
  readonly address: string;
  /** Scheme, host and port that the caller used, such as `http://10.2.0.5:8480`. Links in answers begin with it. */
  readonly base_url: string;
}

/**
 * Reads the documents of a project and stages writes. After the handler returns, one commit stores all staged writes and the receipt (the
 * answer, for a repeated call).
 */
export interface StagedView extends Omit<View, 'commit' | 'changes'> {
  /** Adds a write to the commit of this call. Returns the document as the commit will store it, with its revision and times. */
  stage<T extends object>(write: Write<T> & { readonly current?: Stored<T> | undefined }): Stored<T>;
}

export interface LiveReader {
  /** Returns the live state of a machine (its newest values). If `signals` is set, the values of other signals may be absent. */
  equipment(id: string, signals?: readonly SignalName[]): EquipmentLive | undefined;
  device(id: string): DeviceLive | undefined;
}

export interface BusReader {
  /** Returns the control units and parameter groups seen on the buses of a device. Undefined before the first frame of the device. */
  bus(id: string): BusHeard | undefined;
}

/** Links between machines and devices. */
export interface Links {
  /** Record ids of the devices linked to a machine, the earliest link first. */
  devicesOf(equipment_id: string): readonly string[];
}

/** The current shift (`now`) and the next shift (`next`) of a project. Each is null if there is none. */
export interface ShiftClock {
  readonly now: { readonly name: string; readonly from_ms: number; readonly to_ms: number } | null;
  readonly next: { readonly name: string; readonly from_ms: number } | null;
  /** Share of the known time in which machines should work, in percent; null: none. */
  readonly target_percent: number | null;
}

export interface ShiftReader {
  /** The current shift of a project, by its shift pattern and time zone. */
  shift(project_id: string): Promise<ShiftClock>;
  /** Returns, by machine id, how these machines spent the time of the current shift so far. Empty between shifts. */
  spent(project_id: string, equipment_ids: readonly string[]): Promise<ReadonlyMap<string, ShiftSpent>>;
  /** Returns the same in whole minutes, with the ribbons of the machines. */
  used(project_id: string, equipment_ids: readonly string[]): Promise<ReadonlyMap<string, ShiftUse>>;
}

export interface AttentionReader {
  /** Returns how urgently machines of a project need people, by machine id. Decommissioned machines have no entry. */
  read(project_id: string, equipment_ids: readonly string[]): Promise<ReadonlyMap<string, Attention>>;
}

export interface UseReader {
  /**
   * Returns how much a meter of a machine grows per day, from the known part of the last 14 days; null if it is not known. `counts_itself`:
   * the meter belongs to a control unit, which counts also while the gateway receives nothing.
   */
  perDay(
    project_id: string,
    equipment_id: string,
    signal: 'engine.hours' | 'vehicle.odometer',
    counts_itself: boolean,
  ): Promise<number | null>;
}

/** Reads from history whether machines ran. */
export interface RunStateReader {
  /** Returns the run states of a machine. They cover the window without a gap; time without samples is unknown. */
  read(project_id: string, equipment_id: string, from_ms: number, to_ms: number): Promise<readonly RunStretch[]>;
}

/** The stored samples to read: machine, signals, range of time and step. */
export interface TelemetryQuery {
  readonly project_id: string;
  readonly equipment_id: string;
  readonly signals: readonly SignalName[];
  /** Start of the range in milliseconds since 1970. A sample at this time is included. */
  readonly from_ms: number;
  /** End of the range in milliseconds since 1970. A sample at this time is not included. */
  readonly to_ms: number;
  /** Length of a step in seconds. A day must be a multiple of it. Null: return single samples. */
  readonly step_s: number | null;
  /** The present time in milliseconds since 1970. Missing samples after this time are not a gap. */
  readonly now_ms: number;
  /**
   * If present, reads only the values of the range: no `latest_before` and no states. `minutes`: single samples, and in the same read the
   * statistics of the minutes.
   */
  readonly only?: 'samples' | 'minutes';
}

/** The number to follow back to its raw data: a frame of a message in the journal, a frame of a log file, or a stored sample. */
export type LineageQuery = { readonly project_id: string } & (
  | { readonly segment: number; readonly offset: number; readonly frame: number | null }
  | { readonly artifact: string; readonly frame: number }
  | { readonly equipment_id: string; readonly signal: SignalName; readonly second: number }
);

/** Result of a read of stored samples. */
export interface TelemetryRead {
  /** The time at which the read ended: `to_ms`, or the start of an earlier UTC day if the read reached its limit of samples. */
  readonly until_ms: number;
  /** Number of damaged records. Their samples are missing in the result. */
  readonly unreadable: number;
  readonly series: readonly TelemetrySeries[];
  /** The statistics of whole minutes, if the query asked for them. A minute without statistics is missing; its samples are in `series`. */
  readonly minutes?: readonly TelemetrySeries[];
}

/**
 * How a file belongs to an object. subject: the file shows the object. device: the object is the device that sent the file. run: the object
 * is the run that produced the file.
 */
export type MediaOf = 'subject' | 'device' | 'run';

export interface MediaReader {
  /** Returns the ids of the newest files of each object, the newest first. Objects without a file are left out. */
  newest(project_id: string, by: MediaOf, ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
}

/** What the gateway has deleted of the history of machines. */
export interface HistoryEnds {
  /** Returns the deleted time ranges of a machine, in order of time, at most 20. */
  deleted(equipment_id: string): Promise<readonly DeletedRange[]>;
  /** Returns the time of the newest deleted sample of a machine (ISO 8601); null if none was deleted. */
  through(equipment_id: string): Promise<string | null>;
}

/** Encrypts secrets for storage. `record` names the record that stores the secret. `open` decrypts only with the same `record`. */
export interface Sealer {
  seal(plain: string, record: string): string;
  /** Decrypts a secret. Throws if another gateway encrypted it, or if it was encrypted for another record. */
  open(sealed: string, record: string): string;
  /** Decrypts a secret; undefined where `open` throws. After a restore without the key file, the gateway cannot open earlier secrets. */
  tryOpen(sealed: string, record: string): string | undefined;
}

/** The context of one call: who calls, which documents it may read, and how it stages writes. */
export interface CallContext {
  readonly caller: Caller;
  /** The documents of the project of the call. For operations without a project: the documents of the gateway itself. */
  readonly view: StagedView;
  /**
   * The documents of the gateway itself: keys, projects, display links (links that show boards on a screen without a login). Writes join
   * the commit of the call.
   */
  readonly node: StagedView;
  /** The documents of another project, to which a device key or a display link gives access. Writes join the commit of the call. */
  project(id: string): StagedView;
  /** Id of this gateway. */
  readonly nodeId: string;
  /** The time of the call, ISO 8601 with milliseconds. */
  readonly now: string;
  /** When the person did it: for a late write, the time at which the person wrote it; otherwise `now`. */
  readonly happened_at: string;
  /** Null if `happened_at` is known. Otherwise that is when it arrived, and this is the earliest time at which the person did it ([H103]). */
  readonly unsure_since: string | null;
  newId(kind: Kind, place?: number): string;
  /** Random bytes as base64url. */
  secret(bytes: number): string;
  /** SHA-256 in hexadecimal. A string is hashed as UTF-8. */
  sha256(text: string | Uint8Array): string;
  /** Makes and reads the cursors of the list that this call reads. */
  readonly page: Pager;
  /** Reports a stored document that the handler cannot read. The handler leaves it out of its list, and the answer gets a warning. */
  reportUnreadable(id: string | null, error: unknown): void;
  /** The revision in If-Match; null if the request has none. */
  readonly if_match: number | null;
}

/** Services that every handler can use. */
export interface CommonServices {
  readonly live: LiveReader & Links & BusReader;
  readonly media: MediaReader;
  readonly historyEnds: HistoryEnds;
  readonly sealer: Sealer;
  /** Only at head office. */
  readonly delivery?: DeliveryReader;
}

/**
 * Optional services. A service exists only if the part of the gateway that provides it runs. Each handler group declares which services it
 * needs.
 */
export interface NodeServices extends SyncServices, SetupServices {
  readonly shifts: ShiftReader;
  readonly attention: AttentionReader;
  readonly days: DayReader;
  /** Reads how fast meters of machines grow. */
  readonly use: UseReader;
  readonly runStates: RunStateReader;
  /** Reads the stored samples of a machine; throws `rate_limited` if too many reads wait. */
  readTelemetry(query: TelemetryQuery): Promise<TelemetryRead>;
  /**
   * Follows a number back to its raw message. Undefined if the project has no such message or sample; throws `rate_limited` if too many
   * reads wait.
   */
  lineage(query: LineageQuery): Promise<Omit<Lineage, 'object' | 'ref' | 'message'> | undefined>;
  /** Writes a message of a device to the journal (the files with all accepted messages). Resolves when the message is on disk. */
  accept(message: IngestMessage): Promise<void>;
  readonly meters: Meters;
  health(): Promise<Health>;
  /** Reads entries of the audit log of all projects in the order of the chain, after the entry with this number. */
  auditChain(after: number, limit: number): Promise<Stored<AuditData>[]>;
  /** The claim code of this gateway. */
  readonly claim: Claim;
  /** Passphrases of users, and the time by which sessions end. */
  readonly signIn: SignIn;
  /** Stores the content of a file. The promise resolves when the content is on disk. The same content is stored only once. */
  putArtifact(content: Uint8Array): Promise<{ readonly sha256: string; readonly bytes: number; readonly md5: string }>;
  /** Reads the content of a file, up to 64 MiB. Undefined if no file has this SHA-256. */
  readArtifact(sha256: string): Promise<Uint8Array | undefined>;
  /** Returns how many logs of a device (its record id) wait to be decoded. */
  decodesWaiting(device: string): number;
  /** Removes documents and files that a device stored. It stops after some seconds and returns the numbers of removed items. */
  purge(device: Stored<DeviceData>, what: readonly Purged[]): Promise<PurgeCounts>;
  /** Parses and tests DBC files in worker threads. */
  readonly dbc: DbcReader;
  /** The frames of a device since `since_ms` that the raw journal still has. Reading the next batch overwrites the previous batch. */
  recentFrames(device: string, since_ms: number): AsyncIterable<FrameBatch>;
  /** Returns the times of the last messages of a device, and its last refused messages and requests. */
  trail(device: string): DeviceTrail;
  /** Host and port of the S3 bucket for loggers. `listening` is false until the bucket accepts connections. */
  readonly bucket: ListenerAddress & { readonly listening: boolean };
  /** Checks and encrypts configuration files of loggers. */
  readonly logger: LoggerTools;
  /** Returns a QR code of the text as an SVG document; null if the text is too long for a QR code. */
  qr(text: string): string | null;
  /** Host and port of the MQTT broker for devices. */
  readonly mqtt: ListenerAddress;
  readonly listeners: ListenerReader;
  /** Codes of screens that wait for pairing. They are only in memory, expire soon, and are limited in number. */
  readonly pairingTries: PairingTries;
  /** The paired displays that are connected. */
  readonly displays: DisplayReader;
}

/** The machine whose meter a person reads. */
export interface MeterOwner {
  readonly equipment_id: string;
  readonly project_id: string;
  readonly unit_number: string;
  readonly received_at_ms: number;
}

/** The meters of machines. */
export interface Meters {
  /** Returns the meters of a machine with all their segments; an empty list if it has none. */
  of(equipment_id: string): MeterSegments[];
  /**
   * Writes the reading of a person to the journal. The promise resolves when the gateway has applied the reading. It rejects with
   * `NotTaken` if the journal does not take the reading, or if the gateway has not applied it within 20 s.
   */
  reconcile(machine: MeterOwner, reading: MeterReconciliation): Promise<void>;
}

export type ServiceName = keyof NodeServices;

/** The context of a handler that uses the services `S` in addition to the common services. */
export type HandlerContext<S extends ServiceName = never> = CallContext & CommonServices & Pick<NodeServices, S>;

/** Runs work of the gateway itself in a project, with the context of a handler, and commits what the work stages. */
export type OwnWork = (project_id: string, work: (context: HandlerContext) => Promise<void>) => Promise<void>;

export interface LoggerTools {
  /**
   * Validates a configuration (JSON text) with a JSON schema (JSON text) and returns the faults. Validation ends after two seconds, because
   * a schema from outside the gateway can make it endless.
   */
  check(schema: string, config: string): Promise<readonly { readonly path: string; readonly message: string }[]>;
  /**
   * Encrypts texts for the owner of a public key (64 bytes, X and Y on P-256, base64) with ECDH, HMAC-SHA256 over "config" and
   * AES-128-CTR. Returns them with the public key that is needed to decrypt them. Throws `RangeError` if `kpub` is not a key.
   */
  encrypt(kpub: string, texts: readonly string[]): { readonly kpub: string; readonly encrypted: readonly string[] };
  /** CRC-32 (IEEE), eight hex digits. */
  crc32(content: Uint8Array): string;
}

/** A stored DBC file. `DbcReader` reads the text only if it has not cached the parsed file. */
export interface DbcText {
  readonly sha256: string;
  text(): Promise<DbcTextData>;
}

/** A fault in one entry of the mapping of a DBC file. */
export interface MappingFault {
  /** Index of the entry in the mapping. */
  readonly at: number;
  readonly message: string;
  /** If the unit of the entry is wrong, the units that are allowed; otherwise empty. */
  readonly units: readonly string[];
}

/** Result of parsing a DBC file: its properties, and the `layout` with which the gateway decodes live frames. */
export interface DbcRead {
  readonly sha256: string;
  readonly bytes: number;
  readonly file_version: string;
  readonly messages: number;
  readonly signals: number;
  readonly notes: string[];
  /** Faults of the mapping. If the mapping has a fault, `layout` is empty. */
  readonly faults: readonly MappingFault[];
  readonly layout: DbcLayout;
}

/** Frames for a test of a DBC file: a stored log, or batches. Reading the next batch overwrites the previous batch. */
type Traffic =
  | { readonly log: string; readonly passwords: readonly string[] }
  | { readonly frames: AsyncIterable<FrameBatch> };

/**
 * Parses and tests DBC files. Each call returns within two minutes or throws: `backend_unavailable` if its thread took too long or
 * ended, `rate_limited` if too many calls wait, `dbc_invalid` with line and column, `parameter_invalid` if the log cannot be read.
 */
export interface DbcReader {
  /** Parses a DBC file. `packed` in the result is the compressed text, as it is stored. */
  read(text: string, mapping: readonly MappedSignal[]): Promise<DbcRead & { readonly packed: string }>;
  layout(of: DbcText, mapping: readonly MappedSignal[]): Promise<DbcRead>;
  signals(of: DbcText, q: string | undefined): Promise<Omit<Output<'dbc_signals'>, 'object'>>;
  /** Decodes recorded frames with a DBC file and returns the result. Undefined if the log does not exist. */
  trial(
    of: DbcText,
    mapping: readonly MappedSignal[],
    traffic: Traffic,
  ): Promise<Omit<Output<'dbc_test'>, 'object' | `${'dbc' | 'artifact' | 'device'}_id` | 'version'> | undefined>;
}

export interface Claim {
  /** Returns true if somebody owns this gateway: a workspace key or a user exists. */
  claimed(): Promise<boolean>;
  /** Makes a new code. Earlier codes are invalid from then on. */
  renew(): Promise<{ code: string; expires_at: string }>;
  current(): Promise<{ code: string; expires_at: string } | null>;
  /** Returns the code that the console shows at a start: the current one, or a new one if it expires soon. */
  show(): Promise<{ code: string; expires_at: string }>;
}
