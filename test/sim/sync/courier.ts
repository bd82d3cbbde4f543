/**
 * Couriers of a simulated world: bundles of several volumes with several pages, which are lost, carried twice, carried late, read in part, and
 * read in any order. When couriers are busy, sticks of long ago are read again, sticks cross, files reach the wrong site, and files of head
 * office have several volumes.
 */
import { ALL_LANES } from '#domain/sync/channels.ts';
import {
  type AnswerHead,
  type AnswerPage,
  answerPage,
  type BundleHead,
  bundlePage,
  closeBundle,
  endBundle,
  openAnswer,
  openBundle,
  takeAnswer,
  takeAnswerPage,
  takeBundlePage,
} from '#domain/sync/courier.ts';
import type { SyncEnv } from '#domain/sync/env.ts';
import type { Commit, Position, SiteChannel, SyncTx } from '#domain/sync/store.ts';
import type { Random } from '#test/sim/random.ts';
import type { End } from './end.ts';
import { Violation } from './truth.ts';
import { type CourierSteps, isThereRoom, type World } from './world.ts';

/** The steps of the product. */
export const COURIER: CourierSteps = {
  ...{ openBundle, bundlePage, closeBundle, takeBundlePage, endBundle },
  ...{ openAnswer, answerPage, takeAnswer, takeAnswerPage },
  // The file of the product: `bundle-file.ts` finds out that the end is missing, and the couriers compare the gateways.
  hasEnd: (read, all) => read >= all,
  isFor: (gateway, receiver) => gateway === receiver,
};

const SIZE = { page: 4, bytes: 1_500 };
/** Files of each direction that somebody may find again. */
const MOST_OLD = 30;

interface Up {
  /** The gateway whose key the file is encrypted with. */
  readonly gateway: string;
  readonly head: BundleHead;
  readonly pages: readonly (readonly Commit[])[];
}

interface Down {
  readonly gateway: string;
  readonly head: AnswerHead;
  readonly pages: readonly AnswerPage[];
}

export class Courier {
  readonly #world: World;
  readonly #steps: CourierSteps;
  readonly #up: Up[] = [];
  readonly #down: Down[] = [];
  /** Files of long ago that somebody may find. */
  readonly #old: { readonly up: Up[]; readonly down: Down[] } = { up: [], down: [] };
  /** The files of sites that head office has read to their end. */
  readonly #whole = new Set<string>();
  readonly #busy: boolean;

  constructor(world: World, busy = false) {
    this.#world = world;
    this.#busy = busy;
    this.#steps = { ...COURIER, ...world.bug.courier };
  }

  /** A random step: an end makes a bundle, or a bundle arrives. */
  step(site: End): void {
    const { random, cloud } = this.#world;
    if (this.#busy && random.chance(0.35)) {
      this.#rare(site);
      return;
    }
    const roll = random.next();
    const isFenced = site.twin.tx.siteChannel().fenced;
    if (roll < 0.3 && !isFenced) this.#export(site);
    else if (roll < 0.45) this.#answer(site.gateway);
    else if (roll < 0.75 && this.#up.length > 0) {
      const up = random.pick(this.#up);
      // The stick is pulled out, or the process is killed, before the end of the file.
      const most = random.chance(0.25) ? random.int(up.pages.length + 1) : undefined;
      this.#import(cloud, up, most);
      if (random.chance(0.7)) this.#up.splice(this.#up.indexOf(up), 1);
    } else if (!isFenced) {
      const mine = this.#down.filter(({ gateway }) => gateway === site.gateway);
      if (mine.length === 0) return;
      const down = random.pick(mine);
      this.#take(site, down, random.chance(0.25) ? random.int(down.pages.length + 1) : undefined);
      if (random.chance(0.7)) this.#down.splice(this.#down.indexOf(down), 1);
    }
  }

  /** What happens seldom: a stick is lost, an old one is found, two sticks cross, or a file reaches the wrong end. */
  #rare(site: End): void {
    const { random, cloud, sites } = this.#world;
    const roll = random.next();
    const isFenced = site.twin.tx.siteChannel().fenced;
    const ups = this.#old.up;
    const downs = this.#old.down.filter(({ gateway }) => gateway === site.gateway);
    if (roll < 0.15) {
      if (this.#up.length > 0) this.#up.splice(random.int(this.#up.length), 1);
    } else if (roll < 0.35) {
      if (ups.length > 0) this.#import(cloud, random.pick(ups));
    } else if (roll < 0.55) {
      if (downs.length > 0 && !isFenced) this.#take(site, random.pick(downs));
    } else if (roll < 0.8 && !isFenced) {
      // Both sticks are on their way at the same time, and the files of one are read in any order.
      const up = this.#export(site);
      const down = this.#answers(site.gateway);
      for (const each of shuffled(up, random)) this.#import(cloud, each);
      for (const each of shuffled(down, random)) this.#take(site, each);
    } else {
      const other = sites.find(({ gateway }) => gateway !== site.gateway);
      const [down] = downs;
      if (other !== undefined && down !== undefined && !other.twin.tx.siteChannel().fenced) this.#take(other, down);
      const up = ups.at(-1);
      if (other !== undefined && up !== undefined && up.head.gateway === site.gateway)
        this.#import(cloud, { ...up, gateway: other.gateway });
    }
  }

  /** A bundle to the cloud, and the answer back. Returns what the site says about the answer. */
  journey(site: End): boolean {
    this.deliver(site);
    const down = this.#answer(site.gateway);
    return down !== undefined && this.#take(site, down);
  }

  /** A bundle to the cloud. */
  deliver(site: End): void {
    for (const up of this.#export(site)) this.#import(this.#world.cloud, up);
  }

  #export(site: End): Up[] {
    const world = this.#world;
    const made: Up[] = [];
    let after: readonly number[] = [];
    for (let volume = 0; volume < 3; volume++) {
      const { head, from } = world.run(site, (tx, env) => this.#steps.openBundle(tx, env, after));
      // The process is killed after it began a bundle.
      if (world.faults > 0 && world.random.chance(0.1)) break;
      const pages: Commit[][] = [];
      const at = [...from];
      for (const lane of ALL_LANES)
        while (pages.length < 3) {
          const next = world.run(site, (tx, env) => this.#steps.bundlePage(tx, env, lane, at[lane] ?? 0, SIZE));
          if (next === undefined) break;
          at[lane] = next.to;
          pages.push(next.commits);
          if (world.faults > 0) world.meanwhile(site);
        }
      const { sent } = site.twin.tx.siteChannel();
      world.run(site, (tx) => this.#steps.closeBundle(tx, head.id, from, at));
      this.#checkSite(site, { sent });
      made.push({ gateway: site.gateway, head, pages });
      after = at;
      if (pages.length < 3) break;
    }
    this.#up.push(...made);
    this.#old.up.push(...made);
    this.#old.up.splice(0, this.#old.up.length - MOST_OLD);
    return made;
  }

  #import(cloud: End, { gateway, head, pages }: Up, most = Number.POSITIVE_INFINITY): void {
    const world = this.#world;
    if (!this.#steps.isFor(head.gateway, gateway)) return;
    if (head.gateway !== gateway)
      throw new Violation(`[Y99] a file of ${head.gateway} was taken for one of ${gateway}`);
    for (const commits of pages.slice(0, most)) {
      const take = (tx: SyncTx, env: SyncEnv) => this.#steps.takeBundlePage(tx, env, head, commits);
      if (!isThereRoom(() => void world.run(cloud, take))) return;
      // A cloud that is put back ends its process, and with it an import.
      if (world.faults > 0 && world.random.chance(0.05)) return;
    }
    const read = Math.min(most, pages.length + 1);
    if (!this.#steps.hasEnd(read, pages.length + 1)) return;
    const counts = world.run(cloud, (tx) => this.#steps.endBundle(tx, head));
    if (counts && read > pages.length) this.#whole.add(head.id);
    const { bundles } = cloud.twin.tx.cloudChannel(head.gateway);
    if (new Set(bundles).size < bundles.length) throw new Violation(`[Y58] a file of ${head.gateway} counts twice`);
  }

  /** An answer of the cloud. Returns what takes it, now or later, and as often as a person reads it. */
  written(site: End): (most?: number) => boolean {
    const down = this.#answer(site.gateway);
    return (most) => down !== undefined && this.#take(site, down, most);
  }

  /** A bundle that somebody carries. Returns what gives it to the cloud. */
  carried(site: End): () => void {
    const ups = this.#export(site);
    return () => {
      for (const up of ups) this.#import(this.#world.cloud, up);
    };
  }

  /** A file of the cloud for a site. */
  #answer(gateway: string): Down | undefined {
    return this.#answers(gateway, this.#busy ? 2 : 1)[0];
  }

  /** The files of an export of the cloud. While it is written, others write, and the log may lose rows. */
  #answers(gateway: string, volumes = 3): Down[] {
    const made: Down[] = [];
    for (let before: Position | undefined; made.length < volumes; ) {
      const [down, at] = this.#answerFile(gateway, before) ?? [];
      if (down === undefined || at === undefined) break;
      made.push(down);
      if (down.pages.length < 6) break;
      before = at;
      const site = this.#world.sites.find((each) => each.gateway === gateway);
      const writes = this.#busy && this.#world.faults > 0 ? this.#world.random.pick([0, 2, 60]) : 0;
      for (let i = 0; site !== undefined && i < writes; i++) this.#world.meanwhile(site);
    }
    this.#down.push(...made);
    this.#old.down.push(...made);
    this.#old.down.splice(0, this.#old.down.length - MOST_OLD);
    return made;
  }

  #answerFile(gateway: string, before: Position | undefined): readonly [Down, Position] | undefined {
    const world = this.#world;
    const { cloud, random } = world;
    // Head office knows how far a site has fetched only as long as it remembers the last contact.
    const site = world.sites.find((each) => each.gateway === gateway);
    const fetched = random.chance(0.5) ? site?.twin.tx.siteChannel().pulled : undefined;
    const head = world.run(cloud, (tx) => this.#steps.openAnswer(tx, gateway, fetched, before));
    if (head === undefined) return undefined;
    const pages: AnswerPage[] = [];
    let { after } = head;
    while (pages.length < 6) {
      const page = world.run(cloud, (tx, env) => this.#steps.answerPage(tx, env, after, SIZE));
      if (page === undefined || page === 'gone') break;
      pages.push(page);
      after = page.to;
    }
    return [{ gateway, head, pages }, after];
  }

  #take(site: End, { gateway, head, pages }: Down, most = Number.POSITIVE_INFINITY): boolean {
    const world = this.#world;
    if (!this.#steps.isFor(gateway, site.gateway)) return false;
    if (gateway !== site.gateway) throw new Violation(`[Y99] ${site.name} took a file for ${gateway}`);
    const { sent } = site.twin.tx.siteChannel();
    const taken = world.run(site, (tx) => this.#steps.takeAnswer(tx, head));
    this.#checkSite(site, { sent });
    if (taken !== 'taken') return false;
    for (const page of pages.slice(0, most)) {
      const { pulled } = site.twin.tx.siteChannel();
      const take = (tx: SyncTx, env: SyncEnv) => this.#steps.takeAnswerPage(tx, env, head.cloud, page);
      if (!isThereRoom(() => void world.run(site, take))) return false;
      if (site.twin.tx.siteChannel().pulled.n < pulled.n)
        throw new Violation(`[Y58] a file moved the position of ${site.name} back from ${pulled.n}`);
    }
    return true;
  }

  /** A file counts as arrived only after head office has read it to its end, and no file moves what is sent back. */
  #checkSite(site: End, before: Pick<SiteChannel, 'sent'>): void {
    const { courier, sent } = site.twin.tx.siteChannel();
    for (const { id, acked } of courier?.volumes ?? [])
      if (acked && !this.#whole.has(id)) throw new Violation(`[Y94] ${site.name} counts ${id} as arrived too early`);
    for (const [lane, n] of sent.entries())
      if (n < (before.sent[lane] ?? 0)) throw new Violation(`[Y58] a file moved what ${site.name} has sent back`);
  }
}

const shuffled = <T>(list: readonly T[], random: Random): T[] =>
  list
    .map((each) => [random.next(), each] as const)
    .sort(([a], [b]) => a - b)
    .map(([, each]) => each);
