/** Facts worth an event in a machine's log. */

import type { SignalName } from '#contract/base/signals.ts';
import type { LiveStatus } from '#contract/fleet/equipment.ts';

/** What a trouble code event says of the code. */
export interface FaultEventData {
  readonly spn: number | null;
  readonly fmi: number;
  readonly occurrence_count: number | null;
  readonly raw: string;
  readonly bus: number;
  readonly source_address: number;
  readonly device_id: string;
}

/** Who told a meter's reading. */
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
        /** decreased, jumped: the same source, and its next reading agreed; source_changed: another source took over. */
        readonly reason: 'decreased' | 'jumped' | 'source_changed';
      } & MeterSource;
    }
  | {
      /** held: a reading does not follow from the one before, and is not shown; rejected: the next one did not agree with it. */
      readonly type: 'meter.held' | 'meter.rejected';
      readonly occurred_us: number;
      readonly data: {
        readonly signal: SignalName;
        readonly value: number;
        /** Latest known, which stands. */
        readonly known: number;
        /** Where the reading stands in the raw journal. */
        readonly ref: string | null;
      } & MeterSource;
    }
  | { readonly type: 'dtc.activated'; readonly occurred_us: number; readonly data: FaultEventData }
  | {
      readonly type: 'dtc.cleared';
      readonly occurred_us: number;
      /** reported: the unit no longer lists it; silent: the unit is no longer heard. */
      readonly data: FaultEventData & { readonly reason: 'reported' | 'silent' };
    };
