/** The frames that the control units of a machine send. A table gives source address, interval and content for each parameter group. */
import { type DtcCode, encodeDm1, encodeGroup, framesOf, type LampSet, type Values } from '#domain/j1939/encode.ts';
import { PGN } from '#domain/j1939/identifier.ts';
import { encodeName } from '#domain/j1939/name.ts';
import type { Physics } from './engine.ts';
import type { placeOn } from './ground.ts';
import type { MachineType } from './machines.ts';

/** Length of one step of the simulation in milliseconds. Every interval in the table is a multiple of it. */
export const TICK_MS = 100;

/** Control units and their source addresses (SAE J1939 appendix B). */
const ENGINE = 0;
const INSTRUMENTS = 23;
const NAVIGATION = 28;

interface Broadcast {
  readonly pgn: number;
  readonly priority: number;
  readonly source: number;
  readonly every_ms: number;
  values(m: Physics, type: MachineType, place: PlaceOf): Values;
}

/** Returns the position of a machine that has the given physical state. */
type PlaceOf = (m: Physics) => ReturnType<typeof placeOn>;

const percent = (part: number, whole: number) => (100 * part) / whole;

// Parameter groups, priorities and rates follow SAE J1939-71. The simulated control units send totals, such as engine hours, once a minute
// without a request. Many real engines do the same.
const BROADCASTS: readonly Broadcast[] = [
  { pgn: 61444, priority: 3, source: ENGINE, every_ms: 100, values: (m) => ({ 190: m.rpm, 513: m.load, 899: 0 }) },
  {
    pgn: 61443,
    priority: 3,
    source: ENGINE,
    every_ms: 200,
    values: (m) => ({ 91: Math.max(0, m.load - 15), 92: m.load }),
  },
  { pgn: 65266, priority: 6, source: ENGINE, every_ms: 200, values: (m) => ({ 183: m.fuel_rate }) },
  {
    pgn: 65265,
    priority: 6,
    source: ENGINE,
    every_ms: 200,
    values: (m) => ({ 84: m.speed, 70: m.speed < 0.1 && m.rpm < 300 ? 1 : 0 }),
  },
  {
    pgn: 65263,
    priority: 6,
    source: ENGINE,
    every_ms: 500,
    values: (m) => ({ 98: 96, 100: m.oil_kpa, 111: 98 }),
  },
  {
    pgn: 65270,
    priority: 6,
    source: ENGINE,
    every_ms: 500,
    values: (m) => ({ 102: m.fuel_rate * 1.7, 105: m.ambient_c + 16 + 0.22 * m.load, 173: m.exhaust_c }),
  },
  {
    pgn: 65262,
    priority: 6,
    source: ENGINE,
    every_ms: 1000,
    values: (m) => ({ 110: m.coolant_c, 174: m.ambient_c + 0.35 * (m.coolant_c - m.ambient_c), 175: m.oil_c }),
  },
  {
    pgn: 65271,
    priority: 6,
    source: INSTRUMENTS,
    every_ms: 1000,
    values: (m) => ({ 167: m.battery_v, 168: m.battery_v }),
  },
  {
    pgn: 65276,
    priority: 6,
    source: INSTRUMENTS,
    every_ms: 1000,
    values: (m, type) => ({ 96: percent(m.fuel_l, type.tank_l) }),
  },
  { pgn: 65269, priority: 6, source: ENGINE, every_ms: 1000, values: (m) => ({ 108: 95.5, 171: m.ambient_c }) },
  {
    pgn: 65110,
    priority: 6,
    source: ENGINE,
    every_ms: 1000,
    values: (m, type) => ({ 1761: percent(m.def_l, type.def_l), 3031: m.ambient_c + 6 }),
  },
  {
    pgn: 65217,
    priority: 6,
    source: ENGINE,
    every_ms: 1000,
    values: (m, type): Values => (type.travel_kmh === 0 ? {} : { 917: m.odometer_km }),
  },
  {
    pgn: 65258,
    priority: 6,
    source: INSTRUMENTS,
    every_ms: 1000,
    values: (m, type): Values => (type.payload_t === undefined ? {} : { 181: m.payload_t * 1000 }),
  },
  { pgn: 65253, priority: 6, source: ENGINE, every_ms: 60_000, values: (m) => ({ 247: m.hours }) },
  {
    pgn: 65244,
    priority: 6,
    source: ENGINE,
    every_ms: 60_000,
    values: (m) => ({ 235: m.idle_hours, 236: m.idle_used_l }),
  },
  { pgn: 65257, priority: 6, source: ENGINE, every_ms: 60_000, values: (m) => ({ 250: m.used_l }) },
  { pgn: 65255, priority: 6, source: INSTRUMENTS, every_ms: 60_000, values: (m) => ({ 248: m.pto_hours }) },
  // The GNSS receiver of the machine is a separate control unit. It sends position and heading once a second.
  {
    pgn: 65267,
    priority: 6,
    source: NAVIGATION,
    every_ms: 1000,
    values: (m, _type, place) => ({ 584: place(m).lat, 585: place(m).lon }),
  },
  {
    pgn: 65256,
    priority: 6,
    source: NAVIGATION,
    every_ms: 1000,
    values: (m, _type, place) => ({ 165: (place(m).course + (m.homeward ? 180 : 0)) % 360, 517: m.speed }),
  },
];

/** The control units that claim an address at power-up, as pairs of the source address and the function field of the NAME. */
const UNITS = [
  [ENGINE, 0],
  [INSTRUMENTS, 19],
  [NAVIGATION, 23],
] as const;
/** A manufacturer code that SAE has not assigned to a company. */
const NO_MAKER = 0;
const CONSTRUCTION = 3;

const DM1_EVERY_MS = 1000;
/**
 * In this number of steps after power-up the control units send every group at least once. Otherwise the first frame of a group that they
 * send once a minute could come a minute after power-up.
 */
const HELLO_TICKS = 10;
/** The approximate time for which a frame with a 29-bit identifier occupies a bus with 250 kbit/s, in microseconds. */
const FRAME_US = 600;

/** A frame that is to be sent, with its time in microseconds since 1970. */
export interface DueFrame {
  readonly t_us: number;
  readonly id: number;
  readonly data: Uint8Array;
}

/** Returns the J1939 NAME of a control unit. No other control unit of the site has the same NAME. */
function nameOf(machine: number, unitFunction: number): Uint8Array {
  return encodeName({
    identity_number: machine * 128 + unitFunction,
    manufacturer_code: NO_MAKER,
    ecu_instance: 0,
    function_instance: 0,
    function: unitFunction,
    vehicle_system: 0,
    vehicle_system_instance: 0,
    industry_group: CONSTRUCTION,
    arbitrary_address: false,
  });
}

/**
 * Returns the frames that the control units send in this step. A message of several frames (BAM) may take longer than the step: its later
 * frames then have times in the next steps.
 */
export function framesAt(
  m: Physics,
  type: MachineType,
  place: PlaceOf,
  faults: () => { readonly codes: readonly DtcCode[]; readonly lamps: LampSet },
  at: {
    readonly now_ms: number;
    readonly ticksOn: number;
    readonly least_ms: number;
    /** Index and unit number of the machine. Its control units send them in their NAME and component identification. */
    readonly machine: number;
    readonly unit: string;
  },
): DueFrame[] {
  const due: DueFrame[] = [];
  const base_us = at.now_ms * 1000;
  const turn = (index: number, every_ms: number) => {
    const every = Math.max(every_ms, at.least_ms) / TICK_MS;
    return at.ticksOn < HELLO_TICKS
      ? at.ticksOn % Math.min(every, HELLO_TICKS) === index % Math.min(every, HELLO_TICKS)
      : Math.round(at.now_ms / TICK_MS) % every === index % every;
  };
  const put = (priority: number, pgn: number, source: number, data: Uint8Array) => {
    const start_us = base_us + due.length * FRAME_US;
    for (const { id, after_us, data: bytes } of framesOf(priority, pgn, source, data))
      due.push({ t_us: start_us + after_us, id, data: bytes });
  };
  if (at.ticksOn === 0) {
    for (const [source, unitFunction] of UNITS) put(6, PGN.addressClaim, source, nameOf(at.machine, unitFunction));
    const component = `Simulated*${type.model}**${at.unit}*`;
    put(6, PGN.componentIdentification, ENGINE, new TextEncoder().encode(component));
  }
  BROADCASTS.forEach((broadcast, index) => {
    if (!turn(index, broadcast.every_ms)) return;
    const values = broadcast.values(m, type, place);
    if (Object.keys(values).length === 0) return;
    put(broadcast.priority, broadcast.pgn, broadcast.source, encodeGroup(broadcast.pgn, values));
  });
  if (turn(5, DM1_EVERY_MS)) {
    const { codes, lamps } = faults();
    put(6, PGN.dm1, ENGINE, encodeDm1(lamps, codes));
  }
  return due;
}
