/** A store, an ingest and the runs over a temporary folder: files go in, what became of them is read. */
import { randomBytes } from 'node:crypto';
import type { ArtifactData } from '#contract/artifact.ts';
import { type Kind, makeId } from '#contract/ids.ts';
import type { DeviceIdentity, IngestMessage } from '#contract/ingest.ts';
import type { RunData, RunLive, TaskData } from '#contract/task.ts';
import type { Stored } from '#contract/view.ts';
import { createFileRun, decodeTaskId, decodeTaskWrites } from '#domain/decode-task.ts';
import { hasEnded } from '#domain/run.ts';
import { queueWrites } from '#domain/run-writes.ts';
import { type Runs, type RunsOptions, startRuns } from '#gateway/runs/executor.ts';
import { openArtifacts } from '#store/artifacts.ts';
import { PROJECT, type Site, startSite } from '#test/ingest/support.ts';

export interface RunsRig extends AsyncDisposable {
  readonly site: Site;
  /** What the runs gave to the journal. */
  readonly accepted: IngestMessage[];
  /** A machine with this unit number. */
  machine(unit: string, pin?: string | null): Promise<string>;
  /** A device, and its links as the log has them: from this time on it was on this machine, or on none. */
  device(name: string, links?: readonly (readonly [at: string, machine: string | null])[]): Promise<DeviceIdentity>;
  /** The record of a file, with its task in the same commit. */
  upload(device: DeviceIdentity, name: string, bytes: Uint8Array): Promise<string>;
  /** Another run of the same file. */
  again(artifact_id: string): Promise<void>;
  start(options?: Partial<RunsOptions>): void;
  stop(): Promise<void>;
  /** Runs of a device that wait, as the executor knows them. */
  waiting(device: DeviceIdentity): number;
  task(artifact_id: string): Promise<Stored<TaskData>>;
  run(id: string): Promise<Stored<RunData>>;
  live(run_id: string): Promise<RunLive | undefined>;
  /** The latest run of a file once it has ended. */
  ended(artifact_id: string): Promise<Stored<RunData>>;
}

/** For a machine that is slow. */
const PATIENCE_MS = 120_000;

/** Starts one, its runs at rest. */
export async function openRuns(): Promise<RunsRig> {
  const site = await startSite();
  const artifacts = await openArtifacts(site.folder);
  const accepted: IngestMessage[] = [];
  const newId = (kind: Kind, place?: number) => makeId(kind, site.time.ms, randomBytes(10), place);
  const tools = () => ({ now: new Date(site.time.ms).toISOString(), newId });
  const view = () => site.store.view(PROJECT);
  let runs: Runs | undefined;

  const rig: RunsRig = {
    site,
    accepted,
    async machine(unit, pin = null) {
      const id = newId('equipment');
      const data = { unit_number: unit, pin, status: 'in_use' };
      await view().commit([{ collection: 'records', id, object: 'equipment', data }]);
      return id;
    },
    async device(name, links = []) {
      const identity = await site.device(name, links.at(-1)?.[1] ?? null);
      for (const [at, machine] of links) {
        const event = {
          type: machine === null ? 'device.unlinked' : 'device.linked',
          subject: { object: 'device', id: identity.device },
          occurred_at: new Date(at).toISOString(),
          source: 'headframe',
          source_event_id: null,
          actor: { type: 'workspace', id: null, name: null },
          data: machine === null ? {} : { equipment_id: machine },
          context: { run_id: null, device_id: identity.device, media: [] },
        };
        await view().commit([{ collection: 'events', id: newId('event'), object: 'event', data: event, expected: 0 }]);
      }
      return identity;
    },
    async upload(device, name, bytes) {
      const { sha256 } = await artifacts.put([bytes]);
      const id = newId('artifact');
      const data: ArtifactData = {
        kind: /mf4$/i.test(name) ? 'mf4' : 'file',
        name,
        content_type: 'text/x-candump',
        bytes: bytes.length,
        sha256,
        captured_at: null,
        received_at: tools().now,
        device_id: device.device,
        subject: null,
        origin: null,
        retention_until: null,
        replication: 'local',
        media: null,
        run_id: null,
      };
      await view().commit([
        { collection: 'records', id, object: 'artifact', data: { ...data }, expected: 0 },
        ...decodeTaskWrites(tools(), id, data),
      ]);
      return id;
    },
    async again(artifact_id) {
      const task = await rig.task(artifact_id);
      const id = newId('run');
      const file = { artifact_id, device_id: task.data.links?.device_id ?? '' };
      const data = { ...task.data, auto_paused: false as const, latest_run_id: id };
      await view().commit([
        { collection: 'records', id: task.id, object: 'task', data, expected: task.revision },
        ...queueWrites(tools(), id, createFileRun(task.id, file, tools().now)),
      ]);
    },
    start(options = {}) {
      runs = startRuns({
        store: site.store,
        clock: () => site.time.ms,
        random: (n) => randomBytes(n),
        log: (level, message, data) => site.logged.push(`${level} ${message} ${JSON.stringify(data ?? {})}`),
        accept(message) {
          accepted.push(message);
          return site.ingest.accept(message);
        },
        settled: () => site.ingest.settled(),
        counted: (run) => site.ingest.counted(run),
        locate: (sha256) => artifacts.locate(sha256),
        passwords: async () => [],
        retryMs: 20,
        ...options,
      });
    },
    async stop() {
      await runs?.[Symbol.asyncDispose]();
      runs = undefined;
    },
    waiting: ({ device }) => runs?.waiting(device) ?? 0,
    async task(artifact_id) {
      const found = await view().get<TaskData>('records', decodeTaskId(artifact_id));
      if (found === undefined) throw new Error(`no task for ${artifact_id}`);
      return found;
    },
    async run(id) {
      const found = await view().get<RunData>('records', id);
      if (found === undefined) throw new Error(`no run ${id}`);
      return found;
    },
    live: async (run_id) => (await view().get<RunLive>('live', run_id))?.data,
    async ended(artifact_id) {
      for (const late = performance.now() + PATIENCE_MS; performance.now() < late; ) {
        const { data } = await rig.task(artifact_id);
        const run = await rig.run(data.latest_run_id ?? '');
        if (hasEnded(run.data)) return run;
        await new Promise((done) => setTimeout(done, 20));
      }
      throw new Error(`the run of ${artifact_id} does not end: ${site.logged.slice(-5).join('; ')}`);
    },
    async [Symbol.asyncDispose]() {
      await rig.stop();
      await site[Symbol.asyncDispose]();
    },
  };
  return rig;
}
