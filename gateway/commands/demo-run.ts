/**
 * Runs the simulated site of the demo and keeps its state on disk.
 *
 * The demo may be killed at any moment and then continues from the state on disk. Meters must not step back, because the gateway would
 * record a `meter.reset`. So the state on disk is always at least as far as every frame that was published: it is written before
 * frames are published, and during live operation it is the state that the site will have `AHEAD_MS` later.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { FrameBatch } from '#contract/fleet/frame.ts';
import type { LoggerMessage } from '#simulator/logger.ts';
import { createSimulation } from '#simulator/simulation.ts';
import type { Site, SiteSnapshot } from '#simulator/site.ts';

const SEND_MS = 250;
/** The state on disk is this far ahead of the frames when it is written, and is written again before they reach it. */
const AHEAD_MS = 10_000;
/** A new demo first publishes this much of the past, so that trends have something to show. */
const PAST_MS = 32 * 60_000;
/** Each parameter group is sent at this interval in the past, and each message holds a minute. */
const PAST_INTERVAL_MS = 5_000;
const PAST_MESSAGE_MS = 60_000;

export interface DemoRun {
  readonly site: Site;
  readonly seed: number;
  /** File of the state. */
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly publish: (machine: number, frames: FrameBatch, seq: number | null) => void;
  /** Resolves when the broker has acknowledged enough to take more. */
  readonly room: () => Promise<void>;
  readonly stop: AbortSignal;
}

/**
 * When a site that continues from `from` starts. The state on disk may be ahead of the clock; the site then starts now with the meters
 * of that state.
 */
export function startOf(from: SiteSnapshot | undefined, now_ms: number): number {
  return Math.max(now_ms - PAST_MS, Math.min(from?.now_ms ?? 0, now_ms));
}

/** Publishes the past of the site at once, then follows the clock until `stop`. */
export async function runDemoSite(run: DemoRun): Promise<void> {
  await publishPast(run);
  const { site, path, clock, stop } = run;
  // From here on the simulated loggers send the frames, with their faults.
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

/** The state on disk; undefined when there is none that this version can read. */
export async function readSnapshot(path: string): Promise<SiteSnapshot | undefined> {
  try {
    const state = JSON.parse(await readFile(path, 'utf8')) as SiteSnapshot;
    return state.version === 1 ? state : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces the file atomically: a process that is killed leaves the old state or the new one. */
async function writeSnapshot(path: string, snapshot: SiteSnapshot): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(snapshot));
  await rename(`${path}.new`, path);
}
