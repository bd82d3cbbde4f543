/**
 * Couriers of a simulated world: bundles of several volumes with several pages, which are lost, carried twice, carried late, read in part, and
 * read in any order.
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
import type { Commit, SyncTx } from '#domain/sync/store.ts';
import { type CourierSteps, type End, isThereRoom, type World } from './world.ts';

/** The steps of the product. */
export const COURIER: CourierSteps = {
  ...{ openBundle, bundlePage, closeBundle, takeBundlePage, endBundle },
  ...{ openAnswer, answerPage, takeAnswer, takeAnswerPage },
};

const SIZE = { page: 4, bytes: 1_500 };

interface Up {
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

  constructor(world: World) {
    this.#world = world;
    this.#steps = { ...COURIER, ...world.bug.courier };
  }

  /** A random step: an end makes a bundle, or a bundle arrives. */
  step(site: End): void {
    const { random, cloud } = this.#world;
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
      world.run(site, (tx) => this.#steps.closeBundle(tx, head.id, from, at));
      made.push({ head, pages });
      after = at;
      if (pages.length < 3) break;
    }
    this.#up.push(...made);
    return made;
  }

  #import(cloud: End, { head, pages }: Up, most = Number.POSITIVE_INFINITY): void {
    const world = this.#world;
    for (const commits of pages.slice(0, most)) {
      const take = (tx: SyncTx, env: SyncEnv) => this.#steps.takeBundlePage(tx, env, head, commits);
      if (!isThereRoom(() => void world.run(cloud, take))) return;
      // A cloud that is put back ends its process, and with it an import.
      if (world.faults > 0 && world.random.chance(0.05)) return;
    }
    if (most > pages.length) world.run(cloud, (tx) => this.#steps.endBundle(tx, head));
  }

  #answer(gateway: string): Down | undefined {
    const world = this.#world;
    const { cloud, random } = world;
    // Head office knows how far a site has fetched only as long as it remembers the last contact.
    const site = world.sites.find((each) => each.gateway === gateway);
    const fetched = random.chance(0.5) ? site?.twin.tx.siteChannel().pulled : undefined;
    const head = world.run(cloud, (tx) => this.#steps.openAnswer(tx, gateway, fetched));
    if (head === undefined) return undefined;
    const pages: AnswerPage[] = [];
    for (let { after } = head; pages.length < 6; ) {
      const page = world.run(cloud, (tx, env) => this.#steps.answerPage(tx, env, after, SIZE));
      if (page === undefined || page === 'gone') break;
      pages.push(page);
      after = page.to;
    }
    const down = { gateway, head, pages };
    this.#down.push(down);
    return down;
  }

  #take(site: End, { head, pages }: Down, most = Number.POSITIVE_INFINITY): boolean {
    const world = this.#world;
    if (world.run(site, (tx) => this.#steps.takeAnswer(tx, head)) !== 'taken') return false;
    for (const page of pages.slice(0, most)) {
      const take = (tx: SyncTx, env: SyncEnv) => this.#steps.takeAnswerPage(tx, env, head.cloud, page);
      if (!isThereRoom(() => void world.run(site, take))) return false;
    }
    return true;
  }
}
