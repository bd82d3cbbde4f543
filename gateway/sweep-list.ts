/** The list of sweeps of a node. A sweep is a function that runs at an interval and deletes what is no longer needed. */
import type { OwnWork } from '#contract/context.ts';
import type { TaskKind } from '#contract/work/task.ts';
import { createAccessSweep } from '#handlers/access/access-time.ts';
import { sweepPairs } from '#handlers/devices/bucket-pairs.ts';
import { sweepClaims } from '#handlers/devices/secret-claims.ts';
import { createMaintenanceTickets } from '#handlers/work/maintenance-tickets.ts';
import { keepTail } from '#host/start-room.ts';
import type { Ingest } from '#ingest/ingest-types.ts';
import type { Invoke } from '#servers/invoke/invoke.ts';
import { sweepFiles } from '#sweeps/artifact-sweep.ts';
import { createEventSweep } from '#sweeps/event-sweep.ts';
import { createGraveSweep } from '#sweeps/grave-sweep.ts';
import { sweepRuns } from '#sweeps/run-sweep.ts';
import type { Sweep } from '#sweeps/sweeps.ts';
import { createTaskSweep } from '#sweeps/task-sweep.ts';
import type { Foundation } from './foundation.ts';

const SWEEP_MS = 60_000;
/**
 * Interval of the two sweeps of history. One call deletes up to 100 old segments, or joins the segments of one hour. Other work runs
 * between two calls.
 */
const SWEEP_HISTORY_MS = 1_000;
const SWEEP_FILES_MS = 600_000;
/** Number of sweeps of files in a day. One of them also deletes files that no document refers to. */
const ROUNDS_A_DAY = 144;
/**
 * Age at which tombstones (the rows of deleted documents) are deleted. Until then a new document with the same id continues the revisions,
 * so no old ETag matches it.
 */
const DELETED_MS = 7 * 86_400_000;
const MOST_PURGES = 20;

/** All sweeps of this node; `bucketUploads` is absent on a node without a bucket. */
export function listSweeps(
  {
    config,
    store: { background },
    clock,
    accessTime,
    newId,
    time,
    artifacts,
    uploads,
    uploadParts,
    historySweep,
    compaction,
    lostSecrets,
  }: Foundation,
  {
    invoke,
    ownWork,
    carriesOut,
  }: {
    readonly invoke: Pick<Invoke, 'sweep'>;
    readonly ownWork: OwnWork;
    readonly carriesOut: (kind: TaskKind) => boolean;
  },
  ingest: Pick<Ingest, 'tail' | 'live'>,
  bucketUploads: { sweep(): Promise<unknown> } | undefined,
): readonly Sweep[] {
  const { store } = background;
  const agesKnown = () => time.agesKnown;
  const purge = async () => {
    for (let i = 0; i < MOST_PURGES && time.agesKnown; i++) if (await store.purge(DELETED_MS)) return;
  };
  let rounds = 0;
  const sweepOld = () => {
    const orphans = rounds++ % ROUNDS_A_DAY === 0;
    const asks = { agesKnown: time.agesKnown, isOurs: background.isHeld(), orphans };
    return sweepFiles({ store, artifacts, uploads, parts: uploadParts, clock, ...asks });
  };
  return [
    { what: 'sweeping tasks', everyMs: SWEEP_MS, run: createTaskSweep({ store, clock, agesKnown }) },
    {
      what: 'sweeping entries of devices',
      everyMs: SWEEP_MS,
      run: createEventSweep({ store, clock, newId, agesKnown }),
    },
    { what: 'sweeping history', everyMs: SWEEP_HISTORY_MS, run: () => historySweep.run() },
    { what: 'sealing history', everyMs: SWEEP_HISTORY_MS, run: () => compaction.run() },
    { what: 'sweeping receipts', everyMs: SWEEP_MS, isOwn: true, run: () => invoke.sweep() },
    ...(bucketUploads
      ? [{ what: 'sweeping uploads in parts', everyMs: SWEEP_MS, run: () => bucketUploads.sweep() }]
      : []),
    { what: 'ending sessions', everyMs: SWEEP_MS, run: createAccessSweep({ store, now: accessTime }) },
    { what: 'sweeping claims', everyMs: SWEEP_MS, run: () => sweepClaims(store, clock) },
    { what: 'sweeping key pairs', everyMs: SWEEP_MS, run: () => sweepPairs(store, clock) },
    // Each site makes the tickets of its services. If head office made them too, there would be two.
    ...(config.role === 'gateway'
      ? [
          {
            what: 'making tickets of due services',
            everyMs: SWEEP_MS,
            run: createMaintenanceTickets({ store, live: ingest.live, ownWork, clock, agesKnown }),
          },
        ]
      : []),
    { what: 'sweeping runs', everyMs: SWEEP_MS, run: () => sweepRuns({ store, clock, newId, carriesOut }) },
    {
      what: 'saving the position of the journal',
      everyMs: SWEEP_MS,
      isOwn: true,
      run: () => keepTail(config.data, ingest.tail),
    },
    { what: 'purging deleted documents', everyMs: SWEEP_FILES_MS, run: purge },
    {
      what: 'removing fields of deleted records',
      everyMs: SWEEP_FILES_MS,
      run: createGraveSweep({ store, clock, agesKnown }),
    },
    { what: 'looking for lost secrets', everyMs: SWEEP_MS, isOwn: true, run: () => lostSecrets.look() },
    { what: 'sweeping files', everyMs: SWEEP_FILES_MS, isOwn: true, run: sweepOld },
  ];
}
