/** What goes wrong, by name. */
import type { Fault } from './plan.ts';
import type { World } from './world.ts';

const YEAR = 365 * 86_400_000;

const INCIDENTS: Readonly<Record<Fault, (world: World) => void>> = {
  kill: (world) => world.crash('kill'),
  power: (world) => world.crash('power'),
  'fatal call': (world) => {
    world.weather.fatal = world.random.pick([0.02, 0.1, 0.3]);
  },
  'slow disk': (world) => spell(world, (on) => (world.weather.slow = on)),
  'full disk': (world) => spell(world, (on) => (world.weather.full = on)),
  'sync error': (world) => spell(world, (on) => (world.weather.syncError = on ? 0.5 : 0)),
  'store error': (world) => spell(world, (on) => (world.weather.storeError = on)),
  'clock step': (world) => {
    world.clockOffset = offset(world);
  },
  'device clock': (world) => {
    world.random.pick(world.devices).clockOffset = offset(world);
  },
  'no date': (world) => {
    const device = world.random.pick(world.devices);
    device.dated = !device.dated;
  },
  partition: (world) => world.random.pick(world.devices).partition(world.random.spread(100, 30_000)),
  reboot: (world) => world.random.pick(world.devices).reboot(),
  link: (world) => relink(world),
};

/** Lets one of the plan's faults happen. */
export function incident(world: World): void {
  const { faults } = world.plan;
  if (faults.length === 0) return;
  const fault = world.random.pick(faults);
  world.scheduler.note(fault);
  INCIDENTS[fault](world);
}

function spell(world: World, set: (on: boolean) => void): void {
  set(true);
  world.scheduler.after(world.random.spread(200, 20_000), 'better', () => set(false));
}

/** Of a clock: right again, a little wrong, or by years. */
function offset({ random }: World): number {
  const size = random.pick([0, random.spread(10, 10_000), random.spread(60_000, 86_400_000), YEAR, 15 * YEAR]);
  return Math.floor(random.chance(0.5) ? -size : size);
}

/** Puts a device on another machine, off it, or off and on again at once. */
export function relink(world: World): void {
  const { random } = world;
  const device = random.pick(world.devices);
  const times = random.pick([1, 1, 2, 3]);
  let ms = 0;
  for (let i = 0; i < times; i++) {
    const machine = random.chance(0.25) ? null : random.pick(world.machinesOf(device));
    world.scheduler.after(ms, 'a person', () => world.link(device, machine));
    ms += random.spread(1, 5_000);
  }
}
