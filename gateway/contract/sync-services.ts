/** The services of the exchange between sites and head office. */

import type { Delivery } from '#contract/base/delivery.ts';
import type { Stored } from '#contract/base/view.ts';
import type { EquipmentStatus } from '#contract/fleet/equipment.ts';
import type { SyncReceipt, SyncStatus } from '#contract/site/sync.ts';
import type { HeardBox } from '#contract/site/sync-boxes.ts';
import type { Budget, LinkBudget } from '#contract/site/sync-budget.ts';
import type { CourierBundle, CourierRunning } from '#contract/site/sync-courier.ts';
import type { FileAsked, FileOffer, FileOfferAnswer, FileTransfer } from '#contract/site/sync-files.ts';
import type { GatewayReport } from '#contract/site/sync-report.ts';
import type { TakeoverGrant } from '#contract/site/sync-takeover.ts';
import type { AlertData } from '#contract/work/alert.ts';
import type { RepairTicketData } from '#contract/work/repair-ticket.ts';

/** A value of a field as one author gave it. */
export interface GivenValue {
  readonly id: string;
  readonly value: unknown;
  /** The node on which it was written. */
  readonly node: string;
  readonly at: string;
  /** The hybrid time of its commit: events of the same commit have it, too. */
  readonly hlc: string;
}

/** A conflict that a person decides: a field with several values, or a change of one end that the other end could not apply. */
export interface OpenConflict {
  readonly kind: 'conflict' | 'deletion' | 'step';
  readonly record_id: string;
  readonly path: string;
  /** The shown value is the last one. */
  readonly values: readonly GivenValue[];
}

/** The write that gives a field of a record a value, and counts as decision about all its values. */
export interface FieldWrite {
  readonly object: string;
  readonly data: Record<string, unknown>;
  readonly chosen: readonly string[];
  readonly deleted: boolean;
}

/** Tells where the last change of head office to a record is. Null: it made none, or no longer knows. */
export type DeliveryReader = (project_id: string, record_id: string) => Promise<Delivery | null>;

/** A person looks at the live values of a project; `pays`: also if the bytes of the link have a limit. */
export interface LiveAsked {
  readonly project_id: string;
  readonly pays: boolean;
}

/** What head office tells a gateway that asks for hints. */
export interface Hint {
  /** A text that differs from the last one if there may be something new. */
  readonly state: string;
  /** For how many seconds the gateway sends live values, by project. */
  readonly live: ReadonlyMap<string, number>;
  /** The mark of the box that a person chose, if several boxes have the identity of this gateway. */
  readonly kept: string | undefined;
}

/** Tells whether this node and the other end are in step. */
export interface SyncReader {
  readonly role: SyncStatus['role'];
  /** `live`: a person at head office looks at the live values of this project. */
  status(live?: LiveAsked): Promise<SyncStatus>;
  /** The open conflicts of a project, those that were noticed first at the front. */
  conflicts(project_id: string): Promise<OpenConflict[]>;
  /** What a person must write to give this field this value; `current` is the shown value. Undefined for an unknown record or field. */
  fieldWrite(
    project_id: string,
    record_id: string,
    path: string,
    value: unknown,
  ): Promise<
    | {
        readonly write: FieldWrite;
        readonly current: unknown;
        /** The value of the field that is shown now; undefined if people did not give it. */
        readonly given?: GivenValue | undefined;
      }
    | undefined
  >;
  /** Tells where the content of a file is, and when it comes. */
  fileState(file: FileAsked): Promise<FileTransfer>;
}

/** Files at head office, for its gateways. The functions throw an `OperationError`. */
export interface HeadOfficeFiles {
  /** Tells which of these files head office has. */
  offer(enrolment: string | null, offer: FileOffer): Promise<FileOfferAnswer>;
  /** Appends bytes at an offset. With the last byte the content is checked and stored. Returns the number of bytes that are here. */
  receive(
    enrolment: string | null,
    of: { readonly project_id: string; readonly sha256: string; readonly offset: number },
    content: AsyncIterable<Uint8Array>,
  ): Promise<number>;
  /** Returns the size of a content that this gateway may read. */
  find(
    enrolment: string | null,
    of: { readonly project_id: string; readonly sha256: string },
  ): Promise<{ readonly bytes: number }>;
}

/** Which bundle is written. */
export interface CourierExport {
  /** At head office: the gateway for which it is. */
  readonly gateway_id: string | undefined;
  readonly most_bytes: number;
  /** The most bytes of photos and logs. */
  readonly file_bytes: number;
  /** Id of the bundle before, if not everything fitted. */
  readonly after: string | undefined;
}

export interface CourierImport {
  /** Also take a bundle that the site wrote before it was put back from a backup. */
  readonly earlier_life: boolean;
}

/** Bundles that a person carries. The functions throw an `OperationError`. */
export interface Courier {
  state(): Promise<{ object: 'courier'; running: CourierRunning | null; data: CourierBundle[] }>;
  /** Returns the name of the file and its bytes. The bundle counts when all of them were read. */
  export(what: CourierExport): Promise<{ readonly name: string; readonly content: AsyncIterable<Buffer> }>;
  import(content: AsyncIterable<Uint8Array>, how: CourierImport): Promise<CourierBundle>;
}

/** The link of a site to head office. */
export interface SiteSync {
  /** Exchanges a code for a credential, stores it and begins to exchange data. Throws an `OperationError`. */
  connect(cloud_url: string, code: string): Promise<{ readonly enrolment_id: string }>;
  /** Forgets the credential. Returns false if there was none. */
  disconnect(): Promise<boolean>;
  /** The budget of the link, and what is used of it. */
  budget(): LinkBudget;
  setBudget(budget: Budget): Promise<void>;
  /** Compares everything that both ends have, and stores the receipts. Throws an `OperationError`. */
  verify(): Promise<SyncReceipt[]>;
  readonly courier: Courier;
}

/** Head office, for its gateways. */
export interface HeadOffice extends AsyncDisposable, Disposable {
  /** When the site of a project was last heard; null for a project that no site brought. */
  heard(project_id: string): SiteHeard | null;
  readonly delivery: DeliveryReader;
  readonly courier: Courier;
  readonly files: HeadOfficeFiles;
  /** Answers a message of the gateway with this enrolment. Throws an `OperationError`. */
  exchange(enrolment: string | null, message: Buffer): Promise<Buffer>;
  /** What a box gets that takes the place of this gateway. */
  takeoverOf(gateway_id: string): TakeoverGrant;
  /** Notes what the gateway with this enrolment says about itself. */
  noteReport(gateway_id: string, report: GatewayReport): void;
  /**
   * Resolves when there may be something new for this gateway, or after some seconds. `after` is the state of an earlier result, `live_s`
   * for how many seconds the gateway sends live values (undefined if it cannot), and `box` what the box tells about itself, as text.
   */
  hint(
    enrolment: string | null,
    known: {
      readonly after: string | undefined;
      readonly live_s: number | undefined;
      readonly box: string | undefined;
    },
    signal: AbortSignal,
  ): Promise<Hint>;
  /** The boxes that use the identity of a gateway, as far as this process knows. */
  boxesOf(gateway_id: string): readonly HeardBox[];
}

/** When head office last heard the site of a project. */
export interface SiteHeard {
  readonly connected: boolean;
  readonly last_contact_at: string | null;
}

/** What head office has in memory of a machine, for lists over all sites. */
export interface FleetName {
  readonly id: string;
  readonly project_id: string;
  readonly unit_number: string;
  readonly name: string;
  readonly kind: string | null;
  readonly status: EquipmentStatus;
  readonly status_since_ms: number | null;
  readonly taken: { readonly by: string; readonly at_ms: number } | null;
}

/** A machine that needs people now. */
export interface FleetTrouble {
  readonly machine: FleetName;
  /** The score that its site shows, without the points for a value that gets worse. */
  readonly score: number;
}

/** What lists over all sites read at head office. */
export interface FleetReader {
  /** The projects that have machines, the earliest first. */
  projects(): readonly string[];
  /** The machines of a project, the earliest first. */
  machines(project_id: string): readonly FleetName[];
  /** Returns a machine; undefined if it has not arrived. */
  machine(project_id: string, id: string): FleetName | undefined;
  /** Null for a project that no site brought. */
  heard(project_id: string): SiteHeard | null;
  /** Returns the number of open tickets of each of these machines of a project that has some. */
  openTickets(project_id: string, ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Returns the machines of these projects that need people now, the most urgent first. */
  trouble(projects: readonly string[]): Promise<readonly FleetTrouble[]>;
  /** True if a project has more open alerts or tickets than are in memory, so that its machines may be missing in `trouble`. */
  isCut(project_id: string): boolean;
  /**
   * Returns open repair tickets of these projects (null: of all), the earliest first: the safety-critical ones, or those of one priority
   * that are not safety-critical. `newer`: with a priority that only a newer version knows.
   */
  tickets(
    projects: readonly string[] | null,
    which: 'safety' | 'newer' | RepairTicketData['priority'],
    after: { readonly created_at: string; readonly id: string } | undefined,
    limit: number,
  ): Promise<Stored<RepairTicketData>[]>;
  /**
   * Returns active alerts of one severity of these projects (null: of all), the newest first. `newer`: with a severity that only a newer
   * version knows.
   */
  alerts(
    projects: readonly string[] | null,
    severity: 'newer' | AlertData['severity'],
    after: { readonly created_at: string; readonly id: string } | undefined,
    limit: number,
  ): Promise<Stored<AlertData>[]>;
}

/** What handlers use of the exchange. */
export interface SyncServices {
  readonly sync: SyncReader;
  readonly siteSync: SiteSync;
  readonly headOffice: HeadOffice;
  readonly courier: Courier;
  readonly fleet: FleetReader;
}
