/**
 * Types of the live stream of the office page: a row for each machine and device, later the changed rows, and the kinds of objects that the
 * page must read again.
 */
import { z } from 'zod';
import type { FieldSource } from '#contract/base/common.ts';
import { operation, V1 } from '#contract/base/operation.ts';
import type { DeviceStatus } from '#contract/fleet/device.ts';
import type { EquipmentData, EquipmentLive, TelemetryFields } from '#contract/fleet/equipment.ts';
import type { ShownStatus } from '#contract/fleet/shown-status.ts';
import type { Reason } from './trouble.ts';

/** Signals that the office page shows in its list of machines. It shows the other signals on the page of each machine. */
export const ROW_SIGNALS = ['engine.hours', 'fuel.level', 'engine.fuel_rate'] as const;
export const ROW_FIELDS = ['engine_hours', 'fuel_remaining_pct', 'fuel_rate_lph'] as const;
type RowField = (typeof ROW_FIELDS)[number];

/** A row of the list of machines. Each field has the same name and meaning as in `equipment_get`. */
export interface MachineRow
  extends Pick<EquipmentData, 'unit_number' | 'name' | 'kind' | 'taken'>,
    Pick<EquipmentLive, 'live_status' | 'last_live_data_at' | 'dtc_counts'>,
    Pick<TelemetryFields, RowField> {
  readonly id: string;
  readonly revision: number;
  readonly status: ShownStatus;
  readonly device_ids: readonly string[];
  /** Seconds in which the next live data is expected, whatever its signal. Absent if it is the usual 5 s. */
  readonly expected_interval_s?: number | undefined;
  /** True if all values of the machine come from recorded logs, and none from live data. */
  readonly recorded: boolean;
  /** For a machine in trouble: its place among all machines in trouble, and the gravest reason. */
  readonly trouble?: { readonly place: number; readonly reason: Reason };
  readonly context: {
    readonly fields: Readonly<
      Record<string, Pick<FieldSource, 'observed_at' | 'expected_interval_s' | 'stale_after_s'>>
    >;
  };
}

/** A row of the list of devices. Each field has the same name and meaning as in `devices_get`. */
export interface DeviceRow {
  readonly id: string;
  readonly status: DeviceStatus;
  readonly status_color: string;
  readonly last_seen_at: string | null;
  readonly messages_total: number;
  readonly decode_errors_total: number;
}

export interface ProjectSnapshot {
  readonly server_ms: number;
  readonly machines: readonly MachineRow[];
  readonly devices: readonly DeviceRow[];
  /** Number of machines in the project. It is larger than `machines` if the project exceeds the limit of the stream. */
  readonly machines_total: number;
}

export interface ProjectDelta {
  readonly server_ms: number;
  /** Rows of machines that are new or have changed since the last event. Each row is complete. */
  readonly machines: readonly MachineRow[];
  readonly devices: readonly DeviceRow[];
  /** Ids of deleted machines. */
  readonly gone: readonly string[];
  readonly machines_total: number;
  /**
   * Kinds of objects that were created, changed or deleted, such as `alert`. For a new event in the log of a ticket the kind is
   * `repair_ticket_event`. The page must read the lists of these kinds again.
   */
  readonly changed: readonly string[];
}

/** The live data of one project, composed once for all open office pages. */
export interface ProjectFeed {
  snapshot(): ProjectSnapshot;
  /** Returns the unsubscribe function. */
  subscribe(
    listener: (
      event:
        | { readonly name: 'snapshot'; readonly data: ProjectSnapshot }
        | { readonly name: 'delta'; readonly data: ProjectDelta }
        | { readonly name: 'gone'; readonly data: { readonly reason: string } },
    ) => void,
  ): () => void;
}

/** The operation of the live stream of the office page. */
export const projectLiveOperations = {
  project_live: operation({
    method: 'GET',
    path: `${V1}/project-live`,
    summary: 'The live stream of a project for the office page: rows of machines and devices, and what else changed',
    httpOnly: 'events',
    input: z.object({}),
    output: z.object({}),
    stream: 'project',
    errors: ['rate_limited'],
    source: { extension: 'without a stream, an office page would read the same rows every two seconds' },
  }),
} as const;
