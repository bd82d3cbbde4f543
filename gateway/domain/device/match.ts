/**
 * Suggests the machine on which a device is mounted. It compares each machine with the device: names, serial numbers, engine hours,
 * locations, and to which machines the device was linked before. Each match is a reason with a weight from 0 to 1. The reasons are treated
 * as independent, so the confidence that device and machine belong together is 1 - (1 - w1)(1 - w2)..., where w1, w2 and so on are the
 * weights. A machine is excluded if its stored VIN (vehicle identification number) differs from the VIN on the bus.
 */

export type MatchReason =
  | 'vin_match'
  | 'pin_match'
  | 'serial_match'
  | 'name_similarity'
  | 'hours_proximity'
  | 'location_proximity'
  | 'previous_link';

/** The data of a device that is compared with machines. */
export interface DeviceClues {
  /** Names given by people: name, `device_id`, serial. */
  readonly names: readonly string[];
  /**
   * VINs that control units on the buses of the device have sent. There are several VINs if a control unit was taken from another machine.
   */
  readonly vins: readonly string[];
  /** Serial numbers of the machine, from the bus or from people. */
  readonly serials: readonly string[];
  readonly location_id: string | null;
  readonly engine_hours: number | null;
  /** Machines that the device was linked to, the latest first. */
  readonly linked: readonly string[];
}

/** The data of a machine that is compared with devices. */
export interface MachineClues {
  readonly id: string;
  readonly unit_number: string;
  /** Unit number, aliases, name. */
  readonly names: readonly string[];
  readonly pin: string | null;
  readonly serial_number: string | null;
  readonly location_id: string | null;
  readonly engine_hours: number | null;
}

export interface Reason {
  readonly code: MatchReason;
  readonly detail: string;
  readonly weight: number;
}

const WEIGHT = {
  vin_match: 0.97,
  pin_match: 0.95,
  serial_match: 0.9,
  name_same: 0.6,
  name_alike: 0.4,
  hours_proximity: 0.35,
  location_proximity: 0.15,
  previous_link: 0.4,
} as const;
/** Two names with a lower similarity than this do not count as a reason. */
const ALIKE = 0.6;
/**
 * Engine hours count as a reason if they differ by less than HOURS_APART. A machine with less than LEAST_HOURS is not compared by hours,
 * because all new machines have similar hours.
 */
const HOURS_APART = 50;
const LEAST_HOURS = 10;

/** Keeps letters and digits only, in upper case. */
export function plainText(text: string): string {
  return text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

// ISO 3779: 17 characters without I, O and Q.
const isVin = (text: string) => /^[A-HJ-NPR-Z0-9]{17}$/.test(text);

/** Splits a text into pairs of neighbouring characters: `HT01` gives `HT`, `T0` and `01`. */
function pairsOf(text: string): string[] {
  return Array.from({ length: Math.max(0, text.length - 1) }, (_, i) => text.slice(i, i + 2));
}

/** Sørensen-Dice similarity over pairs of characters: 1 if equal, 0 if nothing is in common. */
function likeness(a: string, b: string): number {
  if (a === b) return 1;
  const rest = pairsOf(a);
  const other = pairsOf(b);
  const total = rest.length + other.length;
  let shared = 0;
  for (const pair of other) {
    const at = rest.indexOf(pair);
    if (at < 0) continue;
    rest.splice(at, 1);
    shared++;
  }
  return total === 0 ? 0 : (2 * shared) / total;
}

/**
 * Compares each name of the device with each name of the machine. Returns the match with the highest weight as a reason; undefined if no
 * names match.
 */
function nameReason(device: readonly string[], machine: readonly string[]): Reason | undefined {
  let best: { weight: number; detail: string } | undefined;
  for (const one of device) {
    const words = one.split(/[\s_/]+/).map(plainText);
    const whole = plainText(one);
    for (const other of machine) {
      const wanted = plainText(other);
      if (wanted.length < 2) continue;
      const same = whole === wanted || words.includes(wanted);
      const alike = same ? 1 : likeness(whole, wanted);
      const weight = same ? WEIGHT.name_same : alike >= ALIKE ? WEIGHT.name_alike * alike : 0;
      if (weight > (best?.weight ?? 0)) best = { weight, detail: `${one} ~ ${other}` };
    }
  }
  return best && { code: 'name_similarity', ...best };
}

function hoursReason(device: number | null, machine: number | null): Reason | undefined {
  if (device === null || machine === null || machine < LEAST_HOURS) return undefined;
  const apart = Math.abs(device - machine);
  if (apart >= HOURS_APART) return undefined;
  const weight = WEIGHT.hours_proximity * (1 - apart / HOURS_APART);
  return { code: 'hours_proximity', detail: `${device} h on the bus, ${machine} h recorded`, weight };
}

/** The reasons why the device may be mounted on the machine; undefined if the VIN from the bus excludes the machine. */
export function matchReasons(device: DeviceClues, machine: MachineClues): Reason[] | undefined {
  const vins = device.vins.map(plainText).filter((vin) => vin !== '');
  const pin = machine.pin === null ? '' : plainText(machine.pin);
  const same = vins.includes(pin);
  if (!same && isVin(pin) && vins.some(isVin)) return undefined;
  const reasons: Reason[] = [];
  if (same)
    reasons.push(
      isVin(pin)
        ? { code: 'vin_match', detail: `VIN ${pin}`, weight: WEIGHT.vin_match }
        : { code: 'pin_match', detail: `PIN ${pin}`, weight: WEIGHT.pin_match },
    );
  const serial = machine.serial_number === null ? '' : plainText(machine.serial_number);
  if (serial.length >= 4 && device.serials.some((one) => plainText(one) === serial))
    reasons.push({ code: 'serial_match', detail: `serial ${machine.serial_number}`, weight: WEIGHT.serial_match });
  const name = nameReason(device.names, machine.names);
  if (name !== undefined) reasons.push(name);
  const hours = hoursReason(device.engine_hours, machine.engine_hours);
  if (hours !== undefined) reasons.push(hours);
  if (device.location_id !== null && device.location_id === machine.location_id)
    reasons.push({ code: 'location_proximity', detail: 'same location', weight: WEIGHT.location_proximity });
  const before = device.linked.indexOf(machine.id);
  if (before >= 0)
    reasons.push({
      code: 'previous_link',
      detail: before === 0 ? 'linked to it last' : 'was linked to it before',
      weight: WEIGHT.previous_link / (before + 1),
    });
  return reasons;
}

export interface Suggestion {
  readonly equipment_id: string;
  readonly unit_number: string;
  readonly confidence: number;
  readonly reasons: readonly Reason[];
}

/** The machines that a device may be mounted on, best first; machines of equal confidence in the order of their unit numbers. */
export function suggestMachines(
  device: DeviceClues,
  machines: readonly MachineClues[],
  options: { readonly min_confidence: number; readonly limit: number },
): Suggestion[] {
  const found: Suggestion[] = [];
  for (const machine of machines) {
    const reasons = matchReasons(device, machine);
    if (reasons === undefined || reasons.length === 0) continue;
    const doubt = reasons.reduce((left, { weight }) => left * (1 - weight), 1);
    const confidence = Math.round((1 - doubt) * 1000) / 1000;
    if (confidence < options.min_confidence) continue;
    const rounded = reasons
      .map((reason) => ({ ...reason, weight: Math.round(reason.weight * 1000) / 1000 }))
      .sort((a, b) => b.weight - a.weight);
    found.push({ equipment_id: machine.id, unit_number: machine.unit_number, confidence, reasons: rounded });
  }
  return found
    .sort((a, b) => b.confidence - a.confidence || (a.unit_number < b.unit_number ? -1 : 1))
    .slice(0, options.limit);
}
