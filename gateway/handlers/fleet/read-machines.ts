/** Reads stored values of several machines, one machine after the other. */
import type { TelemetryQuery, TelemetryRead } from '#contract/context.ts';

/** The reads of all machines, and the time at which all of them end. */
interface MachineReads {
  readonly until_ms: number;
  readonly reads: ReadonlyMap<string, TelemetryRead>;
}

/**
 * Reads the same range of each machine. If the read of one machine ends early, all reads end at that time, so that the caller can continue
 * all of them with one `next_from`.
 */
export async function readMachines(
  readTelemetry: (query: TelemetryQuery) => Promise<TelemetryRead>,
  ids: readonly string[],
  query: Omit<TelemetryQuery, 'equipment_id'>,
): Promise<MachineReads> {
  const reads = new Map<string, TelemetryRead>();
  let until_ms = query.to_ms;
  const read = async (equipment_id: string): Promise<void> => {
    const found = await readTelemetry({ ...query, to_ms: until_ms, equipment_id });
    reads.set(equipment_id, found);
    until_ms = Math.min(until_ms, found.until_ms);
  };
  for (const id of ids) await read(id);
  for (const [id, { until_ms: end_ms }] of [...reads]) if (end_ms > until_ms) await read(id);
  return { until_ms, reads };
}
