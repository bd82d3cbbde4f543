/** Handlers over a real store and the real invoke, with the clock and what is outside (journal, live facts) in the hand of a test. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Role } from '#contract/base/roles.ts';
import type { Caller, ShiftReader } from '#contract/context.ts';
import type { BusHeard } from '#contract/fleet/bus.ts';
import type { DeviceLive } from '#contract/fleet/device.ts';
import type { EquipmentLive } from '#contract/fleet/equipment.ts';
import type { IngestMessage } from '#contract/fleet/ingest.ts';
import type { OperationName } from '#contract/operations.ts';
import type { DayReader } from '#contract/work/day.ts';
import { followDevices } from '#ingest/device-records.ts';
import type { SiteAttention } from '#screens/attention.ts';
import type { ConnectedDisplays } from '#screens/connected-displays.ts';
import { type Artifacts, openArtifacts } from '#store/artifacts.ts';
import { openStore, type Store } from '#store/open-store.ts';
import { createOperations, type Operations, type Options } from './operations.ts';

export interface Rig
  extends Pick<Operations, 'claim' | 'call' | 'status' | 'ownWork' | 'invoke' | 'sealer'>,
    AsyncDisposable {
  readonly artifacts: Artifacts;
  readonly store: Store;
  /** The data folder, gone with the rig. */
  readonly folder: string;
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
  readonly days: DayReader;
  readonly attention: SiteAttention;
  readonly displays: ConnectedDisplays;
  /** Logs that wait to be decoded, by device. */
  readonly waiting: Map<string, number>;
  /** What was journalled. */
  readonly accepted: IngestMessage[];
  readonly project: string;
  /** A project of somebody else. */
  readonly other: string;
}

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
  const operations: Operations = opened.use(
    createOperations({
      store,
      folder,
      artifacts,
      clock,
      random,
      project: (): string => rig.project,
      services: {
        live: reader,
        accept: async (message) => {
          accepted.push(message);
        },
        decodesWaiting: (device) => waiting.get(device) ?? 0,
      },
    }),
  );
  const { claim, shifts, days, attention, displays, call, status, ownWork, invoke, sealer } = operations;
  const rig = {
    store,
    artifacts,
    invoke,
    sealer,
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
    days,
    attention,
    displays,
    waiting,
    accepted,
    project: '',
    other: '',
    call,
    status,
    ownWork,
  };
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
