/** Starts the exchange of data between sites and head office. */
import type { LiveReader } from '#contract/context.ts';
import type { HeadOffice, SiteSync, SyncReader } from '#contract/sync-services.ts';
import { VERSION } from '#settings/version.ts';
import { startHeadOffice } from '#sync/head-office.ts';
import { followLive } from '#sync/received-live.ts';
import { startSite } from '#sync/site.ts';
import type { Foundation } from './foundation.ts';
import type { PartName } from './roles.ts';

export interface SyncParts {
  readonly siteSync: (SiteSync & SyncReader) | undefined;
  readonly headOffice: (HeadOffice & SyncReader) | undefined;
  /** At head office: the live state that sites sent. */
  readonly received: LiveReader | undefined;
}

export async function openSync(
  parts: AsyncDisposableStack,
  { config, store, sealer, clock, random, newId, log, healthSources }: Foundation,
  has: ReadonlySet<PartName>,
  problems: () => Promise<number>,
): Promise<SyncParts> {
  const { sync } = store;
  const { proxies, cloud: settings } = config;
  const siteSync = has.has('site')
    ? parts.use(
        await startSite({ store, sync, sealer, clock, newId, log, version: VERSION, problems, proxies, settings }),
      )
    : undefined;
  if (siteSync !== undefined) healthSources.detailed.push(siteSync);
  const headOffice = has.has('headOffice')
    ? parts.use(await startHeadOffice({ store, sync, clock, random }))
    : undefined;
  const received = has.has('headOffice') ? parts.use(await followLive(store)) : undefined;
  return { siteSync, headOffice, received };
}
