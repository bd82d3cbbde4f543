/** The memory budget of the gateway's process; docs/degraded.md explains its parts. */
import { totalmem } from 'node:os';

const MIB = 1 << 20;
/** Share of the memory that the JavaScript heap may take; the rest is for buffers, the database's caches and the system. */
const HEAP_SHARE = 0.4;
const LEAST_MIB = 160;
const MOST_MIB = 1024;
/** Each semi-space of the young generation. Without a limit it grows to 64 MiB and more, mostly garbage, and does not shrink. */
const YOUNG_MIB = 8;

/** Bytes that this process may use: the limit of its container, otherwise the memory of the machine. */
export function memoryLimit(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

/** Limits the malloc arenas of the C library (mallopt(3)). A dozen threads would each keep freed memory in an arena of their own. */
export const GATEWAY_ENVIRONMENT = { MALLOC_ARENA_MAX: '2' } as const;

/** Command line flags of Node.js for the gateway's process. */
export function gatewayFlags(): string[] {
  return [
    '--disable-warning=ExperimentalWarning',
    `--max-semi-space-size=${YOUNG_MIB}`,
    `--max-old-space-size=${heapMiB(memoryLimit())}`,
  ];
}

/** The limit of the JavaScript heap in MiB, for `limit` bytes of memory. */
export function heapMiB(limit: number): number {
  return Math.round(Math.min(MOST_MIB, Math.max(LEAST_MIB, (limit * HEAP_SHARE) / MIB)));
}
