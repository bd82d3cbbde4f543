/** Creates the services that handlers use, and the invoker that calls the handlers. */
import { createHash } from 'node:crypto';
import type { AttentionReader, OwnWork, ShiftReader } from '#contract/context.ts';
import type { ListenerReader } from '#contract/site/listener.ts';
import type { FleetReader, HeadOffice, SiteSync, SyncReader } from '#contract/sync-services.ts';
import type { DayReader } from '#contract/work/day.ts';
import { createDbcReader } from '#dbc/dbc-reader.ts';
import { createClaim } from '#handlers/access/claim.ts';
import { createAuditReader } from '#handlers/base/audit.ts';
import { createHistoryEnds } from '#handlers/base/history-ends.ts';
import { createShownMedia } from '#handlers/base/shown-media.ts';
import { createPairingTries } from '#handlers/boards/pairings.ts';
import { createPurge } from '#handlers/devices/device-purge.ts';
import { handlerGroups } from '#handlers/handlers.ts';
import { createDayReader } from '#handlers/work/day-reader.ts';
import { createMachineUse } from '#handlers/work/machine-use.ts';
import type { Ingest } from '#ingest/ingest-types.ts';
import { createSiteReader, type SiteReader, setupReaderOf } from '#reading/setup-reader.ts';
import type { Runs } from '#runs/executor.ts';
import { createInvoke, type Invoke, type Services } from '#servers/invoke/invoke.ts';
import { createOwnWork } from '#servers/invoke/own-work.ts';
import type { Foundation } from './foundation.ts';
import { headOfficeGroups } from './head-office-operations.ts';
import { readHealth } from './health.ts';
import { logOpener } from './log-opener.ts';
import { loggerTools } from './logger-tools.ts';
import { qrSvg } from './qr.ts';
import type { PartName } from './roles.ts';
import { createSignIn } from './sign-in.ts';

/** The largest size, in bytes, of a file that handlers read into memory. The largest of these files are firmware images. */
const MOST_IN_MEMORY = 64 << 20;

export interface NodeOperations {
  readonly services: Services;
  /** The readers that boards use, too. */
  readonly readers: { readonly shifts: ShiftReader; readonly days: DayReader };
  readonly invoke: Invoke;
  readonly claim: ReturnType<typeof createClaim>;
  readonly ownWork: OwnWork;
  readonly siteReader: SiteReader;
}

/** Creates the services of the parts that this node runs. The services of other parts are absent. */
export function createOperations(
  parts: AsyncDisposableStack,
  foundation: Foundation,
  has: ReadonlySet<PartName>,
  {
    ingest,
    live,
    runs,
    shifts,
    attention,
    listeners,
    siteSync,
    headOffice,
    fleet,
  }: {
    readonly ingest: Ingest;
    readonly live: Ingest['live'];
    readonly runs: Runs | undefined;
    readonly shifts: ShiftReader;
    readonly attention: AttentionReader;
    readonly listeners: ListenerReader;
    readonly siteSync: (SiteSync & SyncReader) | undefined;
    readonly headOffice: (HeadOffice & SyncReader) | undefined;
    readonly fleet: FleetReader | undefined;
  },
): NodeOperations {
  const { store, artifacts, uploads, clock, random, sealer, addresses, log } = foundation;
  const { config, time, resources, healthSources, historySweep, backups, startedAt, signingKey } = foundation;
  const claim = createClaim({ store, sealer, clock, random });
  const siteReader = createSiteReader({ log });
  const readTelemetry: Ingest['readTelemetry'] = (query) => ingest.readTelemetry(query);
  const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex');
  const days = createDayReader({ store, live, runStates: ingest.runStates, readTelemetry, sha256, clock });
  const services: Services = {
    live,
    shifts,
    days,
    attention,
    use: createMachineUse({ readTelemetry, clock }),
    runStates: ingest.runStates,
    media: parts.use(createShownMedia(store)),
    historyEnds: parts.use(createHistoryEnds(store)),
    auditChain: createAuditReader(store),
    sealer,
    budgets: ingest.budgets,
    purge: createPurge({
      store,
      artifacts,
      uploads,
      parts: foundation.uploadParts,
      purged(device) {
        ingest.budgets.purged(device);
        ingest.runStates.forget();
      },
      clock,
    }),
    health: () =>
      readHealth({
        resources,
        time,
        store,
        ingest,
        sources: healthSources,
        historySweep,
        backups,
        rawPercent: config.rawPercent,
        names: () => foundation.localNames.announced,
        startedAt,
        role: config.role,
        clock,
      }),
    claim,
    listeners,
    signIn: createSignIn({ store, now: foundation.accessTime, random, secret: sealer.key }),
    pairingTries: createPairingTries(clock),
    displays: foundation.displays,
    qr: qrSvg,
    setupReader: setupReaderOf(siteReader),
    putArtifact: async (content) => ({
      ...(await artifacts.put([content])),
      md5: createHash('md5').update(content).digest('hex'),
    }),
    readArtifact: (sha256) => artifacts.readAll(sha256, MOST_IN_MEMORY),
    readTelemetry,
    lineage: (query) => ingest.lineage(query, logOpener({ store, artifacts, sealer }, query.project_id)),
    ...(has.has('telemetry') && {
      accept: (message) => ingest.accept(message),
      meters: ingest.meters,
      recentFrames: (device, since_ms) => ingest.recent(device, since_ms),
      trail: (device) => ingest.trail(device),
    }),
    ...(runs && {
      decodesWaiting: (device) => runs.waiting(device),
      dbc: parts.use(createDbcReader({ locate: (sha256) => artifacts.locate(sha256) })),
    }),
    ...(siteSync && { siteSync, sync: siteSync, courier: siteSync.courier }),
    ...(headOffice && { headOffice, sync: headOffice, courier: headOffice.courier, delivery: headOffice.delivery }),
    ...(fleet && { fleet }),
    ...(has.has('broker') && { mqtt: addresses.mqtt }),
    ...(has.has('bucket') && { bucket: addresses.bucket, logger: loggerTools }),
  };
  const groups = headOffice === undefined ? handlerGroups : headOfficeGroups(handlerGroups);
  const invoke = createInvoke({ store, groups, services, signingKey, clock, random, log });
  const ownWork = createOwnWork({ store: store.background.store, services, signingKey, clock, random });
  return { services, readers: { shifts, days }, invoke, claim, ownWork, siteReader };
}
