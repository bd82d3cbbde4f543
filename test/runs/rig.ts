/** A store, an ingest and the runs over a temporary folder: files go in, what became of them is read. */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Stored } from '#contract/base/view.ts';
import type { Caller } from '#contract/context.ts';
import type { DeviceIdentity, IngestMessage } from '#contract/fleet/ingest.ts';
import { SNIFFED, sniffMedia } from '#contract/work/media.ts';
import type { RunData, RunLive, TaskData } from '#contract/work/task.ts';
import { decodeTaskId } from '#domain/runs/decode-task.ts';
import { hasEnded } from '#domain/runs/run.ts';
import { type Runs, type RunsOptions, startRuns } from '#gateway/runs/executor.ts';
import type { IngestOptions } from '#ingest/ingest-types.ts';
import { type Site, startSite } from '#test/ingest/support.ts';

export interface RunsRig extends AsyncDisposable {
  readonly site: Site;
  /** What the runs gave to the journal. */
  readonly accepted: IngestMessage[];
  /** A machine with this unit number. */
  machine(unit: string, pin?: string | null): Promise<string>;
  /** A device, and its links as the log has them: from this time on it was on this machine, or on none. */
  device(name: string, links?: readonly (readonly [at: string, machine: string | null])[]): Promise<DeviceIdentity>;
  link(device: DeviceIdentity, machine: string | null): Promise<void>;
  /** A file that the device uploads. */
  upload(device: DeviceIdentity, name: string, bytes: Uint8Array): Promise<string>;
  /** Another run of the same file. */
  again(artifact_id: string): Promise<void>;
  /** Takes the bytes of a file off the disk. */
  lose(artifact_id: string): Promise<void>;
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
export async function openRuns(ingest: Partial<IngestOptions> = {}): Promise<RunsRig> {
  const site = await startSite(ingest);
  const accepted: IngestMessage[] = [];
  const view = () => site.store.view(site.project);
  let runs: Runs | undefined;

  const rig: RunsRig = {
    site,
    accepted,
    async machine(unit, pin = null) {
      return (await site.call('equipment_create', { unit_number: unit, ...(pin === null ? {} : { pin }) })).id;
    },
    async device(name, links = []) {
      const identity = await site.device(name);
      for (const [at, machine] of links) await site.at(Date.parse(at), () => rig.link(identity, machine));
      return identity;
    },
    async link({ device, device_id }, equipment_id) {
      if (equipment_id === null) await site.call('devices_unlink', { id: device });
      else await site.call('telemetry_devices_link', { links: [{ serial: device_id, equipment_id, source: 'api' }] });
    },
    async upload({ device: id, device_id, project_id }, name, bytes) {
      // As a resumable upload of the device ends.
      const by = { kind: 'device', id: 'key_device', name: device_id, role: 'device', device: id } as const;
      const caller: Partial<Caller> = { ...by, device_project: project_id };
      const slot = await site.call('devices_media_create', { id, name, bytes: bytes.length }, { caller });
      const { sha256 } = await site.artifacts.put([bytes]);
      const content_type = sniffMedia(bytes.subarray(0, SNIFFED));
      const done = await site.call(
        'devices_media_append',
        {
          id,
          upload_id: slot.id,
          sha256,
          bytes: bytes.length,
          ...(content_type === undefined ? {} : { content_type }),
        },
        { caller },
      );
      if (done.artifact_id === null) throw new Error(`the upload of ${name} made no file`);
      return done.artifact_id;
    },
    async again(artifact_id) {
      const { data } = await rig.task(artifact_id);
      await site.call('artifacts_decode', { id: data.links?.device_id ?? '', artifact_id });
    },
    async lose(artifact_id) {
      const { sha256 } = await site.call('artifacts_get', { id: artifact_id });
      const path = await site.artifacts.locate(sha256);
      if (path === undefined) throw new Error(`${artifact_id} is not on the disk`);
      await rm(path);
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
        locate: (sha256) => site.artifacts.locate(sha256),
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
