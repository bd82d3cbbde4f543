/**
 * The operation that reads the bus inventory of a device (control units, parameter groups, load), combined with the settings of the device.
 */
import { type BusHeard, busSettings } from '#contract/fleet/bus.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import { faultWords } from '#contract/fleet/fault-words.ts';
import { handlerGroup } from '#contract/handler.ts';
import { requireRecord } from '#handlers/base/documents.ts';

const NOTHING: BusHeard = {
  heard_at: null,
  rates_from: null,
  rates_until: null,
  buses: [],
  ecus: [],
  groups: [],
  transport: { completed: 0, aborted: 0, lost: 0, extended: 0 },
  not_counted: 0,
};

/** Computes the load of a bus. A bit rate in the settings of the device overrides the estimated bit rate. */
function withLoad(bus: BusHeard['buses'][number], set: number | undefined): BusHeard['buses'][number] {
  const bit_rate = set ?? bus.bit_rate;
  const load = bit_rate === null || bus.bits_per_s === null ? null : (100 * bus.bits_per_s) / bit_rate;
  return {
    ...bus,
    bit_rate,
    bit_rate_source: set === undefined ? bus.bit_rate_source : 'setting',
    load_pct: load === null ? null : Math.round(load * 10) / 10,
  };
}

type Codes = BusHeard['ecus'][number]['active_codes'];

function inWords(listed: Codes): Codes {
  if (listed === null || listed.codes.length === 0) return listed;
  return { ...listed, codes: listed.codes.map((code) => ({ ...code, meaning: faultWords(code.spn, code.fmi) })) };
}

export const deviceBusHandlers = handlerGroup([], {
  async devices_bus_get({ id, bus, decoded, limit }, context) {
    const device = await requireRecord<DeviceData>(context.view, 'device', id);
    const heard = context.live.bus(id) ?? NOTHING;
    const { bus_bit_rates } = busSettings(device.data.settings);
    const meant = (one: { readonly bus: number }) => bus === undefined || one.bus === bus;
    const groups = heard.groups
      .filter((one) => meant(one) && (decoded === undefined || one.decoded === decoded))
      .sort((a, b) => b.frames - a.frames || a.bus - b.bus || a.source_address - b.source_address || a.pgn - b.pgn);
    return {
      object: 'bus_census',
      device_id: id,
      ...heard,
      buses: heard.buses
        .filter(meant)
        .map((one) => withLoad(one, bus_bit_rates.find((set) => set.bus === one.bus)?.bit_rate)),
      ecus: heard.ecus.filter(meant).map((one) => ({
        ...one,
        active_codes: inWords(one.active_codes),
        previous_codes: inWords(one.previous_codes),
      })),
      groups: groups.slice(0, limit),
      groups_total: groups.length,
    };
  },
});
