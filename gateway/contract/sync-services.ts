/** The services of the exchange between sites and head office. */
import type { GatewayReport, SyncReceipt, SyncStatus } from '#contract/site/sync.ts';

/** Tells whether this node and the other end are in step. */
export interface SyncReader {
  status(): Promise<SyncStatus>;
}

/** The link of a site to head office. */
export interface SiteSync {
  /** Exchanges a code for a credential, stores it and begins to exchange data. Throws an `OperationError`. */
  connect(cloud_url: string, code: string): Promise<{ readonly enrolment_id: string }>;
  /** Forgets the credential. Returns false if there was none. */
  disconnect(): Promise<boolean>;
  /** Compares everything that both ends have, and stores the receipts. Throws an `OperationError`. */
  verify(): Promise<SyncReceipt[]>;
}

/** Head office, for its gateways. */
export interface HeadOffice extends AsyncDisposable, Disposable {
  /** Answers a message of the gateway with this enrolment. Throws an `OperationError`. */
  exchange(enrolment: string | null, message: Buffer): Promise<Buffer>;
  /** Notes what the gateway with this enrolment says about itself. */
  noteReport(gateway_id: string, report: GatewayReport): void;
  /** Resolves when there may be something new for this gateway, or after some seconds. `after` is an earlier result. */
  hint(enrolment: string | null, after: string | undefined, signal: AbortSignal): Promise<string>;
}
