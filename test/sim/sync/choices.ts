/** People at head office who choose one of several boxes with one identity, and the calls with which boxes hear of it. */
import { type BoxName, boxNow, isChosen, keepBox, withBox } from '#domain/sync/boxes.ts';
import type { SyncEnv } from '#domain/sync/env.ts';
import type { SyncTx } from '#domain/sync/store.ts';
import { Random } from '#test/sim/random.ts';
import type { End } from './end.ts';

type Heard = BoxName & { readonly at: string };

const SEED = 215;

/** What choices use of the world. */
interface Calls {
  readonly now: number;
  readonly faults: number;
  readonly bug: { readonly isChosen?: typeof isChosen };
  readonly counts: { kept: number };
  token(): string;
  run<T>(end: End, step: (tx: SyncTx, env: SyncEnv) => T): T;
}

export class Choices {
  readonly #world: Calls;
  /** Choices of its own numbers, so that the steps of a history stay those of its seed. */
  readonly #random = new Random(SEED);
  readonly #names = new Map<End, BoxName>();
  readonly #heard = new Map<string, Heard[]>();
  /** All orders of a gateway; the last one counts, until a cloud that is put back has an earlier one. */
  readonly #orders = new Map<string, string[]>();

  constructor(world: Calls) {
    this.#world = world;
  }

  /** A box that was copied with its disk has the name of the other one. */
  copied(site: End, copy: End): void {
    const name = this.#names.get(site);
    if (name !== undefined) this.#names.set(copy, name);
  }

  /** The cloud was put back from a backup, and has forgotten the newest orders. */
  forget(): void {
    for (const orders of this.#orders.values()) orders.splice(this.#random.int(orders.length + 1));
  }

  /** A box calls, and hears which box was chosen. With faults, the answer may be lost. */
  call(site: End): void {
    const world = this.#world;
    const { fenced } = site.twin.tx.siteChannel();
    const at = new Date(world.now).toISOString();
    const name = boxNow(this.#names.get(site), fenced, at, () => world.token());
    this.#names.set(site, name);
    if (world.faults > 0 && this.#random.chance(0.2)) return;
    this.#heard.set(site.gateway, withBox(this.#heard.get(site.gateway) ?? [], { ...name, at }));
    if (world.faults > 0 && this.#random.chance(0.2)) return;
    const kept = this.#orders.get(site.gateway)?.at(-1);
    if (!(world.bug.isChosen ?? isChosen)(name, kept)) return;
    world.run(site, keepBox);
    world.counts.kept++;
    this.#names.set(site, { ...name, fenced_at: null });
    site.link.close();
  }

  /** Sometimes a person at head office keeps this box, which is fenced, or another one of its gateway. */
  decides(site: End): boolean {
    if (this.#random.chance(0.4)) return false;
    this.call(site);
    const boxes = this.#heard.get(site.gateway) ?? [];
    const own = this.#random.chance(0.7) ? boxes.find(({ mark }) => mark === this.#names.get(site)?.mark) : undefined;
    if (boxes.length > 0) this.keep(site.gateway, (own ?? this.#random.pick(boxes)).mark);
    return true;
  }

  keep(gateway: string, mark: string): void {
    this.#orders.set(gateway, [...(this.#orders.get(gateway) ?? []), mark]);
  }

  markOf(site: End): string {
    return this.#names.get(site)?.mark ?? '';
  }
}
