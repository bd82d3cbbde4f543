/**
 * Opens the parts that all other parts use: clock, resource monitor, store, files and secrets. A node (a running instance of the gateway)
 * has them in every role.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { type Kind, makeId } from '#contract/base/ids.ts';
import { LIMITS } from '#contract/base/limits.ts';
import { latestAccess } from '#handlers/access/access-time.ts';
import { type Clock, openClock } from '#host/clock.ts';
import { createForwardClock } from '#host/forward-clock.ts';
import { keepPrivate } from '#host/privacy.ts';
import { openResources, type ResourceOptions, type Resources, spareBytes } from '#host/resources.ts';
import { ConnectedDisplays } from '#screens/connected-displays.ts';
import { REVOCATION_LIST } from '#servers/http/trust-page.ts';
import type { IsExposed } from '#servers/tls/exposure.ts';
import { openTls, type Tls } from '#servers/tls/tls.ts';
import { allAddresses, localHost, machineNames, reachableHost } from '#settings/addresses.ts';
import type { Config } from '#settings/config.ts';
import { createLog } from '#settings/log.ts';
import { type Artifacts, openArtifacts } from '#store/artifacts.ts';
import { openBucketUploads } from '#store/bucket-uploads.ts';
import { type Backups, startBackups } from '#store/file/backup.ts';
import { openDatabaseStore, openStore, type Store } from '#store/open-store.ts';
import { openParts } from '#store/parts.ts';
import { openBucket } from '#store/s3/bucket.ts';
import { openUploads, type Uploads } from '#store/uploads.ts';
import { createHistoryCompaction, type HistoryCompaction } from '#sweeps/history-compaction.ts';
import { createHistorySweep, type HistorySweep } from '#sweeps/history-sweep.ts';
import { readEncryptedOnly } from '#watchers/encrypted-only.ts';
import { createEnding, type Ending } from './ending.ts';
import { ensureOwnerKey } from './first-run.ts';
import type { HealthSources } from './health.ts';
import { createLocalNames, type LocalNames } from './local-names.ts';
import { followLostSecrets, type LostSecrets } from './lost-secrets.ts';
import { openPlainUses, type PlainUses } from './plain-uses.ts';
import { type FolderSealer, openSealer } from './sealer.ts';

interface Address {
  readonly host: string;
  port: number;
  tlsPort: number;
  /** True if other computers can use only the port with TLS. */
  encryptedOnly: boolean;
}

/** Hosts and ports of the listeners of this node. A listener writes its port here when it starts to listen. */
export interface Addresses {
  readonly mqtt: Address;
  readonly bucket: Address & { listening: boolean };
  readonly http: Address;
}

export interface Foundation {
  readonly config: Config;
  readonly log: ReturnType<typeof createLog>;
  /** The gateway's clock, which checks the system's clock. `agesKnown` is false while the ages of documents cannot be trusted. */
  readonly time: Clock;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** The time in milliseconds by which sessions and invitations end. It never goes back. */
  readonly accessTime: () => number;
  readonly random: (bytes: number) => Uint8Array;
  /** The paired displays that are connected to this process. */
  readonly displays: ConnectedDisplays;
  readonly newId: (kind: Kind, place?: number) => string;
  readonly resources: Resources;
  readonly ending: Ending;
  readonly store: Store;
  readonly sealer: FolderSealer;
  /** Stored secrets that the gateway cannot decrypt. */
  readonly lostSecrets: LostSecrets;
  /** The key that signs the cursors of paged lists. */
  readonly signingKey: Uint8Array;
  readonly tls: Tls;
  /** The names of this gateway in the local network. */
  readonly localNames: LocalNames;
  readonly artifacts: Artifacts;
  readonly uploads: Uploads;
  readonly uploadParts: Awaited<ReturnType<typeof openParts>>;
  readonly addresses: Addresses;
  /** Decides whether a socket comes from another computer without TLS. Undefined: by its addresses. */
  readonly isExposed: IsExposed | undefined;
  /** Who used listeners without TLS. */
  readonly plainUses: PlainUses;
  readonly healthSources: HealthSources;
  readonly backups: Backups;
  /** Deletes old samples. */
  readonly historySweep: HistorySweep;
  readonly compaction: HistoryCompaction;
  /** Returns how many bytes of files the gateway may still store; infinite if the free disk space is unknown. */
  readonly room: () => number;
  /** Bearer token of the `headframe` commands on this machine, valid until this node stops. */
  readonly controlToken: string;
  readonly startedAt: string;
}

/** Returns the address of the revocation list of the site authority; null with a free port, which is not known before the start. */
const revocationUrl = ({ host, port }: Config): string | null =>
  port === 0 ? null : `http://${localHost(reachableHost(host))}:${port}${REVOCATION_LIST}`;

/** Opens clock, resources, store, files and secrets. `parts` disposes them after all parts that start later. */
export async function openFoundation(
  parts: AsyncDisposableStack,
  config: Config,
  { isExposed, ...outside }: Pick<ResourceOptions, 'readDisk'> & { readonly isExposed?: IsExposed },
): Promise<Foundation> {
  const log = createLog(config.log);
  keepPrivate(config.data, log);
  const time = parts.use(openClock({ folder: config.data, log }));
  const clock = (): number => time.now();
  const random = (bytes: number): Uint8Array => randomBytes(bytes);
  const startedAt = new Date(clock()).toISOString();
  const resources = parts.use(await openResources({ folder: config.data, clock, log, ...outside }));
  const ending = createEnding(log, (why, end) => resources.hold(why, end));
  const role = config.role === 'cloud' ? 'cloud' : 'site';
  const opening = { folder: config.data, role, clock, random, log, onFatal: ending.onFatal } as const;
  const store: Store = parts.use(
    await (config.database === null
      ? openStore(opening)
      : openDatabaseStore({ ...opening, database: config.database })),
  );
  const isOwnFile = config.database === null;
  const backups = parts.use(
    startBackups({ folder: config.data, clock, log, onDamage: store.markCorrupt, isDaily: isOwnFile }),
  );
  const sealer = openSealer(config.data);
  const lostSecrets = await followLostSecrets(store, sealer, isOwnFile ? undefined : config.data);
  const bucket =
    config.files === null ? undefined : parts.use(await openBucket({ ...config.files, owner: store.nodeId, log }));
  const artifacts = parts.use(
    await openArtifacts(config.data, { maxBytes: LIMITS.artifact.value, bucket: bucket && { bucket, log } }),
  );
  const uploads =
    bucket === undefined ? await openUploads(config.data, artifacts) : openBucketUploads(bucket, artifacts);
  const uploadParts = await openParts(config.data);
  const newId = (kind: Kind, place?: number): string => makeId(kind, clock(), random(10), place);
  if (config.apiKey !== null) await ensureOwnerKey(store, config.apiKey, () => newId('key'));
  const host = reachableHost(config.host);
  const localNames = createLocalNames(config, log);
  const only = await readEncryptedOnly(store);
  const tls = parts.use(
    openTls({
      folder: join(config.data, 'tls'),
      names: () => [...machineNames(), ...localNames.all(), config.host, ...allAddresses()],
      revocationUrl: () => revocationUrl(config),
      own: config.ownCertificate,
      sealer,
      clock,
      log,
    }),
  );
  return {
    config,
    log,
    time,
    clock,
    accessTime: createForwardClock({ clock, floor_ms: await latestAccess(store) }),
    random,
    displays: new ConnectedDisplays(clock, config.database !== null),
    newId,
    resources,
    ending,
    store,
    sealer,
    lostSecrets,
    tls,
    localNames,
    signingKey: createHmac('sha256', sealer.key).update('cursors').digest(),
    artifacts,
    uploads,
    uploadParts,
    isExposed,
    plainUses: parts.use(openPlainUses({ folder: config.data, clock, log })),
    addresses: {
      mqtt: { host, port: config.mqttPort, tlsPort: config.mqttsPort, encryptedOnly: only.mqtt },
      bucket: {
        host,
        port: config.bucketPort,
        tlsPort: config.bucketTlsPort,
        encryptedOnly: only.bucket,
        listening: false,
      },
      http: { host, port: config.port, tlsPort: config.httpsPort, encryptedOnly: only.http },
    },
    historySweep: createHistorySweep({
      store: store.background.store,
      clock,
      agesKnown: () => time.agesKnown,
      days: config.historyDays,
      rollupDays: config.rollupDays,
      percent: config.historyPercent,
      rollupPercent: config.rollupPercent,
      bytes: config.databaseBytes,
      disk: () => resources.disk?.total ?? null,
    }),
    compaction: createHistoryCompaction({ store: store.background.store, clock, breathe: () => breathe(), log }),
    healthSources: {
      detailed: [lostSecrets],
      brief: [backups, tls.certificates, ...(bucket === undefined ? [] : [bucket])],
      buses: [],
    },
    backups,
    room: () => (resources.disk === null ? Number.POSITIVE_INFINITY : spareBytes(resources.disk)),
    controlToken: `ctl_${randomBytes(32).toString('base64url')}`,
    startedAt,
  };
}
