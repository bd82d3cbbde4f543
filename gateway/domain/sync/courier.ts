/**
 * Bundles that a person carries between the ends. A bundle is joined like a page, in any order and beside the network. The cloud answers with
 * a bundle that names the commits it took, and brings its own commits.
 */
import { applyCommits } from './apply.ts';
import { waitingRows, withIssued, withToken } from './channels.ts';
import { senderOf } from './cloud.ts';
import { keyOf } from './documents.ts';
import type { SyncEnv } from './env.ts';
import { isSameLife } from './lives.ts';
import { commitsOf, outgoingOf } from './pages.ts';
import type { Commit, Life, Position, SyncTx } from './store.ts';

export interface UpBundle {
  readonly id: string;
  readonly gateway: string;
  readonly life: Life;
  /** The last bundle whose answer the site has. */
  readonly acked?: string | undefined;
  readonly pulled: Position;
  readonly commits: readonly Commit[];
}

export interface DownBundle {
  /** The bundle that this one answers. */
  readonly id: string;
  /** Keys of the commits that the cloud has; none if it did not take the life of the box. */
  readonly keys: readonly string[];
  /** The cloud does not know the last acknowledged bundle: it was put back from a backup. */
  readonly lost: boolean;
  readonly cloud: string;
  readonly after: Position;
  readonly to: Position;
  readonly commits: readonly Commit[];
}

/** Makes the bundle of a site: up to `limit` commits that wait, with whole documents. */
export function exportBundle(tx: SyncTx, env: SyncEnv, limit: number): UpBundle {
  const { id: gateway, life } = tx.node();
  const channel = tx.siteChannel();
  const rows = waitingRows(tx, channel, limit).slice(0, limit);
  const all = rows.flatMap(({ members }) => members.map(keyOf));
  const commits = commitsOf(tx, rows, all, outgoingOf(env, gateway));
  const id = env.token();
  tx.setSiteChannel({ ...channel, issued: withIssued(channel, id) });
  return { id, gateway, life, acked: channel.bundle, pulled: channel.pulled, commits };
}

/** Applies a bundle of a site at the cloud, and returns the answer to carry back. */
export function importBundle(tx: SyncTx, env: SyncEnv, bundle: UpBundle, limit: number): DownBundle {
  const { gateway, life, pulled } = bundle;
  const channel = tx.cloudChannel(gateway);
  const lost = bundle.acked !== undefined && !channel.bundles.includes(bundle.acked);
  const known = tx.life(gateway);
  const isConfirmed = isSameLife(known, life);
  const quarantined = new Set(
    applyCommits(tx, env, { ...senderOf(bundle), way: 'bundle', fenced: !isConfirmed }, bundle.commits),
  );
  if (isConfirmed) tx.setCloudChannel(gateway, { ...channel, bundles: withToken(channel.bundles, bundle.id) });
  const keys = isConfirmed ? bundle.commits.map(({ key }) => key).filter((key) => !quarantined.has(key)) : [];
  const isOurs = pulled.n === 0 || tx.row(pulled.n)?.chain === pulled.chain;
  const rows = isOurs ? tx.rows(pulled.n, limit) : [];
  const last = rows.at(-1);
  const given = rows.filter(({ from }) => from !== senderOf(bundle).life);
  const all = given.flatMap(({ members }) => members.map(keyOf));
  const commits = commitsOf(tx, given, all, outgoingOf(env, tx.node().id)).filter(({ docs }) => docs.length > 0);
  const to = last === undefined ? pulled : { n: last.n, chain: last.chain };
  return { id: bundle.id, keys, lost, cloud: tx.node().id, after: pulled, to, commits };
}

/**
 * Applies the answer at the site. Returns false, and applies nothing, if this box does not know the bundle that it answers: it was put back
 * since, so commits before the answer may be missing here.
 */
export function importAnswer(tx: SyncTx, env: SyncEnv, answer: DownBundle): boolean {
  if (!tx.siteChannel().issued.includes(answer.id)) return false;
  applyCommits(tx, env, { node: answer.cloud, life: answer.cloud, way: 'bundle' }, answer.commits);
  const channel = tx.siteChannel();
  const keys = new Set(answer.keys);
  const carried = waitingRows(tx, channel, Number.MAX_SAFE_INTEGER).flatMap(({ n, key }) => (keys.has(key) ? [n] : []));
  const isNext = answer.after.n === channel.pulled.n && answer.after.chain === channel.pulled.chain;
  tx.setSiteChannel({
    ...channel,
    carried: answer.lost ? [] : [...channel.carried, ...carried],
    // The cloud may have lost commits that this answer brought out of order: a repair compares them.
    asked: channel.asked + (answer.lost || (!isNext && answer.commits.length > 0) ? 1 : 0),
    ...(answer.keys.length > 0 && { bundle: answer.id }),
    ...(isNext && { pulled: answer.to }),
  });
  return true;
}
