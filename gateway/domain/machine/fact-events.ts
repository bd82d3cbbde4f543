/** The events that the gateway appends to the log of a machine when it decodes data. */

import type { SignalName } from '#contract/base/signals.ts';
import type { LiveStatus } from '#contract/fleet/equipment.ts';

/** The trouble code of an event, and the control unit that reported it. */
export interface FaultEventData {
  readonly spn: number | null;
  readonly fmi: number;
  readonly occurrence_count: number | null;
  readonly raw: string;
  readonly bus: number;
  readonly source_address: number;
  readonly device_id: string;
}

/** The control unit or device that sent a meter reading. */
export interface MeterSource {
  readonly bus: number | null;
  readonly source_address: number | null;
  readonly spn: number | null;
  readonly device_id: string;
}

export type FactEvent =
  | {
      readonly type: 'live_status_changed';
      readonly occurred_us: number;
      readonly data: { readonly from: LiveStatus; readonly to: LiveStatus };
    }
  | {
      readonly type: 'meter.reset';
      readonly occurred_us: number;
      readonly data: {
        readonly signal: SignalName;
        readonly from: number;
        readonly to: number;
        /**
         * Why the meter has a new value that does not continue the old value. `decreased` and `jumped`: the next reading of the same source
         * confirmed the change. `rolled_over`: the counter of the control unit reached its largest number and began again at 0.
         * `source_changed`: the value now comes from another source. `swapped`: this source is another control unit at the same address.
         */
        readonly reason: 'decreased' | 'jumped' | 'rolled_over' | 'source_changed' | 'swapped';
        /** The total of the machine after the change, and the offset that makes it continue. */
        readonly total: number;
        readonly offset: number;
        /** Number of the segment of the meter that begins here. */
        readonly segment: number;
      } & MeterSource;
    }
  | {
      /**
       * `meter.held`: a reading is implausible compared with the previous reading, so the gateway does not show it until another reading
       * confirms it. `meter.rejected`: the next reading did not confirm this implausible reading.
       */
      readonly type: 'meter.held' | 'meter.rejected';
      readonly occurred_us: number;
      readonly data: {
        readonly signal: SignalName;
        readonly value: number;
        /** The latest accepted value, which stays the value of the meter. */
        readonly known: number;
        /** Reference to the frame of the reading in the journal (the file of all received messages); null if there is no frame. */
        readonly ref: string | null;
      } & MeterSource;
    }
  | {
      /** A person gave a reading of the meter. */
      readonly type: 'meter.reconciled';
      readonly occurred_us: number;
      readonly data: {
        readonly signal: SignalName;
        /** The total before; null if the meter had none. */
        readonly from: number | null;
        readonly to: number;
        readonly unit: string;
        readonly reason: string;
        readonly segment: number;
      };
    }
  | { readonly type: 'dtc.activated'; readonly occurred_us: number; readonly data: FaultEventData }
  | {
      readonly type: 'dtc.cleared';
      readonly occurred_us: number;
      /** Reason `reported`: the control unit no longer lists the code. Reason `silent`: the control unit stopped sending. */
      readonly data: FaultEventData & { readonly reason: 'reported' | 'silent' };
    };
