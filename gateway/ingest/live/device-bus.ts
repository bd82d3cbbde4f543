/** Converts the bus inventory of a device (the control units and parameter groups that it saw on each CAN bus) to its API form. */
import type { BusHeard } from '#contract/fleet/bus.ts';
import { isoTime } from '#domain/base/times.ts';
import type { NamedUnit } from '#domain/j1939/addresses.ts';
import { isDecoded } from '#domain/j1939/decode.ts';
import { groupName } from '#domain/j1939/groups.ts';
import { type InventoryUnit, type ReportedFaults, type ReportedText, unitsOf } from '#domain/j1939/inventory-units.ts';
import { parseName } from '#domain/j1939/name.ts';
import { ADDRESSES, FUNCTIONS, INDUSTRY_GROUPS, MANUFACTURERS } from '#domain/j1939/name-tables.ts';
import type { DeviceState } from '#ingest/fold/device-state.ts';

type Ecu = BusHeard['ecus'][number];

function nameOf({ name, claimed_us, cannot_claim, before }: NamedUnit): Ecu['name'] {
  const fields = parseName(name);
  if (fields === undefined) return null;
  return {
    raw: name,
    ...fields,
    manufacturer: MANUFACTURERS.get(fields.manufacturer_code) ?? null,
    function_name: FUNCTIONS.get(fields.function) ?? null,
    industry: INDUSTRY_GROUPS[fields.industry_group] ?? 'reserved',
    claimed_at: isoTime(claimed_us),
    cannot_claim,
    previous_addresses: [...before],
  };
}

/** Parses make, model, serial number and unit number from the component identification of J1939-71 (SPN 586, 587, 588, 233). */
function componentOf(reported: ReportedText | undefined): Ecu['component'] {
  if (reported === undefined) return null;
  const [make, model, serial, unit] = reported.text.split('*').map((field) => (field === '' ? null : field));
  return { make: make ?? null, model: model ?? null, serial: serial ?? null, unit: unit ?? null };
}

function codesOf(reported: ReportedFaults | undefined): Ecu['active_codes'] {
  if (reported === undefined) return null;
  const { t_us, lamps, codes, count } = reported;
  return { count, codes: [...codes], lamps, observed_at: isoTime(t_us) };
}

/** Returns one control unit in its API form; `rows` are the parameter groups that were sent from its address. */
function ecuOf({ bus, sa, named, info }: InventoryUnit, rows: readonly { frames: number; last_us: number }[]): Ecu {
  const last_us = Math.max(0, ...rows.map((row) => row.last_us));
  return {
    bus,
    source_address: sa,
    usual_name: sa === null ? null : (ADDRESSES.get(sa) ?? null),
    name: named === null ? null : nameOf(named),
    frames: rows.reduce((sum, { frames }) => sum + frames, 0),
    groups: rows.length,
    last_heard_at: last_us === 0 ? null : isoTime(last_us),
    vin: info?.vin?.text ?? null,
    component: componentOf(info?.component),
    software: info?.software?.text.split('*') ?? null,
    active_codes: codesOf(info?.active),
    previous_codes: codesOf(info?.previous),
  };
}

/** Rounds a rate to one decimal, because rates are not more exact than that. */
const tenth = (value: number | null) => (value === null ? null : Math.round(value * 10) / 10);

/** Returns the buses of a device in their API form; undefined before the first frame of the device. */
export function busHeard({ inventory, addresses, decoder }: DeviceState): BusHeard | undefined {
  if (inventory === undefined) return undefined;
  const buses = inventory.buses();
  const groups = inventory.groups();
  const byAddress = Map.groupBy(groups, ({ bus, sa }) => bus * 256 + sa);
  const { transport } = decoder.counters;
  const heard_us = Math.max(0, ...buses.map(({ last_us }) => last_us));
  const { window } = inventory;
  return {
    heard_at: heard_us === 0 ? null : isoTime(heard_us),
    rates_from: window === null ? null : isoTime(window.from_us),
    rates_until: window === null ? null : isoTime(window.until_us),
    buses: buses
      .map((one) => ({
        bus: one.bus,
        first_heard_at: isoTime(one.first_us),
        last_heard_at: isoTime(one.last_us),
        frames: one.frames,
        standard_frames: one.standard,
        remote_frames: one.remote,
        fd_frames: one.fd,
        error_frames: one.errors,
        last_error_at: one.error_us === 0 ? null : isoTime(one.error_us),
        bit_rate: one.bit_rate,
        bit_rate_source: one.bit_rate === null ? null : ('estimate' as const),
        frames_per_s: tenth(one.frames_per_s),
        bits_per_s: one.bits_per_s === null ? null : Math.round(one.bits_per_s),
        load_pct: null,
      }))
      .sort((a, b) => a.bus - b.bus),
    ecus: unitsOf(inventory, addresses).map((unit) =>
      ecuOf(unit, unit.sa === null ? [] : (byAddress.get(unit.bus * 256 + unit.sa) ?? [])),
    ),
    groups: groups.map(({ bus, sa, pgn, frames, last_us, per_s }) => ({
      bus,
      source_address: sa,
      pgn,
      acronym: groupName(pgn),
      decoded: isDecoded(pgn),
      frames,
      per_s: per_s === null ? null : Math.round(per_s * 100) / 100,
      last_heard_at: isoTime(last_us),
    })),
    transport: {
      completed: transport.completed,
      aborted: transport.aborted,
      lost:
        transport.timeout +
        transport.replaced +
        transport.sequence +
        transport.malformed +
        transport.incomplete +
        transport.evicted,
      extended: transport.extended,
    },
    not_counted: inventory.overflow,
  };
}
