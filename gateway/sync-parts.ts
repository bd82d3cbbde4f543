/** Starts the exchange of data between sites and head office. */
import type { LiveReader, ShiftReader } from '#contract/context.ts';
import type { FleetReader, HeadOffice, SiteSync, SyncReader } from '#contract/sync-services.ts';
import type { Ingest } from '#ingest/ingest-types.ts';
import { createFleetTrouble } from '#screens/fleet-trouble.ts';
import { VERSION } from '#settings/version.ts';
import { aloneState } from '#sync/file-states.ts';
import { openFleetIndex } from '#sync/fleet/fleet-index.ts';
import { followLive } from '#sync/fleet/received-live.ts';
import { startHeadOffice } from '#sync/head-office.ts';
import { startSite } from '#sync/site.ts';
import type { Foundation } from './foundation.ts';
import type { PartName } from './roles.ts';

export interface SyncParts {
  readonly siteSync: (SiteSync & SyncReader) | undefined;
  readonly headOffice: (HeadOffice & SyncReader) | undefined;
  readonly fleet: FleetReader | undefined;
  readonly fileState: SyncReader['fileState'];
}

export async function openSync(
  parts: AsyncDisposableStack,
  { config, store, sealer, clock, random, newId, log, healthSources, artifacts, uploads, room, backups }: Foundation,
  has: ReadonlySet<PartName>,
  {
    problems,
    live,
    shifts,
    writeLive,
    again = (): void => {},
  }: {
    /** Counts the problems in the health of this gateway. */
    readonly problems: () => Promise<number>;
    readonly live: LiveReader;
    readonly shifts: ShiftReader;
    /** Writes changed values of machines of some projects to the store more often, for some time. */
    readonly writeLive: Ingest['writeLive'];
    /** Stops this node and starts it again, because its identity has changed. */
    readonly again: (() => void) | undefined;
  },
): Promise<SyncParts> {
  const { sync } = store;
  const shared = { store, sync, artifacts, uploads, room, clock, random, newId };
  const { proxies, cloud: settings } = config;
  const siteSync = has.has('site')
    ? parts.use(
        await startSite({
          ...{ ...shared, sealer, log, version: VERSION, problems, proxies, settings },
          ...{ writeLive, again },
        }),
      )
    : undefined;
  if (siteSync !== undefined) healthSources.detailed.push(siteSync);
  const headOffice = has.has('headOffice') ? parts.use(await startHeadOffice({ ...shared, backups })) : undefined;
  const index = headOffice && parts.use(await openFleetIndex(store, (project_id) => headOffice.heard(project_id)));
  const trouble = index && createFleetTrouble({ fleet: index, live, shifts, clock });
  if (index !== undefined && trouble !== undefined) {
    // The first list of machines in trouble would read the shifts of all sites and score all machines for the first time.
    const stop = new AbortController();
    const warmed = trouble(index.projects(), stop.signal).catch((error: unknown) =>
      log('warn', 'the machines of all sites could not be scored after the start', { error: String(error) }),
    );
    parts.defer(async () => {
      stop.abort();
      await warmed;
    });
  }
  const fleet = index && trouble && { ...index, trouble };
  const fileState: SyncReader['fileState'] = async (file) =>
    (await (siteSync ?? headOffice)?.fileState(file)) ?? aloneState(artifacts, file);
  return { siteSync, headOffice, fleet, fileState };
}

/** The live state of machines and devices: what this gateway decodes, or at head office what sites sent. */
export async function openLive(
  parts: AsyncDisposableStack,
  { store }: Foundation,
  ingest: Ingest,
  has: ReadonlySet<PartName>,
): Promise<Pick<Ingest, 'live' | 'watch'>> {
  if (!has.has('headOffice')) return { live: ingest.live, watch: (listener) => ingest.watch(listener) };
  const received = parts.use(await followLive(store));
  return {
    live: {
      equipment: (id) => received.equipment(id),
      device: (id) => received.device(id),
      bus: (id) => ingest.live.bus(id),
      devicesOf: (id) => ingest.live.devicesOf(id),
    },
    watch: (listener) => received.watch(listener),
  };
}
