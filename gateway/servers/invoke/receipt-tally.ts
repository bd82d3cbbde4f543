/**
 * Counts the stored receipts of each kind, and those of late writes also for each person. It reads them once, and then follows the commits,
 * also those of other processes of this database.
 */
import type { Change } from '#contract/base/view.ts';
import type { Store } from '#store/open-store.ts';
import { walkChunks } from '#store/walk.ts';

/**
 * The kinds of receipts. Receipts of operations that devices call often have a kind and a limit of their own. So the many receipts of a
 * camera never cause the removal of receipts of people. Receipts of late writes live longer, and are never removed before their time. People
 * without an account cause only receipts of fault reports, which have a limit of their own, too.
 */
export const RECEIPT_KINDS = ['receipt', 'ingest_receipt', 'fault_receipt', 'late_receipt'] as const;
export type ReceiptKind = (typeof RECEIPT_KINDS)[number];

/** The fields of a receipt that are counted. Only receipts of late writes have them. */
interface Counted {
  /** Who wrote. */
  readonly owner?: string;
  readonly bytes?: number;
}

/** Number and size of receipts. */
export interface Tally {
  items: number;
  bytes: number;
}

export interface ReceiptTally {
  /** Resolves when the stored receipts have been read. */
  ready(): Promise<void>;
  /** The receipts of a kind. */
  of(kind: ReceiptKind): Readonly<Tally>;
  /** The receipts of late writes of a person. */
  ofOwner(owner: string): Readonly<Tally>;
}

const NOTHING: Readonly<Tally> = { items: 0, bytes: 0 };
const isKind = (object: string): object is ReceiptKind => (RECEIPT_KINDS as readonly string[]).includes(object);

/** `grown` is called after each commit that stored receipts of a kind. */
export function createReceiptTally(store: Store, grown: (kind: ReceiptKind) => void): ReceiptTally {
  const kinds = new Map<ReceiptKind, Tally>();
  const owners = new Map<string, Tally>();
  /** While the stored receipts are being read: the ids of the receipts that were counted, and of those that were deleted. */
  let reading: { readonly counted: Set<string>; readonly deleted: Set<string> } | undefined;
  let started: Promise<void> | undefined;

  function add(kind: ReceiptKind, { owner, bytes = 0 }: Counted, sign: 1 | -1): void {
    const tally = kinds.get(kind) ?? { items: 0, bytes: 0 };
    kinds.set(kind, tally);
    tally.items += sign;
    tally.bytes += sign * bytes;
    if (owner === undefined) return;
    const own = owners.get(owner) ?? { items: 0, bytes: 0 };
    own.items += sign;
    own.bytes += sign * bytes;
    if (own.items > 0) owners.set(owner, own);
    else owners.delete(owner);
  }

  function count(kind: ReceiptKind, id: string, data: Counted): void {
    if (reading?.counted.has(id) || reading?.deleted.has(id)) return;
    reading?.counted.add(id);
    add(kind, data, 1);
  }

  function follow({ collection, operation, document: { id, object, data } }: Change): void {
    if (collection !== 'local' || !isKind(object)) return;
    if (operation === 'INSERT') {
      count(object, id, data);
      grown(object);
      return;
    }
    if (operation !== 'DELETE') return;
    if (reading === undefined || reading.counted.has(id)) add(object, data, -1);
    reading?.deleted.add(id);
  }

  async function read(): Promise<void> {
    reading = { counted: new Set(), deleted: new Set() };
    const unwatch = store.changes((changes) => changes.forEach(follow));
    try {
      for (const object of RECEIPT_KINDS)
        for await (const some of walkChunks<Counted>(store.node, 'local', { object }))
          for (const { id, data } of some) count(object, id, data);
    } catch (error) {
      // The next call reads again.
      unwatch();
      kinds.clear();
      owners.clear();
      started = undefined;
      throw error;
    } finally {
      reading = undefined;
    }
  }

  return {
    ready: () => {
      started ??= read();
      return started;
    },
    of: (kind) => kinds.get(kind) ?? NOTHING,
    ofOwner: (owner) => owners.get(owner) ?? NOTHING,
  };
}
