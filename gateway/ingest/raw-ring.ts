/**
 * The raw ring: removes the oldest segments (files) of the journal when the journal exceeds its limits. Before that it stores a report of
 * lost data.
 */
import { LIMITS } from '#contract/base/limits.ts';
import { NODE_PROJECT } from '#contract/base/view.ts';
import type { FoldState } from '#ingest/fold/fold-state.ts';
import { gapKey, noteGap } from '#ingest/fold/gaps.ts';
import type { Journal } from '#ingest/journal/journal.ts';
import { positionOf, refOf } from '#ingest/journal/position.ts';
import type { Budget } from '#ingest/journal/segment-folder.ts';
import type { StoreWriter } from '#ingest/writer/store-writer.ts';
import { type Headroom, isDiskOk, rawBudget } from './headroom.ts';
import { unreachedEvents } from './unreached.ts';

const DAY_MS = 86_400_000;
const RAW_MS = 30 * DAY_MS;
const RAW_BYTES = 4 * 2 ** 30;
/** Days for which raw messages are kept. */
export const RAW_DAYS = RAW_MS / DAY_MS;

/**
 * Returns the limit of the journal in bytes for a share of the disk in percent; null stands for the default share, but at most 4 GiB.
 * `disk` is the size of the disk in bytes; null if it is unknown.
 */
export function rawLimit(percent: number | null, disk: number | null): number {
  if (disk === null) return RAW_BYTES;
  const share = Math.floor((disk * (percent ?? LIMITS.raw_share.value)) / 100);
  return percent === null ? Math.min(share, RAW_BYTES) : share;
}
/**
 * Before the raw ring removes a segment, it reads the messages of the segment to report which of them are lost. One call reads at most this
 * many bytes.
 */
const READ_BEFORE_TRIM = 256 << 20;

export interface RawRingOptions {
  readonly journal: Journal;
  readonly writer: Pick<StoreWriter, 'writeEvents'>;
  readonly node: string;
  readonly clock: () => number;
  readonly monotonic: () => number;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
  /** The limit of the journal in bytes; by default 4 GiB. */
  readonly bytes?: number | undefined;
  /** Returns false while the clock may be wrong, so that the age of segments is unknown. */
  readonly agesKnown?: (() => boolean) | undefined;
  readonly state: () => FoldState;
  readonly headroom: () => Headroom | undefined;
  /** Returns the position in the journal from which a restart would read. Segments after it are not removed. */
  readonly tail: () => number;
  /** Commits the state of ingest, including its open gaps (records of lost data). */
  readonly commit: () => Promise<void>;
}

/** Creates a function that removes the segments over the limits. */
export function createRawRing(options: RawRingOptions): () => Promise<void> {
  const { journal, clock, monotonic, log } = options;
  const usual = options.bytes ?? RAW_BYTES;
  const clockOffset = clock() - monotonic();

  function budgetNow(): Budget {
    const now = clock();
    // After a jump of the clock the ages of segments are wrong, so remove no segment because of its age.
    const jumped = Math.abs(now - monotonic() - clockOffset) > DAY_MS;
    const olderThanMs = jumped || options.agesKnown?.() === false ? Number.NEGATIVE_INFINITY : now - RAW_MS;
    const maxBytes = rawBudget(options.headroom(), usual, journal.stats().bytes);
    return { maxBytes, olderThanMs, keep: options.tail() };
  }

  /**
   * Records a gap for the segments that are removed early because the disk is short of space, and commits the gap before the removal. A
   * crash between the two leaves segments that the gap already counts, so the gap has the number of the newest counted segment.
   */
  async function reportEarly(budget: Budget): Promise<void> {
    if (budget.maxBytes >= usual) return;
    const { gaps } = options.state();
    const counted = gaps.get(gapKey('raw', options.node))?.segment ?? 0;
    const early = journal.surplus(budget).filter((one) => one.to_ms >= budget.olderThanMs && one.segment > counted);
    if (early.length === 0) return;
    const gap = { what: 'raw', id: options.node, project_id: NODE_PROJECT, count: 1 } as const;
    for (const { segment, bytes, from_ms, to_ms } of early) noteGap(gaps, { ...gap, segment, bytes, from_ms, to_ms });
    await options.commit();
  }

  /** Stores events for messages whose device was linked to no machine; returns the position up to which segments may be removed. */
  async function reportUnreached(budget: Budget): Promise<number> {
    let until = 0;
    let read = 0;
    for (const { segment, bytes } of journal.surplus(budget)) {
      if (read > 0 && read + bytes > READ_BEFORE_TRIM) break;
      read += bytes;
      try {
        await options.writer.writeEvents(await unreachedEvents(journal, options.state(), segment, options.node));
      } catch (error) {
        log('error', 'the loss of raw messages could not be stored', { segment, error: String(error) });
        // The event could not be stored. On a full disk, remove the segment all the same, because its space is needed. With enough space,
        // keep the segment and try again later.
        if (isDiskOk(options.headroom())) break;
      }
      until = positionOf(segment + 1, 0);
    }
    return until;
  }

  return async () => {
    const limits = budgetNow();
    const until = await reportUnreached(limits);
    const budget = { ...limits, keep: Math.min(limits.keep, until) };
    await reportEarly(budget);
    const removed = await journal.trim(budget);
    if (removed.length === 0) return;
    const bytes = removed.reduce((sum, one) => sum + one.bytes, 0);
    log('info', 'the oldest raw messages were removed', {
      segments: removed.length,
      bytes,
      oldest: refOf(journal.start),
    });
  };
}
