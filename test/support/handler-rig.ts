/** Handlers over a real store and the real invoke, with the clock and what is outside (journal, live facts) in the hand of a test. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BusHeard } from '#contract/bus.ts';
import type { Caller, ShiftReader } from '#contract/context.ts';
import type { DeviceLive } from '#contract/device.ts';
import type { EquipmentLive } from '#contract/equipment.ts';
import type { IngestMessage } from '#contract/ingest.ts';
import type { Role } from '#contract/node.ts';
import type { Input, OperationName, Output } from '#contract/operations.ts';
import { createDbcReader } from '#gateway/dbc/dbc-reader.ts';
import { loggerTools } from '#gateway/logger-tools.ts';
import { qrSvg } from '#gateway/qr.ts';
import { openSealer } from '#gateway/sealer.ts';
import { createClaim } from '#handlers/claim.ts';
import { handlers } from '#handlers/handlers.ts';
import { createPairings } from '#handlers/pairings.ts';
import { createShiftTallies } from '#handlers/shift-tallies.ts';
import { createShownMedia } from '#handlers/shown-media.ts';
import { followDevices } from '#ingest/device-records.ts';
import { createInvoke } from '#servers/invoke.ts';
import { openArtifacts } from '#store/artifacts.ts';
import { openStore, type Store } from '#store/open-store.ts';
import { NO_BUDGETS } from '#test/support/no-budgets.ts';

export interface Options {
  readonly caller?: Partial<Caller>;
  /** The Project-ID; the rig's first project when absent, null for none. */
  readonly project?: string | null;
  readonly if_match?: number;
}

export interface Rig extends AsyncDisposable {
  readonly store: Store;
  /** The data folder, gone with the rig. */
  readonly folder: string;
  readonly claim: ReturnType<typeof createClaim>;
  /** Milliseconds since 1970; each reading moves it on by one, so that no two documents are of one instant. */
  now: number;
  /** Lets no more time pass by itself. */
  freeze(): void;
  readonly clock: () => number;
  /** What the fold would know. */
  readonly live: {
    readonly equipment: Map<string, EquipmentLive>;
    readonly devices: Map<string, DeviceLive>;
    readonly buses: Map<string, BusHeard>;
  };
  readonly shifts: ShiftReader;
  /** Logs that wait to be decoded, by device. */
  readonly waiting: Map<string, number>;
  /** What was journalled. */
  readonly accepted: IngestMessage[];
  readonly project: string;
  /** A project of somebody else. */
  readonly other: string;
  call<N extends OperationName>(name: N, input: Input<N>, options?: Options): Promise<Output<N>>;
  /** The HTTP status of a call that goes well. */
  status<N extends OperationName>(name: N, input: Input<N>, options?: Options): Promise<number>;
}

export const OWNER: Caller = {
  kind: 'workspace',
  id: 'key_owner',
  name: 'owner',
  role: 'owner',
  project_ids: null,
  device: null,
  device_project: null,
  door: 'rest',
  address: '192.0.2.1',
  base_url: 'http://gateway.test',
};

/** A caller with this role, otherwise as the owner. */
export function as(role: Role | null, more: Partial<Caller> = {}): Options {
  return { caller: { id: `key_${role}`, name: role ?? 'nobody', role, ...more } };
}

/** A rig with two empty projects. */
export async function openRig(): Promise<Rig> {
  const folder = await mkdtemp(join(tmpdir(), 'headframe-handlers-'));
  await using opened = new AsyncDisposableStack();
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const random = (bytes: number) => new Uint8Array(randomBytes(bytes));
  let now = Date.parse('2026-11-21T14:00:00.000Z');
  let frozen = false;
  const clock = () => (frozen ? now : now++);
  const store = opened.use(await openStore({ folder, clock, random }));
  const artifacts = await openArtifacts(folder);
  const claim = createClaim({ store, clock, random });
  const live = {
    equipment: new Map<string, EquipmentLive>(),
    devices: new Map<string, DeviceLive>(),
    buses: new Map<string, BusHeard>(),
  };
  const accepted: IngestMessage[] = [];
  const waiting = new Map<string, number>();
  const links = await followDevices(store, () => undefined);
  opened.defer(() => links.stop());
  const reader = {
    equipment: (id: string) => live.equipment.get(id),
    device: (id: string) => live.devices.get(id),
    bus: (id: string) => live.buses.get(id),
    devicesOf: (id: string) => links.of(id),
  };
  const shifts = opened.use(createShiftTallies({ store, live: reader, clock }));
  const invoke = createInvoke({
    store,
    handlers,
    services: {
      budgets: NO_BUDGETS,
      purge: async () => {
        throw new Error('nothing is purged here');
      },
      live: reader,
      shifts,
      media: opened.use(createShownMedia(store)),
      sealer: openSealer(folder),
      accept: async (message) => {
        accepted.push(message);
      },
      health: () => Promise.reject(new Error('no health in this rig')),
      claim,
      mqtt: { host: 'gateway.test', port: 1883 },
      logger: loggerTools,
      bucket: { host: 'gateway.test', port: 9480, listening: false },
      keep: async (content) => ({
        ...(await artifacts.put([content])),
        md5: createHash('md5').update(content).digest('hex'),
      }),
      contentOf: (sha256) => artifacts.whole(sha256, 64 << 20),
      decodesWaiting: (device) => waiting.get(device) ?? 0,
      dbc: opened.use(createDbcReader({ locate: (sha256) => artifacts.locate(sha256) })),
      recentFrames: () => {
        throw new Error('no journal in this rig');
      },
      trail: () => ({
        topics: {},
        usable_ms: null,
        unusable: null,
        refused_login: null,
        refused_signature: null,
        refused_place: null,
        refused_size: null,
        unknown_frames: 0,
      }),
      pairings: createPairings({ clock, random }),
      qr: qrSvg,
    },
    signingKey: random(32),
    clock,
    random,
    log: () => undefined,
  });
  const rig = {
    store,
    folder,
    claim,
    get now() {
      return now;
    },
    set now(ms: number) {
      now = ms;
    },
    freeze() {
      frozen = true;
    },
    clock,
    live,
    shifts,
    waiting,
    accepted,
    project: '',
    other: '',
    async call<N extends OperationName>(name: N, input: Input<N>, options: Options = {}): Promise<Output<N>> {
      return (await send(name, input, options)).body as Output<N>;
    },
    async status<N extends OperationName>(name: N, input: Input<N>, options: Options = {}): Promise<number> {
      return (await send(name, input, options)).status;
    },
  };
  function send(name: OperationName, input: object, options: Options) {
    const project_id = options.project === null ? undefined : (options.project ?? rig.project);
    return invoke.call({
      name,
      caller: { ...OWNER, ...options.caller },
      input: input as Record<string, unknown>,
      project_id: project_id === '' ? undefined : project_id,
      if_match: options.if_match ?? null,
      request_id: 'req_test',
    });
  }
  rig.project = (await rig.call('projects_create', { name: 'North Pit' })).project.id;
  rig.other = (await rig.call('projects_create', { name: 'South Pit' })).project.id;
  const held = opened.move();
  return Object.assign(rig, { [Symbol.asyncDispose]: () => held.disposeAsync() });
}

/** Types of the events on a log, oldest first. */
export async function eventTypes(
  rig: Rig,
  name: Extract<OperationName, `${string}_events`>,
  id: string,
): Promise<string[]> {
  const log = await rig.call(name, { id, order: 'asc' });
  return log.data.map(({ type }) => type);
}

/** The hash under which a key or token is kept. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
