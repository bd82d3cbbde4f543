/** What people see of the link of a site to head office. */

import { spoken } from '#contract/base/told.ts';
import type { SyncLane, SyncLinkData, SyncProject, SyncStatus } from '#contract/site/sync.ts';
import type { BoxReport } from '#contract/site/sync-boxes.ts';
import type { LinkBudget } from '#contract/site/sync-budget.ts';
import type { LinkFiles } from '#contract/site/sync-files.ts';
import type { Takeover } from '#contract/site/sync-takeover.ts';
import { waitingCounts, waitingOf } from '#domain/sync/channels.ts';
import type { SyncEnv } from '#domain/sync/env.ts';
import { owedBy } from '#domain/sync/owed.ts';
import { bytesOf, commitsOf, outgoingOf } from '#domain/sync/pages.ts';
import type { SyncTx } from '#domain/sync/store.ts';
import { parseTime } from '#store/base/hlc.ts';
import type { SyncStore } from '#store/sync/replica.ts';
import { LANE_NAMES, linkSentence } from './sentences.ts';
import type { SiteLoop } from './site-loop.ts';

/** Changes of a lane that are measured. The others are taken to be as large on average. */
const MEASURED = 10;

const timeOf = (ms: number | null | undefined): string | null => (ms == null ? null : new Date(ms).toISOString());

export async function siteStatus(of: {
  readonly nodeId: string;
  readonly sync: SyncStore;
  readonly clock: () => number;
  readonly link: SyncLinkData | undefined;
  readonly loop: SiteLoop | undefined;
  readonly settings: { readonly url: string | null };
  readonly files: LinkFiles | null;
  readonly budget: LinkBudget;
  readonly takeover: Takeover | null;
  readonly box: BoxReport | null;
}): Promise<SyncStatus> {
  const { nodeId, sync, clock, link, loop, settings, files, budget, takeover, box } = of;
  const projects: SyncProject[] = [];
  const owed = { there: 0, here: 0 };
  for (const project_id of loop === undefined ? [] : sync.projects()) {
    const { owes, ...project } = await sync.run(project_id, (tx, env) => {
      const here = owedBy(tx, link?.cloud_id ?? '');
      const state = projectState(tx, env, {
        project_id,
        here,
        repairing: loop?.sessionOf(project_id)?.isRepairing === true,
      });
      return { ...state, owes: { there: tx.siteChannel().owed ?? 0, here } };
    });
    projects.push(project);
    owed.there += owes.there;
    owed.here += owes.here;
  }
  const now = clock();
  const seen = loop?.state;
  const waiting = projects.reduce((sum, project) => sum + project.waiting, 0);
  // A change that was made a moment ago is not sent yet. What an end only noted is not there.
  const isBehind = waiting + owed.there + owed.here > 0;
  const state = seen === undefined ? 'off' : seen.state === 'in_step' && isBehind ? 'catching_up' : seen.state;
  // Another project may be behind.
  const isEqual = (project: string): boolean =>
    state === 'in_step' || (state === 'catching_up' && loop?.sessionOf(project)?.isIdle === true);
  const last_contact_ms = seen?.last_contact_ms ?? null;
  const error = seen?.error ?? null;
  return {
    object: 'sync_status',
    role: 'site',
    gateway_id: nodeId,
    state,
    ...spoken(
      linkSentence({
        ...{ state, waiting, now, last_contact_ms, error, usedUp: budget.state === 'used_up' },
        owed,
        given_back: takeover?.given_back ?? null,
      }),
    ),
    since: timeOf(seen?.since_ms),
    cloud_url: link === undefined ? settings.url : (settings.url ?? link.cloud_url),
    cloud_id: link?.cloud_id ?? null,
    last_contact_at: timeOf(last_contact_ms),
    in_step_at: timeOf(seen?.in_step_ms),
    next_try_at: timeOf(seen?.next_try_ms),
    error,
    takeover,
    projects: projects.map((project) => ({ ...project, in_step: project.in_step && isEqual(project.project_id) })),
    files,
    budget,
    live: null,
    box,
    gateways: [],
  };
}

interface Seen {
  readonly project_id: string;
  /** Documents that head office owes this site. */
  readonly here: number;
  readonly repairing: boolean;
}

function projectState(tx: SyncTx, env: SyncEnv, { project_id, here, repairing }: Seen): SyncProject {
  const channel = tx.siteChannel();
  const counts = waitingCounts(tx, channel);
  const lanes = counts.flatMap((waiting, lane): SyncLane[] => {
    const name = LANE_NAMES[lane];
    if (waiting <= 0 || name === undefined) return [];
    const rows = waitingOf(tx, channel, lane, MEASURED);
    const [first] = rows;
    const commits = commitsOf(tx, rows, [], outgoingOf(env, tx.node().id));
    const measured = commits.reduce((sum, commit) => sum + bytesOf(commit), 0);
    const bytes = Math.round((measured / Math.max(1, rows.length)) * waiting);
    const oldest_at = first === undefined ? null : timeOf(parseTime(first.hlc).ms);
    return [{ lane: name, waiting, bytes, oldest_at }];
  });
  const waiting = lanes.reduce((sum, lane) => sum + lane.waiting, 0);
  const not_taken = tx.quarantined().length + here;
  const isOwed = here + (channel.owed ?? 0) > 0;
  return {
    project_id,
    in_step: waiting === 0 && !repairing && !isOwed,
    waiting,
    lanes,
    not_taken,
    conflicts: tx.conflicted().length,
    repairing,
  };
}
