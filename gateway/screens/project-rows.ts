import type { Stored } from '#contract/base/view.ts';
import type { Links, LiveReader } from '#contract/context.ts';
import { type DeviceLive, STATUS_COLOR } from '#contract/fleet/device.ts';
import type { EquipmentData, EquipmentLive, LiveValue } from '#contract/fleet/equipment.ts';
import { shownStatus } from '#contract/fleet/shown-status.ts';
import { type DeviceRow, type MachineRow, ROW_FIELDS, ROW_SIGNALS } from '#contract/site/project-live.ts';
import type { Standing } from '#domain/board/tiles.ts';

/** Returns what a page needs to compute the freshness of a value. */
function freshnessPart(value: LiveValue): MachineRow['context']['fields'][string] {
  const { observed_at, expected_interval_s, stale_after_s } = value;
  if (stale_after_s !== undefined) return { observed_at, expected_interval_s, stale_after_s };
  return expected_interval_s === undefined ? { observed_at } : { observed_at, expected_interval_s };
}

/** Returns the row of a machine on the office page, from its record, its live values and its place in the ranking. */
export function machineRow(
  { id, revision, data }: Stored<EquipmentData>,
  live: LiveReader & Links,
  { reasons: [reason], attention }: Standing,
): MachineRow {
  const known: EquipmentLive | undefined = live.equipment(id, ROW_SIGNALS);
  const value = (at: number) => known?.values[ROW_SIGNALS[at] as (typeof ROW_SIGNALS)[number]];
  const fields = Object.fromEntries(
    ROW_FIELDS.flatMap((field, at) => {
      const found = value(at);
      return found === undefined ? [] : [[field, freshnessPart(found)]];
    }),
  );
  return {
    id,
    revision,
    unit_number: data.unit_number,
    name: data.name,
    kind: data.kind,
    status: shownStatus(data.status),
    taken: data.taken ?? null,
    live_status: known?.live_status ?? 'unknown',
    last_live_data_at: known?.last_live_data_at ?? null,
    engine_hours: value(0)?.value ?? null,
    fuel_remaining_pct: value(1)?.value ?? null,
    fuel_rate_lph: value(2)?.value ?? null,
    dtc_counts: known?.dtc_counts ?? null,
    device_ids: live.devicesOf(id),
    ...(known?.expected_interval_s === undefined ? {} : { expected_interval_s: known.expected_interval_s }),
    recorded: known?.last_live_data_at === null && Object.keys(live.equipment(id)?.values ?? {}).length > 0,
    ...(reason !== undefined &&
      attention?.place != null &&
      attention.over === undefined && { trouble: { place: attention.place, reason } }),
    context: { fields },
  };
}

/** Returns the row of a device on the office page; undefined if the gateway has received nothing from it. */
export function deviceRow(id: string, live: DeviceLive | undefined): DeviceRow | undefined {
  if (live === undefined) return undefined;
  const { status, last_seen_at, metrics } = live;
  return {
    id,
    status,
    status_color: STATUS_COLOR[status],
    last_seen_at,
    messages_total: metrics.messages_total,
    decode_errors_total: metrics.decode_errors_total,
  };
}
