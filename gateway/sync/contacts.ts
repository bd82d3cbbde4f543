/**
 * When head office last heard each gateway, what the gateway said about itself then, and up to which commit each of its projects has fetched
 * the changes of head office. It is stored at most once a minute for each gateway, so that a restart of head office does not forget it, and
 * so that another process of head office learns of it.
 */
import { OperationError } from '#contract/base/errors.ts';
import { type EnrolmentData, MOST_GATEWAYS } from '#contract/site/sync.ts';
import type { HeardBox } from '#contract/site/sync-boxes.ts';
import type { GatewayReport, SyncContactData } from '#contract/site/sync-report.ts';
import { withBox } from '#domain/sync/boxes.ts';
import type { Position } from '#domain/sync/store.ts';
import type { Store } from '#store/open-store.ts';

const STORE_MS = 60_000;
/** A gateway calls at least once in this time while there is a connection, if it did not say another time. */
const CONTACT_S = 60;
/** A call may come so much later before head office says that there is no connection. */
const LATE_MS = 120_000;
/** Positions that are remembered with their times for each project, the newest. */
const MOST_MARKS = 40;

export type Contact = Omit<SyncContactData, 'gateway_id'>;
const NEVER: Contact = { at: '', report: {}, fetched: {} };

/** The seconds between two calls of a gateway. */
export const contactSeconds = (contact: Contact | undefined): number => contact?.report.contact_s ?? CONTACT_S;

/** True if a gateway that was last heard at this time is late with its next call. */
export const isLate = (at: string, contact_s: number, now: number): boolean =>
  now - Date.parse(at) > contact_s * 1_000 + LATE_MS;

type Mark = Contact['fetched'][string][number];
const OBJECT = 'sync_contact';

/** Adds the newest mark. A gateway that was put back from a backup begins again at a lower number. */
const withMark = (marks: readonly Mark[], mark: Mark): readonly Mark[] =>
  [...marks.filter(({ n }) => n < mark.n), mark].slice(-MOST_MARKS);

const idOf = (gateway_id: string): string => `sync_contact_${gateway_id}`;

export class Contacts {
  readonly #node: Store['node'];
  readonly #clock: () => number;
  readonly #known = new Map<string, Contact>();
  readonly #stored_ms = new Map<string, number>();
  readonly #unwatch: () => void;
  #writing: Promise<unknown> = Promise.resolve();

  constructor({ store, clock }: { readonly store: Pick<Store, 'node'>; readonly clock: () => number }) {
    this.#node = store.node;
    this.#clock = clock;
    this.#unwatch = store.node.changes((changes) => {
      for (const { collection, document } of changes)
        if (collection === 'local' && document.object === OBJECT)
          this.#hear(document.data as unknown as SyncContactData);
    });
  }

  /** Takes what another process of head office heard. */
  #hear({ gateway_id, ...heard }: SyncContactData): void {
    const known = this.#known.get(gateway_id) ?? NEVER;
    const [older, newer] = known.at < heard.at ? [known, heard] : [heard, known];
    const fetched = { ...older.fetched };
    for (const [project, marks] of Object.entries(newer.fetched))
      fetched[project] = [...(older.fetched[project] ?? []), ...marks]
        .sort((a, b) => (a.at < b.at ? -1 : 1))
        .reduce<readonly Mark[]>(withMark, []);
    const report = Object.keys(newer.report).length > 0 ? newer.report : older.report;
    const all = [...(older.boxes ?? []), ...(newer.boxes ?? [])].sort((a, b) => (a.at < b.at ? -1 : 1));
    const boxes = all.reduce<HeardBox[]>(withBox, []);
    this.#known.set(gateway_id, { ...newer, report, fetched, boxes });
  }

  async load(limit: number): Promise<void> {
    const found = await this.#node.find<SyncContactData>('local', { object: OBJECT, limit });
    for (const { data } of found) this.#known.set(data.gateway_id, data);
  }

  /** Undefined if head office never heard this gateway. */
  of(gateway_id: string): Contact | undefined {
    return this.#known.get(gateway_id);
  }

  /** Notes that a gateway was heard now, and what it said about itself if it did. */
  heard(gateway_id: string, report?: GatewayReport): void {
    const before = this.#known.get(gateway_id) ?? NEVER;
    const at = new Date(this.#clock()).toISOString();
    this.#keep(gateway_id, { ...before, at, ...(report !== undefined && { report }) });
  }

  /** Notes that one of several boxes with this identity was heard now. A box that is fenced is not the gateway. */
  heardBox(gateway_id: string, box: HeardBox): void {
    const before = this.#known.get(gateway_id) ?? NEVER;
    const known = before.boxes?.find(({ mark }) => mark === box.mark);
    const boxes = withBox(before.boxes ?? [], box);
    // People of other processes of head office see at once that there is another box.
    if (known?.fenced_at !== box.fenced_at) this.#stored_ms.delete(gateway_id);
    const at = box.fenced_at === null || before.at === '' ? box.at : before.at;
    this.#keep(gateway_id, { ...before, at, boxes });
  }

  /** The last position up to which a gateway has all commits of head office. */
  position(gateway_id: string, project: string): Position | undefined {
    const mark = this.#known.get(gateway_id)?.fetched[project]?.at(-1);
    return mark?.chain === undefined ? undefined : { n: mark.n, chain: mark.chain };
  }

  /** Notes that a gateway was heard now, and has all commits of head office up to this position. */
  fetched(gateway_id: string, project: string, position: Position): void {
    this.#note(gateway_id, project, position, new Date(this.#clock()).toISOString());
  }

  /** Notes up to which position a gateway had all commits when it made a bundle. The gateway was not heard now. */
  reached(gateway_id: string, project: string, position: Position): void {
    this.#note(gateway_id, project, position, undefined);
  }

  #note(gateway_id: string, project: string, { n, chain }: Position, heard: string | undefined): void {
    const before = this.#known.get(gateway_id) ?? NEVER;
    const marks = before.fetched[project] ?? [];
    if (marks.at(-1)?.n === n && marks.at(-1)?.chain === chain) return;
    const at = new Date(this.#clock()).toISOString();
    const next = { ...before.fetched, [project]: withMark(marks, { n, chain, at }) };
    this.#keep(gateway_id, { ...before, at: heard ?? before.at, fetched: next });
  }

  #keep(gateway_id: string, contact: Contact): void {
    this.#known.set(gateway_id, contact);
    const now = this.#clock();
    const last = this.#stored_ms.get(gateway_id);
    if (last !== undefined && now >= last && now - last < STORE_MS) return;
    this.#stored_ms.set(gateway_id, now);
    this.#store(gateway_id);
  }

  #store(gateway_id: string): void {
    const contact = this.#known.get(gateway_id);
    if (contact === undefined) return;
    const data: SyncContactData = { gateway_id, ...contact };
    this.#writing = this.#writing
      .then(() => this.#node.commit([{ collection: 'local', id: idOf(gateway_id), object: OBJECT, data: { ...data } }]))
      // The next contact is stored again. A full disk is reported by the health of the store.
      .catch(() => {});
  }

  /** Stores the newest contacts, and waits until they are stored. */
  async close(): Promise<void> {
    this.#unwatch();
    for (const gateway_id of this.#stored_ms.keys()) this.#store(gateway_id);
    await this.#writing;
  }
}

/** The gateway that used the code of an enrolment, and whether it took the place of another box. */
export interface Box {
  readonly gateway_id: string;
  readonly isNewBox: boolean;
}

/**
 * Returns a function that finds the gateway of an enrolment. It throws `permission_denied` for an enrolment that no gateway has. The gateway
 * stays the same after the code was used, so each enrolment is read once. Whether the enrolment is still valid is checked by the operation
 * of the message, with each message.
 */
export function enrolledBoxes(node: Pick<Store['node'], 'get'>): (enrolment: string | null) => Promise<Box> {
  const known = new Map<string, Box>();
  return async (id) => {
    const before = id === null ? undefined : known.get(id);
    if (before !== undefined) return before;
    const found = id === null ? undefined : await node.get<EnrolmentData>('local', id);
    if (found?.data.gateway_id == null)
      throw new OperationError('permission_denied', 'There is no enrolment for this credential.');
    const box = { gateway_id: found.data.gateway_id, isNewBox: (found.data.replaces ?? null) !== null };
    // Head office has no more valid enrolments than this.
    if (known.size >= MOST_GATEWAYS) known.clear();
    known.set(found.id, box);
    return box;
  };
}
