/**
 * Computes the shortage of disk space, memory and file handles from readings of the host. A shortage level begins at once. A disk level
 * ends only when the free space is a quarter above its limit, so that the level does not change with every reading near the limit.
 */
import { DISK_LEVELS, type DiskLevel } from '#contract/site/node.ts';
import type { ProblemCode } from './problems.ts';

/** One reading of the host's resources; null for a value that the host does not provide. */
export interface Reading {
  /** Disk space in bytes. `free` is available to this process; `reserve` is the size of the reserve file, `wanted` its intended size. */
  readonly disk: {
    readonly free: number;
    readonly total: number;
    readonly reserve: number;
    readonly wanted: number;
  } | null;
  /** Used fraction of the JavaScript heap, and of the memory of the host or container, 0 to 1. */
  readonly heap: number;
  readonly memory: number;
  /** Number of open file handles, and its limit. */
  readonly handles: { readonly open: number; readonly limit: number } | null;
  /** Recent duration of a sync of the journal, in milliseconds. */
  readonly sync_ms: number | null;
  /** Reason why the disk refuses all writes; null if it does not. */
  readonly refusing: 'full' | 'read_only' | null;
  /** Number of MQTT connections with messages that were neither stored nor acknowledged. */
  readonly owing: number;
}

/** For each problem that exists now, the time at which it began, in milliseconds since 1970. */
export type Since = ReadonlyMap<ProblemCode, number>;

export interface Pressure {
  readonly disk: DiskLevel;
  readonly memory: 'ok' | 'high' | 'critical';
  readonly handles: boolean;
  readonly slow: boolean;
  readonly since: Since;
}

export const NO_PRESSURE: Pressure = { disk: 'ok', memory: 'ok', handles: false, slow: false, since: new Map() };

const GIB = 2 ** 30;
/** Free space at which each level begins: a fraction of the disk, but at most `most` bytes. */
const DISK: readonly { readonly level: DiskLevel; readonly share: number; readonly most: number }[] = [
  { level: 'critical', share: 0.02, most: 3 * GIB },
  { level: 'scarce', share: 0.05, most: 8 * GIB },
  { level: 'low', share: 0.1, most: 16 * GIB },
];
/** Factor by which the free space must exceed a level's limit to leave the level. */
const LEAVE = 1.25;
const MEMORY = { high: { from: 0.8, to: 0.7 }, critical: { from: 0.9, to: 0.8 } } as const;
/** File handles reserved for files. Sockets may use the rest. */
const FILE_HANDLES = 64;
/** Number of sockets that the gateway can still open: at `from` the shortage of file handles begins, at `to` it ends. */
const FEW_HANDLES = { from: 32, to: 64 } as const;
const SLOW_MS = { from: 200, to: 80 } as const;

/** Free space in bytes at which a level begins. */
export function threshold(level: Exclude<DiskLevel, 'ok'>, total: number): number {
  const row = DISK.find((one) => one.level === level);
  return row === undefined ? 0 : Math.min(row.share * total, row.most);
}

/** Free bytes as if the reserve file had its intended size. Deleting or creating the reserve file therefore does not change the level. */
export function roomOf({ free, reserve, wanted }: NonNullable<Reading['disk']>): number {
  return free - Math.max(0, wanted - reserve);
}

function diskLevel(before: DiskLevel, room: number, total: number): DiskLevel {
  for (const { level, share, most } of DISK) {
    const enter = Math.min(share * total, most);
    const held = DISK_LEVELS.indexOf(before) >= DISK_LEVELS.indexOf(level);
    if (room < (held ? enter * LEAVE : enter)) return level;
  }
  return 'ok';
}

function memoryLevel(before: Pressure['memory'], share: number): Pressure['memory'] {
  if (share >= (before === 'critical' ? MEMORY.critical.to : MEMORY.critical.from)) return 'critical';
  if (share >= (before === 'ok' ? MEMORY.high.from : MEMORY.high.to)) return 'high';
  return 'ok';
}

/** Number of sockets that may still be opened; null if the host's limit cannot be read. */
export function socketRoom(handles: Reading['handles']): number | null {
  return handles === null ? null : Math.max(0, handles.limit - FILE_HANDLES - handles.open);
}

/** Returns the shortage state after a reading, from the state before it. */
export function nextPressure(before: Pressure, reading: Reading, now_ms: number): Pressure {
  const { disk, sync_ms } = reading;
  const room = socketRoom(reading.handles);
  const next = {
    disk: disk === null ? before.disk : diskLevel(before.disk, roomOf(disk), disk.total),
    memory: memoryLevel(before.memory, Math.max(reading.heap, reading.memory)),
    handles: room !== null && room < (before.handles ? FEW_HANDLES.to : FEW_HANDLES.from),
    slow: sync_ms !== null && sync_ms > (before.slow ? SLOW_MS.to : SLOW_MS.from),
  };
  const since = new Map<ProblemCode, number>();
  for (const code of problemsOf(next, reading)) since.set(code, before.since.get(code) ?? now_ms);
  return { ...next, since };
}

function problemsOf({ disk, memory, handles, slow }: Omit<Pressure, 'since'>, reading: Reading): ProblemCode[] {
  const found: ProblemCode[] = [];
  if (reading.refusing === 'read_only') found.push('disk_read_only');
  if (reading.refusing === 'full') found.push('disk_full');
  if (disk !== 'ok') found.push(`disk_${disk}`);
  if (slow) found.push('disk_slow');
  if (memory !== 'ok') found.push(`memory_${memory}`);
  if (handles) found.push('handles_short');
  if (reading.owing > 0) found.push('messages_wait');
  return found;
}
