/** Limits the memory of the gateway's process. docs/degraded.md explains how the memory is divided. */
import { totalmem } from 'node:os';

const MIB = 1 << 20;
/** Share of the memory that the JavaScript heap may use. The rest is for buffers, the caches of the database and the operating system. */
const HEAP_SHARE = 0.4;
const LEAST_MIB = 160;
const MOST_MIB = 1024;
/**
 * Size of each semi-space of the heap, where V8 allocates new objects. Without a limit a semi-space grows to 64 MiB or more and does not
 * shrink, although most of its objects are unused. Head office has more memory than a box on a site, and takes the pushes of many sites at
 * once: with larger semi-spaces V8 stops it less often to collect garbage.
 */
const YOUNG_MIB = { gateway: 8, cloud: 32 } as const;

/** Returns the bytes that this process may use: the limit of its container, or without a container the memory of the machine. */
export function memoryLimit(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

/**
 * Limits the malloc arenas of the C library (mallopt(3)) to two. Otherwise each of about 12 threads gets an arena, and each arena keeps
 * freed memory that the others cannot use.
 */
export const GATEWAY_ENVIRONMENT = { MALLOC_ARENA_MAX: '2' } as const;

/** Returns the command line flags of Node.js for the process of a gateway or of head office. */
export function gatewayFlags(role: keyof typeof YOUNG_MIB): string[] {
  return [
    '--disable-warning=ExperimentalWarning',
    `--max-semi-space-size=${YOUNG_MIB[role]}`,
    `--max-old-space-size=${heapMiB(memoryLimit())}`,
  ];
}

/** Returns the limit of the JavaScript heap in MiB, for a machine or container with `limit` bytes of memory. */
export function heapMiB(limit: number): number {
  return Math.round(Math.min(MOST_MIB, Math.max(LEAST_MIB, (limit * HEAP_SHARE) / MIB)));
}
