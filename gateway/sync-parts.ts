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

/**
 * Reads what the first list of sites and the first list of machines in trouble would read of all sites: enrolments, counts, shifts and
 * scores. The start waits for it, because in the background this work would compete with the first requests.
 */
async function prepareLists(
  log: Foundation['log'],
  headOffice: Pick<SyncReader, 'status'>,
  trouble: () => unknown,
): Promise<void> {
  try {
    await headOffice.status();
    await trouble();
  } catch (error) {
    log('warn', 'the lists of all sites could not be prepared at the start', { error: String(error) });
  }
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
  if (headOffice !== undefined) await prepareLists(log, headOffice, () => trouble?.(index?.projects() ?? []));
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
