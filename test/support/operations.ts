/** The real handlers behind the real invoke, over the store of a test: records are made as callers make them. */
import { createHash } from 'node:crypto';
import type { Caller, OwnWork, Sealer, ShiftReader } from '#contract/context.ts';
import type { Input, OperationName, Output } from '#contract/operations.ts';
import type { DayReader } from '#contract/work/day.ts';
import { createDbcReader } from '#gateway/dbc/dbc-reader.ts';
import { loggerTools } from '#gateway/logger-tools.ts';
import { qrSvg } from '#gateway/qr.ts';
import { openSealer } from '#gateway/sealer.ts';
import { createSignIn } from '#gateway/sign-in.ts';
import { createClaim } from '#handlers/access/claim.ts';
import { createAuditReader } from '#handlers/base/audit.ts';
import { createHistoryEnds } from '#handlers/base/history-ends.ts';
import { createShownMedia } from '#handlers/base/shown-media.ts';
import { createPairingTries } from '#handlers/boards/pairings.ts';
import { handlerGroups } from '#handlers/handlers.ts';
import { createDayReader } from '#handlers/work/day-reader.ts';
import { createMachineUse } from '#handlers/work/machine-use.ts';
import { createShiftTallies } from '#handlers/work/shift-tallies.ts';
import { createRunStates } from '#history/run-states.ts';
import { createSiteReader, setupReaderOf } from '#reading/setup-reader.ts';
import { createAttention, type SiteAttention } from '#screens/attention.ts';
import { ConnectedDisplays } from '#screens/connected-displays.ts';
import { createInvoke, type Invoke, type Services } from '#servers/invoke/invoke.ts';
import { createOwnWork } from '#servers/invoke/own-work.ts';
import type { Artifacts } from '#store/artifacts.ts';
import type { Store } from '#store/open-store.ts';
import { NO_BUDGETS } from './no-budgets.ts';

export interface Options {
  readonly caller?: Partial<Caller>;
  /** The Project-ID; the project of the test when absent, null for none. */
  readonly project?: string | null;
  readonly if_match?: number;
}

export interface Operations extends AsyncDisposable {
  readonly invoke: Invoke;
  readonly sealer: Sealer;
  readonly claim: ReturnType<typeof createClaim>;
  readonly shifts: ShiftReader;
  readonly days: DayReader;
  readonly attention: SiteAttention;
  readonly displays: ConnectedDisplays;
  /** Runs work of the gateway itself. */
  readonly ownWork: OwnWork;
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

const absent = (what: string) => (): never => {
  throw new Error(`there is no ${what} in this test`);
};

/** Operations over a store; `project` is asked for the Project-ID of a call that names none, `services` are what the test has besides. */
export function createOperations(given: {
  readonly store: Store;
  readonly folder: string;
  readonly artifacts: Artifacts;
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly project: () => string;
  readonly services: Pick<Services, 'live' | 'accept'> & Partial<Services>;
}): Operations {
  const { store, folder, artifacts, clock, random, services } = given;
  const opened = new AsyncDisposableStack();
  const sealer = openSealer(folder);
  const claim = createClaim({ store, sealer, clock, random });
  const runStates = services.runStates ?? opened.use(createRunStates({ store, unstored: () => [] }));
  const shifts = opened.use(createShiftTallies({ store, live: services.live, runStates, clock }));
  const history = async () => ({ t: [], v: [] });
  const displays = new ConnectedDisplays(clock);
  const attention = opened.use(createAttention({ store, live: services.live, shifts, history, clock, everyMs: 20 }));
  const readTelemetry = services.readTelemetry ?? absent('history');
  const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex');
  const days = createDayReader({ store, live: services.live, runStates, readTelemetry, sha256, clock });
  const full: Services = {
    budgets: NO_BUDGETS,
    purge: absent('purge'),
    shifts,
    days,
    attention,
    runStates,
    media: opened.use(createShownMedia(store)),
    historyEnds: opened.use(createHistoryEnds(store)),
    sealer,
    auditChain: createAuditReader(store),
    health: () => Promise.reject(new Error('there is no health in this test')),
    claim,
    signIn: createSignIn({ store, now: clock, random, secret: sealer.key }),
    mqtt: { host: 'gateway.test', port: 1883, tlsPort: 8883, encryptedOnly: false },
    logger: loggerTools,
    bucket: { host: 'gateway.test', port: 9480, tlsPort: 9443, encryptedOnly: false, listening: false },
    putArtifact: async (content) => ({
      ...(await artifacts.put([content])),
      md5: createHash('md5').update(content).digest('hex'),
    }),
    readArtifact: (sha256) => artifacts.readAll(sha256, 64 << 20),
    decodesWaiting: () => 0,
    dbc: opened.use(createDbcReader({ locate: (sha256) => artifacts.locate(sha256) })),
    readTelemetry: absent('history'),
    use: createMachineUse({ readTelemetry: services.readTelemetry ?? absent('history'), clock }),
    lineage: absent('journal'),
    meters: { of: () => [], reconcile: absent('journal') },
    recentFrames: absent('journal'),
    trail: () => ({
      topics: {},
      usable_ms: null,
      unusable: null,
      refused_login: null,
      refused_signature: null,
      refused_request: null,
      refused_place: null,
      refused_size: null,
      unknown_frames: 0,
    }),
    pairingTries: createPairingTries(clock),
    displays,
    qr: qrSvg,
    setupReader: setupReaderOf(createSiteReader()),
    ...services,
  };
  const common = { store, services: full, signingKey: random(32), clock, random };
  const invoke = createInvoke({ ...common, groups: handlerGroups, log: () => undefined });
  function send(name: OperationName, input: object, options: Options) {
    const project_id = options.project === null ? undefined : (options.project ?? given.project());
    return invoke.call({
      name,
      caller: { ...OWNER, ...options.caller },
      input: input as Record<string, unknown>,
      project_id: project_id === '' ? undefined : project_id,
      if_match: options.if_match ?? null,
      request_id: 'req_test',
    });
  }
  return {
    days,
    invoke,
    sealer,
    claim,
    shifts,
    attention,
    displays,
    ownWork: createOwnWork(common),
    async call<N extends OperationName>(name: N, input: Input<N>, options: Options = {}) {
      return (await send(name, input, options)).body as Output<N>;
    },
    status: async (name, input, options = {}) => (await send(name, input, options)).status,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
