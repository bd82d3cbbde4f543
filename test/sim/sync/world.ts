/**
 * A simulated world: sites and a cloud as stores in memory, people who write at all ends, machinery at the sites, and a network that loses
 * requests and answers, repeats pages and delivers them late. All choices come from one seed.
 */
import { isDeepStrictEqual } from 'node:util';
import { QuarantineFull, retryQuarantine } from '#domain/sync/apply.ts';
import type { isChosen } from '#domain/sync/boxes.ts';
import { NEW_SITE_CHANNEL } from '#domain/sync/channels.ts';
import { type Brought, broughtBy, handleRequest, needAnswer } from '#domain/sync/cloud.ts';
import { type Custody, CustodyCheck } from '#domain/sync/custody.ts';
import { kindOf, type SyncEnv } from '#domain/sync/env.ts';
import { becomeGateway, chooseBox } from '#domain/sync/lives.ts';
import type { Answer, Request } from '#domain/sync/messages.ts';
import type { LocalWrite } from '#domain/sync/node.ts';
import { type Doc, keyOf, type Part } from '#domain/sync/registers/documents.ts';
import { decompose } from '#domain/sync/registers/paths.ts';
import { isMachinerys, isPeoples, makeValue } from '#domain/sync/registers/registers.ts';
import { SYNC_RULES, type SyncRules } from '#domain/sync/rules.ts';
import type { Commit, SyncTx } from '#domain/sync/store.ts';
import type { Random } from '#test/sim/random.ts';
import { Choices } from './choices.ts';
import { End, type Sent } from './end.ts';
import { People } from './people.ts';
import { Truth, Violation } from './truth.ts';
import { MemoryTwin, type Twin } from './twin.ts';

/** A deliberate bug: it replaces a rule of the protocol, or what happens around a message. */
export interface Bug {
  readonly rules?: Partial<SyncRules>;
  /** Instead of the cloud's own answer. */
  readonly handle?: (tx: SyncTx, env: SyncEnv, request: Request, own: () => Answer) => Answer;
  /** Before a site takes an answer. */
  readonly take?: (tx: SyncTx, env: SyncEnv, request: Request, answer: Answer) => Answer;
  /** Instead of the verdict of a custody check. */
  readonly custody?: (custody: Custody) => string;
  /** Instead of the answer whether a person chose a box. */
  readonly isChosen?: typeof isChosen;
  /** Instead of steps with bundles. */
  readonly courier?: Partial<CourierSteps>;
}

/** What ends do with bundles. */
export type CourierSteps = Pick<
  typeof import('#domain/sync/courier.ts'),
  | 'openBundle'
  | 'bundlePage'
  | 'closeBundle'
  | 'takeBundlePage'
  | 'endBundle'
  | 'openAnswer'
  | 'answerPage'
  | 'takeAnswer'
  | 'takeAnswerPage'
> & {
  /** True if so many of the parts of a file are a whole file. */
  readonly hasEnd: (read: number, all: number) => boolean;
  /** True if a file that names this gateway is for this end, or from it. */
  readonly isFor: (gateway: string, receiver: string) => boolean;
};

export interface Counts {
  commits: number;
  contacts: number;
  pages: number;
  restores: number;
  clones: number;
  replaced: number;
  fences: number;
  /** Boxes that a person at head office chose, and that heard of it. */
  kept: number;
  lives: number;
  digests: number;
  rounds: number;
  joins: number;
  quarantined: number;
  /** Answers that said that documents were only noted. */
  owed: number;
  graves: number;
  bundles: number;
  purges: number;
  needs: number;
  verdicts: Record<string, number>;
}

/** Requests of a contact that are on their way at the same time. */
const MOST_OPEN = 5;

/** Makes the store of a node. */
export type MakeTwin = (id: string, token: string, world: World) => Twin;

const START = Date.UTC(2026, 0, 1);

export class World {
  readonly random: Random;
  readonly people: People;
  readonly truth = new Truth();
  readonly choices = new Choices(this);
  readonly cloud: End;
  readonly ends: End[];
  readonly bug: Bug;
  readonly counts: Counts = {
    ...{
      commits: 0,
      contacts: 0,
      pages: 0,
      restores: 0,
      clones: 0,
      replaced: 0,
      fences: 0,
      kept: 0,
      lives: 0,
      digests: 0,
      rounds: 0,
      joins: 0,
    },
    ...{ quarantined: 0, owed: 0, graves: 0, bundles: 0, purges: 0, needs: 0, verdicts: {} },
  };
  now = START;
  poison = true;
  faults = 1;
  /** Requests that the network delivers much later. */
  readonly late: Request[] = [];
  /** Commits that the cloud puts into its next page, although nobody made them. */
  readonly forged: Commit[] = [];
  /** Documents that were a grave at one of the ends. */
  readonly graves = new Set<string>();
  /** What happens while requests are on their way. */
  meanwhile: (site: End) => void = () => {};
  readonly #make: MakeTwin;
  readonly #rules: SyncRules;
  /** The number of tokens that were made. */
  tokens = 0;

  constructor(random: Random, bug: Bug = {}, make: MakeTwin = (id, token) => new MemoryTwin(id, token)) {
    this.random = random;
    this.bug = bug;
    this.#make = make;
    this.people = new People(random.fork());
    const join: SyncRules['join'] = (old, part) => {
      const joined = (bug.rules?.join ?? SYNC_RULES.join)(old, part);
      this.counts.joins++;
      if (!('missing' in joined)) this.truth.checkJoin(old, part.registers, joined.doc);
      return joined;
    };
    this.cloud = new End('cloud', 'cloud', make('cloud', this.token(), this));
    this.ends = [this.cloud];
    for (const name of ['A', 'B']) this.ends.push(new End(name, 'site', make(`gw_${name}`, this.token(), this)));
    const newer = random.pick([undefined, ...this.ends]);
    if (newer !== undefined) newer.newer = true;
    // In half of the histories the quarantine has hardly any room.
    const commits = newer === undefined ? 1 : newer.role === 'cloud' ? 2 : undefined;
    const quarantine = commits === undefined ? SYNC_RULES.quarantine : { commits, keys: 1_000 };
    this.#rules = { ...SYNC_RULES, log: { rows: 40, every: 8 }, quarantine, ...bug.rules, join };
  }

  get sites(): End[] {
    return this.ends.filter(({ role }) => role === 'site');
  }

  token(): string {
    return `t${++this.tokens}`;
  }

  env(end: End): SyncEnv {
    return {
      role: end.role,
      now: this.now + end.skew,
      ownership: end.twin.ownership,
      rules: this.#rules,
      token: () => this.token(),
      check: (part) => (this.poison && isPoison(part) ? 'invalid_document' : undefined),
    };
  }

  /** Runs a transaction of an end, and checks the facts that it brought. */
  run<T>(end: End, work: (tx: SyncTx, env: SyncEnv) => T, brought?: Brought): T {
    const result = end.twin.run((tx) => work(tx, this.env(end)), brought && { env: this.env(end), brought });
    for (const key of end.twin.docs.keys()) {
      if (end.checked.has(key) || !key.startsWith('events/')) continue;
      this.truth.checkFact(key, (of) => end.twin.docs.get(of));
      end.checked.add(key);
    }
    return result;
  }

  /** A commit of people or machinery at an end. With `bound`, the second document is a fact about what the first one writes. */
  commit(end: End, writes: readonly LocalWrite[], bound: boolean): void {
    const olds = writes.map((write) => end.twin.docs.get(keyOf(write)));
    const row = end.twin.commit(this.env(end), writes);
    this.#checkMachinery(end, writes);
    if (row === undefined) return;
    this.counts.commits++;
    for (const [i, write] of writes.entries()) {
      const doc = end.twin.docs.get(keyOf(write));
      if (doc !== undefined && doc !== olds[i]) this.truth.wrote(olds[i], doc);
      if (write.collection === 'events' || write.collection === 'telemetry') end.made.add(keyOf(write));
    }
    const [first, event] = writes;
    const doc = first && end.twin.docs.get(keyOf(first));
    const paths = row.members[0]?.paths ?? [...(doc?.registers.keys() ?? [])];
    const path = paths.find(isPeoples);
    if (bound && event !== undefined && doc !== undefined && path !== undefined && row.members.length > 1)
      this.truth.bind(keyOf(event), doc, path);
  }

  /** The node has what its machinery wrote last, whatever its clock says. */
  #checkMachinery(end: End, writes: readonly LocalWrite[]): void {
    for (const write of writes) {
      if (write.data === undefined) continue;
      const doc = end.twin.docs.get(keyOf(write));
      for (const [path, v] of decompose(kindOf(this.env(end), write.collection, write.object), write.data)) {
        if (!isMachinerys(path) || isDeepStrictEqual(doc?.registers.get(path)?.[0]?.v ?? null, v)) continue;
        throw new Violation(`[Y19] ${end.name} wrote ${keyOf(write)} ${path}, and has an older value`);
      }
    }
  }

  /** The cloud gets a request. */
  deliver(request: Request): Answer {
    const { cloud, bug } = this;
    try {
      return this.run(
        cloud,
        (tx, env) => {
          const own = () => handleRequest(tx, env, request);
          return bug.handle?.(tx, env, request, own) ?? own();
        },
        broughtBy(request),
      );
    } catch (error) {
      const need = needAnswer(error);
      if (need === undefined) throw error;
      this.counts.needs++;
      return need;
    }
  }

  /** One step of a contact: a new request, a request that arrives, or an answer that arrives. Returns false when the contact is over. */
  #step(site: End, open: Sent[]): boolean {
    const { random } = this;
    if (this.faults > 0 && random.chance(0.06)) this.meanwhile(site);
    if (random.chance(0.2))
      for (const { request, answer } of site.stale.splice(0, 1)) this.#give(site, request, answer as Answer);
    if (open.length === 0 || (open.length < MOST_OPEN && random.chance(0.4))) {
      if (random.chance(0.02)) site.link.pullAgain();
      const urgent = random.chance(0.3);
      const request = this.#ask(site, urgent) ?? (urgent ? this.#ask(site, false) : undefined);
      if (request !== undefined) open.push({ request, answer: undefined });
      else if (open.length === 0) return false;
    }
    const sent = random.pick(open);
    const lost = this.faults > 0 && random.chance(0.05);
    if (lost) site.link.close();
    if (lost) return false;
    if (sent.answer === undefined) {
      const isTaken = isThereRoom(() => {
        sent.answer = this.#arrive(sent.request);
      });
      if (isTaken) return true;
      open.splice(open.indexOf(sent), 1);
      if (site.link.dropEarly(sent.request)) return true;
      site.link.close();
      return false;
    } else {
      open.splice(open.indexOf(sent), 1);
      this.#give(site, sent.request, sent.answer);
    }
    return true;
  }

  #ask(site: End, urgent: boolean): Request | undefined {
    const { random, counts } = this;
    const request = this.run(site, (tx, env) => site.link.next(tx, env, { urgent }));
    if (request?.type === 'push') counts.pages++;
    if (request?.type === 'digest') counts.digests += request.ranges.length;
    if (request !== undefined && this.faults > 0 && random.chance(0.03)) this.late.push(request);
    return request;
  }

  #arrive(request: Request): Answer {
    const answer = this.deliver(request);
    const last = this.faults > 0 && this.random.chance(0.04) ? this.deliver(request) : answer;
    if (last.type === 'ok') this.counts.quarantined += last.quarantined.length;
    if ('owed' in last) this.counts.owed++;
    return last.type === 'pull' && this.forged.length > 0
      ? { ...last, commits: [...last.commits, ...this.forged.splice(0)] }
      : last;
  }

  #give(site: End, request: Request, given: Answer): void {
    try {
      this.run(site, (tx, env) => site.link.take(tx, env, request, this.bug.take?.(tx, env, request, given) ?? given));
    } catch (error) {
      if (!this.run(site, (tx) => site.link.failed(tx, error))) throw error;
      this.counts.needs++;
    }
    if (site.twin.tx.siteChannel().fenced) this.counts.fences++;
  }

  /** A contact of a site with the cloud, until nothing is left or the network ends it. */
  contact(site: End, most: number): void {
    this.counts.contacts++;
    this.choices.call(site);
    const open: Sent[] = [];
    for (let i = 0; i < most; i++) if (!this.#step(site, open)) break;
    site.link.close();
    if (this.faults === 0) return;
    site.stale = open.filter(({ answer }) => answer !== undefined);
    for (const { request, answer } of open)
      if (answer === undefined && this.random.chance(0.5)) this.late.push(request);
  }

  /** The cloud has a value in a field of machinery that is not from its home, as after a bug or an attack. */
  injected(doc: Doc, text: string): void {
    this.cloud.twin.run((tx) => {
      const env = this.env(this.cloud);
      const path = [...doc.registers.keys()].find(isMachinerys);
      if (path === undefined) return;
      const stamp = { life: this.cloud.twin.life, hlc: env.rules.nextHlc(tx.node().clock, env.now, []) };
      tx.setNode({ ...tx.node(), clock: stamp.hlc });
      const part = { ...doc, registers: new Map([[path, [makeValue(path, text, stamp)]]]) };
      this.forged.push({ ...stamp, key: `forged ${text}`, lane: 3, docs: [part] });
    });
  }

  /** An end tries again what it could not take. */
  retry(end: End): void {
    this.run(end, retryQuarantine);
  }

  /** The box of a site broke, and there is no backup: a new box with an empty disk takes its place. */
  replace(site: End): void {
    this.counts.replaced++;
    const twin = this.#make(site.gateway, this.token(), this);
    twin.ownership = site.twin.ownership;
    site.twin = twin;
    for (const key of site.made) site.lost.add(key);
    site.made = new Set();
    site.purged = new Set();
    site.backups = [];
    site.checked.clear();
    site.stale = [];
    site.link.close();
  }

  /** A person decides about a box that was fenced: a gateway of its own, or the one that counts. */
  decide(site: End, own = 0.6): void {
    const env = this.env(site);
    const twins = this.sites.filter((other) => other !== site && other.gateway === site.gateway);
    site.twin.run((tx) => {
      if (twins.length > 0 && this.random.chance(own)) {
        becomeGateway(tx, env, `${site.gateway}${this.token()}`, NEW_SITE_CHANNEL);
        // The history of the earlier identity belongs to the other box.
        site.made = new Set([...site.made].filter((key) => !key.startsWith('telemetry/')));
      } else chooseBox(tx, env);
    });
    site.link.close();
  }

  /** Checks the custody of a site, without faults of the network. */
  custody(site: End): ReturnType<CustodyCheck['result']> {
    const check = new CustodyCheck(site.gateway, this.cloud.gateway);
    for (;;) {
      const request = site.twin.run((tx) => check.next(tx));
      if (request === undefined) break;
      const answer = this.cloud.twin.run((tx) => handleRequest(tx, this.env(this.cloud), request));
      site.twin.run((tx) => check.take(tx, answer));
    }
    this.counts.rounds += check.rounds;
    return site.twin.run((tx) => check.result(tx));
  }
}

/** Does a step at an end. Returns false if it changed nothing, because the quarantine is full. */
export function isThereRoom(step: () => void): boolean {
  try {
    step();
    return true;
  } catch (error) {
    if (error instanceof QuarantineFull) return false;
    throw error;
  }
}

const isPoison = (part: Part): boolean =>
  [...part.registers.values()].some((register) =>
    register.some(({ v }) => typeof v === 'string' && v.startsWith('poison')),
  );
