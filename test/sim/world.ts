/**
 * A site in one process: devices, a network, the gateway's real ingest, and under it a disk, a store and clocks that fail.
 *
 *   devices -> network -> accept -> [journal, fold, commit: the real ones] -> live state
 *                                       |                  |
 *                            mirror reads the disk    model says what must be known
 *
 * Checked: at each answer, that the message is on the disk; at each commit, that it is not ahead of the disk; after each start, and
 * whenever everything is folded, that the facts are those of the model.
 */
import { decodeCanPayload } from '#codec/can-payload.ts';
import type { EventData } from '#contract/base/event.ts';
import type { Change } from '#contract/base/view.ts';
import type { DeviceLive } from '#contract/fleet/device.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import { FRAME } from '#contract/fleet/frame.ts';
import { startIngest } from '#ingest/ingest.ts';
import type { Ingest } from '#ingest/ingest-types.ts';
import type { Saved } from '#ingest/writer/saved-snapshot.ts';
import type { IngestStore } from '#ingest/writer/store-writer.ts';
import { compare, compareCodes, compareHistory, compareLog, type Told } from './check.ts';
import { arrived, Device, type Door, goodNetwork } from './device.ts';
import { type DeviceRecord, Ledger } from './ledger.ts';
import { digest, type Message } from './messages.ts';
import type { Expected } from './model.ts';
import { type Plan, planOf } from './plan.ts';
import { type Crash, fairWeather, Process } from './process.ts';
import { Random } from './random.ts';
import { Scheduler } from './scheduler.ts';
import { SimDisk } from './sim-disk.ts';
import { SimStore } from './sim-store.ts';

/** What is broken on purpose, to see that the simulator notices. */
export type Sabotage =
  | 'disk that answers before it has synced'
  | 'fold that takes repeats for new'
  | 'fold that takes the receipt for a date'
  | 'store that forgets gap records'
  | 'judge who believes every reading';

const FOLDER = '/site';
const JOURNAL = `${FOLDER}/journal`;
const EPOCH = Date.parse('2026-11-21T08:00:00Z');
const EARLIEST = 86_400_000;

export class World {
  readonly plan: Plan;
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly weather = fairWeather();
  readonly network = goodNetwork();
  readonly disk = new SimDisk();
  readonly store: SimStore;
  readonly devices: Device[] = [];
  readonly machines: string[] = [];
  /** The gateway's clock minus true time, in milliseconds. */
  clockOffset = 0;
  /** The first thing that must not be. */
  violation: string | undefined;
  restarts = 0;
  answered = 0;
  checks = 0;
  /** Documents that the gateway said the store does not take. */
  private readonly refused = new Set<string>();
  private readonly ledger: Ledger;
  private process: Process;
  private ingest: Ingest | undefined;
  private storeNow: IngestStore | undefined;
  private doorsOpen = false;
  private life = 0;
  private uptimeBefore = 0;
  private uids = 0;
  private readonly sabotage: Sabotage | undefined;

  constructor(seed: number, sabotage?: Sabotage, watch?: (line: string) => void) {
    this.random = new Random(seed);
    this.plan = planOf(seed, this.random);
    this.scheduler = new Scheduler(this.random.fork());
    this.scheduler.watch = watch;
    this.sabotage = sabotage;
    this.store = new SimStore(() => this.clock(), sabotage === 'store that forgets gap records');
    this.store.onCommit = (changes) => this.committed(changes);
    this.disk.lies = sabotage === 'disk that answers before it has synced';
    this.ledger = new Ledger(
      () => this.disk.durableFiles(JOURNAL),
      (reason) => this.fail(reason),
      sabotage === 'judge who believes every reading',
    );
    this.disk.onRemove = (name) =>
      this.ledger.removed(name, this.snapshot()?.tail ?? 0, this.store.all<EventData>('events'));
    this.process = new Process(this.scheduler, this.random.fork(), this.weather, () => {});
    this.process.alive = false;
    this.populate();
  }

  /** True milliseconds since 1970. */
  trueTime(): number {
    return EPOCH + this.scheduler.now;
  }

  /** What the gateway's clock says. */
  clock(): number {
    return Math.max(EARLIEST, Math.floor(this.trueTime() + this.clockOffset));
  }

  get isUp(): boolean {
    return this.doorsOpen;
  }

  nextUid(): number {
    return ++this.uids;
  }

  fail(reason: string): void {
    this.violation ??= `at ${(this.scheduler.now / 1000).toFixed(3)} s: ${reason}`;
  }

  private populate(): void {
    const { plan, random } = this;
    const door: Door = {
      accept: (message, dup) => this.accept(message, dup),
      connected: (identity) => {
        if (!this.doorsOpen) return false;
        this.ingest?.connected(identity, '10.0.0.1');
        return true;
      },
      disconnected: (identity) => {
        if (this.doorsOpen) this.ingest?.disconnected(identity);
      },
    };
    for (let n = 0; n < plan.devices; n++) {
      this.devices.push(
        new Device(n, {
          random: random.fork(),
          scheduler: this.scheduler,
          network: this.network,
          door,
          nextUid: () => this.nextUid(),
          now: () => this.trueTime(),
        }),
      );
    }
    for (let n = 0; n < 2 * plan.devices; n++) this.machines.push(`eq_${n}`);
  }

  /** Machines that a device may be put on: those whose frames it shares with no other, in its project. */
  machinesOf(device: Device): string[] {
    const n = this.devices.indexOf(device);
    if (device.isCan) return [`eq_${2 * n}`, `eq_${2 * n + 1}`];
    return this.machines.filter((_, i) => Math.floor(i / 2) % 2 === n % 2);
  }

  /** Puts a device on a machine, or takes it off; does nothing while the gateway is down. */
  link(device: Device, machine: string | null): void {
    if (!this.doorsOpen) return;
    const { device: id, device_id, project_id } = device.identity;
    const data: DeviceRecord = {
      device_id,
      equipment_id: machine,
      expected_interval_s: null,
    };
    this.scheduler.note(`link ${id} ${machine}`);
    this.storeNow
      ?.commit([{ collection: 'records', id, object: 'device', project_id, data: { ...data } }])
      .catch(() => {});
  }

  /** Starts the gateway's process; the doors open when it has read its journal and the facts are right. */
  boot(): void {
    const process = new Process(this.scheduler, this.random.fork(), this.weather, (crash) => this.crash(crash));
    process.slow = this.plan.slowProcessor;
    this.process = process;
    this.life++;
    this.scheduler.note(`boot ${this.life}`);
    const store = this.store.for(process);
    this.storeNow = store;
    const { plan } = this;
    startIngest({
      folder: FOLDER,
      store,
      clock: () => this.clock(),
      monotonic: () => process.monotonic(),
      timers: process.timers(),
      random: (n) => process.random.bytes(n),
      disk: this.disk.for(process),
      log: (level, message, data) => {
        this.scheduler.note(`${level} ${message} ${JSON.stringify(data ?? {})}`);
        if (message.startsWith('the store refused a document')) this.refused.add((data as { id: string }).id);
        const poison = JSON.stringify(data ?? {}).includes('indigestible');
        if (message === 'a tick of ingest failed' || (message === 'the fold failed' && !poison)) {
          this.fail(`${message} ${JSON.stringify(data)}`);
        }
      },
      onFatal: () => {
        if (process.alive) this.scheduler.after(1, 'fatal', () => process.alive && this.crash('kill'));
      },
      tickMs: plan.tickMs,
      commitMs: plan.commitMs,
      segmentBytes: plan.segmentBytes,
      rawBytes: plan.rawBytes,
      decodeCan: this.decoding(),
    }).then(
      (ingest) => void this.started(process, ingest),
      (error: Error) => {
        this.scheduler.note(`no start: ${error.message}`);
        if (process.alive) this.crash('kill');
      },
    );
  }

  private decoding(): typeof decodeCanPayload {
    if (this.sabotage === 'fold that takes repeats for new') return forgetful();
    return this.sabotage === 'fold that takes the receipt for a date' ? credulous : digesting;
  }

  private async started(process: Process, ingest: Ingest): Promise<void> {
    if (!process.alive) return;
    this.ingest = ingest;
    const recordOf = (device: string) => this.store.get<DeviceRecord>('records', device)?.data;
    this.ledger.restarted();
    for (const id of this.deviceIds()) this.ledger.begin(id, recordOf(id)?.equipment_id ?? null);
    this.verify('after a start');
    await this.verifyHistory(ingest);
    if (process.alive) this.doorsOpen = true;
  }

  /** Ends the process, and brings it up again after a while. */
  crash(crash: Crash): void {
    if (!this.process.alive) return;
    this.scheduler.note(`crash: ${crash}`);
    this.doorsOpen = false;
    this.uptimeBefore += this.process.uptime();
    this.process.end();
    this.ingest = undefined;
    if (crash === 'power') this.disk.powerCut(this.random);
    this.weather.fatal = 0;
    this.restarts++;
    for (const device of this.devices) device.disconnect();
    this.scheduler.after(this.random.spread(100, 20_000), 'power on', () => this.boot());
  }

  /** Stops the process as a person would. */
  async stop(): Promise<void> {
    this.doorsOpen = false;
    for (const device of this.devices) device.disconnect();
    await this.ingest?.[Symbol.asyncDispose]();
    this.uptimeBefore += this.process.uptime();
    this.process.end();
    this.ingest = undefined;
  }

  private uptime(): number {
    return this.uptimeBefore + (this.process.alive ? this.process.uptime() : 0);
  }

  private accept(message: Message, dup: boolean): Promise<void> | undefined {
    if (!this.doorsOpen || this.ingest === undefined) return undefined;
    const attempt = this.ledger.arrive(message, this.clock(), this.uptime(), this.life);
    const { process } = this;
    return this.ingest.accept(arrived(message, dup, attempt.received_ms)).then(() => {
      if (!process.alive) return;
      this.answered++;
      this.ledger.look();
      this.ledger.answered(attempt);
    });
  }

  private committed(changes: readonly Change[]): void {
    for (const { collection, document } of changes) {
      const { object, id, data } = document;
      if (object === 'ingest_snapshot') this.ledger.committed(data as unknown as Saved);
      if (collection === 'records' && object === 'device')
        this.ledger.link(id, (data as unknown as DeviceRecord).equipment_id);
    }
  }

  private snapshot(): Saved | undefined {
    return this.store.get<Saved>('local', 'ingest_snapshot')?.data;
  }

  /** What must be known of everything that is on the disk. */
  expected(): Expected {
    return this.ledger.expected;
  }

  private deviceIds(): string[] {
    return this.devices.map(({ identity }) => identity.device);
  }

  /** Compares the facts in memory with the model. */
  verify(when: string, told: Told | undefined = this.ingest?.live): void {
    if (told === undefined) return;
    this.checks++;
    const wrong = compare(this.expected(), told, this.deviceIds(), this.machines);
    if (wrong.length > 0) this.fail(`[I2] ${when}: ${wrong.slice(0, 4).join('; ')}`);
  }

  async verifyHistory(ingest: Ingest): Promise<void> {
    for (const [id, { seconds }] of this.expected().machines) {
      for (const [signal, wanted] of seconds) {
        const given = await ingest.history(id, signal, 0, 8e12);
        const wrong = compareHistory(`${id} ${signal}`, wanted, given);
        if (wrong.length > 0) this.fail(`[I2] history: ${wrong.slice(0, 4).join('; ')}`);
      }
    }
  }

  /** The machine that a device is on now. */
  machineOf(device: string): string | null {
    return this.ledger.machineOf(device);
  }

  /** True when everything that is on the disk is folded. */
  get isFolded(): boolean {
    const told = this.ingest?.live;
    if (told === undefined || !this.doorsOpen) return false;
    this.ledger.look();
    // While a message makes the fold throw, the state is not to be trusted; it is made anew without that message.
    if (this.ingest?.stats().set_aside_total !== this.ledger.poisoned) return false;
    const folded = this.deviceIds().reduce((sum, id) => sum + (told.device(id)?.metrics.messages_total ?? 0), 0);
    if (folded > this.ledger.count)
      this.fail(`[I2] ${folded} messages are folded, ${this.ledger.count} are on the disk`);
    return folded === this.ledger.count;
  }

  /** True when no device has anything to deliver. */
  get isQuiet(): boolean {
    return this.doorsOpen && this.devices.every(({ backlog }) => backlog === 0);
  }

  /** True when nothing is on its way any more, from devices to store. */
  isAtRest(unfolded: number): boolean {
    const position = this.snapshot()?.position ?? 0;
    return this.isQuiet && this.isFolded && unfolded === 0 && position >= this.ledger.end;
  }

  unfolded(): Promise<number> {
    return this.ingest?.health().then(({ journal }) => journal.unfolded_messages) ?? Promise.resolve(-1);
  }

  live(): Told | undefined {
    return this.ingest?.live;
  }

  currentIngest(): Ingest | undefined {
    return this.ingest;
  }

  /** After a clean stop: the store's live documents and log are those of the model. */
  verifyStore(): void {
    const told: Told = {
      equipment: (id) => this.store.get<EquipmentLive>('live', id)?.data,
      device: (id) => this.store.get<DeviceLive>('live', id)?.data,
    };
    this.verify('in the store', told);
    const log = this.store.all<EventData>('events');
    const { unstorable, unstorablePlain, loose } = this.expected();
    const surplus = this.refused.size - unstorable.size - unstorablePlain;
    const wrong = [
      ...(surplus < 0 || (surplus > 0 && loose.size === 0)
        ? [`${this.refused.size} documents are told as set aside instead of ${unstorable.size + unstorablePlain}`]
        : []),
      ...compareLog(this.expected(), log),
      ...this.machines.flatMap((machine) => compareCodes(machine, log, told.equipment(machine))),
    ];
    if (wrong.length > 0) this.fail(`[I2] in the store: ${wrong.slice(0, 4).join('; ')}`);
  }
}

const digesting: typeof decodeCanPayload = (payload, received_us, into) => {
  digest(payload);
  return decodeCanPayload(payload, received_us, into);
};

/** Reads frames so that none is without a date. */
const credulous: typeof decodeCanPayload = (payload, received_us, into) => {
  const result = digesting(payload, received_us, into);
  for (let i = 0; i < into.count; i++) into.flags[i] = (into.flags[i] as number) & ~FRAME.noTime;
  return result;
};

/** Reads frames so that no two readings are alike: repeats go unnoticed. */
function forgetful(): typeof decodeCanPayload {
  let readings = 0;
  return (payload, received_us, into) => {
    const result = digesting(payload, received_us, into);
    readings++;
    for (let i = 0; i < into.count; i++) {
      // Microseconds, so that no value's time in milliseconds is another.
      if (((into.flags[i] as number) & FRAME.noTime) === 0) into.t[i] = (into.t[i] as number) - (readings % 400);
    }
    return { ...result, seq: null };
  };
}
