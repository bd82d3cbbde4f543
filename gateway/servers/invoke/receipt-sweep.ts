/** Removes expired receipts, and the oldest receipts above the limit. */
import type { Stored } from '#contract/base/view.ts';
import type { Log } from '#servers/base/log.ts';
import type { Store } from '#store/open-store.ts';
import { walkChunks } from '#store/walk.ts';

/**
 * The kinds of receipts. Receipts of operations that devices call often have a kind and a limit of their own. So the many receipts of a
 * camera never cause the removal of receipts of people. Receipts of late writes live longer, and are never removed before their time.
 */
const RECEIPT_KINDS = ['receipt', 'ingest_receipt', 'late_receipt'] as const;
export type ReceiptKind = (typeof RECEIPT_KINDS)[number];

/** The fields of a receipt that the sweep (the periodic removal) reads. */
interface Expiring {
  readonly expires_ms: number;
}

export interface ReceiptSweep {
  /** Removes expired receipts, and the oldest receipts above the limit. The gateway calls this function every minute. */
  sweep(): Promise<void>;
  /** Adds newly stored receipts to the count of their kind. If the count exceeds the limit by more than 500, a sweep begins at once. */
  added(kind: ReceiptKind, count: number): void;
  /** Number of stored receipts of a kind; 0 until the first sweep. */
  countOf(kind: ReceiptKind): number;
}

/** Largest number of receipts that one commit of a sweep removes. */
const PAGE = 500;

export function createReceiptSweep(options: {
  store: Store;
  clock: () => number;
  log: Log;
  max: number;
}): ReceiptSweep {
  const { store, clock, log, max } = options;
  /** Number of receipts of each kind; empty until the first sweep. */
  const counts = new Map<ReceiptKind, number>();
  let sweeping = false;

  async function sweep(): Promise<void> {
    if (sweeping) return;
    sweeping = true;
    try {
      for (const kind of RECEIPT_KINDS) await sweepKind(kind);
    } finally {
      sweeping = false;
    }
  }

  async function sweepKind(object: ReceiptKind): Promise<void> {
    counts.set(object, await count(object));
    for (;;) {
      const where = { 'data.expires_ms': { lt: clock() } };
      const expired = await store.node.find<Expiring>('local', { object, where, limit: PAGE });
      await remove(object, expired);
      if (expired.length < PAGE) break;
    }
    if (object === 'late_receipt') return;
    for (let over = countOf(object) - max; over > 0; over = countOf(object) - max) {
      const limit = Math.min(PAGE, over);
      await remove(object, await store.node.find<Expiring>('local', { object, order: 'asc', limit }));
    }
  }

  const countOf = (object: ReceiptKind): number => counts.get(object) ?? 0;

  async function count(object: ReceiptKind): Promise<number> {
    let total = 0;
    for await (const some of walkChunks(store.node, 'local', { object })) total += some.length;
    return total;
  }

  async function remove(object: ReceiptKind, documents: readonly Stored<Expiring>[]): Promise<void> {
    if (documents.length === 0) return;
    await store.node.commit(
      documents.map(({ id, data }) => ({
        collection: 'local',
        id,
        object,
        data: { ...data, body: null },
        deleted: true,
      })),
    );
    counts.set(object, Math.max(0, countOf(object) - documents.length));
  }

  return {
    sweep,
    countOf,
    added(kind, count) {
      const known = counts.get(kind);
      if (known === undefined) return;
      counts.set(kind, known + count);
      if (kind !== 'late_receipt' && known + count > max + PAGE)
        setImmediate(
          () => void sweep().catch((error) => log('warn', 'expired receipts could not be removed', { error })),
        );
    },
  };
}
