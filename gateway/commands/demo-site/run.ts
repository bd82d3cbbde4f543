/**
 * Runs the simulated site of the demo and keeps its state on disk.
 *
 * The demo may be killed at any moment. The next start continues from the state on disk. A meter, such as engine hours, must not step back
 * at this start, because the gateway would record a `meter.reset`. So the state on disk is never older than a published frame. The demo
 * writes the state before it publishes the frames. While the demo runs, it writes the state that the site will have `AHEAD_MS` later.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { FrameBatch } from '#contract/fleet/frame.ts';
import type { LoggerMessage } from '#simulator/logger.ts';
import { createSimulation } from '#simulator/simulation.ts';
import type { Site, SiteSnapshot } from '#simulator/site.ts';

const SEND_MS = 250;
/**
 * Milliseconds by which a newly written state is ahead of the published frames. The demo writes the next state before the frames reach this
 * time.
 */
const AHEAD_MS = 10_000;
/** Milliseconds of simulated past that a new demo publishes first, so that the screens have the whole shift and trends to show. */
const PAST_MS = 12 * 3_600_000;
/** Milliseconds between two frames of a parameter group in the simulated past. */
const PAST_INTERVAL_MS = 15_000;
/** The span of the simulated past, in milliseconds, whose frames the demo puts into one message. */
const PAST_MESSAGE_MS = 60_000;

export interface DemoRun {
  readonly site: Site;
  readonly seed: number;
  /** Path of the file with the state of the site. */
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly publish: (machine: number, frames: FrameBatch, seq: number | null) => void;
  /** Resolves when the queue of unacknowledged messages is short enough for more messages. */
  readonly room: () => Promise<void>;
  readonly stop: AbortSignal;
}

/**
 * Returns the start time, in milliseconds since 1970, of a simulated site that continues from the state `from`. If the state is ahead of
 * the clock, the site starts now, with the meters of that state.
 */
export function startOf(from: SiteSnapshot | undefined, now_ms: number): number {
  return Math.max(now_ms - PAST_MS, Math.min(from?.now_ms ?? 0, now_ms));
}

/** Publishes the simulated past at once, and then frames in real time until `stop` is aborted. */
export async function runDemoSite(run: DemoRun): Promise<void> {
  await publishPast(run);
  const { site, path, clock, stop } = run;
  // From now on the simulated loggers send the frames, including simulated faults such as lost links.
  const simulation = createSimulation(site, run.seed);
  const send = (machine: number, { frames, seq }: LoggerMessage) => run.publish(machine, frames, seq);
  let saved_ms = site.now_ms;
  while (!stop.aborted) {
    const now = clock();
    if (now >= saved_ms) {
      const ahead = site.snapshotAt(now + AHEAD_MS);
      await writeSnapshot(path, ahead);
      saved_ms = now + AHEAD_MS;
    }
    simulation.advance(now, send);
    await sleep(SEND_MS, undefined, { signal: stop }).catch(() => {});
  }
  simulation.finish(send);
  await writeSnapshot(path, site.snapshot());
}

async function publishPast({ site, path, clock, publish, room, stop }: DemoRun): Promise<void> {
  const batches = site.roster.map(() => new FrameBatch(1024));
  while (site.now_ms + PAST_MESSAGE_MS < clock() && !stop.aborted) {
    site.advance(site.now_ms + PAST_MESSAGE_MS, batches, PAST_INTERVAL_MS);
    await writeSnapshot(path, site.snapshot());
    batches.forEach((batch, machine) => {
      publish(machine, batch, null);
      batch.clear();
    });
    await room();
  }
}

/** Reads the state from disk; returns undefined when there is no state that this version can read. */
export async function readSnapshot(path: string): Promise<SiteSnapshot | undefined> {
  try {
    const state = JSON.parse(await readFile(path, 'utf8')) as SiteSnapshot;
    return state.version === 1 ? state : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces the state file atomically: after a kill the file has either the old state or the new state. */
async function writeSnapshot(path: string, snapshot: SiteSnapshot): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(snapshot));
  await rename(`${path}.new`, path);
}
