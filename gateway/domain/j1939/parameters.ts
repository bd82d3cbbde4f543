/** The J1939 parameters that the gateway decodes: one row per SPN, with positions and scaling as SAE prints them. */

import type { SignalName } from '#contract/base/signals.ts';
import { parameterName } from '#contract/fleet/fault-words.ts';

/**
 * One parameter of one parameter group. The raw value begins at `byte` and `bit`, and is little-endian. The physical value in `unit` is raw
 * * scale + offset.
 */
export interface Parameter {
  /** The parameter group number. */
  readonly pgn: number;
  /** The acronym of the parameter group. */
  readonly pg: string;
  readonly spn: number;
  readonly name: string;
  /** The first byte, counted from 1. */
  readonly byte: number;
  /** The first bit in that byte, counted from 1 at the least significant bit. */
  readonly bit: number;
  readonly bits: number;
  readonly scale: number;
  readonly offset: number;
  readonly unit: string;
  readonly kind: 'number' | 'enum';
  /** The signal that this parameter measures; null if the gateway only shows the parameter in logs. */
  readonly signal: SignalName | null;
  /** Converts the physical value to the unit of the signal by multiplication. */
  readonly factor: number;
  /**
   * If a machine sends several parameters that measure the same signal, the gateway uses the parameter with the lowest rank that still
   * arrives.
   */
  readonly rank: number;
  /** The document from which position and scaling were copied. */
  readonly source: string;
}

interface Meaning {
  readonly signal: SignalName;
  readonly rank?: number;
  readonly factor?: number;
}

type Row = readonly [
  spn: number,
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

// The names of the SPNs are in #contract/fleet/fault-words.ts. The unit 'enum' marks an enumeration. Many machines send HOURS, LFC1, IO,
// VH and VW only in answer to a request.
const GROUPS: readonly Group[] = [
  {
    pgn: 61444,
    pg: 'EEC1',
    rows: [
      [899, [1, 1], 4, 1, 0, 'enum'],
      [512, 2, 8, 1, -125, '%'],
      [513, 3, 8, 1, -125, '%'],
      [190, 4, 16, 0.125, 0, 'rpm', to('engine.speed')],
      [2432, 8, 8, 1, -125, '%'],
    ],
  },
  {
    pgn: 61443,
    pg: 'EEC2',
    rows: [
      [91, 2, 8, 0.4, 0, '%'],
      [92, 3, 8, 1, 0, '%', to('engine.load')],
    ],
  },
  {
    pgn: 65253,
    pg: 'HOURS',
    rows: [
      [247, 1, 32, 0.05, 0, 'h', to('engine.hours')],
      [249, 5, 32, 1000, 0, 'r'],
    ],
  },
  {
    pgn: 65266,
    pg: 'LFE1',
    rows: [
      [183, 1, 16, 0.05, 0, 'L/h', to('engine.fuel_rate')],
      [184, 3, 16, 1 / 512, 0, 'km/L'],
      [185, 5, 16, 1 / 512, 0, 'km/L'],
      [51, 7, 8, 0.4, 0, '%'],
    ],
  },
  {
    pgn: 65257,
    pg: 'LFC1',
    rows: [
      [182, 1, 32, 0.5, 0, 'L'],
      [250, 5, 32, 0.5, 0, 'L', to('engine.fuel_used', 1)],
    ],
  },
  {
    pgn: 64777,
    pg: 'HRLFC',
    rows: [[5054, 5, 32, 0.001, 0, 'L', to('engine.fuel_used')]],
  },
  {
    pgn: 65262,
    pg: 'ET1',
    rows: [
      [110, 1, 8, 1, -40, '°C', to('engine.coolant_temperature')],
      [174, 2, 8, 1, -40, '°C', to('engine.fuel_temperature')],
      [175, 3, 16, 0.03125, -273, '°C', to('engine.oil_temperature')],
      [176, 5, 16, 0.03125, -273, '°C'],
      [52, 7, 8, 1, -40, '°C'],
    ],
  },
  {
    pgn: 65263,
    pg: 'EFL/P1',
    rows: [
      [94, 1, 8, 4, 0, 'kPa'],
      [98, 3, 8, 0.4, 0, '%', to('engine.oil_level')],
      [100, 4, 8, 4, 0, 'kPa', to('engine.oil_pressure')],
      [101, 5, 16, 1 / 128, -250, 'kPa'],
      [109, 7, 8, 2, 0, 'kPa'],
      [111, 8, 8, 0.4, 0, '%', to('engine.coolant_level')],
    ],
  },
  {
    pgn: 65265,
    pg: 'CCVS1',
    rows: [
      [70, [1, 3], 2, 1, 0, 'enum'],
      [84, 2, 16, 1 / 256, 0, 'km/h', to('vehicle.speed')],
      [976, [7, 1], 5, 1, 0, 'enum'],
    ],
  },
  {
    pgn: 65271,
    pg: 'VEP1',
    rows: [
      [167, 3, 16, 0.05, 0, 'V', to('electrical.battery', 2)],
      [168, 5, 16, 0.05, 0, 'V', to('electrical.battery')],
      [158, 7, 16, 0.05, 0, 'V', to('electrical.battery', 1)],
    ],
  },
  {
    pgn: 65276,
    pg: 'DD1',
    rows: [
      [80, 1, 8, 0.4, 0, '%'],
      [96, 2, 8, 0.4, 0, '%', to('fuel.level')],
      [38, 7, 8, 0.4, 0, '%'],
    ],
  },
  {
    pgn: 65269,
    pg: 'AMB',
    rows: [
      [108, 1, 8, 0.5, 0, 'kPa', to('ambient.pressure')],
      [170, 2, 16, 0.03125, -273, '°C'],
      [171, 4, 16, 0.03125, -273, '°C', to('ambient.temperature')],
      [172, 6, 8, 1, -40, '°C'],
      [79, 7, 16, 0.03125, -273, '°C'],
    ],
  },
  {
    pgn: 65270,
    pg: 'IC1',
    rows: [
      [102, 2, 8, 2, 0, 'kPa', to('engine.boost_pressure')],
      [105, 3, 8, 1, -40, '°C', to('engine.intake_temperature')],
      [106, 4, 8, 2, 0, 'kPa'],
      [107, 5, 8, 0.05, 0, 'kPa'],
      [173, 6, 16, 0.03125, -273, '°C', to('engine.exhaust_temperature')],
    ],
  },
  {
    pgn: 65248,
    pg: 'VD',
    rows: [
      [244, 1, 32, 0.125, 0, 'km'],
      [245, 5, 32, 0.125, 0, 'km', to('vehicle.odometer', 1)],
    ],
  },
  {
    pgn: 65217,
    pg: 'VDHR',
    rows: [
      [917, 1, 32, 0.005, 0, 'km', to('vehicle.odometer')],
      [918, 5, 32, 0.005, 0, 'km'],
    ],
  },
  {
    pgn: 65110,
    pg: 'AT1T1I1',
    rows: [
      [1761, 1, 8, 0.4, 0, '%', to('def.level')],
      [3031, 2, 8, 1, -40, '°C', to('def.temperature')],
      [3517, 3, 16, 0.1, 0, 'mm'],
      [5245, [5, 6], 3, 1, 0, 'enum'],
      [5246, [6, 6], 3, 1, 0, 'enum'],
    ],
  },
  {
    pgn: 64891,
    pg: 'AT1S1',
    rows: [[3719, 1, 8, 1, 0, '%']],
  },
  {
    pgn: 65244,
    pg: 'IO',
    rows: [
      [236, 1, 32, 0.5, 0, 'L', to('engine.idle_fuel_used')],
      [235, 5, 32, 0.05, 0, 'h', to('engine.idle_hours')],
    ],
  },
  {
    pgn: 65255,
    pg: 'VH',
    rows: [
      [246, 1, 32, 0.05, 0, 'h'],
      [248, 5, 32, 0.05, 0, 'h', to('engine.pto_hours')],
    ],
  },
  {
    pgn: 65201,
    pg: 'EH',
    rows: [[1033, 5, 32, 0.05, 0, 'h']],
  },
  {
    pgn: 65258,
    pg: 'VW',
    rows: [
      [928, 1, 8, 1, 0, 'enum'],
      [582, 2, 16, 0.5, 0, 'kg'],
      [180, 4, 16, 2, 0, 'kg'],
      [181, 6, 16, 2, 0, 'kg', to('vehicle.payload', 0, 0.001)],
    ],
  },
  {
    pgn: 65267,
    pg: 'VP',
    rows: [
      [584, 1, 32, 1e-7, -210, '°', to('position.latitude')],
      [585, 5, 32, 1e-7, -210, '°', to('position.longitude')],
    ],
  },
  {
    pgn: 65256,
    pg: 'VDS',
    rows: [
      [165, 1, 16, 1 / 128, 0, '°', to('position.heading')],
      [517, 3, 16, 1 / 256, 0, 'km/h'],
      [583, 5, 16, 1 / 128, -200, '°'],
      [580, 7, 16, 0.125, -2500, 'm'],
    ],
  },
  {
    pgn: 64914,
    pg: 'EOI',
    rows: [[3543, [1, 1], 4, 1, 0, 'enum']],
  },
];

function parameter(group: Group, row: Row): Parameter {
  const [spn, at, bits, scale, offset, unit, meaning] = row;
  const [byte, bit] = typeof at === 'number' ? [at, 1] : at;
  return {
    pgn: group.pgn,
    pg: group.pg,
    spn,
    name: parameterName(spn) ?? `SPN ${spn}`,
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

/**
 * All parameters, grouped by PGN. The decoder identifies a parameter by the index of its row. Do not store this index, because it may
 * change from version to version.
 */
export const PARAMETERS: readonly Parameter[] = GROUPS.flatMap((group) =>
  group.rows.map((row) => parameter(group, row)),
);
