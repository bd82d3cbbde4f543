/** What the office page is sent while it is open: a row for each machine and device, the rows that changed, and what else to read again. */
import { z } from 'zod';
import type { FieldSource } from '#contract/base/common.ts';
import { operation, V1 } from '#contract/base/operation.ts';
import type { DeviceStatus } from '#contract/fleet/device.ts';
import type { EquipmentData, EquipmentLive, TelemetryFields } from '#contract/fleet/equipment.ts';

/** The numbers that a list of machines shows; everything else stands on the page of the machine. */
export const ROW_SIGNALS = ['engine.hours', 'fuel.level', 'engine.fuel_rate'] as const;
export const ROW_FIELDS = ['engine_hours', 'fuel_remaining_pct', 'fuel_rate_lph'] as const;
type RowField = (typeof ROW_FIELDS)[number];

/** A machine as a list shows it. Every field has the name and meaning that it has in `equipment_get`. */
export interface MachineRow
  extends Pick<EquipmentData, 'unit_number' | 'name' | 'kind' | 'status'>,
    Pick<EquipmentLive, 'live_status' | 'last_live_data_at' | 'dtc_counts'>,
    Pick<TelemetryFields, RowField> {
  readonly id: string;
  readonly revision: number;
  readonly device_ids: readonly string[];
  /** True when it has values and none of them is live: a recording was replayed into it. */
  readonly recorded: boolean;
  readonly context: { readonly fields: Readonly<Record<string, Pick<FieldSource, 'observed_at'>>> };
}

/** What connectivity writes of a device; names and meaning as in `devices_get`. */
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
  /** Machines of the project in all; more than `machines` where the project has more than the stream carries. */
  readonly machines_total: number;
}

export interface ProjectDelta {
  readonly server_ms: number;
  /** Whole rows that are new or differ from those sent before. */
  readonly machines: readonly MachineRow[];
  readonly devices: readonly DeviceRow[];
  /** Ids of machines that are gone. */
  readonly gone: readonly string[];
  readonly machines_total: number;
  /** Kinds of objects that were created, changed or deleted, such as `alert`; `repair_ticket_event` where an event log grew. Read their lists again. */
  readonly changed: readonly string[];
}

/** One project as its office pages see it, composed once for all of them. */
export interface ProjectFeed {
  snapshot(): ProjectSnapshot;
  /** Returns the unsubscribe. */
  subscribe(
    listener: (
      event:
        | { readonly name: 'snapshot'; readonly data: ProjectSnapshot }
        | { readonly name: 'delta'; readonly data: ProjectDelta }
        | { readonly name: 'gone'; readonly data: { readonly reason: string } },
    ) => void,
  ): () => void;
}

/** The stream of the office page. */
export const projectLiveOperations = {
  project_live: operation({
    method: 'GET',
    path: `${V1}/project-live`,
    summary: 'The live stream of a project for the office page: rows of machines and devices, and what else changed',
    httpOnly: 'events',
    input: z.object({}),
    output: z.object({}),
    stream: true,
    errors: ['rate_limited'],
    source: { extension: 'an office page that polls its lists sends the same rows every two seconds' },
  }),
} as const;
