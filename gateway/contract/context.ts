/** What a handler is given besides its input: who calls, what it may read, how it writes. */

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
import type { Health } from '#contract/site/node.ts';
import type { ShiftSpent } from '#contract/work/shift-report.ts';
import type { Output } from './operations.ts';

export interface Caller {
  /** control: the command line on the gateway itself; open: nobody (claim, pairing). */
  readonly kind: 'workspace' | 'personal' | 'device' | 'display' | 'control' | 'open';
  readonly id: string | null;
  readonly name: string;
  readonly role: Role | null;
  /** Null: all projects. */
  readonly project_ids: readonly string[] | null;
  /** What its role may do is bounded by these; null or absent: not bounded. */
  readonly scopes?: readonly string[] | null;
  /** Addresses from which its key works; null or absent: from every address. */
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

/** Reads of a project plus staged writes; what is staged lands in ONE commit after the handler returns, together with the idempotency receipt. */
export interface StagedView extends Omit<View, 'commit' | 'changes'> {
  /** Adds to the commit and returns the document as it will stand (revision, times). */
  stage<T extends object>(write: Write<T> & { readonly current?: Stored<T> | undefined }): Stored<T>;
}

export interface LiveReader {
  /** With `signals`, the values of others may be left out. */
  equipment(id: string, signals?: readonly SignalName[]): EquipmentLive | undefined;
  device(id: string): DeviceLive | undefined;
}

export interface BusReader {
  /** What was heard on the buses of a device; undefined before its first frame. */
  bus(id: string): BusHeard | undefined;
}

/** Who reports on whom. */
export interface Links {
  /** Record ids of the devices linked to a machine, the earliest link first. */
  devicesOf(equipment_id: string): readonly string[];
}

/** The shift of now, and the one that begins next; null where there is none. */
export interface ShiftClock {
  readonly now: { readonly name: string; readonly from_ms: number; readonly to_ms: number } | null;
  readonly next: { readonly name: string; readonly from_ms: number } | null;
}

export interface ShiftReader {
  /** By the pattern and the clock of the project. */
  shift(project_id: string): Promise<ShiftClock>;
  /** How these machines spent the shift that runs, until now, by id; empty between shifts. */
  spent(project_id: string, equipment_ids: readonly string[]): Promise<ReadonlyMap<string, ShiftSpent>>;
}

/** By what the files of an object are found: what they show, the device that sent them, the run they belong to. */
export type MediaOf = 'subject' | 'device' | 'run';

export interface MediaReader {
  /** Ids of the newest files of each object, by its id, the newest first; objects without a file are left out. */
  newest(project_id: string, by: MediaOf, ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
}

/** Seals secrets at rest. `record` names where a seal is kept; it opens nowhere else. */
export interface Sealer {
  seal(plain: string, record: string): string;
  /** Throws for what was not sealed here, or for another record. */
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
  /** The time of the call, ISO 8601 with milliseconds. */
  readonly now: string;
  newId(kind: Kind, place?: number): string;
  /** Random bytes as base64url. */
  secret(bytes: number): string;
  /** Hex; a text is hashed as UTF-8. */
  sha256(text: string | Uint8Array): string;
  /** Cursors of the list that is being read. */
  readonly page: Pager;
  /** Reports a stored document that the handler cannot read; a list leaves it out and has a warning. */
  reportUnreadable(id: string | null, error: unknown): void;
  /** The revision in If-Match, when one was sent. */
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
  /** What of a configuration does not fit a JSON schema, both as text; the schema is a stranger's, so it has two seconds. */
  check(schema: string, config: string): Promise<readonly { readonly path: string; readonly message: string }[]>;
  /**
   * Texts that only the owner of this public key (64 bytes of X and Y on P-256, base64) can read, with the public key they are read with:
   * ECDH, HMAC-SHA256 over "config", AES-128-CTR. Throws `RangeError` for what is no key.
   */
  encrypt(kpub: string, texts: readonly string[]): { readonly kpub: string; readonly encrypted: readonly string[] };
  /** CRC-32 (IEEE), eight hex digits. */
  crc32(content: Uint8Array): string;
}

/** A kept DBC; its text is asked for only where it has not been read lately. */
export interface DbcText {
  readonly sha256: string;
  text(): Promise<DbcTextData>;
}

/** An entry of a mapping that maps nothing. */
export interface MappingFault {
  /** Its place in the mapping. */
  readonly at: number;
  readonly message: string;
  /** Units that would do, where the unit is what is wrong. */
  readonly units: readonly string[];
}

/** What a text is, and what live decoding needs of it. */
export interface DbcRead {
  readonly sha256: string;
  readonly bytes: number;
  readonly file_version: string;
  readonly messages: number;
  readonly signals: number;
  readonly notes: string[];
  /** Where there are any, the layout is empty. */
  readonly faults: readonly MappingFault[];
  readonly layout: DbcLayout;
}

/** Traffic to try a DBC on: a log among the artifacts, or frames; each batch may be filled again after the next is asked for. */
type Traffic =
  | { readonly log: string; readonly passwords: readonly string[] }
  | { readonly frames: AsyncIterable<FrameBatch> };

/**
 * Answers within two minutes or throws: `backend_unavailable` where its thread took too long or ended, `rate_limited` where too much
 * waits, `dbc_invalid` with the place in the text, `parameter_invalid` for a log that is none.
 */
export interface DbcReader {
  /** Besides what it is, the text as it is kept. */
  read(text: string, mapping: readonly MappedSignal[]): Promise<DbcRead & { readonly packed: string }>;
  layout(of: DbcText, mapping: readonly MappedSignal[]): Promise<DbcRead>;
  signals(of: DbcText, q: string | undefined): Promise<Omit<Output<'dbc_signals'>, 'object'>>;
  /** Undefined where there is no such log. */
  trial(
    of: DbcText,
    mapping: readonly MappedSignal[],
    traffic: Traffic,
  ): Promise<Omit<Output<'dbc_test'>, 'object' | `${'dbc' | 'artifact' | 'device'}_id` | 'version'> | undefined>;
}

export interface Claim {
  claimed(): Promise<boolean>;
  /** True when the code is right and not expired; counts wrong tries. */
  check(code: string): boolean;
  renew(): { code: string; expires_at: string };
  current(): { code: string; expires_at: string } | null;
}

export interface Pairing {
  readonly device_code: string;
  readonly user_code: string;
  readonly expires_at_ms: number;
  /** What a person chose for the screen; the link is read from its share when the screen asks, so that it holds only what was committed. */
  target: { readonly project_id: string; readonly kind: ShareKind; readonly object_id: string } | null;
  /** Where the screen is. */
  readonly address: string;
}

export interface Pairings {
  /** A new pair of codes; throws `rate_limited` at the bound. Older codes of the same address give way. */
  begin(address: string): Pairing;
  byDeviceCode(code: string): Pairing | undefined;
  /** The pairing that waits under this code; wrong tries are counted per `by`, and too many throw `rate_limited`. */
  byUserCode(code: string, by: string): Pairing | undefined;
}
