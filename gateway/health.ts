/** What a person should know of the gateway: what each part says of itself, put together. */

import type { Health, Problem, Writer } from '#contract/site/node.ts';
import { problemsInHealth } from '#domain/health/problems.ts';
import type { Clock } from '#host/clock.ts';
import type { Resources } from '#host/resources.ts';
import type { Ingest } from '#ingest/ingest-types.ts';
import { VERSION } from '#settings/version.ts';
import type { Store } from '#store/open-store.ts';
import type { Buses } from './buses.ts';

/** The parts that report problems. Each part adds itself when it starts, so health needs no list of all parts. */
export interface HealthSources {
  /** Parts that report problems with their start, what was given up, and a remedy. */
  readonly detailed: { problems(): readonly Problem[] }[];
  /** Parts that report code and message only. */
  readonly brief: { problems(): readonly Pick<Problem, 'code' | 'message'>[] }[];
  /** CAN buses of this machine. */
  readonly buses: Pick<Buses, 'health'>[];
}

/** Less is no reason why a disk is full. */
const WORTH_TELLING = 10_000_000;

const whole = ({ code, message }: Pick<Problem, 'code' | 'message'>): Problem => ({
  code,
  message,
  since: null,
  given_up: null,
  remedy: null,
});

const megabytes = (bytes: number) => `${Math.round(bytes / 1e6).toLocaleString('en')} MB`;

/** Who stored the most, while room is short. */
function mostStored(writers: readonly Writer[]): Problem[] {
  const [most] = writers.toSorted((a, b) => b.total_bytes - a.total_bytes);
  if (most === undefined || most.total_bytes < WORTH_TELLING) return [];
  const today = Object.values(most.today).reduce((sum, bytes) => sum + bytes, 0);
  const { device_id, id, total_bytes } = most;
  return [
    {
      code: 'most_stored_by',
      message: `${device_id ?? id} stored the most: ${megabytes(today)} today, ${megabytes(total_bytes)} in all.`,
      since: null,
      given_up: null,
      remedy: 'If that is too much: quarantine the device, and purge what it stored, on its page.',
    },
  ];
}

/** The health of the gateway now. */
export async function readHealth(of: {
  readonly resources: Resources;
  readonly time: Clock;
  readonly store: Store;
  readonly ingest: Ingest;
  readonly sources: HealthSources;
  readonly startedAt: string;
  readonly clock: () => number;
}): Promise<Health> {
  const { store } = of;
  const { detailed, brief, buses } = of.sources;
  const { journal, sources, gaps, writers, over, problems: found } = await of.ingest.health();
  const { pressure, disk } = of.resources;
  const problems = [
    ...problemsInHealth(new Map([...pressure.since, ...of.time.since])),
    ...(pressure.disk === 'ok' ? [] : mostStored(writers)),
    ...over.map((one) => ({ ...one, since: null })),
    ...detailed.flatMap((part) => part.problems()),
    ...[...found, ...[store, ...brief].flatMap((part) => part.problems())].map(whole),
  ];
  return {
    object: 'health',
    status: problems.length === 0 ? 'ok' : 'degraded',
    problems,
    version: VERSION,
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
    gaps,
    writers,
    sources,
    buses: buses.flatMap((part) => part.health()),
  };
}
