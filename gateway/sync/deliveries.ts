/** Whether a change that head office made to a record has arrived at its site: read from the log of head office and what the site fetched. */
import type { Delivery } from '#contract/base/delivery.ts';
import { isOurs, isTrimmed } from '#domain/sync/cloud.ts';
import { nodeOf } from '#domain/sync/registers/registers.ts';
import type { LogRow, SyncTx } from '#domain/sync/store.ts';
import { parseTime } from '#store/base/hlc.ts';
import type { SyncStore } from '#store/sync/replica.ts';

/** Most rows of the log of one window that one read looks at. */
const MOST_ROWS = 1_000;
/** Most windows of the log, the newest, in which a change is looked for. */
const MOST_WINDOWS = 10;

/** What a site had fetched at a time: the log of head office up to this row. The marks of a project are in the order of the log. */
interface Fetched {
  readonly n: number;
  /** Absent in marks of earlier versions. */
  readonly chain?: string;
  readonly at: string;
}

interface Asked {
  readonly project_id: string;
  readonly record_id: string;
  readonly gateway_id: string;
  readonly marks: readonly Fetched[];
}

/** Returns the last row after `from`, up to `to`, with which another node than the site changed the record. */
function lastRow(tx: SyncTx, { record_id, gateway_id }: Asked, from: number, to: number): LogRow | undefined {
  return tx
    .rows(from, MOST_ROWS)
    .findLast(
      (row) =>
        row.n <= to &&
        nodeOf(row.from) !== gateway_id &&
        row.members.some(({ collection, id }) => collection === 'records' && id === record_id),
    );
}

const changedAt = ({ hlc }: LogRow): string => new Date(parseTime(hlc).ms).toISOString();

/**
 * Returns where the last change of head office to a record is. Null: head office did not change it in the part of the log that is searched.
 * A site that asks for what follows a row has everything up to that row.
 */
export async function deliveryOf(sync: SyncStore, asked: Asked): Promise<Delivery | null> {
  const { project_id } = asked;
  if (!sync.projects().includes(project_id)) return null;
  return sync.run(project_id, (tx) => {
    // After head office was put back, a site may have fetched rows of a log that is lost.
    const marks = asked.marks.filter(
      ({ n, chain }) => chain === undefined || isOurs(tx, { n, chain }) || isTrimmed(tx, { n, chain }),
    );
    const waiting = lastRow(tx, asked, marks.at(-1)?.n ?? 0, Number.MAX_SAFE_INTEGER);
    if (waiting !== undefined) return { state: 'waits', changed_at: changedAt(waiting), arrived_at: null };
    const least = Math.max(1, marks.length - MOST_WINDOWS);
    for (let i = marks.length - 1; i >= least; i--) {
      const [before, mark] = [marks[i - 1] as Fetched, marks[i] as Fetched];
      const row = lastRow(tx, asked, before.n, mark.n);
      if (row !== undefined) return { state: 'arrived', changed_at: changedAt(row), arrived_at: mark.at };
    }
    return null;
  });
}
