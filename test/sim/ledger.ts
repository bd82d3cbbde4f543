/** What the world knows of each message: where it arrived, whether it is on the disk, and the machine that it counts for. */
import type { EventData } from '#contract/base/event.ts';
import type { Stored } from '#contract/base/view.ts';
import type { Saved } from '#ingest/writer/saved-snapshot.ts';
import type { Message } from './messages.ts';
import { type Kept, Mirror } from './mirror.ts';
import { type Entry, type Expected, Model } from './model.ts';
import type { Inode } from './sim-disk.ts';

/** One arrival of a message at the gateway. */
export interface Attempt {
  readonly message: Message;
  readonly received_ms: number;
  /** Counts what was accepted. */
  readonly serial: number;
  readonly uptime: number;
  readonly life: number;
  durable: boolean;
}

interface LinkMade {
  /** Arrivals up to this one are not touched by it. */
  readonly serial: number;
  readonly machine: string | null;
}

/** What ingest reads of a device's record. */
export interface DeviceRecord {
  readonly device_id: string;
  readonly equipment_id: string | null;
  readonly expected_interval_s: number | null;
}

const keyOf = (device: string, payload: string, received_ms: number) => `${device}\n${received_ms}\n${payload}`;
const place = ({ position, device }: Kept) => `${Math.floor(position / 2 ** 32)}:${position % 2 ** 32} of ${device}`;

export class Ledger {
  private readonly mirror = new Mirror();
  private readonly entries: Entry[] = [];
  private readonly attempts = new Map<string, Attempt>();
  private links = new Map<string, LinkMade[]>();
  private model: Model;
  /** Entries that the model has. */
  private modelled = 0;
  private serial = 0;
  /** Messages on the disk that make the fold throw. */
  poisoned = 0;
  /** Place of the newest commit. */
  private committedTo = 0;
  private readonly files: () => ReadonlyMap<string, Inode>;
  private readonly fail: (reason: string) => void;
  private readonly believing: boolean;

  /** `files` are those of the journal whose names are durable. */
  constructor(files: () => ReadonlyMap<string, Inode>, fail: (reason: string) => void, believing = false) {
    this.files = files;
    this.fail = fail;
    this.believing = believing;
    this.model = new Model(believing);
  }

  /** Messages on the disk that can be folded, repeats among them. */
  get count(): number {
    return this.entries.length - this.poisoned;
  }

  /** Behind the last message on the disk. */
  get end(): number {
    return this.mirror.end;
  }

  /** What must be known of everything that is on the disk. */
  get expected(): Expected {
    for (; this.modelled < this.entries.length; this.modelled++) this.model.add(this.entries[this.modelled] as Entry);
    return this.model.expected;
  }

  /** A message arrives; its time of receipt is moved where another arrival of it has the same. */
  arrive(message: Message, now_ms: number, uptime: number, life: number): Attempt {
    const { device } = message.device;
    const payload = message.payload.toString('latin1');
    let received_ms = now_ms;
    while (this.attempts.has(keyOf(device, payload, received_ms))) received_ms++;
    const attempt: Attempt = { message, received_ms, serial: ++this.serial, uptime, life, durable: false };
    this.attempts.set(keyOf(device, payload, received_ms), attempt);
    return attempt;
  }

  /** A message is answered: it must be on the disk. */
  answered({ message, durable }: Attempt): void {
    if (!durable) this.fail(`[I1] message ${message.uid} of ${message.device.device} is answered and not on the disk`);
  }

  /** A device is put on a machine, or off, between the arrivals before and behind. */
  link(device: string, machine: string | null): void {
    const made = this.links.get(device) ?? [];
    made.push({ serial: this.serial, machine });
    this.links.set(device, made);
  }

  /** The machine that a device is on now. */
  machineOf(device: string): string | null {
    return this.links.get(device)?.at(-1)?.machine ?? null;
  }

  /** Takes note of what became durable in the journal. */
  look(): void {
    for (const kept of this.mirror.refresh(this.files())) {
      const attempt = this.attempts.get(keyOf(kept.device, kept.payload, kept.received_ms));
      if (attempt === undefined) {
        this.fail(`${place(kept)} holds what nobody sent`);
        continue;
      }
      if (attempt.durable) this.fail(`[I2] ${place(kept)} holds an arrival twice`);
      attempt.durable = true;
      const { message, serial, uptime, life } = attempt;
      const made = this.links.get(kept.device) ?? [];
      const machine = made.findLast((link) => link.serial < serial)?.machine ?? null;
      this.entries.push({ kept, message, machine, uptime, life });
      if (message.poison) this.poisoned++;
    }
  }

  /** The process started: what was on the disk is there. */
  restarted(): void {
    this.look();
    const lost = this.mirror.recheck(this.files());
    if (lost !== undefined) this.fail(`[I1] ${place(lost)} was on the disk and is gone`);
    this.entries.sort((a, b) => a.kept.position - b.kept.position);
    this.links = new Map();
    this.model = new Model(this.believing);
    this.modelled = 0;
  }

  /** After a start: where a device is, whatever comes. */
  begin(device: string, machine: string | null): void {
    this.links.set(device, [{ serial: -1, machine }]);
  }

  /** A commit of ingest is durable. */
  committed({ position, tail }: Saved): void {
    this.look();
    if (position > this.end) this.fail(`the commit at ${position} is ahead of the journal, which ends at ${this.end}`);
    if (tail > position) this.fail(`the tail ${tail} is ahead of its commit ${position}`);
    if (position < this.committedTo) this.fail(`the commit went back from ${this.committedTo} to ${position}`);
    this.committedTo = position;
  }

  /** A process removes a segment; a restart would begin to read at `tail`. What reached no machine must be on record. */
  removed(name: string, tail: number, log: readonly Stored<EventData>[]): void {
    const segment = Number.parseInt(name, 10);
    const lost = this.mirror.give(segment, tail);
    if (lost !== undefined) this.fail(`[I1] ${place(lost)} is removed, and a restart needs it`);
    const gaps = new Map<string, { count: number; bytes: number }>();
    for (const { kept, message, machine } of this.entries) {
      if (Math.floor(kept.position / 2 ** 32) !== segment || (machine !== null && !message.poison)) continue;
      const key = `${message.poison ? 'set_aside' : 'unlinked'} ${kept.device}`;
      const gap = gaps.get(key) ?? { count: 0, bytes: 0 };
      gaps.set(key, { count: gap.count + 1, bytes: gap.bytes + kept.payload.length });
    }
    const told = log.filter(({ data }) => data.type === 'gap_declared');
    for (const [key, { count, bytes }] of gaps) {
      const found = told.some(
        ({ data: { data, subject } }) =>
          `${data.what} ${subject.id}` === key && data.count === count && data.bytes === bytes,
      );
      if (!found) this.fail(`[I36] segment ${segment} is removed, and ${key} lost ${count} messages untold`);
    }
  }
}
