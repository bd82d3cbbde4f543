/** A store and an ingest over a temporary folder, with clocks that tests move. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventData } from '#contract/base/event.ts';
import type { Stored } from '#contract/base/view.ts';
import type { DeviceIdentity, IngestMessage, UpTopic } from '#contract/fleet/ingest.ts';
import { startIngest } from '#ingest/ingest.ts';
import type { Ingest, IngestOptions } from '#ingest/ingest-types.ts';
import { type Artifacts, openArtifacts } from '#store/artifacts.ts';
import { openStore, type Store } from '#store/open-store.ts';
import { createOperations, type Operations } from '#test/support/operations.ts';

/** Time that tests move; `ms` since 1970, and a clock that never goes back. */
export class Time {
  ms = Date.parse('2026-11-21T08:00:00Z');
  mono = 1_000_000;
  pass(ms: number): void {
    this.ms += ms;
    this.mono += ms;
  }
}

export interface Site extends AsyncDisposable {
  readonly folder: string;
  readonly time: Time;
  readonly store: Store;
  readonly ingest: Ingest;
  readonly logged: string[];
  readonly artifacts: Artifacts;
  /** The project that everything here is in. */
  readonly project: string;
  /** Calls an operation as its callers do, at the time of the site or at another one. */
  call: Operations['call'];
  at<T>(ms: number, act: () => Promise<T>): Promise<T>;
  /** A new device, linked when a machine is named by its unit number, which is made when there is none. */
  device(name: string, unit?: string | null): Promise<DeviceIdentity>;
  /** Links the device to the machine of this unit number, which is made when there is none; null takes it off its machine. */
  link(device: DeviceIdentity, unit: string | null): Promise<void>;
  /** Makes a machine; its id. */
  addMachine(unit: string): Promise<string>;
  /** The id of a machine that was made. */
  machine(unit: string): string;
  /** What the fold and devices put into the logs, the newest first; not what operations did. */
  events(): Promise<Stored<EventData>[]>;
  send(
    device: DeviceIdentity,
    topic: UpTopic,
    payload: string | Uint8Array,
    more?: Partial<IngestMessage>,
  ): Promise<void>;
  /** Waits for a whole round of the fold: it has done all it could. */
  round(): Promise<void>;
  /** Waits until everything accepted is folded, and for a round behind that. */
  settle(): Promise<void>;
  /** Lets six seconds pass, so that every commit is due that waits for no more, and waits until it is over. */
  stored(): Promise<void>;
  /** Stops ingest and starts it again; `crash` leaves what was not committed to the journal. */
  restart(options?: { crash?: boolean; ingest?: Partial<IngestOptions> }): Promise<void>;
}

const TICK = 5;
const PATIENCE_MS = 60_000;

async function until(holds: () => boolean | Promise<boolean>, else_: string): Promise<void> {
  for (const late = performance.now() + PATIENCE_MS; !(await holds()); ) {
    if (performance.now() > late) throw new Error(else_);
    await new Promise((done) => setTimeout(done, TICK));
  }
}

/** Starts one; `keep` is the folder of an earlier one. */
export async function startSite(options: Partial<IngestOptions> = {}): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'headframe-ingest-'));
  const time = new Time();
  const logged: string[] = [];
  const random = (n: number): Uint8Array => randomBytes(n);
  const open = () => openStore({ folder, clock: () => time.ms, random });
  let overrides = options;
  const begin = (store: Store) =>
    startIngest({
      folder,
      store,
      clock: () => time.ms,
      monotonic: () => time.mono,
      random,
      log: (level, message, data) => logged.push(`${level} ${message} ${JSON.stringify(data ?? {})}`),
      tickMs: TICK,
      ...overrides,
    });
  const artifacts = await openArtifacts(folder);
  let asOf: number | undefined;
  let project = '';
  const operate = (): Operations =>
    createOperations({
      store,
      folder,
      artifacts,
      clock: () => asOf ?? time.ms,
      random,
      project: () => project,
      services: {
        live: ingest.live,
        readTelemetry: (query) => ingest.readTelemetry(query),
        budgets: ingest.budgets,
        runStates: ingest.runStates,
        accept: (message) => ingest.accept(message),
        meters: ingest.meters,
        lineage: (query) => ingest.lineage(query, async () => undefined),
        recentFrames: (...of) => ingest.recent(...of),
        trail: (device) => ingest.trail(device),
      },
    });
  let store = await open();
  let ingest = await begin(store);
  let operations = operate();
  project = (await operations.call('projects_create', { name: 'Pit' })).project.id;
  const machines = new Map<string, string>();
  const site: Site = {
    folder,
    time,
    logged,
    get store() {
      return store;
    },
    get ingest() {
      return ingest;
    },
    artifacts,
    get project() {
      return project;
    },
    call: (...of) => operations.call(...of),
    async at(ms, act) {
      asOf = ms;
      try {
        return await act();
      } finally {
        asOf = undefined;
      }
    },
    async device(name, unit = null) {
      const made = await site.call('devices_create', { device_id: name, kind: 'can_logger' });
      const identity = { device: made.id, device_id: made.device_id, project_id: project };
      if (unit !== null) await site.link(identity, unit);
      return identity;
    },
    async link({ device, device_id }, unit) {
      if (unit === null) {
        await site.call('devices_unlink', { id: device });
        return;
      }
      const equipment_id = machines.get(unit) ?? (await site.addMachine(unit));
      await site.call('telemetry_devices_link', { links: [{ serial: device_id, equipment_id, source: 'api' }] });
    },
    async addMachine(unit) {
      const { id } = await site.call('equipment_create', { unit_number: unit });
      machines.set(unit, id);
      return id;
    },
    machine(unit) {
      const id = machines.get(unit);
      if (id === undefined) throw new Error(`there is no machine ${unit}`);
      return id;
    },
    async events() {
      const found = await store.view(project).find<EventData>('events', { object: 'event', limit: 1_000 });
      return found.filter(({ data }) => data.actor.type !== 'workspace');
    },
    send: (device, topic, payload, more) =>
      ingest.accept({
        ...device,
        topic,
        payload: typeof payload === 'string' ? Buffer.from(payload) : payload,
        received_at_ms: time.ms,
        ...more,
      }),
    async round() {
      // The first to end may have begun before.
      const wanted = ingest.stats().rounds + 2;
      await until(() => ingest.stats().rounds >= wanted, 'the fold does not go on');
    },
    async settle() {
      await until(
        async () => (await ingest.health()).journal.unfolded_messages === 0,
        'the fold does not come to an end',
      );
      await site.round();
    },
    async stored() {
      const idle = () => until(() => !ingest.stats().storing, 'a commit does not come to an end');
      await site.settle();
      // One that is under way takes in nothing of what comes now.
      await idle();
      time.pass(11_000);
      await site.settle();
      await idle();
    },
    async restart({ crash = false, ingest: more } = {}) {
      if (more !== undefined) overrides = { ...overrides, ...more };
      await operations[Symbol.asyncDispose]();
      if (crash) {
        // The old one can do no more harm: its store is closed before it could commit.
        await store[Symbol.asyncDispose]();
        await ingest[Symbol.asyncDispose]();
      } else {
        await ingest[Symbol.asyncDispose]();
        await store[Symbol.asyncDispose]();
      }
      store = await open();
      ingest = await begin(store);
      operations = operate();
    },
    async [Symbol.asyncDispose]() {
      await operations[Symbol.asyncDispose]();
      await ingest[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
  return site;
}
