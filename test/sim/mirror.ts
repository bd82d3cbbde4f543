/**
 * What the journal's files hold on the disk itself, read by other code than the journal's: every record that was ever durable, in
 * order. What was here once must stay here, or have been given up by `trim` when it might.
 */
import { crc32, zstdDecompressSync } from 'node:zlib';
import type { Inode } from './sim-disk.ts';

const SPAN = 2 ** 32;
const SEGMENT_HEAD = 32;
const GROUP_HEAD = 24;
const RECORD_HEAD = 14;
const TOPICS = ['can', 'telemetry', 'events', 'status'] as const;
const MAGIC = Buffer.from('HFG1');

/** A message as it stands in the journal. */
export interface Kept {
  readonly position: number;
  /** Record id of the device. */
  readonly device: string;
  readonly topic: (typeof TOPICS)[number];
  readonly repeat: boolean;
  readonly received_ms: number;
  readonly packet_id: number;
  readonly payload: string;
}

interface Reading {
  at: number;
  /** What of the file this is about. */
  version: number;
  readonly segment: number;
  readonly salt: number;
  readonly devices: Map<number, string>;
}

export class Mirror {
  readonly records: Kept[] = [];
  private readonly positions = new Map<number, Kept>();
  private readonly given = new Set<number>();
  private readings = new Map<Inode, Reading>();

  /** Behind the last record. */
  get end(): number {
    return (this.records.at(-1)?.position ?? -1) + 1;
  }

  /** Reads what became durable since the last time; returns what is new. */
  refresh(files: ReadonlyMap<string, Inode>): Kept[] {
    const found: Kept[] = [];
    for (const inode of files.values()) {
      for (const kept of this.read(inode)) {
        if (this.positions.has(kept.position)) continue;
        found.push(kept);
        this.positions.set(kept.position, kept);
      }
    }
    found.sort((a, b) => a.position - b.position);
    const ordered = found.length === 0 || (found[0] as Kept).position >= this.end;
    this.records.push(...found);
    if (!ordered) this.records.sort((a, b) => a.position - b.position);
    return found;
  }

  /** Reads everything anew; returns a record that was here and is gone or changed. */
  recheck(files: ReadonlyMap<string, Inode>): Kept | undefined {
    this.readings = new Map();
    const now = new Map<number, Kept>();
    for (const inode of files.values()) for (const kept of this.read(inode)) now.set(kept.position, kept);
    this.readings = new Map();
    return this.records.find((kept) => {
      const other = now.get(kept.position);
      if (other === undefined) return !this.given.has(kept.position);
      return other.payload !== kept.payload || other.device !== kept.device;
    });
  }

  /** A process gives a segment up; returns a record of it that lies at or behind `tail`. */
  give(segment: number, tail: number): Kept | undefined {
    const gone = this.records.filter(({ position }) => Math.floor(position / SPAN) === segment);
    for (const { position } of gone) this.given.add(position);
    return gone.find(({ position }) => position >= tail);
  }

  private read(inode: Inode): Kept[] {
    const before = this.readings.get(inode);
    if (before?.version === inode.version) return [];
    const bytes = inode.durable.get();
    const reading = before ?? begin(bytes);
    if (reading === undefined) return [];
    this.readings.set(inode, reading);
    reading.version = inode.version;
    const found: Kept[] = [];
    for (let at = reading.at; at >= 0; ) {
      const end = group(bytes, at, reading, found);
      if (end !== undefined) {
        reading.at = end;
        at = end;
      } else at = bytes.indexOf(MAGIC, at + 1);
    }
    return found;
  }
}

function begin(bytes: Buffer): Reading | undefined {
  if (bytes.length < SEGMENT_HEAD || crc32(bytes.subarray(0, 28)) !== bytes.readUInt32LE(28)) return undefined;
  return {
    at: SEGMENT_HEAD,
    version: -1,
    segment: bytes.readUInt32LE(4),
    salt: bytes.readUInt32LE(16),
    devices: new Map(),
  };
}

/** Takes the group at a place; where it ends, undefined when there is none. */
function group(bytes: Buffer, at: number, reading: Reading, found: Kept[]): number | undefined {
  if (at + GROUP_HEAD > bytes.length || !bytes.subarray(at, at + 4).equals(MAGIC)) return undefined;
  const end = at + GROUP_HEAD + bytes.readUInt32LE(at + 8);
  if (end > bytes.length || crc32(bytes.subarray(at + 8, end), reading.salt) !== bytes.readUInt32LE(at + 4))
    return undefined;
  const stored = bytes.subarray(at + GROUP_HEAD, end);
  const body = (bytes[at + 22] as number) & 1 ? zstdDecompressSync(stored) : stored;
  const start = bytes.readUInt32LE(at + 16);
  for (let i = 0; i < body.length; ) {
    const flags = body[i] as number;
    const index = body.readUInt16LE(i + 1);
    const next = i + RECORD_HEAD + body.readUIntLE(i + 11, 3);
    const payload = body.toString('latin1', i + RECORD_HEAD, next);
    const device = reading.devices.get(index);
    if (flags & 0x80) reading.devices.set(index, payload.split('\0')[0] as string);
    else if (device !== undefined) {
      found.push({
        position: reading.segment * SPAN + start + i,
        device,
        topic: TOPICS[flags & 3] as Kept['topic'],
        repeat: (flags & 4) !== 0,
        received_ms: body.readUIntLE(i + 3, 6),
        packet_id: body.readUInt16LE(i + 9),
        payload,
      });
    }
    i = next;
  }
  return end;
}
