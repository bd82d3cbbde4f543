/**
 * Deliberate bugs, one each: the simulator must find every one of them. Each replaces a rule of the protocol or what happens around a
 * message, so the code of the product has no switch for them.
 */
import { handleRequest } from '#domain/sync/cloud.ts';
import type { Answer, Placed, Request } from '#domain/sync/messages.ts';
import { type Doc, makeDoc, type Part } from '#domain/sync/registers/documents.ts';
import { DELETED, isPeoples, type Register, type Value } from '#domain/sync/registers/registers.ts';
import { SYNC_RULES } from '#domain/sync/rules.ts';
import type { CloudChannel, Commit, OwedStore, SyncTx } from '#domain/sync/store.ts';
import { formatTime } from '#store/base/hlc.ts';
import { fullQuarantine, keptBox, lostBefore, sameCommit, sameNumber, samePlace } from './directed.ts';
import type { Bug } from './world.ts';

export interface Control {
  readonly name: string;
  /** It must be found within this many seeds. */
  readonly within: number;
  readonly bug: Bug;
  /** A history that is written by hand, because random ones reach it too seldom. Returns the violation. */
  readonly directed?: (bug: Bug) => string | undefined;
}

type Join = typeof SYNC_RULES.join;

/** Joins as the product does, then lets `change` replace the registers. */
const joinThen =
  (change: (registers: Map<string, Register>, old: Doc | undefined, part: Part) => void): Join =>
  (old, part) => {
    const joined = SYNC_RULES.join(old, part);
    if ('missing' in joined) return joined;
    const registers = new Map(joined.doc.registers);
    change(registers, old, part);
    const doc = makeDoc(joined.doc, registers, joined.doc.rev, joined.doc.grave);
    return { doc, changed: [...part.registers.keys()] };
  };

const lastWriter = joinThen((registers, old, part) => {
  if (old === undefined) return;
  const newest = (of: ReadonlyMap<string, Register>) =>
    [...of.values()]
      .flatMap((register) => register.map(({ hlc }) => hlc))
      .sort()
      .at(-1) ?? '';
  const winner = newest(part.registers) > newest(old.registers) ? part.registers : old.registers;
  for (const [path, register] of winner) registers.set(path, register);
});

/** The newest time of each life in some registers. */
function vectorOf(registers: Iterable<Register>): Map<string, string> {
  const vector = new Map<string, string>();
  for (const register of registers)
    for (const { life, hlc } of register) if (hlc > (vector.get(life) ?? '')) vector.set(life, hlc);
  return vector;
}

const dominance = joinThen((registers, old, part) => {
  if (old === undefined) return;
  const theirs = vectorOf(part.registers.values());
  for (const [life, hlc] of vectorOf(old.registers.values())) if ((theirs.get(life) ?? '') < hlc) return;
  for (const [path, register] of part.registers) registers.set(path, register);
});

const perLife = joinThen((registers) => {
  for (const [path, register] of registers) {
    if (!isPeoples(path)) continue;
    const newest = vectorOf([register]);
    registers.set(
      path,
      register.filter(({ life, hlc }) => newest.get(life) === hlc),
    );
  }
});

const deleteWins = joinThen((registers) => {
  const deletion = registers.get(DELETED)?.[0];
  if (deletion === undefined || deletion.v === null) return;
  const ctx = [...registers].flatMap(([path, register]) => (path === DELETED ? [] : register.map(({ id }) => id)));
  registers.set(DELETED, [{ ...deletion, v: { ctx } }]);
});

const isOrder = (path: string): boolean => path.endsWith('#order');

const withoutOrders = joinThen((registers, old) => {
  for (const path of [...registers.keys()].filter(isOrder)) {
    const own = old?.registers.get(path);
    if (own === undefined) registers.delete(path);
    else registers.set(path, own);
  }
});

const mapCommits = (change: (commits: readonly Commit[]) => readonly Commit[]): Bug => ({
  handle: (tx, env, request, own) =>
    request.type === 'push' ? handleRequest(tx, env, { ...request, commits: change(request.commits) }) : own(),
  take: (_tx, _env, _request, answer) =>
    answer.type === 'pull' ? { ...answer, commits: change(answer.commits) } : answer,
});

const isPoison = (value: Value): boolean => typeof value.v === 'string' && value.v.startsWith('poison');
const hasPoison = ({ docs }: Commit): boolean =>
  docs.some(({ registers }) => [...registers.values()].some((register) => register.some(isPoison)));

const torn = mapCommits((commits) => commits.map((commit) => ({ ...commit, docs: commit.docs.slice(-1) })));

const byStamp = mapCommits((commits) =>
  commits.map((commit) => ({
    ...commit,
    docs: commit.docs.map((part) => ({
      ...part,
      registers: new Map([...part.registers].filter(([, register]) => register.some(({ hlc }) => hlc === commit.hlc))),
    })),
  })),
);

/** A transaction with other functions in place of some of its own. */
function changed(tx: SyncTx, change: Partial<SyncTx>): SyncTx {
  return new Proxy(tx, {
    get(target, name) {
      const value: unknown = Reflect.get(name in change ? change : target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** The answer to a request over a changed transaction. */
const over = (types: readonly Request['type'][], change: (tx: SyncTx, request: Request) => Partial<SyncTx>): Bug => ({
  handle: (tx, env, request, own) =>
    types.includes(request.type) ? handleRequest(changed(tx, change(tx, request)), env, request) : own(),
});

const takeHello = (change: (answer: Extract<Answer, { type: 'hello' }>) => Partial<typeof answer>): Bug => ({
  take: (_tx, _env, _request, answer) => (answer.type === 'hello' ? { ...answer, ...change(answer) } : answer),
});

/** What the cloud says about its backups. */
const promising = (change: (channel: CloudChannel) => Placed | undefined): Bug => ({
  handle: (tx, _env, request, own) => {
    const answer = own();
    if (request.type !== 'hello' || answer.type !== 'hello' || answer.backed_up === undefined) return answer;
    return { ...answer, backed_up: change(tx.cloudChannel(request.gateway)) };
  },
});

const withoutPlace = (answer: Answer): Answer => (answer.type === 'ok' ? { ...answer, place: Number.NaN } : answer);

/** Notes of nothing. */
const FORGETFUL: Partial<OwedStore> = {
  owing: () => undefined,
  owings: () => [],
  setOwing: () => {},
  keys: () => ({}),
  setKeys: () => {},
};

export const CONTROLS: readonly Control[] = [
  { name: 'the last writer of the document wins', within: 1_000, bug: { rules: { join: lastWriter } } },
  { name: 'a document dominates by its times', within: 1_000, bug: { rules: { join: dominance } } },
  { name: 'a later value of a life has seen all of it', within: 1_000, bug: { rules: { join: perLife } } },
  {
    name: 'digest over id and time only',
    within: 1_000,
    bug: { rules: { item: (key, hlc) => SYNC_RULES.item(key, hlc, '') } },
  },
  {
    name: 'no tokens',
    within: 1_000,
    bug: {
      handle: (tx, env, request, own) => {
        if (request.type !== 'push') return own();
        return handleRequest(tx, env, { ...request, after: tx.cloudChannel(request.gateway).tokens.at(-1) });
      },
      ...takeHello(({ verdict }) =>
        verdict === 'first' || verdict === 'fenced' ? {} : { verdict: 'ok', received: [] },
      ),
    },
  },
  {
    name: 'the token of a repair is written at its begin',
    within: 1_000,
    bug: {
      handle: (tx, _env, request, own) => {
        const answer = own();
        if (request.type !== 'begin' || answer.type !== 'begin') return answer;
        const channel = tx.cloudChannel(request.gateway);
        tx.setCloudChannel(request.gateway, { ...channel, tokens: [...channel.tokens, request.step] });
        tx.setLife(request.gateway, request.life);
        return answer;
      },
      take: (tx, _env, request, answer) => {
        if (request.type !== 'begin' || answer.type !== 'begin') return answer;
        const channel = tx.siteChannel();
        const sent = Array.from({ length: 6 }, () => tx.head().n);
        const tokens = [...channel.tokens, { token: request.step, sent }];
        const issued = [...channel.issued, request.step];
        const repaired = channel.asked + 1;
        tx.setSiteChannel({
          ...channel,
          tokens,
          issued,
          repaired,
          sent,
          pulled: answer.head,
          cloud: answer.life,
          pending: [],
        });
        tx.setNode({ ...tx.node(), fresh: false });
        return answer;
      },
    },
  },
  {
    name: 'hello writes what it learned',
    within: 1_000,
    bug: {
      handle: (tx, _env, request, own) => {
        if (request.type === 'hello' && request.life.number > (tx.life(request.gateway)?.number ?? 0))
          tx.setLife(request.gateway, request.life);
        return own();
      },
      take: (tx, _env, _request, answer) => {
        if (answer.type !== 'hello' || answer.last === undefined || answer.verdict === 'fenced') return answer;
        const channel = tx.siteChannel();
        const sent = channel.tokens.at(-1)?.sent ?? Array.from({ length: 6 }, () => 0);
        const tokens = [...channel.tokens, { token: answer.last, sent }];
        const issued = [...channel.issued, ...answer.received];
        const isPending = channel.pending.some(({ token }) => token === answer.last);
        if (answer.last !== channel.tokens.at(-1)?.token && !isPending) {
          tx.setSiteChannel({ ...channel, tokens, issued, cloud: answer.cloud.life });
          tx.setNode({ ...tx.node(), fresh: false });
        }
        return answer;
      },
    },
  },
  {
    name: 'a page is acknowledged before it is applied',
    within: 1_000,
    bug: {
      handle: (tx, env, request, own) => {
        const isLost = request.type === 'push' && Number(request.token.replace(/^.*[.]/, '')) % 7 === 0;
        return isLost ? handleRequest(tx, env, { ...request, commits: [] }) : own();
      },
    },
  },
  {
    name: 'a bad document drops its page',
    within: 1_000,
    bug: mapCommits((commits) => (commits.some(hasPoison) ? [] : commits)),
  },
  { name: 'a commit is torn', within: 1_000, bug: torn },
  { name: 'a page has fields by their time', within: 1_000, bug: byStamp },
  {
    name: 'a repair does not give a site its own values',
    within: 1_000,
    bug: {
      handle: (_tx, _env, request, own) => {
        const answer = own();
        if (answer.type !== 'give') return answer;
        const isOwn = (part: Part) =>
          [...part.registers.values()].some((register) =>
            register.some(({ life }) => life.startsWith(`${request.gateway}.`)),
          );
        return { ...answer, parts: answer.parts.filter((part) => !isOwn(part)) };
      },
    },
  },
  { name: 'repaired documents are not in the log', within: 1_000, bug: over(['give'], () => ({ append: () => {} })) },
  {
    name: 'a site that was put back keeps its life',
    within: 1_000,
    bug: takeHello(({ verdict, received }) =>
      verdict === 'site_behind' || verdict === 'forked' || received.length > 0
        ? { verdict: verdict === 'ok' || verdict === 'arrived' ? verdict : 'cloud_behind', received: [] }
        : {},
    ),
  },
  {
    name: 'no fence',
    within: 1_000,
    bug: over(['hello', 'push', 'pull', 'begin', 'give', 'end'], (_tx, request) => ({ life: () => request.life })),
  },
  {
    name: 'times from the wall clock alone',
    within: 1_000,
    bug: { rules: { nextHlc: (_clock, now) => formatTime({ ms: Math.floor(now), counter: 0 }) } },
  },
  {
    name: 'each end keeps its own order of a list',
    within: 1_000,
    bug: { rules: { join: withoutOrders } },
  },
  { name: 'a deletion beats an edit', within: 1_000, bug: { rules: { join: deleteWins } } },
  {
    name: 'machinery is taken from above',
    within: 1_000,
    bug: { rules: { mayWriteMachinery: () => true, againstDown: () => undefined } },
  },
  {
    name: 'the verdict comes from numbers',
    within: 1_000,
    bug: { custody: ({ waiting, verdict }) => (waiting === 0 && verdict === 'incomplete' ? 'complete' : verdict) },
  },
  {
    name: 'the verdict does without the ledger',
    within: 1_000,
    bug: {
      custody: ({ verdict, missing, quarantined, gaps }) => {
        if (verdict !== 'incomplete' || missing.length + quarantined.length > 0) return verdict;
        return gaps.length > 0 ? 'declared_gap' : 'complete';
      },
    },
  },
  {
    name: 'facts are removed when they are acknowledged',
    within: 1_000,
    bug: { rules: { mayRemove: ({ isConfirmed }) => isConfirmed } },
  },
  {
    name: 'only the newest backup of the cloud counts',
    within: 1_000,
    bug: promising(({ backups }) => backups?.at(-1)),
  },
  {
    name: 'a backup counts for what came after it began',
    within: 1_000,
    bug: promising(({ tokens, count = 0 }) => ({ token: tokens.at(-1) ?? '', place: count })),
  },
  {
    name: 'a fact that was removed by age comes back',
    within: 1_000,
    bug: { rules: { staysAway: () => false } },
  },
  {
    name: 'a page is taken although the cloud lost what came before it',
    within: 1,
    directed: lostBefore,
    bug: {
      handle: (tx, env, request, own) =>
        request.type === 'push' ? handleRequest(tx, env, { ...request, after: undefined }) : own(),
      take: (_tx, _env, request, answer) => (request.type === 'push' ? withoutPlace(answer) : answer),
    },
  },
  {
    name: 'two pages may have one place',
    within: 1,
    directed: samePlace,
    bug: { take: (_tx, _env, request, answer) => (request.type === 'push' ? withoutPlace(answer) : answer) },
  },
  {
    name: 'a box takes the order for another one',
    within: 1,
    directed: keptBox,
    bug: { isChosen: ({ fenced_at }, kept) => fenced_at !== null && kept !== undefined },
  },
  {
    name: 'a position without a mark',
    within: 1,
    directed: sameNumber,
    bug: over(['hello', 'pull'], (tx, request) => {
      const mark = request.type === 'hello' ? request.pulled : request.type === 'pull' ? request.after : undefined;
      const row = (n: number) => {
        const own = tx.row(n);
        return own !== undefined && n === mark?.n ? { ...own, chain: mark.chain } : own;
      };
      return { row };
    }),
  },
  {
    name: 'what has no room in the quarantine is confirmed and not noted',
    within: 1,
    directed: fullQuarantine,
    bug: over(['push', 'give'], (tx) => ({ owed: { ...tx.owed, ...FORGETFUL } })),
  },
  {
    name: 'a fact is taken although its record is only noted',
    within: 1,
    directed: fullQuarantine,
    bug: over(['push', 'give'], (tx) => ({ owed: { ...tx.owed, keys: () => ({}) } })),
  },
  {
    name: 'a site removes facts although head office only noted some',
    within: 1,
    directed: fullQuarantine,
    bug: {
      take: (_tx, _env, _request, answer) => ('owed' in answer ? { ...answer, owed: undefined } : answer),
    },
  },
  {
    name: 'a mark without the chain',
    within: 1,
    directed: sameCommit,
    bug: { rules: { chain: (_previous, key) => key } },
  },
];
