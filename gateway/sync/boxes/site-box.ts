/** How this box names itself at head office, in case that another one has its identity, such as a copy of its disk. */
import { hostname, networkInterfaces } from 'node:os';
import type { BoxReport } from '#contract/site/sync-boxes.ts';
import { type BoxName, boxNow, isChosen, keepBox } from '#domain/sync/boxes.ts';
import { waitingCounts } from '#domain/sync/channels.ts';
import { parseTime } from '#store/base/hlc.ts';
import type { Store } from '#store/open-store.ts';
import type { SyncStore } from '#store/sync/replica.ts';

const BOX = 'sync_box';
const HOST_LENGTH = 60;

interface SiteBoxOptions {
  readonly store: Pick<Store, 'node'>;
  readonly sync: SyncStore;
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
}

/** The first address of this computer in its own network. */
function ownAddress(): string | null {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? null;
}

export class SiteBox {
  readonly #options: SiteBoxOptions;
  #name: BoxName | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: SiteBoxOptions) {
    this.#options = options;
  }

  async load(): Promise<void> {
    this.#name = (await this.#options.store.node.get<BoxName>('local', BOX))?.data;
  }

  /** What this box tells about itself now. */
  report(): Promise<BoxReport> {
    return this.#inTurn(() => this.#report());
  }

  /** Two answers at the same time must not give this box two marks. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#turn.catch(() => {}).then(work);
    this.#turn = next;
    return next;
  }

  async #report(): Promise<BoxReport> {
    const { sync, clock, random } = this.#options;
    let [isFenced, newest, waiting] = [false, '', 0];
    for (const project of sync.projects())
      await sync.run(project, (tx) => {
        const channel = tx.siteChannel();
        const { clock: last } = tx.node();
        isFenced ||= channel.fenced;
        if (last > newest) newest = last;
        for (const count of waitingCounts(tx, channel)) waiting += Math.max(0, count);
        // Head office has only the names of these.
        waiting += channel.owed ?? 0;
      });
    const at = new Date(clock()).toISOString();
    const name = boxNow(this.#name, isFenced, at, () => Buffer.from(random(4)).toString('hex'));
    // If it cannot be stored now, a restart takes another mark; the exchange goes on.
    await this.#keep(name).catch(() => {});
    const newest_at = newest === '' ? null : new Date(parseTime(newest).ms).toISOString();
    const host = hostname().slice(0, HOST_LENGTH) || 'unknown';
    return { ...name, host, address: ownAddress(), newest_at, waiting };
  }

  /** Head office answered a call. Returns true if a person chose this box: then it becomes the site, in each project in which it is fenced. */
  chosen(kept: string): Promise<boolean> {
    return this.#inTurn(() => this.#chosen(kept));
  }

  async #chosen(kept: string): Promise<boolean> {
    const name = this.#name;
    if (name === undefined || !isChosen(name, kept)) return false;
    const { sync } = this.#options;
    for (const project of sync.projects()) await sync.run(project, keepBox);
    // If the other box is chosen before the next call, this one takes a new mark.
    await this.#keep({ ...name, fenced_at: null });
    return true;
  }

  async #keep(name: BoxName): Promise<void> {
    if (name === this.#name) return;
    this.#name = name;
    await this.#options.store.node.commit([{ collection: 'local', id: BOX, object: BOX, data: { ...name } }]);
  }
}
