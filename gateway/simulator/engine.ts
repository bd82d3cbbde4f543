/**
 * A simple physical model of one machine. In each step it computes the engine values, the fuel level, the speed and the meters from the
 * present phase of work.
 */
import type { MachineType, Phase } from './machines.ts';
import type { Strain } from './troubles.ts';

/** The physical state of a machine; only plain values, so that it can be stored as JSON. */
export interface Physics {
  rpm: number;
  /** Engine load, in percent of the torque that is possible at the current engine speed. */
  load: number;
  /** Fuel rate in litres per hour. */
  fuel_rate: number;
  fuel_l: number;
  def_l: number;
  used_l: number;
  idle_used_l: number;
  hours: number;
  idle_hours: number;
  pto_hours: number;
  /** Ground speed in kilometres per hour. */
  speed: number;
  odometer_km: number;
  /** Distance from the start of the road that machines of this kind drive, in metres. */
  road_m: number;
  /** True while the machine drives back to the start of the road. */
  homeward: boolean;
  payload_t: number;
  coolant_c: number;
  oil_kpa: number;
  oil_c: number;
  exhaust_c: number;
  battery_v: number;
  ambient_c: number;
}

/** Moves a value toward a target exponentially: after `tau` seconds 37 % of the difference are left. */
function toward(now: number, target: number, dt: number, tau: number): number {
  return target + (now - target) * Math.exp(-dt / tau);
}

const DAY_MS = 86_400_000;
/** Temperature of the outside air in °C; lowest at 04:00 UTC. */
function ambientAt(ms: number): number {
  return 16 + 7 * Math.sin(((ms % DAY_MS) / DAY_MS - 10 / 24) * 2 * Math.PI);
}

/** The input of one step: the phase and the conditions of the machine. */
export interface Demand {
  readonly phase: Phase;
  /** True while the tank is being filled. */
  readonly refuelling: boolean;
  /** Seconds since the phase began. The load rises and falls with this time. */
  readonly second: number;
  /** The effect of a breakdown on the machine. */
  readonly strain: Strain;
  /** A new random number from -1 to 1 for each step. */
  readonly noise: number;
  readonly now_ms: number;
  /** Length of the road that the machine drives, in metres. */
  readonly road_m: number;
}

/** Simulates the next `dt` seconds of the machine, and changes the object `m` itself. */
export function step(m: Physics, type: MachineType, demand: Demand, dt: number): void {
  const { phase, noise, strain } = demand;
  const running = phase.engine;
  const target = running ? type.idle_rpm + phase.throttle * (type.rated_rpm - type.idle_rpm) * (strain.derate ?? 1) : 0;
  m.rpm = running ? toward(m.rpm, target + noise * 14, dt, 0.9) : m.rpm < 5 ? 0 : toward(m.rpm, 0, dt, 0.9);

  const [low, high] = phase.load;
  const swing = 0.5 + 0.5 * Math.sin((demand.second / phase.swing_s) * 2 * Math.PI);
  const asked = running ? low + (high - low) * swing + noise * 3 : 0;
  m.load = Math.max(0, Math.min(100, toward(m.load, asked, dt, 0.7)));

  const power = (m.load / 100) * (m.rpm / type.rated_rpm);
  m.fuel_rate = m.rpm > 0 ? type.idle_lph * (m.rpm / type.idle_rpm) * 0.55 + power * type.full_lph * 0.92 : 0;
  const burnt = (m.fuel_rate * dt) / 3600;
  m.fuel_l = Math.max(0, m.fuel_l - burnt);
  m.def_l = Math.max(0, m.def_l - burnt * 0.04);
  m.used_l += burnt;
  if (demand.refuelling) {
    m.fuel_l = Math.min(type.tank_l * 0.97, m.fuel_l + (type.tank_l * dt) / 180);
    m.def_l = Math.min(type.def_l * 0.98, m.def_l + (type.def_l * dt) / 180);
  }

  if (m.rpm > 300) {
    m.hours += dt / 3600;
    if (phase.throttle === 0) {
      m.idle_hours += dt / 3600;
      m.idle_used_l += burnt;
    }
    if (phase.pto) m.pto_hours += dt / 3600;
  }

  m.speed = toward(m.speed, running ? phase.speed : 0, dt, phase.speed > m.speed ? 5 : 2.5);
  if (m.speed < 0.1) m.speed = 0;
  m.odometer_km += (m.speed * dt) / 3600;
  if (phase.way !== undefined) {
    m.road_m = Math.min(demand.road_m, Math.max(0, m.road_m + (phase.way * m.speed * dt) / 3.6));
    m.homeward = phase.way < 0;
  }

  if (type.payload_t !== undefined) {
    // An excavator fills a truck with about six buckets, so the weight rises in six steps.
    const full = type.payload_t;
    if (phase.payload === 'fills') m.payload_t = Math.min(full, (full * (1 + Math.floor(demand.second / 25))) / 6);
    else if (phase.payload === 'empties') m.payload_t = toward(m.payload_t, 0, dt, 6);
  }

  m.ambient_c = ambientAt(demand.now_ms);
  m.coolant_c = running
    ? toward(m.coolant_c, 80 + 0.11 * m.load + (strain.heat_c ?? 0), dt, 150)
    : toward(m.coolant_c, m.ambient_c, dt, 5400);
  m.oil_c = running
    ? toward(m.oil_c, m.coolant_c + 5 + 0.08 * m.load, dt, 120)
    : toward(m.oil_c, m.ambient_c, dt, 4800);
  m.exhaust_c = running ? toward(m.exhaust_c, 140 + 3.3 * m.load, dt, 18) : toward(m.exhaust_c, m.ambient_c, dt, 600);
  const pressure = m.rpm > 300 ? 150 + 0.17 * m.rpm - 0.4 * Math.max(0, m.oil_c - 90) - (strain.oil_kpa ?? 0) : 0;
  m.oil_kpa = Math.max(0, toward(m.oil_kpa, pressure, dt, 1.5));
  const charging = m.rpm > 300 && strain.no_charge !== true;
  const volts = charging ? 27.9 : strain.no_charge ? 24.2 : 25.3;
  m.battery_v = toward(m.battery_v, volts, dt, charging ? 4 : strain.no_charge ? 240 : 40) + noise * 0.004;
}

/** Creates the state of a parked machine from its engine hours, its share of idle hours, and how full its tanks are (0 to 1). */
export function parked(
  type: MachineType,
  history: { hours: number; idleShare: number; fuelShare: number; defShare: number },
): Physics {
  const { hours, idleShare } = history;
  const used = hours * (idleShare * type.idle_lph + (1 - idleShare) * type.full_lph * 0.48);
  return {
    rpm: 0,
    load: 0,
    fuel_rate: 0,
    fuel_l: type.tank_l * history.fuelShare,
    def_l: type.def_l * history.defShare,
    used_l: used,
    idle_used_l: hours * idleShare * type.idle_lph,
    hours,
    idle_hours: hours * idleShare,
    pto_hours: hours * 0.1,
    speed: 0,
    odometer_km: hours * type.travel_kmh,
    road_m: 0,
    homeward: false,
    payload_t: 0,
    coolant_c: 17,
    oil_kpa: 0,
    oil_c: 17,
    exhaust_c: 17,
    battery_v: 25.3,
    ambient_c: 16,
  };
}
