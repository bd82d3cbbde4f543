/** The table of signals: one row for each value that a machine can report. Decoding, equipment fields, dashboards and history use it. */

/**
 * meter: a value that only grows. level: a fill level or position, which screens show with its time. gauge: a value that screens show only
 * while it is fresh.
 */
export type SignalKind = 'meter' | 'level' | 'gauge';

export interface SignalRow {
  /** Name of the signal on screens. */
  readonly label: string;
  /** Unit of the signal, on screens and in the store. */
  readonly unit: string;
  /** Digits after the point on screens. */
  readonly decimals: number;
  readonly kind: SignalKind;
  /** Longest time between two values on a healthy bus, in seconds. It applies until the gateway has learned the time (`freshness.ts`). */
  readonly interval_s: number;
  /** Name of the API field of a machine that has this value. */
  readonly field: string;
  /** Normal range of values, for drawing bars. */
  readonly min: number;
  readonly max: number;
}

export const SIGNALS = {
  'engine.speed': {
    label: 'Engine speed',
    unit: 'rpm',
    decimals: 0,
    kind: 'gauge',
    interval_s: 1,
    field: 'engine_rpm',
    min: 0,
    max: 2500,
  },
  'engine.load': {
    label: 'Engine load',
    unit: '%',
    decimals: 0,
    kind: 'gauge',
    interval_s: 1,
    field: 'engine_load_pct',
    min: 0,
    max: 125,
  },
  'engine.fuel_rate': {
    label: 'Fuel rate',
    unit: 'L/h',
    decimals: 1,
    kind: 'gauge',
    interval_s: 1,
    field: 'fuel_rate_lph',
    min: 0,
    max: 150,
  },
  'engine.coolant_temperature': {
    label: 'Coolant',
    unit: '°C',
    decimals: 0,
    kind: 'gauge',
    interval_s: 1,
    field: 'coolant_temperature_c',
    min: 0,
    max: 120,
  },
  'engine.oil_temperature': {
    label: 'Oil temperature',
    unit: '°C',
    decimals: 0,
    kind: 'gauge',
    interval_s: 1,
    field: 'oil_temperature_c',
    min: 0,
    max: 140,
  },
  'engine.fuel_temperature': {
    label: 'Fuel temperature',
    unit: '°C',
    decimals: 0,
    kind: 'gauge',
    interval_s: 1,
    field: 'fuel_temperature_c',
    min: -20,
    max: 90,
  },
  'engine.intake_temperature': {
    label: 'Intake manifold',
    unit: '°C',
    decimals: 0,
    kind: 'gauge',
    interval_s: 1,
    field: 'intake_temperature_c',
    min: -20,
    max: 120,
  },
  'engine.exhaust_temperature': {
    label: 'Exhaust',
    unit: '°C',
    decimals: 0,
    kind: 'gauge',
    interval_s: 1,
    field: 'exhaust_temperature_c',
    min: 0,
    max: 700,
  },
  'engine.oil_pressure': {
    label: 'Oil pressure',
    unit: 'kPa',
    decimals: 0,
    kind: 'gauge',
    interval_s: 1,
    field: 'oil_pressure_kpa',
    min: 0,
    max: 700,
  },
  'engine.boost_pressure': {
    label: 'Boost',
    unit: 'kPa',
    decimals: 0,
    kind: 'gauge',
    interval_s: 1,
    field: 'boost_pressure_kpa',
    min: 0,
    max: 400,
  },
  'engine.coolant_level': {
    label: 'Coolant level',
    unit: '%',
    decimals: 0,
    kind: 'level',
    interval_s: 1,
    field: 'coolant_level_pct',
    min: 0,
    max: 100,
  },
  'engine.oil_level': {
    label: 'Oil level',
    unit: '%',
    decimals: 0,
    kind: 'level',
    interval_s: 1,
    field: 'oil_level_pct',
    min: 0,
    max: 100,
  },
  'engine.hours': {
    label: 'Engine hours',
    unit: 'h',
    decimals: 1,
    kind: 'meter',
    interval_s: 60,
    field: 'engine_hours',
    min: 0,
    max: 100000,
  },
  'engine.idle_hours': {
    label: 'Idle hours',
    unit: 'h',
    decimals: 1,
    kind: 'meter',
    interval_s: 60,
    field: 'idle_hours',
    min: 0,
    max: 100000,
  },
  'engine.fuel_used': {
    label: 'Fuel used',
    unit: 'L',
    decimals: 0,
    kind: 'meter',
    interval_s: 60,
    field: 'fuel_used_l',
    min: 0,
    max: 10000000,
  },
  'engine.idle_fuel_used': {
    label: 'Idle fuel used',
    unit: 'L',
    decimals: 0,
    kind: 'meter',
    interval_s: 60,
    field: 'idle_fuel_used_l',
    min: 0,
    max: 10000000,
  },
  'engine.pto_hours': {
    label: 'PTO hours',
    unit: 'h',
    decimals: 1,
    kind: 'meter',
    interval_s: 60,
    field: 'pto_hours',
    min: 0,
    max: 100000,
  },
  'fuel.level': {
    label: 'Fuel',
    unit: '%',
    decimals: 0,
    kind: 'level',
    interval_s: 1,
    field: 'fuel_remaining_pct',
    min: 0,
    max: 100,
  },
  'def.level': {
    label: 'DEF',
    unit: '%',
    decimals: 0,
    kind: 'level',
    interval_s: 1,
    field: 'def_remaining_pct',
    min: 0,
    max: 100,
  },
  'def.temperature': {
    label: 'DEF temperature',
    unit: '°C',
    decimals: 0,
    kind: 'gauge',
    interval_s: 1,
    field: 'def_temperature_c',
    min: -20,
    max: 80,
  },
  'vehicle.speed': {
    label: 'Speed',
    unit: 'km/h',
    decimals: 0,
    kind: 'gauge',
    interval_s: 1,
    field: 'speed_kmh',
    min: 0,
    max: 70,
  },
  'vehicle.odometer': {
    label: 'Odometer',
    unit: 'km',
    decimals: 1,
    kind: 'meter',
    interval_s: 60,
    field: 'odometer_km',
    min: 0,
    max: 10000000,
  },
  'vehicle.payload': {
    label: 'Payload',
    unit: 't',
    decimals: 1,
    kind: 'gauge',
    interval_s: 10,
    field: 'payload_t',
    min: 0,
    max: 400,
  },
  'vehicle.hydraulic_temperature': {
    label: 'Hydraulic oil',
    unit: '°C',
    decimals: 0,
    kind: 'gauge',
    interval_s: 10,
    field: 'hydraulic_temperature_c',
    min: 0,
    max: 120,
  },
  'electrical.battery': {
    label: 'Battery',
    unit: 'V',
    decimals: 1,
    kind: 'gauge',
    interval_s: 1,
    field: 'battery_v',
    min: 0,
    max: 32,
  },
  'ambient.temperature': {
    label: 'Outside air',
    unit: '°C',
    decimals: 0,
    kind: 'gauge',
    interval_s: 1,
    field: 'ambient_temperature_c',
    min: -40,
    max: 60,
  },
  'ambient.pressure': {
    label: 'Air pressure',
    unit: 'kPa',
    decimals: 1,
    kind: 'gauge',
    interval_s: 1,
    field: 'barometric_pressure_kpa',
    min: 60,
    max: 110,
  },
  // Positions are levels, not gauges: screens show the last position with its time when a machine stops sending.
  'position.latitude': {
    label: 'Latitude',
    unit: '°',
    decimals: 6,
    kind: 'level',
    interval_s: 5,
    field: 'latitude_deg',
    min: -90,
    max: 90,
  },
  'position.longitude': {
    label: 'Longitude',
    unit: '°',
    decimals: 6,
    kind: 'level',
    interval_s: 5,
    field: 'longitude_deg',
    min: -180,
    max: 180,
  },
  'position.heading': {
    label: 'Heading',
    unit: '°',
    decimals: 0,
    kind: 'gauge',
    interval_s: 1,
    field: 'heading_deg',
    min: 0,
    max: 360,
  },
} as const satisfies Record<string, SignalRow>;

export type SignalName = keyof typeof SIGNALS;

export const SIGNAL_NAMES = Object.keys(SIGNALS) as SignalName[];

/** Returns the row of a signal in `SIGNALS`, typed as `SignalRow`. */
export function signalRow(name: SignalName): SignalRow {
  return SIGNALS[name];
}

/** True if the text is the name of a signal. */
export function isSignal(name: string): name is SignalName {
  return Object.hasOwn(SIGNALS, name);
}

/** Range of possible values for each unit: from the physical minimum to the largest value that the J1939 parameter can transmit. */
const POSSIBLE: Readonly<Record<string, readonly [least: number, most: number]>> = {
  rpm: [0, 8_031.875],
  '%': [0, 250],
  'L/h': [0, 3_212.75],
  '°C': [-273, 1_735],
  kPa: [-250, 64_255],
  h: [0, 210_554_060.75],
  L: [0, 2_105_540_607.5],
  km: [0, 526_385_151.875],
  'km/h': [0, 250.996_093_75],
  t: [0, 10_000],
  V: [0, 3_212.75],
  '°': [-180, 360],
};

/** Range of possible values for signals with a smaller range than their unit has in `POSSIBLE`. */
const NARROWER: { readonly [N in SignalName]?: readonly [least: number, most: number] } = {
  'position.latitude': [-90, 90],
  'position.longitude': [-180, 180],
  'position.heading': [0, 360],
};

/** Returns false if the value is NaN or is outside the possible range of the signal. */
export function isPlausible(name: SignalName, value: number): boolean {
  const { unit, kind } = signalRow(name);
  const [least, most] =
    NARROWER[name] ??
    (kind === 'level' ? [0, 100] : (POSSIBLE[unit] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]));
  return value >= least && value <= most;
}

/**
 * The states that a control unit may send instead of a value (SAE J1939-71). History stores the index of a state in this list, so add new
 * states only at the end.
 */
export const STORED_STATES = ['unavailable', 'error', 'specific', 'reserved'] as const;
export type StoredState = (typeof STORED_STATES)[number];
