/** Builds the health report of the gateway from the problems that its parts report. */

import { type BriefProblem, messageOf, say } from '#contract/base/told.ts';
import type { RetentionLimit } from '#contract/fleet/history.ts';
import type { Health, Problem, Writer } from '#contract/site/node.ts';
import { problemsInHealth } from '#domain/health/problems.ts';
import { retentionLimit } from '#domain/history/retention.ts';
import type { Clock } from '#host/clock.ts';
import type { Resources } from '#host/resources.ts';
import type { Ingest } from '#ingest/ingest-types.ts';
import { RAW_DAYS, rawLimit } from '#ingest/raw-ring.ts';
import { VERSION } from '#settings/version.ts';
import type { Backups } from '#store/file/backup.ts';
import type { Store } from '#store/open-store.ts';
import type { HistorySweep } from '#sweeps/history-sweep.ts';
import type { Buses } from './buses.ts';

/** The parts that report problems. Each part adds itself when it starts, so health needs no list of all parts. */
export interface HealthSources {
  /**
   * Parts with complete problems. A complete problem has a start time, the functions that the gateway stops because of it, and a remedy.
   */
  readonly detailed: { problems(): readonly Problem[] }[];
  /** Parts with problems that have only a code and a message. */
  readonly brief: { problems(): readonly BriefProblem[] }[];
  /** CAN buses of this machine. */
  readonly buses: Pick<Buses, 'health'>[];
}

/** A device that stored fewer bytes than this is not reported as a cause of a full disk. */
const LEAST_REPORTED_BYTES = 10_000_000;

/** Adds the optional fields of a problem with the value null. */
const withNulls = ({ code, message, words }: BriefProblem): Problem => ({
  code,
  message,
  ...(words !== undefined && { words }),
  since: null,
  given_up: null,
  remedy: null,
});

const megabytes = (bytes: number) => `${Math.round(bytes / 1e6).toLocaleString('en')} MB`;

/** Returns a problem that names the device with the most stored bytes; empty if no device stored 10 MB. */
function mostStored(writers: readonly Writer[]): Problem[] {
  const [most] = writers.toSorted((a, b) => b.total_bytes - a.total_bytes);
  if (most === undefined || most.total_bytes < LEAST_REPORTED_BYTES) return [];
  const today = Object.values(most.today).reduce((sum, bytes) => sum + bytes, 0);
  const { device_id, id, total_bytes } = most;
  return [
    {
      code: 'most_stored_by',
      ...messageOf(
        say('The device {device} stored the most data: {today} today, {total} in total.', {
          device: device_id ?? id,
          today: megabytes(today),
          total: megabytes(total_bytes),
        }),
      ),
      since: null,
      given_up: null,
      remedy:
        'If that is too much, open the page of the device: quarantine the device there and purge its stored data.',
    },
  ];
}

/** If the journal uses more than this part of its limit, the limit and not the age decides which messages are deleted. */
const RAW_FULL = 0.9;

/** Returns the limits of the raw messages. */
function rawRetention(of: {
  readonly resources: Resources;
  readonly time: Clock;
  readonly ingest: Ingest;
  readonly rawPercent: number | null;
  readonly clock: () => number;
}): RetentionLimit {
  const { bytes, oldest_ms } = of.ingest.stats().journal;
  const limit_bytes = rawLimit(of.rawPercent, of.resources.disk?.total ?? null);
  return retentionLimit({
    what: 'raw',
    days: RAW_DAYS,
    bytes,
    limit_bytes,
    oldest_ms: of.time.agesKnown ? oldest_ms : null,
    now_ms: of.clock(),
    byDisk: bytes > limit_bytes * RAW_FULL,
  });
}

/** Returns the current health report of the gateway. */
export async function readHealth(of: {
  readonly resources: Resources;
  readonly time: Clock;
  readonly store: Store;
  readonly ingest: Ingest;
  readonly sources: HealthSources;
  readonly historySweep: HistorySweep;
  readonly backups: Pick<Backups, 'report'>;
  /** Share of the disk in percent for raw messages, as in the settings. */
  readonly rawPercent: number | null;
  /** The names that the gateway announces in the local network. */
  readonly names: () => readonly string[];
  readonly startedAt: string;
  readonly role: Health['role'];
  readonly clock: () => number;
}): Promise<Health> {
  const { store } = of;
  const { detailed, brief, buses } = of.sources;
  const { journal, sources, gaps, writers, over, problems: found } = await of.ingest.health();
  const { pressure, disk } = of.resources;
  const history = await of.historySweep.report();
  const problems = [
    ...problemsInHealth(new Map([...pressure.since, ...of.time.since])),
    ...(pressure.disk === 'ok' ? [] : mostStored(writers)),
    ...over.map((one) => ({ ...one, since: null })),
    ...detailed.flatMap((part) => part.problems()),
    ...[...found, ...[store, ...brief].flatMap((part) => part.problems())].map(withNulls),
  ];
  return {
    object: 'health',
    status: problems.length === 0 ? 'ok' : 'degraded',
    problems,
    version: VERSION,
    role: of.role,
    gateway_id: store.nodeId,
    started_at: of.startedAt,
    now: new Date(of.clock()).toISOString(),
    journal,
    disk: {
      free_bytes: disk?.free ?? null,
      total_bytes: disk?.total ?? null,
      reserve_bytes: disk?.reserve ?? 0,
      level: pressure.disk,
    },
    history: { ...history, limits: [...history.limits, rawRetention(of)] },
    backups: of.backups.report(),
    gaps,
    writers,
    sources,
    buses: buses.flatMap((part) => part.health()),
    names: [...of.names()],
  };
}
