/**
 * The attention of sites: how urgently each machine needs people, and the order of the machines in trouble. There is one ranking for each
 * project, and every screen, list and answer uses it. It exists only while something uses it.
 */
import type { AttentionReader } from '#contract/context.ts';
import type { Calm } from '#contract/site/trouble.ts';
import type { Attention } from '#contract/work/attention.ts';
import type { Ranking } from '#domain/attention/ranking.ts';
import { type Standing, UNRANKED } from '#domain/board/tiles.ts';
import { type AttentionServices, ProjectAttention } from './project-attention.ts';

/** The rankings of all sites. */
export interface SiteAttention extends AttentionReader {
  /** Opens the ranking of a project. Resolves when it is complete. */
  open(project_id: string): Promise<void>;
  /** Keeps the ranking of a project open for another minute. */
  keep(project_id: string): void;
  /** Returns the place of a machine and its reasons. The ranking must be open. */
  standing(project_id: string, equipment_id: string): Standing;
  /** Returns since when no machine of a site is in trouble, and what ended last; undefined while a machine is in trouble. */
  calm(project_id: string): Calm | undefined;
  /** Calls the listener when a read of alerts, tickets or machines has changed a ranking. Returns the unsubscribe function. */
  onRanked(listener: (project_id: string) => void): () => void;
}

const EVERY_MS = 1_000;
/** A ranking closes when nothing has used it for this long. */
const IDLE_MS = 60_000;
/** The largest number of open rankings. At the limit the one that has been unused for the longest time closes. */
const MOST_PROJECTS = 64;

interface Opened {
  readonly site: ProjectAttention;
  readonly ready: Promise<void>;
  used_ms: number;
}

/** Creates the rankings of a gateway. */
export function createAttention(services: AttentionServices): SiteAttention & Disposable {
  const { store, clock } = services;
  const opened = new Map<string, Opened>();
  const listeners = new Set<(project_id: string) => void>();
  const tell = (project_id: string) => {
    for (const listener of [...listeners]) listener(project_id);
  };

  function obtain(project_id: string): Opened {
    let known = opened.get(project_id);
    if (known === undefined) {
      if (opened.size >= MOST_PROJECTS) closeOldest();
      const site = new ProjectAttention(services, store.view(project_id), () => tell(project_id));
      const ready = site.refresh();
      known = { site, ready, used_ms: clock() };
      opened.set(project_id, known);
      // If the first read fails, the next caller reads again.
      ready.catch(() => opened.delete(project_id));
    }
    known.used_ms = clock();
    return known;
  }

  function closeOldest(): void {
    const [oldest] = [...opened].sort(([, a], [, b]) => a.used_ms - b.used_ms);
    if (oldest !== undefined) opened.delete(oldest[0]);
  }

  const stop = store.changes((changes) => {
    for (const change of changes) opened.get(change.document.project_id)?.site.note(change);
  });
  const timer = setInterval(() => {
    const now_ms = clock();
    for (const [project_id, { site, used_ms }] of opened)
      if (Math.abs(now_ms - used_ms) >= IDLE_MS) opened.delete(project_id);
      else site.tick();
  }, services.everyMs ?? EVERY_MS);
  timer.unref();

  return {
    async open(project_id) {
      await obtain(project_id).ready;
    },
    keep(project_id) {
      obtain(project_id);
    },
    standing: (project_id, equipment_id) => opened.get(project_id)?.site.standing(equipment_id) ?? UNRANKED,
    calm(project_id) {
      const ranking = opened.get(project_id)?.site.ranking;
      return ranking?.steady.shown.length === 0 ? ranking.calm : undefined;
    },
    onRanked(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async read(project_id, equipment_ids) {
      const { site, ready } = obtain(project_id);
      await ready;
      // The caller may just have changed something, so read what has changed before the answer.
      await site.refresh();
      return new Map(
        equipment_ids.flatMap((id): [string, Attention][] => {
          const found = site.ranking === undefined ? undefined : answerOf(site.ranking, id);
          return found === undefined ? [] : [[id, found]];
        }),
      );
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      stop();
      opened.clear();
    },
  };
}

const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

/** Returns the ranking of a machine as the API shows it. */
function answerOf({ machines, in_trouble }: Ranking, id: string): Attention | undefined {
  const found = machines.get(id);
  if (found === undefined) return undefined;
  const { grade, score, place, over, parts, reasons } = found;
  return {
    grade,
    score,
    place: over === undefined ? place : null,
    in_trouble,
    parts,
    reasons: reasons.map(({ grade: own, cause, says, probably = null, trend = null, since_ms, owner = null }) => {
      return { grade: own, cause, says, probably, trend, since: iso(since_ms), owner };
    }),
  };
}
