/** Removes expired receipts, and the oldest receipts above the limit. */
import { LIMITS } from '#contract/base/limits.ts';
import type { Stored } from '#contract/base/view.ts';
import type { Log } from '#servers/base/log.ts';
import type { Store } from '#store/open-store.ts';
import { createReceiptTally, RECEIPT_KINDS, type ReceiptKind, type ReceiptTally } from './receipt-tally.ts';

/** The fields of a receipt that the sweep (the periodic removal) reads. */
interface Expiring {
  readonly expires_ms: number;
}

export interface ReceiptSweep {
  /** Removes expired receipts, and the oldest receipts above the limit. The gateway calls this function every minute. */
  sweep(): Promise<void>;
  readonly tally: ReceiptTally;
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
  /** Receipts of late writes have no limit here: at their limit the gateway refuses further late writes. */
  const limits: Record<ReceiptKind, number> = {
    receipt: max,
    ingest_receipt: max,
    fault_receipt: LIMITS.fault_receipts.value,
    late_receipt: Number.POSITIVE_INFINITY,
  };
  const tally = createReceiptTally(store, (kind) => {
    if (!sweeping && tally.of(kind).items > limits[kind] + PAGE)
      setImmediate(
        () => void sweep().catch((error) => log('warn', 'expired receipts could not be removed', { error })),
      );
  });
  let sweeping = false;

  async function sweep(): Promise<void> {
    if (sweeping) return;
    sweeping = true;
    try {
      await tally.ready();
      for (const kind of RECEIPT_KINDS) await sweepKind(kind);
    } finally {
      sweeping = false;
    }
  }

  async function sweepKind(object: ReceiptKind): Promise<void> {
    for (;;) {
      const where = { 'data.expires_ms': { lt: clock() } };
      const expired = await store.node.find<Expiring>('local', { object, where, limit: PAGE });
      await remove(object, expired);
      if (expired.length < PAGE) break;
    }
    const over = () => tally.of(object).items - limits[object];
    while (over() > 0) {
      const oldest = await store.node.find<Expiring>('local', { object, order: 'asc', limit: Math.min(PAGE, over()) });
      if (oldest.length === 0) return;
      await remove(object, oldest);
    }
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
  }

  return { sweep, tally };
}
