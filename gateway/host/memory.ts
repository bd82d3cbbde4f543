/** The budget of memory: docs/degraded.md says what the parts of it are for. */
import { totalmem } from 'node:os';

const MIB = 1 << 20;
/** Share of the memory that the JavaScript heap may take; the rest is for buffers, the database's caches and the system. */
const HEAP_SHARE = 0.4;
const LEAST_MIB = 160;
const MOST_MIB = 1024;
/** Each half of the space for young objects. Left to itself it grows to 64 MiB and more, nearly all of it garbage, and stays so. */
const YOUNG_MIB = 8;

/** Bytes that this process may use: of its container, else of the machine. */
export function memoryLimit(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

/** For the C library (mallopt(3)): an arena for each of a dozen threads keeps what only two of them ever need. */
export const GATEWAY_ENVIRONMENT = { MALLOC_ARENA_MAX: '2' } as const;

/** Flags of node for the gateway's process. */
export function gatewayFlags(): string[] {
  return [
    '--disable-warning=ExperimentalWarning',
    `--max-semi-space-size=${YOUNG_MIB}`,
    `--max-old-space-size=${heapMiB(memoryLimit())}`,
  ];
}

/** Limit of the JavaScript heap for so much memory, in MiB. */
export function heapMiB(limit: number): number {
  return Math.round(Math.min(MOST_MIB, Math.max(LEAST_MIB, (limit * HEAP_SHARE) / MIB)));
}
