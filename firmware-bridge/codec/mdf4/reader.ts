/**
 * Reads the CAN frames of MDF 4.1 files, which may be unfinalized, unsorted, zipped or cut off. It reads forward, and its memory does
 * not grow with the file.
 */

import type { ByteSource } from '#codec/byte-source.ts';
import { type LogBus, type LogCounters, LogFileError, type LogGap, type LogInfo } from '#codec/log-types.ts';
import { FIRST_DATE_US } from '#codec/times.ts';
import type { LogZone } from '#codec/wall-clock.ts';
import { UTC_CLOCK, type WallClock } from '#codec/wall-clock.ts';
import { FrameBatch } from '#contract/fleet/frame.ts';
import {
  Mdf4Damage,
  type Mdf4DataGroup,
  type Mdf4Group,
  type Mdf4Header,
  mdf4Bytes,
  readGroups,
  readHeader,
} from './blocks.ts';
import { readMdf4Comments } from './comments.ts';
import { type Inflate, Mdf4Store } from './data.ts';
import { FrameOrder } from './frame-order.ts';
import { type FramePlan, readPlan } from './plan.ts';
import { Mdf4Records } from './records.ts';

type ReportGap = (gap: Omit<LogGap, 'at_frame'>, at_frame: number) => void;

export interface Mdf4File {
  readonly info: LogInfo;
  readonly counters: LogCounters;
  /** Returns the frames; call it only once. The iterator returns the same batch object each time, and the next iteration overwrites it. */
  batches(): Generator<FrameBatch, void, undefined>;
}

const BUFFER_BYTES = 256 << 10;
/** Total size of the read buffers of all data groups, in bytes. */
const BUFFERS_BYTES = 16 << 20;
const SMALLEST_BUFFER = 16 << 10;
/**
 * The largest number of data groups with frames that are read. A logger writes all frames into one data group. After a tool has sorted the
 * file, it has one data group for each channel group.
 */
const MOST_DATA_GROUPS = 1_024;
const MOST_FRAME_GROUPS = 4_096;

/** Opens an MDF 4.1 file; throws a `LogFileError` when its header is damaged or it has no group of CAN frames. */
export function openMdf4(source: ByteSource, inflate: Inflate, gap: ReportGap, wall = UTC_CLOCK): Mdf4File {
  const bytes = mdf4Bytes(source);
  const counters = { frames: 0, unparsable: 0, skipped: 0 };
  const report = ({ code, at_byte, message }: Mdf4Damage) => gap({ code, at_byte, message }, counters.frames);
  const { header, zone } = inZone(
    firstHeader(() => readHeader(bytes)),
    wall,
  );
  const all = readGroups(bytes, header.firstGroup, report);
  const plans = new Map<Mdf4Group, FramePlan>();
  for (const { groups } of all)
    for (const group of groups) {
      try {
        const plan = readPlan(bytes, group);
        if (plan === undefined) continue;
        if (plans.size === MOST_FRAME_GROUPS)
          throw new Mdf4Damage(
            'too_large',
            group.at,
            `The file has more than ${MOST_FRAME_GROUPS} groups of frames, which is the limit; this group was not read.`,
          );
        plans.set(group, plan);
      } catch (error) {
        if (!(error instanceof Mdf4Damage)) throw error;
        report(error);
      }
    }
  if (plans.size === 0)
    throw new LogFileError(
      'not_a_log',
      'The MDF file contains measured signals, but no CAN frames (no channel group CAN_DataFrame). Export it with bus events, or record the CAN bus.',
    );
  const withFrames = all.filter(({ data, groups }) => data !== 0 && groups.some((group) => plans.has(group)));
  const used = withFrames.slice(0, MOST_DATA_GROUPS);
  if (used.length < withFrames.length)
    report(
      new Mdf4Damage(
        'too_large',
        withFrames[MOST_DATA_GROUPS]?.at ?? 0,
        `The file has more than ${MOST_DATA_GROUPS} data groups with frames, which is the limit; the other groups were not read.`,
      ),
    );
  const store = new Mdf4Store(bytes, header.unfinished, inflate);
  const withoutFrames = all.filter((group) => !withFrames.includes(group) && group.recordIdSize === 0);
  for (const { groups } of withoutFrames) counters.skipped += groups[0]?.isValues ? 0 : (groups[0]?.cycles ?? 0);
  const order = new FrameOrder();

  function open(group: Mdf4DataGroup): Mdf4Records {
    const share = Math.floor(BUFFERS_BYTES / used.length);
    const buffer = Math.max(SMALLEST_BUFFER, Math.min(BUFFER_BYTES, share));
    return new Mdf4Records(group, plans, store, header.start_ns, buffer, counters, report);
  }

  function* batches(): Generator<FrameBatch, void, undefined> {
    const [first, second] = used;
    const fill = first !== undefined && second === undefined ? single(open(first)) : merged(used.map(open));
    for (let more = true; more; ) {
      while (more && !order.isFull) more = fill(order);
      const batch = order.take(!more);
      given += batch.count;
      if (batch.count > 0) yield batch;
      order.drop();
    }
  }
  let given = 0;

  const comments = readMdf4Comments(bytes, header, [...plans.keys()]);
  return {
    info: infoOf(header, zone, comments.info, comments.buses),
    counters: {
      get frames() {
        return given;
      },
      get unparsable() {
        return counters.unparsable;
      },
      get skipped() {
        return counters.skipped;
      },
      get late() {
        return order.late;
      },
    },
    batches,
  };
}

function firstHeader(read: () => Mdf4Header): Mdf4Header {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Mdf4Damage)) throw error;
    throw new LogFileError(
      'damaged',
      `${error.message} No frame of the file can be read; copy the file from the logger again.`,
      {
        cause: error,
      },
    );
  }
}

/** Returns false when the clock of the logger was never set, because the start time is then near 1970. */
const isDated = ({ start_ns }: Mdf4Header): boolean => start_ns / 1000n >= BigInt(FIRST_DATE_US);

/** Returns the header with its start time in UTC. A local start time is converted with the time zone that the caller assumes. */
function inZone(header: Mdf4Header, wall: WallClock): { header: Mdf4Header; zone: LogZone | null } {
  if (!header.local || !isDated(header)) return { header, zone: null };
  const { us, zone } = wall(Number(header.start_ns / 1000n));
  return { header: { ...header, start_ns: BigInt(us) * 1000n + (header.start_ns % 1000n) }, zone };
}

function infoOf(
  header: Mdf4Header,
  zone: LogZone | null,
  foundInfo: Partial<LogInfo>,
  buses: readonly LogBus[],
): LogInfo {
  const dated = isDated(header);
  return {
    started_us: dated ? Number(header.start_ns / 1000n) : null,
    comment: null,
    device_type: null,
    serial_number: null,
    firmware: null,
    session: null,
    split: null,
    tool: header.program || null,
    ...foundInfo,
    buses,
    clock: dated ? 'device' : 'relative',
    local_time: header.local,
    zone,
    wrapping: [],
  };
}

type Fill = (order: FrameOrder) => boolean;

const single =
  (records: Mdf4Records): Fill =>
  (order) =>
    records.fill(order.work, order.work.t.length);

const HEAD_FRAMES = 65_536;

/** Merges the frames of several data groups by time. A heap contains the next frame of each group. */
function merged(groups: readonly Mdf4Records[]): Fill {
  const room = Math.max(64, Math.min(4_096, Math.floor(HEAD_FRAMES / Math.max(1, groups.length))));
  const heads = groups.map((records) => {
    const batch = new FrameBatch(room);
    // The batch never grows, so it keeps its payload buffer, and `words` stays a view of this buffer.
    return { records, batch, words: new Uint32Array(batch.data.buffer), at: 0, more: true };
  });
  type Head = (typeof heads)[number];
  const heap: Head[] = [];
  const next = (head: Head) => head.batch.t[head.at] as number;

  function load(head: Head): boolean {
    head.batch.clear();
    head.at = 0;
    while (head.more && head.batch.count === 0) head.more = head.records.fill(head.batch, room);
    return head.batch.count > 0;
  }

  /**
   * Puts a head (the next frame of one group) into the heap at index `from`. If a head below this index is earlier, the function moves that
   * head up and goes on in its place.
   */
  function sink(head: Head, from: number): void {
    const t = next(head);
    let at = from;
    for (;;) {
      let child = at * 2 + 1;
      let least = heap[child];
      if (least === undefined) break;
      const right = heap[child + 1];
      if (right !== undefined && next(right) < next(least)) {
        least = right;
        child++;
      }
      if (next(least) >= t) break;
      heap[at] = least;
      at = child;
    }
    heap[at] = head;
  }

  let begun = false;
  return (order) => {
    if (!begun) {
      begun = true;
      for (const head of heads) if (load(head)) heap.push(head);
      for (let i = (heap.length >> 1) - 1; i >= 0; i--) sink(heap[i] as Head, i);
    }
    while (heap.length > 0 && !order.isFull) {
      const head = heap[0] as Head;
      const left = heap[1] === undefined ? Number.POSITIVE_INFINITY : next(heap[1]);
      const until = heap[2] === undefined ? left : Math.min(left, next(heap[2]));
      const { batch } = head;
      const { work, words } = order;
      do {
        const i = head.at++;
        const t = batch.t[i] as number;
        const bus = batch.bus[i] as number;
        const id = batch.id[i] as number;
        const flags = batch.flags[i] as number;
        const len = batch.len[i] as number;
        if (len > 8) {
          work.push(t, bus, id, flags, batch.long, batch.at[i] as number, len);
          continue;
        }
        const n = work.count++;
        work.t[n] = t;
        work.bus[n] = bus;
        work.id[n] = id;
        work.flags[n] = flags;
        work.len[n] = len;
        words[n * 2] = head.words[i * 2] as number;
        words[n * 2 + 1] = head.words[i * 2 + 1] as number;
      } while (head.at < batch.count && next(head) <= until && !order.isFull);
      if (head.at < batch.count || load(head)) sink(head, 0);
      else {
        const last = heap.pop() as Head;
        if (heap.length > 0) sink(last, 0);
      }
    }
    return heap.length > 0;
  };
}
