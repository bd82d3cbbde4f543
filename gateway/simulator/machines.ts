/** The tables of the simulated quarry: the phases and the fuel use of each type of machine, and the machines of the site. */
import type { EquipmentStatus } from '#contract/fleet/equipment.ts';
import type { DtcCode, LampSet } from '#domain/j1939/encode.ts';
import { GOOD_LOGGER, type LoggerRow } from './logger.ts';

/** One phase of a machine's day, for example loading. */
export interface Phase {
  /** Shortest and longest duration, in seconds. */
  readonly seconds: readonly [number, number];
  /**
   * True if the phase has no fixed length and `seconds` is not used. The phase ends when the other machine (truck or excavator) is ready
   * for loading, or when the next crew comes.
   */
  readonly waits?: true;
  readonly engine: boolean;
  /** Engine speed between idle (0) and rated (1). */
  readonly throttle: number;
  /** Lowest and highest engine load, in percent. */
  readonly load: readonly [number, number];
  /** Seconds in which the load goes from its lowest to its highest value and back. */
  readonly swing_s: number;
  /** Ground speed, in km/h. */
  readonly speed: number;
  /**
   * 1: the machine drives along its road; -1: it drives back to the start of the road; absent: its position on the road does not change.
   */
  readonly way?: 1 | -1;
  readonly payload?: 'fills' | 'empties';
  readonly pto?: true;
}

export interface MachineType {
  readonly name: string;
  readonly model: string;
  readonly idle_rpm: number;
  readonly rated_rpm: number;
  /** Fuel rate at idle, and at full load and rated speed, in L/h. */
  readonly idle_lph: number;
  readonly full_lph: number;
  readonly tank_l: number;
  readonly def_l: number;
  /**
   * Average ground speed since the machine was new, in km/h. The odometer starts at this speed multiplied by the engine hours. 0 for types
   * without an odometer.
   */
  readonly travel_kmh: number;
  /** Nominal payload in tonnes. Absent for types that do not weigh their payload. */
  readonly payload_t?: number;
  readonly phases: Readonly<Record<string, Phase>>;
  /** Names of `phases`, in the order of a working cycle. */
  readonly cycle: readonly string[];
}

const rest = { throttle: 0, load: [13, 18], swing_s: 9, speed: 0 } as const;
const idling = { ...rest, engine: true } as const;
const stopped = { ...rest, engine: false, load: [0, 0] } as const;

/** The phases between two working cycles; every type of machine has them. */
export const PAUSES = {
  break: { ...idling, seconds: [120, 300] },
  off: { ...stopped, seconds: [240, 720] },
  refuel: { ...stopped, seconds: [200, 320] },
  /** The change of crews: one operator leaves, the next one checks the machine and takes it. */
  handover: { ...stopped, seconds: [480, 900] },
  /** The machine is parked during a shift in which it has no operator. */
  unmanned: { ...stopped, seconds: [0, 0], waits: true },
  /** The machine has broken down and waits for the mechanics. */
  broken: { ...stopped, seconds: [900, 2700] },
  repair: { ...stopped, seconds: [1800, 7200], payload: 'empties' },
} as const satisfies Record<string, Phase>;

const TYPES = {
  haul_truck: {
    name: 'Haul truck',
    model: 'Rigid hauler 60 t',
    idle_rpm: 700,
    rated_rpm: 1900,
    idle_lph: 7,
    full_lph: 132,
    tank_l: 800,
    def_l: 45,
    travel_kmh: 14,
    payload_t: 61,
    phases: {
      queue: { ...idling, seconds: [0, 0], waits: true },
      load: { ...idling, seconds: [150, 210], payload: 'fills' },
      haul: { engine: true, seconds: [180, 300], throttle: 0.86, load: [78, 97], swing_s: 37, speed: 23, way: 1 },
      dump: {
        engine: true,
        seconds: [25, 40],
        throttle: 0.6,
        load: [28, 44],
        swing_s: 11,
        speed: 0,
        payload: 'empties',
      },
      return: { engine: true, seconds: [140, 240], throttle: 0.7, load: [24, 52], swing_s: 29, speed: 37, way: -1 },
    },
    cycle: ['queue', 'load', 'haul', 'dump', 'return'],
  },
  excavator: {
    name: 'Excavator',
    model: 'Excavator 75 t',
    idle_rpm: 800,
    rated_rpm: 1800,
    idle_lph: 9,
    full_lph: 92,
    tank_l: 1000,
    def_l: 60,
    travel_kmh: 0,
    phases: {
      wait: { ...idling, seconds: [0, 0], waits: true },
      dig: { engine: true, seconds: [150, 210], throttle: 0.95, load: [55, 94], swing_s: 24, speed: 0 },
    },
    cycle: ['wait', 'dig'],
  },
  wheel_loader: {
    name: 'Wheel loader',
    model: 'Wheel loader 7 m³',
    idle_rpm: 750,
    rated_rpm: 2000,
    idle_lph: 6,
    full_lph: 62,
    tank_l: 420,
    def_l: 30,
    travel_kmh: 6,
    phases: {
      crowd: { engine: true, seconds: [10, 16], throttle: 0.8, load: [82, 98], swing_s: 7, speed: 4 },
      carry: { engine: true, seconds: [24, 38], throttle: 0.72, load: [46, 62], swing_s: 13, speed: 12, way: 1 },
      tip: { engine: true, seconds: [7, 11], throttle: 0.5, load: [30, 44], swing_s: 5, speed: 1 },
      back: { engine: true, seconds: [20, 30], throttle: 0.65, load: [32, 48], swing_s: 11, speed: 15, way: -1 },
      wait: { ...idling, seconds: [4, 45] },
    },
    cycle: ['crowd', 'carry', 'tip', 'back', 'crowd', 'carry', 'tip', 'back', 'wait'],
  },
  dozer: {
    name: 'Dozer',
    model: 'Dozer 39 t',
    idle_rpm: 700,
    rated_rpm: 1850,
    idle_lph: 8,
    full_lph: 78,
    tank_l: 750,
    def_l: 40,
    travel_kmh: 3,
    phases: {
      push: { engine: true, seconds: [40, 70], throttle: 0.9, load: [80, 99], swing_s: 17, speed: 4, way: 1 },
      reverse: { engine: true, seconds: [25, 40], throttle: 0.75, load: [42, 60], swing_s: 13, speed: 8, way: -1 },
      wait: { ...idling, seconds: [3, 40] },
    },
    cycle: ['push', 'reverse', 'push', 'reverse', 'push', 'reverse', 'wait'],
  },
  water_truck: {
    name: 'Water truck',
    model: 'Water truck 30 m³',
    idle_rpm: 700,
    rated_rpm: 1900,
    idle_lph: 6,
    full_lph: 70,
    tank_l: 500,
    def_l: 35,
    travel_kmh: 10,
    phases: {
      fill: { engine: true, seconds: [180, 300], throttle: 0.3, load: [20, 28], swing_s: 19, speed: 0, pto: true },
      drive: { engine: true, seconds: [90, 150], throttle: 0.7, load: [48, 68], swing_s: 23, speed: 26, way: 1 },
      spray: { engine: true, seconds: [240, 360], throttle: 0.6, load: [44, 64], swing_s: 31, speed: 14, pto: true },
      return: { engine: true, seconds: [90, 150], throttle: 0.65, load: [24, 42], swing_s: 27, speed: 33, way: -1 },
    },
    cycle: ['fill', 'drive', 'spray', 'return'],
  },
} as const satisfies Record<string, MachineType>;
export type MachineKind = keyof typeof TYPES;

/** The cycles of machines that do not work. A machine that does not work has one of these cycles instead of the cycle of its type. */
export const DUTIES = {
  service: {
    phases: {
      parked: { ...stopped, seconds: [500, 800] },
      test: { ...idling, seconds: [150, 200], throttle: 0.35, load: [18, 30] },
    },
    cycle: ['parked', 'test'],
  },
  parked: { phases: { parked: { ...stopped, seconds: [600, 600] } }, cycle: ['parked'] },
} as const satisfies Record<string, Pick<MachineType, 'phases' | 'cycle'>>;

/** Returns the properties of a type of machine. */
export function machineType(kind: MachineKind): MachineType {
  return TYPES[kind];
}

/** A span of time that repeats: it begins `from_s` seconds and ends `to_s` seconds after each multiple of `every_s` seconds. */
export interface Window {
  readonly every_s: number;
  readonly from_s: number;
  readonly to_s: number;
}

/** A trouble code that is active always, or only within a window. */
interface RosterCode extends DtcCode {
  readonly active?: Window;
}

/** One machine of the site with its properties. */
export interface RosterRow {
  /** Unit number: the name that the crew uses for the machine. */
  readonly unit: string;
  readonly name: string;
  readonly kind: MachineKind;
  readonly year: number;
  /** The status that a person has set in the record of the machine. */
  readonly status: EquipmentStatus;
  /** `work`: the cycle of its type; `service`: parked, with a short engine test at times; `parked`: engine off. */
  readonly duty: 'work' | keyof typeof DUTIES;
  readonly codes: readonly RosterCode[];
  readonly lamps: LampSet;
  /** Mean engine hours between breakdowns. */
  readonly mtbf_h: number;
  /** True if the night shift has an operator for this machine. */
  readonly nights: boolean;
  readonly logger: LoggerRow;
}

/** The default properties of a machine. The row of a machine in `ROSTER` may override them. */
export const ORDINARY = {
  status: 'in_use',
  duty: 'work',
  codes: [],
  lamps: {},
  mtbf_h: 60,
  nights: true,
  logger: GOOD_LOGGER,
} as const satisfies Partial<RosterRow>;
const prompt = { ...GOOD_LOGGER, batch_ms: 200 } as const;
const healthy = { ...ORDINARY, logger: prompt } as const;
const truck = { ...healthy, kind: 'haul_truck' } as const;

/**
 * The machines of the demo quarry: six trucks and the two excavators that load them, two wheel loaders at the plant, a dozer and a water
 * truck.
 */
export const ROSTER: readonly RosterRow[] = [
  { ...truck, unit: 'HT-01', name: 'Haul truck 1', year: 2019 },
  { ...truck, unit: 'HT-02', name: 'Haul truck 2', year: 2019 },
  {
    ...truck,
    unit: 'HT-03',
    name: 'Haul truck 3',
    year: 2016,
    lamps: { amber: true, mil: true },
    codes: [
      { spn: 3719, fmi: 16, count: 3 },
      { spn: 107, fmi: 15, count: 12, active: { every_s: 900, from_s: 0, to_s: 540 } },
    ],
  },
  {
    ...truck,
    unit: 'HT-04',
    name: 'Haul truck 4',
    year: 2021,
    logger: { ...prompt, clock: { kind: 'offset', by_ms: 21_000 } },
  },
  { ...truck, unit: 'HT-05', name: 'Haul truck 5', year: 2014, status: 'maintenance', duty: 'service' },
  { ...truck, unit: 'HT-06', name: 'Haul truck 6', year: 2022 },
  { ...healthy, kind: 'excavator', unit: 'EX-01', name: 'Excavator north face', year: 2018 },
  { ...healthy, kind: 'excavator', unit: 'EX-02', name: 'Excavator south face', year: 2020 },
  { ...healthy, kind: 'wheel_loader', unit: 'WL-01', name: 'Loader crusher', year: 2020 },
  {
    ...healthy,
    kind: 'wheel_loader',
    unit: 'WL-02',
    name: 'Loader stockpile',
    year: 2013,
    status: 'down',
    duty: 'parked',
    lamps: { red: true, mil: true },
    codes: [{ spn: 100, fmi: 1, count: 1 }],
  },
  { ...healthy, kind: 'dozer', unit: 'DZ-01', name: 'Dozer dump', year: 2017 },
  {
    ...healthy,
    kind: 'water_truck',
    unit: 'WT-01',
    name: 'Water truck',
    year: 2015,
    // This machine works behind a hill: its link fails for minutes, and the logger sends the data of that time later.
    logger: { ...prompt, outages: { up_s: [840, 840], down_s: [360, 360] } },
  },
];

/** True if this second of the simulation is inside the window. */
export function inWindow(window: Window, second: number): boolean {
  const at = second % window.every_s;
  return at >= window.from_s && at < window.to_s;
}
