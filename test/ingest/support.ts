/** A store and an ingest over a temporary folder, with clocks that tests move. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeviceData } from '#contract/device.ts';
import type { DeviceIdentity, IngestMessage, UpTopic } from '#contract/ingest.ts';
import type { Write } from '#contract/view.ts';
import { type Ingest, type IngestOptions, startIngest } from '#ingest/ingest.ts';
import { openStore, type Store } from '#store/open-store.ts';

export const PROJECT = 'prj_test';

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
  /** A device with a record, linked when a machine is named. */
  device(name: string, equipment_id?: string | null): Promise<DeviceIdentity>;
  link(device: DeviceIdentity, equipment_id: string | null): Promise<void>;
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
  let store = await open();
  let ingest = await begin(store);
  const devices = new Map<string, { identity: DeviceIdentity; data: DeviceData }>();
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
    async device(name, equipment_id = null) {
      const identity = { device: `dev_${name}`, device_id: name, project_id: PROJECT };
      const data: DeviceData = {
        device_id: name,
        name,
        serial: null,
        kind: 'can_logger',
        equipment_id: null,
        linked_at: null,
        location_id: null,
        expected_interval_s: null,
        labels: {},
        settings: {},
      };
      devices.set(identity.device, { identity, data });
      await site.link(identity, equipment_id);
      return identity;
    },
    async link(device, equipment_id) {
      const known = devices.get(device.device);
      if (known === undefined) throw new Error('no such device');
      known.data = { ...known.data, equipment_id, linked_at: new Date(time.ms).toISOString() };
      const write: Write = { collection: 'records', id: device.device, object: 'device', data: { ...known.data } };
      await store.view(PROJECT).commit([write]);
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
      time.pass(6_000);
      await site.settle();
      await idle();
    },
    async restart({ crash = false, ingest: more } = {}) {
      if (more !== undefined) overrides = { ...overrides, ...more };
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
    },
    async [Symbol.asyncDispose]() {
      await ingest[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
  return site;
}
