/**
 * Reads the records of one data group as frames.
 *
 *   unsorted   id, record, id, record, ...      each id is a channel group: a frame, a variable value, or something else
 *   sorted     record, record, ...              of one channel group
 *
 * The payload of a frame may be in a separate record, called a variable value, which loggers write directly after the record of the frame.
 * The reader keeps the frame in memory until it has read this value. For each group of values, at most 4,096 frames wait for their values,
 * and at most 4,096 values wait for their frames. If there are more, the reader drops the oldest, and counts a dropped frame as unparsable.
 */
import { FIRST_DATE_US } from '#codec/times.ts';
import { FRAME, type FrameBatch, MAX_DATA } from '#contract/fleet/frame.ts';
import { Mdf4Damage, type Mdf4DataGroup, type Mdf4Group, UNFINISHED } from './blocks.ts';
import type { Mdf4Store } from './data.ts';
import { type FramePlan, isExtendedId, SLACK_BYTES } from './plan.ts';
import { type RecordKind, recordKinds, type ValueGroup } from './record-kinds.ts';
import { Mdf4Stream } from './stream.ts';
import { Mdf4Values } from './values.ts';

const MOST_WAITING = 4_096;
const ID_29 = 0x1fff_ffff;
const ID_11 = 0x7ff;
const EXTENDED_BIT = 0x8000_0000;
const CLASSIC = 8;
const VALUE_HEAD = 4;
/**
 * How each error type of a logger (the index: none, bit, form, stuffing, CRC, acknowledgement) is written in a SocketCAN error frame. Each
 * entry has the error class for the identifier, and the kind and place of the error for bytes 2 and 3 of the payload.
 */
const ERRORS = [
  [0x08, 0, 0],
  [0x08, 0x01, 0],
  [0x08, 0x02, 0],
  [0x08, 0x04, 0],
  [0x08, 0, 0x08],
  [0x20, 0, 0],
] as const;
const nothing = new Uint8Array(MAX_DATA);
const errorData = new Uint8Array(8);

export interface RecordCounters {
  frames: number;
  unparsable: number;
  skipped: number;
}

export class Mdf4Records {
  private readonly group: Mdf4DataGroup;
  private readonly store: Mdf4Store;
  private readonly stream: Mdf4Stream;
  private readonly damage: (damage: Mdf4Damage) => void;
  private readonly counters: RecordCounters;
  private readonly kinds: ReadonlyMap<number, RecordKind>;
  private readonly byByte: (RecordKind | undefined)[] = [];
  private readonly only: RecordKind | undefined;
  /** Flags that every frame of this file gets: `FRAME.noTime` when the file has no date, otherwise 0. */
  private readonly flags: number;
  private readonly start_us: number;
  private readonly start_rest: number;
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private at = 0;
  private end = 0;
  /** Number of bytes of the group's data that were read into the buffer so far, plus the missing bytes (holes) before them. */
  private passed = 0;
  private toSkip = 0;
  private done = false;
  private damaged = false;
  /** True after the gap `cut` was reported, so that it is reported only once. */
  private reportedCut = false;
  /**
   * True for an unfinalized file without valid offsets of values. In such a file the first value belongs to the first frame, the second
   * value to the second frame, and so on.
   */
  private readonly inTurn: boolean;
  private turn = 0;

  constructor(
    group: Mdf4DataGroup,
    plans: ReadonlyMap<Mdf4Group, FramePlan>,
    store: Mdf4Store,
    start_ns: bigint,
    buffer: number,
    counters: RecordCounters,
    damage: (damage: Mdf4Damage) => void,
  ) {
    this.group = group;
    this.store = store;
    this.counters = counters;
    this.damage = (found) => {
      this.damaged = true;
      if (found.code === 'cut' || found.code === 'too_dense' || found.code === 'too_large') this.reportedCut = true;
      damage(found);
    };
    this.stream = new Mdf4Stream(store, group.data, this.damage);
    const dated = start_ns / 1000n >= BigInt(FIRST_DATE_US);
    this.flags = dated ? 0 : FRAME.noTime;
    this.start_us = dated ? Number(start_ns / 1000n) : 0;
    this.start_rest = Number(start_ns % 1000n) / 1000;
    this.bytes = new Uint8Array(buffer + SLACK_BYTES);
    this.view = new DataView(this.bytes.buffer);
    this.inTurn = (store.unfinished & UNFINISHED.valueOffsets) !== 0;
    this.kinds = recordKinds(group, plans, store, this.damage);
    for (const [recordId, kind] of this.kinds)
      if (group.recordIdSize === 1 && recordId < 256) this.byByte[recordId] = kind;
    this.only = group.recordIdSize === 0 ? this.kinds.get(group.groups[0]?.recordId ?? 0) : undefined;
    if (group.recordIdSize === 0 && !(this.only !== undefined && this.only.length > 0)) this.done = true;
    if (![0, 1, 2, 4, 8].includes(group.recordIdSize)) {
      this.damage(
        new Mdf4Damage(
          'damaged',
          group.at,
          `The group at byte ${group.at} has record ids of ${group.recordIdSize} bytes, which the format does not allow; the group was not read.`,
        ),
      );
      this.done = true;
    }
  }

  /** Adds frames to `into` until it has `most` frames; returns false when the group has no more frames. */
  fill(into: FrameBatch, most: number): boolean {
    const idSize = this.group.recordIdSize;
    while (into.count < most) {
      if (this.toSkip > 0 && !this.skip()) return this.finish();
      if (this.end - this.at < idSize + 1 && !this.refill(idSize)) return this.finish();
      const kind = idSize === 1 ? this.byByte[this.bytes[this.at] as number] : this.kindAt(idSize);
      if (kind === undefined) return this.unknownRecord();
      if (kind.values !== null) {
        if (!this.value(kind.values, idSize, into)) return this.finish();
        continue;
      }
      const length = idSize + kind.length;
      if (kind.plan === null) {
        this.counters.skipped++;
        this.toSkip = length;
        continue;
      }
      if (this.end - this.at < length && !this.refill(length)) return this.finish();
      // After missing data, reading continues at the next complete record, which may not be in the buffer yet.
      if (this.toSkip > 0 || this.end - this.at < length) continue;
      this.frame(kind, kind.plan, this.at + idSize, into);
      this.at += length;
    }
    return true;
  }

  private kindAt(idSize: number): RecordKind | undefined {
    const { view, at } = this;
    if (idSize === 0) return this.only;
    if (idSize === 1) return this.kinds.get(view.getUint8(at));
    if (idSize === 2) return this.kinds.get(view.getUint16(at, true));
    const low = view.getUint32(at, true);
    return this.kinds.get(idSize === 4 ? low : low + view.getUint32(at + 4, true) * 2 ** 32);
  }

  /** Reads data until the buffer has `need` bytes; returns false at the end of the data. */
  private refill(need: number): boolean {
    const { bytes, stream } = this;
    bytes.copyWithin(0, this.at, this.end);
    this.end -= this.at;
    this.at = 0;
    const room = bytes.length - SLACK_BYTES - this.end;
    const got = stream.pull(bytes, this.end, room);
    this.end += got;
    this.passed += got;
    if (stream.hole > 0 && this.end < Math.max(need, 1)) return this.pass();
    return this.end >= Math.max(need, 1);
  }

  /**
   * Continues to read after missing data. Returns false if the records of the group have different lengths, because the reader then cannot
   * know where the next record starts.
   */
  private pass(): boolean {
    const { only, stream } = this;
    if (only === undefined) return false;
    this.passed += stream.hole;
    stream.hole = 0;
    this.at = 0;
    this.end = 0;
    this.toSkip = (only.length - (this.passed % only.length)) % only.length;
    if (only.plan !== null) only.plan.count = Math.ceil(this.passed / only.length);
    return true;
  }

  private skip(): boolean {
    while (this.toSkip > 0) {
      if (this.at === this.end && !this.refill(1)) return false;
      const part = Math.min(this.toSkip, this.end - this.at);
      this.at += part;
      this.toSkip -= part;
    }
    return true;
  }

  private frame(kind: RecordKind, plan: FramePlan, at: number, into: FrameBatch): void {
    const { view } = this;
    const { time } = plan;
    const t = this.start_us + Math.round(time.read(view, at, plan.count++) + this.start_rest);
    let id = plan.id.read(view, at);
    const bus = plan.bus.read(view, at);
    let flags = plan.flags | this.flags;
    const isExtended = plan.extended === null ? isExtendedId(id) : plan.extended.read(view, at) !== 0;
    if (id >= EXTENDED_BIT) id -= EXTENDED_BIT;
    if (isExtended) flags |= FRAME.extended;
    if (plan.sent.read(view, at) !== 0) flags |= FRAME.transmitted;
    if (plan.fd !== null && plan.fd.read(view, at) !== 0) {
      flags |= FRAME.fd;
      if (plan.brs.read(view, at) !== 0) flags |= FRAME.brs;
    }
    if (!(id <= (isExtended || plan.kind === 'error' ? ID_29 : ID_11) && bus <= 255 && bus >= 0 && t >= 0)) {
      this.counters.unparsable++;
      return;
    }
    if (kind.from !== null) {
      this.variable(kind.from, plan, t, bus, id, flags, at, into);
      return;
    }
    if (plan.kind === 'error' && plan.errorType !== null) {
      const [cause, type, place] = ERRORS[plan.errorType.read(view, at)] ?? ERRORS[0];
      errorData[2] = type;
      errorData[3] = place;
      into.push(t, bus, cause, flags, errorData, 0, 8);
      this.counters.frames++;
      return;
    }
    let size = plan.size === null ? plan.room : plan.size.read(view, at);
    if (plan.kind === 'remote') {
      into.push(t, bus, id, flags, nothing, 0, Math.min(Math.max(size, 0), CLASSIC));
      this.counters.frames++;
      return;
    }
    if (size > CLASSIC && (flags & FRAME.fd) === 0) {
      if (plan.fd === null) flags |= FRAME.fd;
      else size = CLASSIC;
    }
    if (!(size >= 0 && size <= plan.room)) {
      this.counters.unparsable++;
      return;
    }
    into.push(t, bus, id, flags, this.bytes, at + plan.payload, size);
    this.counters.frames++;
  }

  /**
   * Processes a frame with a payload in a separate record (a variable value). Adds the frame if the value was already read; otherwise the
   * frame waits.
   */
  private variable(
    from: ValueGroup | Mdf4Values,
    plan: FramePlan,
    t: number,
    bus: number,
    id: number,
    flags: number,
    at: number,
    into: FrameBatch,
  ): void {
    const offset = plan.offset?.read(this.view, at) ?? 0;
    if (from instanceof Mdf4Values) {
      const found = from.find(offset, MAX_DATA);
      if (found < 0) this.counters.unparsable++;
      else this.push(t, bus, id, flags, from.bytes, found, from.length, into);
      return;
    }
    const key = this.inTurn ? this.turn++ : offset;
    const kept = from.kept.get(key);
    if (kept !== undefined) {
      from.kept.delete(key);
      this.push(t, bus, id, flags, kept, 0, kept.length, into);
      return;
    }
    const frame = { t, bus, id, flags, offset: key };
    if (from.one === undefined && from.waiting.size === 0) {
      from.one = frame;
      return;
    }
    if (from.one !== undefined) from.waiting.set(from.one.offset, from.one);
    from.one = undefined;
    if (from.waiting.size >= MOST_WAITING || from.waiting.has(key)) {
      const oldest = from.waiting.has(key) ? key : (from.waiting.keys().next().value as number);
      from.waiting.delete(oldest);
      this.counters.unparsable++;
    }
    from.waiting.set(key, frame);
  }

  /** Reads the record of a variable value; returns false when the data ends inside this record. */
  private value(values: ValueGroup, idSize: number, into: FrameBatch): boolean {
    const head = idSize + VALUE_HEAD;
    if (this.end - this.at < head && !this.refill(head)) return false;
    const length = this.view.getUint32(this.at + idSize, true);
    const offset = values.next;
    if (this.inTurn) {
      values.next++;
    } else values.next += VALUE_HEAD + length;
    const { one } = values;
    const frame = one !== undefined && one.offset === offset ? one : values.waiting.get(offset);
    if (length > MAX_DATA) {
      // The value is longer than the payload of any CAN frame, so count the frame that waits for this value as unparsable.
      if (frame !== undefined) this.counters.unparsable++;
      this.toSkip = head + length;
    } else {
      if (this.end - this.at < head + length && !this.refill(head + length)) return false;
      const from = this.at + head;
      this.at = from + length;
      if (frame !== undefined) this.push(frame.t, frame.bus, frame.id, frame.flags, this.bytes, from, length, into);
      else {
        if (values.kept.size >= MOST_WAITING) values.kept.delete(values.kept.keys().next().value as number);
        values.kept.set(offset, this.bytes.slice(from, from + length));
      }
    }
    if (frame === one) values.one = undefined;
    else if (frame !== undefined) values.waiting.delete(offset);
    return true;
  }

  private push(
    t: number,
    bus: number,
    id: number,
    flags: number,
    source: Uint8Array,
    from: number,
    length: number,
    into: FrameBatch,
  ): void {
    into.push(t, bus, id, length > CLASSIC ? flags | FRAME.fd : flags, source, from, length);
    this.counters.frames++;
  }

  /** Reports a record id that no group has. Reading of the data group ends, because the start of the next record is unknown. */
  private unknownRecord(): boolean {
    this.damage(
      new Mdf4Damage(
        'damaged',
        this.place(),
        `The record at byte ${this.place()} has an id that no channel group has, so the rest of its data group was not read.`,
      ),
    );
    this.done = true;
    this.counters.unparsable += this.waiting();
    return false;
  }

  /** Returns the number of frames that wait for their payload. */
  private waiting(): number {
    let waiting = 0;
    for (const { values } of this.kinds.values())
      waiting += values === null ? 0 : values.waiting.size + (values.one === undefined ? 0 : 1);
    return waiting;
  }

  /** Returns the approximate byte offset of the next record in the file. */
  private place(): number {
    return Math.max(this.group.data, this.stream.at_byte - (this.end - this.at));
  }

  private finish(): boolean {
    if (this.done) return false;
    this.done = true;
    this.stream.reportPending();
    const waiting = this.waiting();
    if (this.stream.hole > 0) {
      this.counters.unparsable += waiting;
      return false;
    }
    if (this.end > this.at || this.toSkip > 0 || waiting > 0) {
      // At the end of the file some frames may still wait for their payload. The gap `cut` below stands for one of them, so `unparsable`
      // counts only the other frames.
      this.counters.unparsable += this.reportedCut ? waiting : Math.max(0, waiting - 1);
      if (!this.reportedCut)
        this.damage(
          new Mdf4Damage(
            'cut',
            this.place(),
            'The file is cut off in the middle of a record; all frames before this record were read.',
          ),
        );
    }
    for (const { plan, group } of this.kinds.values())
      if (plan !== null && this.store.unfinished === 0 && plan.count < group.cycles && !this.damaged)
        this.damage(
          new Mdf4Damage(
            'missing',
            group.at,
            `The group at byte ${group.at} should have ${group.cycles} records according to the file, but it has only ${plan.count}.`,
          ),
        );
    return false;
  }
}
