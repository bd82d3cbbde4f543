/** What a person should know of the gateway: what each part says of itself, put together. */
import type { Clock } from '#box/clock.ts';
import type { Resources } from '#box/resources.ts';
import type { Health, Problem } from '#contract/node.ts';
import { tellProblems } from '#domain/problems.ts';
import type { Ingest } from '#ingest/ingest.ts';
import type { Store } from '#store/open-store.ts';
import type { Buses } from './buses.ts';
import { VERSION } from './version.ts';

/** A part that says what is wrong with it, and since when, what is given up and what to do. */
interface Ailing {
  problems(): readonly Problem[];
}

/** A part that says what is wrong with it. */
interface AilingBriefly {
  problems(): readonly Pick<Problem, 'code' | 'message'>[];
}

const whole = ({ code, message }: Pick<Problem, 'code' | 'message'>): Problem => ({
  code,
  message,
  since: null,
  given_up: null,
  remedy: null,
});

/** The health of the gateway now. */
export async function readHealth(of: {
  readonly resources: Resources;
  readonly time: Clock;
  readonly store: Store;
  readonly ingest: Ingest;
  readonly buses: Buses;
  readonly watchers: readonly Ailing[];
  readonly others: readonly AilingBriefly[];
  readonly startedAt: string;
  readonly clock: () => number;
}): Promise<Health> {
  const { store, buses } = of;
  const { journal, sources, gaps, problems: found } = await of.ingest.health();
  const { pressure, disk } = of.resources;
  const problems = [
    ...tellProblems(new Map([...pressure.since, ...of.time.since])),
    ...[...of.watchers, buses].flatMap((part) => part.problems()),
    ...[...found, ...[store, ...of.others].flatMap((part) => part.problems())].map(whole),
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
    sources,
    buses: buses.health(),
  };
}
