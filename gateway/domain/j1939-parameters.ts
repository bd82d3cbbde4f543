/** The J1939 parameters this gateway understands: one row per SPN, positions and scaling as SAE prints them. */
import type { SignalName } from '#contract/signals.ts';

/** One parameter of one parameter group; physical = raw * scale + offset, in `unit`; little-endian from byte and bit on. */
export interface Parameter {
  /** Parameter group number. */
  readonly pgn: number;
  /** Acronym of the parameter group. */
  readonly pg: string;
  readonly spn: number;
  readonly name: string;
  /** First byte, 1-based. */
  readonly byte: number;
  /** First bit in that byte, 1-based from the least significant. */
  readonly bit: number;
  readonly bits: number;
  readonly scale: number;
  readonly offset: number;
  readonly unit: string;
  readonly kind: 'number' | 'enum';
  /** The signal it is evidence for, or null when nothing here asks for it. */
  readonly signal: SignalName | null;
  /** Multiplies the physical value into the signal's unit. */
  readonly factor: number;
  /** Among parameters of one signal the lowest rank is preferred while it is heard. */
  readonly rank: number;
  /** Where position and scaling were read. */
  readonly source: string;
}

interface Meaning {
  readonly signal: SignalName;
  readonly rank?: number;
  readonly factor?: number;
}

type Row = readonly [
  spn: number,
  name: string,
  at: number | readonly [byte: number, bit: number],
  bits: number,
  scale: number,
  offset: number,
  unit: string,
  meaning?: Meaning,
];

interface Group {
  readonly pgn: number;
  readonly pg: string;
  readonly rows: readonly Row[];
}

const SOURCE = 'SAE J1939DA OCT2020, extract and slots of ETI j1939-84 (MIT)';

const to = (signal: SignalName, rank = 0, factor = 1): Meaning => ({ signal, rank, factor });

// Enumerations carry the unit 'enum'. Rates are the bus's; HOURS, LFC1, IO, VH and VW are answers to requests on many machines.
const GROUPS: readonly Group[] = [
  {
    pgn: 61444,
    pg: 'EEC1',
    rows: [
      [899, 'Engine torque mode', [1, 1], 4, 1, 0, 'enum'],
      [512, "Driver's demand engine percent torque", 2, 8, 1, -125, '%'],
      [513, 'Actual engine percent torque', 3, 8, 1, -125, '%'],
      [190, 'Engine speed', 4, 16, 0.125, 0, 'rpm', to('engine.speed')],
      [2432, 'Engine demand percent torque', 8, 8, 1, -125, '%'],
    ],
  },
  {
    pgn: 61443,
    pg: 'EEC2',
    rows: [
      [91, 'Accelerator pedal position 1', 2, 8, 0.4, 0, '%'],
      [92, 'Engine percent load at current speed', 3, 8, 1, 0, '%', to('engine.load')],
    ],
  },
  {
    pgn: 65253,
    pg: 'HOURS',
    rows: [
      [247, 'Engine total hours of operation', 1, 32, 0.05, 0, 'h', to('engine.hours')],
      [249, 'Engine total revolutions', 5, 32, 1000, 0, 'r'],
    ],
  },
  {
    pgn: 65266,
    pg: 'LFE1',
    rows: [
      [183, 'Engine fuel rate', 1, 16, 0.05, 0, 'L/h', to('engine.fuel_rate')],
      [184, 'Engine instantaneous fuel economy', 3, 16, 1 / 512, 0, 'km/L'],
      [185, 'Engine average fuel economy', 5, 16, 1 / 512, 0, 'km/L'],
      [51, 'Engine throttle valve 1 position', 7, 8, 0.4, 0, '%'],
    ],
  },
  {
    pgn: 65257,
    pg: 'LFC1',
    rows: [
      [182, 'Engine trip fuel', 1, 32, 0.5, 0, 'L'],
      [250, 'Engine total fuel used', 5, 32, 0.5, 0, 'L', to('engine.fuel_used', 1)],
    ],
  },
  {
    pgn: 64777,
    pg: 'HRLFC',
    rows: [[5054, 'Engine total fuel used (high resolution)', 5, 32, 0.001, 0, 'L', to('engine.fuel_used')]],
  },
  {
    pgn: 65262,
    pg: 'ET1',
    rows: [
      [110, 'Engine coolant temperature', 1, 8, 1, -40, '°C', to('engine.coolant_temperature')],
      [174, 'Engine fuel 1 temperature 1', 2, 8, 1, -40, '°C', to('engine.fuel_temperature')],
      [175, 'Engine oil temperature 1', 3, 16, 0.03125, -273, '°C', to('engine.oil_temperature')],
      [176, 'Engine turbocharger 1 oil temperature', 5, 16, 0.03125, -273, '°C'],
      [52, 'Engine intercooler temperature', 7, 8, 1, -40, '°C'],
    ],
  },
  {
    pgn: 65263,
    pg: 'EFL/P1',
    rows: [
      [94, 'Engine fuel delivery pressure', 1, 8, 4, 0, 'kPa'],
      [98, 'Engine oil level', 3, 8, 0.4, 0, '%', to('engine.oil_level')],
      [100, 'Engine oil pressure 1', 4, 8, 4, 0, 'kPa', to('engine.oil_pressure')],
      [101, 'Engine crankcase pressure 1', 5, 16, 1 / 128, -250, 'kPa'],
      [109, 'Engine coolant pressure 1', 7, 8, 2, 0, 'kPa'],
      [111, 'Engine coolant level 1', 8, 8, 0.4, 0, '%', to('engine.coolant_level')],
    ],
  },
  {
    pgn: 65265,
    pg: 'CCVS1',
    rows: [
      [70, 'Parking brake switch', [1, 3], 2, 1, 0, 'enum'],
      [84, 'Wheel-based vehicle speed', 2, 16, 1 / 256, 0, 'km/h', to('vehicle.speed')],
      [976, 'PTO governor state', [7, 1], 5, 1, 0, 'enum'],
    ],
  },
  {
    pgn: 65271,
    pg: 'VEP1',
    rows: [
      [167, 'Charging system potential (voltage)', 3, 16, 0.05, 0, 'V', to('electrical.battery', 2)],
      [168, 'Battery potential / power input 1', 5, 16, 0.05, 0, 'V', to('electrical.battery')],
      [158, 'Key switch battery potential', 7, 16, 0.05, 0, 'V', to('electrical.battery', 1)],
    ],
  },
  {
    pgn: 65276,
    pg: 'DD1',
    rows: [
      [80, 'Washer fluid level', 1, 8, 0.4, 0, '%'],
      [96, 'Fuel level 1', 2, 8, 0.4, 0, '%', to('fuel.level')],
      [38, 'Fuel level 2', 7, 8, 0.4, 0, '%'],
    ],
  },
  {
    pgn: 65269,
    pg: 'AMB',
    rows: [
      [108, 'Barometric pressure', 1, 8, 0.5, 0, 'kPa', to('ambient.pressure')],
      [170, 'Cab interior temperature', 2, 16, 0.03125, -273, '°C'],
      [171, 'Ambient air temperature', 4, 16, 0.03125, -273, '°C', to('ambient.temperature')],
      [172, 'Engine intake 1 air temperature', 6, 8, 1, -40, '°C'],
      [79, 'Road surface temperature', 7, 16, 0.03125, -273, '°C'],
    ],
  },
  {
    pgn: 65270,
    pg: 'IC1',
    rows: [
      [102, 'Engine intake manifold 1 pressure', 2, 8, 2, 0, 'kPa', to('engine.boost_pressure')],
      [105, 'Engine intake manifold 1 temperature', 3, 8, 1, -40, '°C', to('engine.intake_temperature')],
      [106, 'Engine intake air pressure', 4, 8, 2, 0, 'kPa'],
      [107, 'Engine air filter 1 differential pressure', 5, 8, 0.05, 0, 'kPa'],
      [173, 'Engine exhaust temperature', 6, 16, 0.03125, -273, '°C', to('engine.exhaust_temperature')],
    ],
  },
  {
    pgn: 65248,
    pg: 'VD',
    rows: [
      [244, 'Trip distance', 1, 32, 0.125, 0, 'km'],
      [245, 'Total vehicle distance', 5, 32, 0.125, 0, 'km', to('vehicle.odometer', 1)],
    ],
  },
  {
    pgn: 65217,
    pg: 'VDHR',
    rows: [
      [917, 'Total vehicle distance (high resolution)', 1, 32, 0.005, 0, 'km', to('vehicle.odometer')],
      [918, 'Trip distance (high resolution)', 5, 32, 0.005, 0, 'km'],
    ],
  },
  {
    pgn: 65110,
    pg: 'AT1T1I1',
    rows: [
      [1761, 'Aftertreatment 1 DEF tank volume', 1, 8, 0.4, 0, '%', to('def.level')],
      [3031, 'Aftertreatment 1 DEF tank temperature', 2, 8, 1, -40, '°C', to('def.temperature')],
      [3517, 'Aftertreatment 1 DEF tank level', 3, 16, 0.1, 0, 'mm'],
      [5245, 'Aftertreatment DEF tank low level indicator', [5, 6], 3, 1, 0, 'enum'],
      [5246, 'Aftertreatment SCR operator inducement severity', [6, 6], 3, 1, 0, 'enum'],
    ],
  },
  {
    pgn: 64891,
    pg: 'AT1S1',
    rows: [[3719, 'Aftertreatment 1 DPF soot load percent', 1, 8, 1, 0, '%']],
  },
  {
    pgn: 65244,
    pg: 'IO',
    rows: [
      [236, 'Engine total idle fuel used', 1, 32, 0.5, 0, 'L', to('engine.idle_fuel_used')],
      [235, 'Engine total idle hours', 5, 32, 0.05, 0, 'h', to('engine.idle_hours')],
    ],
  },
  {
    pgn: 65255,
    pg: 'VH',
    rows: [
      [246, 'Total vehicle hours', 1, 32, 0.05, 0, 'h'],
      [248, 'Total power takeoff hours', 5, 32, 0.05, 0, 'h', to('engine.pto_hours')],
    ],
  },
  {
    pgn: 65201,
    pg: 'EH',
    rows: [[1033, 'Total ECU run time', 5, 32, 0.05, 0, 'h']],
  },
  {
    pgn: 65258,
    pg: 'VW',
    rows: [
      [928, 'Axle location', 1, 8, 1, 0, 'enum'],
      [582, 'Axle weight', 2, 16, 0.5, 0, 'kg'],
      [180, 'Trailer weight', 4, 16, 2, 0, 'kg'],
      [181, 'Cargo weight', 6, 16, 2, 0, 'kg', to('vehicle.payload', 0, 0.001)],
    ],
  },
  {
    pgn: 65267,
    pg: 'VP',
    rows: [
      [584, 'Latitude', 1, 32, 1e-7, -210, '°', to('position.latitude')],
      [585, 'Longitude', 5, 32, 1e-7, -210, '°', to('position.longitude')],
    ],
  },
  {
    pgn: 65256,
    pg: 'VDS',
    rows: [
      [165, 'Compass bearing', 1, 16, 1 / 128, 0, '°', to('position.heading')],
      [517, 'Navigation-based vehicle speed', 3, 16, 1 / 256, 0, 'km/h'],
      [583, 'Pitch', 5, 16, 1 / 128, -200, '°'],
      [580, 'Altitude', 7, 16, 0.125, -2500, 'm'],
    ],
  },
  {
    pgn: 64914,
    pg: 'EOI',
    rows: [[3543, 'Engine operating state', [1, 1], 4, 1, 0, 'enum']],
  },
];

function parameter(group: Group, row: Row): Parameter {
  const [spn, name, at, bits, scale, offset, unit, meaning] = row;
  const [byte, bit] = typeof at === 'number' ? [at, 1] : at;
  return {
    pgn: group.pgn,
    pg: group.pg,
    spn,
    name,
    byte,
    bit,
    bits,
    scale,
    offset,
    unit: unit === 'enum' ? '' : unit,
    kind: unit === 'enum' ? 'enum' : 'number',
    signal: meaning?.signal ?? null,
    factor: meaning?.factor ?? 1,
    rank: meaning?.rank ?? 0,
    source: SOURCE,
  };
}

/** Every parameter, grouped by PGN; the index of a row is its number on the hot path and inside one build only. */
export const PARAMETERS: readonly Parameter[] = GROUPS.flatMap((group) =>
  group.rows.map((row) => parameter(group, row)),
);
