/**
 * What the bus of a device without a machine says about its machine, and what can be offered to a person: a link to the machine that it is
 * clearly mounted on, or a new machine with the data that was heard. Nothing is invented: a component identification describes the machine
 * only if a control unit of the whole machine sent it. The serial number of an engine is not the serial number of its machine.
 */
import type { BusHeard } from '#contract/fleet/bus.ts';
import {
  type DeviceClues,
  type MachineClues,
  matchReasons,
  plainText,
  type Suggestion,
  suggestMachines,
} from './match.ts';

type Ecu = BusHeard['ecus'][number];

/** A control unit as it named itself. Each text is null if the unit did not send it. */
export interface HeardUnit {
  /** Its function, such as `Engine`; English. */
  readonly unit: string | null;
  readonly maker: string | null;
  readonly model: string | null;
  readonly serial: string | null;
}

/** The data of a new machine, in the fields of `equipment_create`. Only fields that were heard are present. */
export interface MachineForm {
  readonly unit_number?: string;
  readonly pin?: string;
  readonly serial_number?: string;
  readonly oem_name?: string;
  readonly model?: string;
}

/** What was heard on the buses of devices that are on one machine. */
export interface Heard {
  readonly vins: readonly string[];
  /** At most `MOST_UNITS`, those with the most data first. */
  readonly units: readonly HeardUnit[];
  readonly unit_count: number;
  readonly form: MachineForm;
}

export interface Offer {
  /** `link`: one machine is clear. `create`: no machine is similar, and the bus identifies a new one. `ask`: a person must choose. */
  readonly kind: 'link' | 'create' | 'ask';
  /** Machines that the device may be on, the best first; at most three. */
  readonly machines: readonly Suggestion[];
  /** The unit number of a decommissioned machine with the same VIN or serial number; null if there is none. */
  readonly decommissioned: string | null;
  /** The data of a new machine, without a unit number that a machine has already. */
  readonly form: MachineForm;
}

const MOST_UNITS = 5;
const MOST_VINS = 3;
const MOST_MACHINES = 3;
/** Longer texts of control units are cut. */
const MOST_TEXT = 60;
/** The limits of the fields of a machine. A longer text is no identification. */
const MOST_PIN = 40;
const MOST_UNIT_NUMBER = 40;
const MOST_SERIAL = 120;

/** A machine is clear from this confidence on, if no other machine is closer than `APART`. */
const CLEAR = 0.8;
const APART = 0.2;
/** From this confidence on a machine may be the one, so that no new machine is offered. */
const POSSIBLE = 0.5;

/** Functions (NAME) and usual addresses of control units that stand for the whole machine: management computer, cab controller, chassis. */
const WHOLE_FUNCTIONS: ReadonlySet<number> = new Set([30, 37, 52]);
const WHOLE_ADDRESSES: ReadonlySet<number> = new Set([39, 49, 50, 71, 72]);

const isWhole = ({ name, source_address }: Ecu): boolean =>
  name === null ? WHOLE_ADDRESSES.has(source_address ?? -1) : WHOLE_FUNCTIONS.has(name.function);

/** Returns true if the text can identify a machine: control units without a number send `0000000000` or `FFFFFFFF`. */
export function identifies(text: string): boolean {
  const plain = plainText(text);
  return plain.length >= 4 && new Set(plain).size >= 3 && /[1-9]/.test(plain);
}

/** Returns true if the text can be a unit number; not `0000` or `N/A`. */
export const isUnitNumber = (text: string) => /[1-9]/.test(text) && text.length <= MOST_UNIT_NUMBER;

const cut = (text: string | null | undefined): string | null =>
  text == null || text.trim() === '' ? null : text.trim().slice(0, MOST_TEXT);

function unitOf({ name, usual_name, component }: Ecu): HeardUnit {
  return {
    unit: name === null ? usual_name : name.function_name,
    maker: cut(component?.make) ?? cut(name?.manufacturer),
    model: cut(component?.model),
    serial: cut(component?.serial),
  };
}

const NOTHING: HeardUnit = { unit: null, maker: null, model: null, serial: null };
const weight = ({ unit, maker, model, serial }: HeardUnit) =>
  [serial, model, maker, unit].reduce((sum, text) => 2 * sum + (text === null ? 0 : 1), 0);

/** Returns the text if there is exactly one; undefined if there are several different ones, which contradict each other. */
function only(texts: readonly (string | null | undefined)[]): string | undefined {
  const found = new Map(texts.filter((one) => one != null && one !== '').map((one) => [plainText(one as string), one]));
  return found.size === 1 ? ([...found.values()][0] ?? undefined) : undefined;
}

/** Returns the VINs that control units sent, without texts that identify nothing. */
export function vinsOf(ecus: readonly Pick<Ecu, 'vin'>[]): string[] {
  const vins = ecus.flatMap(({ vin }) => (vin !== null && vin.length <= MOST_PIN && identifies(vin) ? [vin] : []));
  return [...new Map(vins.map((vin) => [plainText(vin), vin])).values()];
}

/** Collects what was heard on the buses of devices of one machine. */
export function heardFrom(ecus: readonly Ecu[]): Heard {
  const vins = vinsOf(ecus);
  const whole = ecus.filter(isWhole);
  const pin = vins.length === 1 ? vins[0] : undefined;
  const serial = only(whole.map(({ component }) => component?.serial));
  const unit_number = only(ecus.map(({ component }) => component?.unit).filter((one) => isUnitNumber(one ?? '')));
  const oem_name = only(whole.map(({ component, name }) => cut(component?.make) ?? cut(name?.manufacturer)));
  const model = only(whole.map(({ component }) => cut(component?.model)));
  const units = new Map<string, HeardUnit>();
  for (const ecu of ecus) {
    const unit = unitOf(ecu);
    // Devices on one machine hear the same control units, and one of them may have heard more.
    const key = ecu.name?.raw ?? JSON.stringify(unit);
    if (weight(unit) > weight(units.get(key) ?? NOTHING)) units.set(key, unit);
  }
  return {
    vins: vins.slice(0, MOST_VINS),
    units: [...units.values()].toSorted((a, b) => weight(b) - weight(a)).slice(0, MOST_UNITS),
    unit_count: units.size,
    form: {
      ...(unit_number !== undefined && { unit_number }),
      ...(pin !== undefined && { pin }),
      ...(serial !== undefined && identifies(serial) && serial.length <= MOST_SERIAL && { serial_number: serial }),
      ...(oem_name !== undefined && { oem_name }),
      ...(model !== undefined && { model }),
    },
  };
}

/** Joins what is known about devices that are on one machine. */
export function joinClues(all: readonly DeviceClues[]): DeviceClues {
  const [first] = all;
  if (first === undefined || all.length === 1) return first ?? NO_CLUES;
  const merged = (key: 'names' | 'vins' | 'serials' | 'linked') => [...new Set(all.flatMap((one) => one[key]))];
  return {
    names: merged('names'),
    vins: merged('vins'),
    serials: merged('serials'),
    linked: merged('linked'),
    location_id: only(all.map(({ location_id }) => location_id)) ?? null,
    engine_hours: all.find(({ engine_hours }) => engine_hours !== null)?.engine_hours ?? null,
  };
}

const NO_CLUES: DeviceClues = {
  names: [],
  vins: [],
  serials: [],
  linked: [],
  location_id: null,
  engine_hours: null,
};

const IDENTITIES: ReadonlySet<string> = new Set(['vin_match', 'pin_match', 'serial_match']);

const hasIdentityOf = (device: DeviceClues) => (machine: MachineClues) =>
  matchReasons(device, machine)?.some(({ code }) => IDENTITIES.has(code)) === true;

/** Leaves out a unit number that a machine of the project has. */
function freeForm({ unit_number, ...rest }: MachineForm, machines: readonly MachineClues[]): MachineForm {
  if (unit_number === undefined) return rest;
  const wanted = plainText(unit_number);
  const isTaken = machines.some(({ names }) => names.some((one) => plainText(one) === wanted));
  return isTaken ? rest : { unit_number, ...rest };
}

/** Decides what to offer for a device. `complete` is false if there are more machines than `machines`. */
export function offerFor(
  heard: Pick<Heard, 'form' | 'vins'>,
  device: DeviceClues,
  fleet: {
    readonly machines: readonly MachineClues[];
    readonly decommissioned: readonly MachineClues[];
    readonly complete: boolean;
  },
): Offer {
  const form = freeForm(heard.form, [...fleet.machines, ...fleet.decommissioned]);
  const machines = suggestMachines(device, fleet.machines, { min_confidence: POSSIBLE, limit: MOST_MACHINES });
  const [best, second] = machines;
  // Several VINs contradict each other, also if a machine has one of them.
  const isOne = heard.vins.length <= 1;
  if (isOne && best !== undefined && best.confidence >= CLEAR && best.confidence - (second?.confidence ?? 0) >= APART)
    return { kind: 'link', machines: [best], decommissioned: null, form };
  const decommissioned = fleet.decommissioned.find(hasIdentityOf(device))?.unit_number ?? null;
  const { pin, serial_number, unit_number } = form;
  const isNew =
    best === undefined &&
    decommissioned === null &&
    fleet.complete &&
    isOne &&
    [pin, serial_number, unit_number].some((one) => one !== undefined);
  return { kind: isNew ? 'create' : 'ask', machines, decommissioned, form };
}
