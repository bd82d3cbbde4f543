/** Reads the meters of machines from the state of the fold, and passes readings of people through the journal to the fold. */
import type { Meters } from '#contract/context.ts';
import { type IngestMessage, NotTaken } from '#contract/fleet/ingest.ts';
import { encodeReconciliation, metersOf } from '#ingest/fold/fold-meter.ts';
import type { IngestParts } from './ingest-parts.ts';

/** Longest time in milliseconds for which a person waits until the fold applies a reading. */
const WAIT_MS = 20_000;

/** Creates the service; `tickMs` is the interval at which the fold applies messages. */
export function createMeters(
  { current, journal, groups, timers, monotonic }: IngestParts,
  tickMs: number,
  accept: (message: IngestMessage) => Promise<void>,
): Meters {
  return {
    of(equipment_id) {
      const machine = current.state.machines.get(equipment_id);
      return machine === undefined ? [] : metersOf(machine);
    },
    async reconcile({ equipment_id, project_id, unit_number, received_at_ms }, reading) {
      await accept({
        device: equipment_id,
        project_id,
        device_id: unit_number,
        topic: 'meter',
        payload: encodeReconciliation(reading),
        received_at_ms,
        waits: true,
      });
      const wanted = journal.stats().messages;
      const until = monotonic() + WAIT_MS;
      while (groups.folded < wanted) {
        if (monotonic() > until)
          throw new NotTaken(
            'the reading is stored and will be applied, but the gateway has older data to apply first',
          );
        await new Promise<void>((done) => timers.after(tickMs / 4, done));
      }
    },
  };
}
