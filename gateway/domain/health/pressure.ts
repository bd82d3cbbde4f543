/**
 * How much of its machine a gateway has left, judged so that nothing flaps: a level is entered at once and left only with a quarter
 * more room than it was entered with. Pure: readings in, state out.
 */
import { DISK_LEVELS, type DiskLevel } from '#contract/site/node.ts';
import type { ProblemCode } from './problems.ts';

/** One look at the machine; null where it does not say. */
export interface Reading {
  /** What this process may use, in bytes; `reserve` is held and `wanted` is what should be. */
  readonly disk: {
    readonly free: number;
    readonly total: number;
    readonly reserve: number;
    readonly wanted: number;
  } | null;
  /** Used shares of the JavaScript heap and of the memory of machine or container, 0 to 1. */
  readonly heap: number;
  readonly memory: number;
  /** File handles open, and how many may be. */
  readonly handles: { readonly open: number; readonly limit: number } | null;
  /** How long a sync of the journal takes, in milliseconds, lately. */
  readonly sync_ms: number | null;
  /** Why the disk takes no writes at all. */
  readonly refusing: 'full' | 'read_only' | null;
  /** Connections whose messages were not taken. */
  readonly owing: number;
}

/** A problem and since when, in milliseconds since 1970. */
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
/** Room at which each level begins: a share of the disk, on large disks no more than so many bytes. */
const DISK: readonly { readonly level: DiskLevel; readonly share: number; readonly most: number }[] = [
  { level: 'critical', share: 0.02, most: 3 * GIB },
  { level: 'scarce', share: 0.05, most: 8 * GIB },
  { level: 'low', share: 0.1, most: 16 * GIB },
];
/** How much more room it takes to leave a level than to enter it. */
const LEAVE = 1.25;
const MEMORY = { high: { from: 0.8, to: 0.7 }, critical: { from: 0.9, to: 0.8 } } as const;
/** File handles that are kept for files; sockets get the rest. */
const FILE_HANDLES = 64;
/** Sockets that could still be opened when it is told, and when it is over. */
const FEW_HANDLES = { from: 32, to: 64 } as const;
const SLOW_MS = { from: 200, to: 80 } as const;

/** Bytes of room at which a level begins. */
export function threshold(level: Exclude<DiskLevel, 'ok'>, total: number): number {
  const row = DISK.find((one) => one.level === level);
  return row === undefined ? 0 : Math.min(row.share * total, row.most);
}

/** Room on the disk without the reserve, as if the reserve stood: taking or making it changes no level. */
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

/** Sockets that may still be opened; null where the machine sets no limit that can be read. */
export function socketRoom(handles: Reading['handles']): number | null {
  return handles === null ? null : Math.max(0, handles.limit - FILE_HANDLES - handles.open);
}

/** The state after a reading. */
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
