/** One seed, from the first start of a site to its end. */
import { incident, relink } from './incidents.ts';
import { fairWeather } from './process.ts';
import { type Sabotage, World } from './world.ts';

export interface Outcome {
  readonly seed: number;
  readonly mode: 'safety' | 'liveness';
  /** What must not be; undefined when all is well. */
  readonly violation: string | undefined;
  /** Stands for everything that happened: the same for the same seed. */
  readonly trace: string;
  readonly virtual_ms: number;
  readonly steps: number;
  readonly answered: number;
  readonly restarts: number;
  readonly checks: number;
}

/** So often the facts are compared while all goes on, in steps. */
const LOOK_EVERY = 60;
/** After the faults have stopped the process must be up within this, and everything at rest within that, and some ticks. */
const UP_MS = 60_000;
const REST_MS = 120_000;
/** More steps than any seed needs: something runs in a circle. */
const MAX_STEPS = 400_000;

class Run {
  readonly world: World;
  private calm = false;

  constructor(world: World) {
    this.world = world;
  }

  /** Lets time pass until something holds; a violation when that takes longer than `within`. */
  async until(what: string, within: number, holds: () => boolean | Promise<boolean>): Promise<void> {
    const { world } = this;
    const { scheduler } = world;
    const end = scheduler.now + within;
    while (world.violation === undefined) {
      if (await holds()) return;
      if (scheduler.now > end || scheduler.steps > MAX_STEPS) return world.fail(`[liveness] ${what} took too long`);
      if (!(await scheduler.step())) return world.fail(`[liveness] nothing happens any more: ${what}`);
      if (scheduler.steps % LOOK_EVERY === 0 && world.isFolded) world.verify('while it runs');
    }
  }

  async storm(): Promise<void> {
    const { world } = this;
    const { plan, random, scheduler, network } = world;
    if (plan.lossy)
      Object.assign(network, { lostRequest: random.spread(0.001, 0.1), lostAnswer: random.spread(0.001, 0.1) });
    if (plan.repeating) network.repeated = random.spread(0.01, 0.3);
    network.jitter = plan.jitter;
    world.boot();
    for (const device of world.devices) {
      device.connect();
      scheduler.after(random.between(50, 1_000), 'a person', () => relink(world));
    }
    const pause = (n: number) => random.spread(0.1, 4) * (plan.span / n);
    const talk = (): void => {
      if (this.calm) return;
      const device = random.pick(world.devices);
      for (let i = random.pick([1, 1, 1, 4]); i > 0; i--) device.make();
      // A fault at a time when nothing happens finds nothing.
      if (plan.incidents > 0 && random.chance(plan.incidents / plan.messages)) {
        scheduler.after(random.spread(0.5, 2_000), 'incident', () => this.calm || incident(world));
      }
      scheduler.after(pause(plan.messages), 'talk', talk);
    };
    const worsen = (): void => {
      if (this.calm) return;
      incident(world);
      scheduler.after(pause(plan.incidents), 'incident', worsen);
    };
    scheduler.after(random.between(0, 2_000), 'talk', talk);
    if (plan.incidents > 0) scheduler.after(pause(plan.incidents), 'incident', worsen);
    await this.until('the storm', plan.span * 4, () => scheduler.now >= plan.span);
  }

  /** Ends all faults; what they have begun ends by itself. */
  clear(): void {
    const { world } = this;
    this.calm = true;
    Object.assign(world.weather, fairWeather());
    Object.assign(world.network, { lostRequest: 0, lostAnswer: 0, repeated: 0, jitter: 0 });
  }

  async rest(): Promise<void> {
    const { world } = this;
    const within = REST_MS + world.plan.commitMs + 10 * world.plan.tickMs;
    await this.until('coming to rest', within, async () => {
      return world.isQuiet && world.isAtRest(await world.unfolded());
    });
    world.verify('at rest');
    const ingest = world.currentIngest();
    if (ingest === undefined || world.violation !== undefined) return;
    await this.finish('reading history', world.verifyHistory(ingest));
  }

  /** Lets time pass until a promise is settled. */
  async finish(what: string, promise: Promise<void>): Promise<void> {
    let done = false;
    promise.then(
      () => {
        done = true;
      },
      (error: Error) => this.world.fail(`${what}: ${error.stack}`),
    );
    await this.until(what, UP_MS, () => done);
  }

  /** Stops as a person would, looks at what the store holds, and starts once more. */
  async restart(): Promise<void> {
    const { world } = this;
    if (world.violation !== undefined) return;
    await this.finish('stopping', world.stop());
    if (world.violation !== undefined) return;
    world.verifyStore();
    world.boot();
    await this.until('starting', UP_MS, () => world.isUp);
  }

  /** Machines run when they say so, and their devices transmit, wherever the clocks were before. */
  async finale(): Promise<void> {
    const { world } = this;
    if (world.violation !== undefined) return;
    const { scheduler } = world;
    world.clockOffset = 0;
    await this.until('all connect', UP_MS, () => world.devices.every(({ online }) => online));
    for (const device of world.devices) {
      device.clockOffset = 0;
      device.dated = true;
    }
    const machineOf = (id: string) => world.machineOf(id);
    // Where ticks are rare, silence speaks before anybody looks.
    const telling = world.devices.filter((device) => {
      const machine = machineOf(device.identity.device);
      return device.isCan && machine !== null && world.plan.tickMs <= 4_000;
    });
    for (let second = 0; second < 15; second++) {
      for (const device of telling) {
        scheduler.after(second * 1_000, 'work', () => device.report(world.nextUid(), 1, 12_000));
      }
    }
    const end = scheduler.now + 15_000;
    await this.until('working', UP_MS, () => scheduler.now >= end);
    await this.rest();
    for (const { identity } of telling) {
      const live = world.live();
      const machine = machineOf(identity.device) as string;
      const status = live?.equipment(machine)?.live_status;
      if (status !== 'running') world.fail(`${machine} is ${status} while it runs`);
    }
  }
}

/** Runs a seed; nothing of it outlives the call. */
export async function simulate(
  seed: number,
  options: { readonly sabotage?: Sabotage; readonly watch?: (line: string) => void } = {},
): Promise<Outcome> {
  const world = new World(seed, options.sabotage, options.watch);
  const run = new Run(world);
  try {
    await run.storm();
    run.clear();
    if (world.plan.mode === 'safety') {
      if (world.violation === undefined) world.crash('power');
      await run.until('starting', UP_MS, () => world.isUp);
    } else {
      await run.until('starting', UP_MS, () => world.isUp);
      await run.rest();
      await run.finale();
      await run.restart();
    }
  } catch (error) {
    world.fail(`the simulator itself: ${(error as Error).stack}`);
  }
  world.scheduler.note(world.violation ?? 'well');
  const { scheduler, answered, restarts, checks, plan } = world;
  return {
    seed,
    mode: plan.mode,
    violation: world.violation,
    trace: scheduler.trace(),
    virtual_ms: scheduler.now,
    steps: scheduler.steps,
    answered,
    restarts,
    checks,
  };
}
