/**
 * The missing requirements of devices without a machine that the gateway has heard on a bus. Each says what was heard, and has a proposal
 * if one machine is clear or if the bus identifies a new machine. Nothing is linked or made here.
 */

import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import type { Parsed } from '#contract/operations.ts';
import type { HeardDevices, Setup } from '#contract/site/setup.ts';
import { type Heard, heardFrom, joinClues, type Offer, offerFor, vinsOf } from '#domain/device/heard.ts';
import { deviceClues, fleetClues } from '#handlers/base/match-clues.ts';
import { nextTurn } from '#handlers/base/next-turn.ts';

type Missing = Setup['missing_requirements'][number];
type Device = Stored<DeviceData>;

/** One call compares at most this many devices with the machines, and lists at most this many missing requirements. */
const MOST_DEVICES = 50;
const MOST_LISTED = 20;
/** A message names at most this many devices. */
const MOST_NAMED = 5;
/** A remedy cuts longer texts of devices and machines, and has them in quotes: they are no words of the gateway. */
const MOST_DETAIL = 100;

const ecusOf = (context: HandlerContext, { id }: Device) => context.live.bus(id)?.ecus ?? [];

/** Puts devices that heard the same VIN together: they are on one machine. */
function byMachine(context: HandlerContext, devices: readonly Device[]): Device[][] {
  const groups = new Map<string, Device[]>();
  for (const device of devices) {
    const [vin, other] = vinsOf(ecusOf(context, device));
    const key = vin === undefined || other !== undefined ? device.id : `VIN ${vin.toUpperCase()}`;
    groups.set(key, [...(groups.get(key) ?? []), device]);
  }
  return [...groups.values()];
}

/** Returns the first items as a list in words: `A, B and 3 more`. */
function listed(items: readonly string[], count = items.length): string {
  const shown = items.slice(0, MOST_NAMED);
  return count > shown.length ? `${shown.join(', ')} and ${count - shown.length} more` : shown.join(', ');
}

const nameOf = ({ name, serial, device_id }: HeardDevices['devices'][number]) =>
  `"${name}" (${serial === null ? device_id : `serial ${serial}`})`;

function unitText({ unit, maker, model, serial }: HeardDevices['units'][number]): string {
  const facts = [[maker, model].filter((one) => one !== null).join(' '), serial === null ? '' : `serial ${serial}`];
  const more = facts.filter((one) => one !== '').join(', ');
  return more === '' ? (unit ?? '') : `${unit ?? 'control unit'} (${more})`;
}

function messageOf({ devices, vins, units, unit_count, last_heard_at }: HeardDevices, form: Offer['form']): string {
  const heard = [
    ...vins.map((vin) => `VIN ${vin}`),
    ...(form.unit_number === undefined ? [] : [`unit number ${form.unit_number}`]),
    ...(units.length === 0 ? [] : [listed(units.map(unitText), unit_count)]),
  ];
  const names = listed(devices.map(nameOf));
  const who =
    devices.length === 1
      ? `Device ${names} is on no machine.`
      : `${devices.length} devices heard the same VIN and are on no machine: ${names}.`;
  const what = heard.length === 0 ? 'frames without an identification' : heard.join('; ');
  return `${who} Heard on the bus: ${what}.${last_heard_at === null ? '' : ` Last heard at ${last_heard_at}.`}`;
}

/** Returns a confidence, which has three decimals, in whole percent; never 100 %. */
const percent = (confidence: number) => `${Math.floor(Math.round(1000 * confidence) / 10)} %`;

const THEN_LINK = 'then link the device with telemetry_devices_link.';
const CHOOSE = `Ask a person which machine it is. If it is recorded, link it with telemetry_devices_link. If not, make it with equipment_create, ${THEN_LINK}`;

function remedyOf({ kind, machines, decommissioned, form }: Offer): string {
  const [best] = machines;
  if (kind === 'link' && best !== undefined) {
    const why = best.reasons.map(({ detail }) => JSON.stringify(detail.slice(0, MOST_DETAIL))).join('; ');
    return `It is very likely on ${best.unit_number} (${percent(best.confidence)}: ${why}). If a person confirms it, call telemetry_devices_link with the proposal.`;
  }
  if (kind === 'create') {
    const add = form.unit_number === undefined ? ', and add the unit number that the crew uses' : '';
    return `No machine of the project is like it. If a person confirms that it is a new machine, call equipment_create with the proposal${add}; ${THEN_LINK}`;
  }
  if (decommissioned !== null)
    return `The decommissioned machine ${decommissioned} has this VIN or serial number. If it is in use again, set its status with equipment_update; ${THEN_LINK}`;
  if (best === undefined) return CHOOSE;
  const all = machines.map(({ unit_number, confidence }) => `${unit_number} (${percent(confidence)})`).join(' or ');
  return `It may be on ${all}. ${CHOOSE}`;
}

function proposalOf({ kind, machines, form }: Offer, devices: HeardDevices['devices']): Missing['proposal'] {
  const [best] = machines;
  if (kind === 'create') return { operation: 'equipment_create', objects: [{ ...form }] };
  if (kind !== 'link' || best === undefined) return undefined;
  const links = devices.map(({ serial, device_id }) => ({
    serial: serial ?? device_id,
    equipment_id: best.equipment_id,
    source: 'setup' as const,
  }));
  const input: Pick<Parsed<'telemetry_devices_link'>, 'links'> = { links };
  return { operation: 'telemetry_devices_link', objects: [input] };
}

function gapOf(context: HandlerContext, devices: readonly Device[], heard: Heard, offer: Offer): Missing {
  const times = devices.flatMap(
    ({ id }) => context.live.device(id)?.last_seen_at ?? context.live.bus(id)?.heard_at ?? [],
  );
  const { form: _, ...rest } = heard;
  const shown: HeardDevices = {
    devices: devices.map(({ id, data: { device_id, name, serial } }) => ({ id, device_id, name, serial })),
    ...{ ...rest, vins: [...heard.vins], units: [...heard.units] },
    last_heard_at: times.toSorted().at(-1) ?? null,
    machines: offer.machines.map(({ equipment_id, unit_number, confidence }) => ({
      ...{ equipment_id, unit_number, confidence },
    })),
    decommissioned: offer.decommissioned,
  };
  const proposal = proposalOf(offer, shown.devices);
  return {
    code: 'no_equipment_match',
    resource: 'device',
    field: 'equipment_id',
    message: messageOf(shown, heard.form),
    remedy: remedyOf(offer),
    blocking: false,
    ...(proposal && { proposal }),
    heard: shown,
  };
}

/** Returns the missing requirements of devices that were heard on a bus, and the number of devices that they list. */
export async function heardDeviceGaps(
  context: HandlerContext,
  unlinked: readonly Device[],
): Promise<{ readonly gaps: readonly Missing[]; readonly listed: number }> {
  const heard = unlinked.filter(({ id }) => context.live.bus(id) !== undefined).slice(0, MOST_DEVICES);
  if (heard.length === 0) return { gaps: [], listed: 0 };
  const fleet = await fleetClues(context);
  const gaps: Missing[] = [];
  let count = 0;
  for (const devices of byMachine(context, heard).slice(0, MOST_LISTED)) {
    const clues = await Promise.all(devices.map((device) => deviceClues(context, device)));
    const said = heardFrom(devices.flatMap((device) => ecusOf(context, device)));
    gaps.push(gapOf(context, devices, said, offerFor(said, joinClues(clues), fleet)));
    count += devices.length;
    // The comparison with thousands of machines takes time in which the gateway must answer others.
    await nextTurn();
  }
  return { gaps, listed: count };
}
