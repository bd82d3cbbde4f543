/**
 * Keeps the raw traffic around each critical alert as MF4 files, because the journal deletes raw messages after some days. The window of an
 * alert is the time from some seconds before to some seconds after the moment at which the alert became critical. If the machine reported
 * the value of the alert earlier than that, the window begins some seconds before the report.
 *
 *   alert is critical ─▶ document `raw_freeze` (waiting) ─▶ the window has ended ─▶ frames from the journal ─▶ artifacts ─▶ one commit:
 *                                                                                                records of the files, document (kept)
 *
 * - The id of the document is computed from the id of the alert. The id of the record of a file is computed from the ids of the alert and
 *   the device. So an alert never has two sets of files, also after a crash.
 * - When the gateway starts, it reads the waiting documents, and the critical alerts of the last day that have no document.
 * - Alerts of one machine share their files if their windows overlap the window of the first of them.
 * - An alert that cannot be processed does not delay the alerts of other machines.
 * - If something cannot be kept, the document names the reason.
 */
import { createHash } from 'node:crypto';
import { hashId } from '#contract/base/ids.ts';
import type { Change, ProjectWrite } from '#contract/base/view.ts';
import { WriteConflict } from '#contract/base/view.ts';
import type { FrameBatch } from '#contract/fleet/frame.ts';
import type { DeviceIdentity } from '#contract/fleet/ingest.ts';
import type { AlertData } from '#contract/work/alert.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import { MOST_RAW_FILES, type RawFreezeData, rawFreezeId } from '#contract/work/raw-traffic.ts';
import type { Artifacts } from '#store/artifacts.ts';
import type { Store } from '#store/open-store.ts';
import { criticalSince, windowOf } from './alert-window.ts';
import { FrameFiles } from './frame-file.ts';
import { MOST_DOCUMENTS, oldDocuments, sizesOf, sumOf, type Waiting, write } from './freeze-documents.ts';

const DAY_MS = 86_400_000;
const TICK_MS = 2_000;
/** The gateway reads the frames of a window this long after the end of the window, because then the last messages are on disk. */
const SETTLE_MS = 5_000;
/** When the gateway starts, it looks for critical alerts without a document that a rule raised within this time. */
const MISSED_MS = DAY_MS;
/** The largest number of alerts and documents that one read returns. */
const PAGE = 1_000;
/** The largest size of one file. */
const MOST_FILE_BYTES = 32 << 20;
/** The largest number of alerts that share their files. */
const MOST_SHARED = 50;
/** After this many failed attempts the gateway gives up, about 85 minutes after the first one. */
const MOST_ATTEMPTS = 5;
/** Time between the first failed attempt and the second. Each later time is four times as long. */
const RETRY_MS = 60_000;

/** Settings of the kept raw traffic. */
export interface FreezeLimits {
  /**
   * The window begins this many seconds before the report of an alert and ends this many seconds after the alert. If the number is 0, the
   * gateway keeps nothing.
   */
  readonly seconds: number;
  /** Largest size of all files of a UTC day, and of all files together, in bytes. */
  readonly dayBytes: number;
  readonly totalBytes: number;
}

export interface FreezeOptions {
  readonly store: Pick<Store, 'find' | 'view' | 'commit' | 'changes'>;
  readonly artifacts: Pick<Artifacts, 'draft'>;
  readonly limits: FreezeLimits;
  /** Reads the frames of a time window from the journal. */
  readonly frames: (window: {
    readonly machine: string | null;
    readonly device: string | null;
    readonly from_ms: number;
    readonly to_ms: number;
  }) => AsyncIterable<{ readonly device: DeviceIdentity; readonly batch: FrameBatch }>;
  /** Returns the time of the oldest raw message that the journal has, in milliseconds since 1970; null if the journal never lost one. */
  readonly oldest: () => number | null;
  /** Returns the bytes that may be written now. */
  readonly room: () => number;
  readonly clock: () => number;
  readonly log: (level: 'info' | 'warn', message: string, data?: object) => void;
  /** Milliseconds between two ticks; null: only a call of `tick` does work. */
  readonly tickMs?: number | null;
}

export interface RawFreeze extends AsyncDisposable {
  /**
   * Keeps the raw traffic for the alerts of one machine whose windows have ended. Returns the number of these alerts. The gateway calls it
   * every 2 s.
   */
  tick(): Promise<number>;
}

const isWanted = ({ severity, late }: AlertData): boolean => severity === 'critical' && !late;
const timeOf = (ms: number): string => new Date(ms).toISOString();
const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

class Freezer {
  readonly #options: FreezeOptions;
  /** Alerts that have no document yet. */
  readonly #raised = new Map<string, { readonly project_id: string; readonly data: AlertData }>();
  /**
   * The documents whose last attempt failed, and could not be counted in the document either, for example on a full disk. The value is the
   * time of the attempt. It has at most `PAGE` entries.
   */
  readonly #failed = new Map<string, number>();
  #running: Promise<number> | undefined;

  constructor(options: FreezeOptions) {
    this.#options = options;
  }

  take(id: string, project_id: string, data: AlertData): void {
    if (isWanted(data) && this.#options.clock() - criticalSince(data) < MISSED_MS)
      this.#raised.set(id, { project_id, data });
  }

  run(): Promise<number> {
    this.#running ??= this.#tick().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  settled(): Promise<number> | undefined {
    return this.#running;
  }

  /** Finds the alerts for which the gateway did not write a document before it last stopped. */
  async findMissed(): Promise<void> {
    const { store, clock } = this.#options;
    const where = { 'data.severity': 'critical', 'data.raised_at': { gt: timeOf(clock() - MISSED_MS) } };
    for (const { id, project_id, data } of await store.find<AlertData>('live', { object: 'alert', where, limit: PAGE }))
      this.take(id, project_id, data);
  }

  async #tick(): Promise<number> {
    await this.#writeDocuments();
    const { store, clock } = this.#options;
    const waiting = await store.find<RawFreezeData>('local', {
      object: 'raw_freeze',
      where: { 'data.state': 'waiting' },
      order: 'asc',
      limit: PAGE,
    });
    const now = clock();
    const group = this.#dueGroup(waiting, now);
    if (group === undefined) return 0;
    try {
      await this.#keep(group);
      for (const { id } of group) this.#failed.delete(id);
    } catch (error) {
      if (this.#failed.size >= PAGE) this.#failed.clear();
      for (const { id } of group) this.#failed.set(id, now);
      if (error instanceof WriteConflict) return 0;
      await this.#noteFailure(group, error);
    }
    return group.length;
  }

  /**
   * A document is due if its window has ended, and some time after a failed attempt. If the clock was set back by more than the window, the
   * window has ended too.
   */
  #isDue({ id, data: { from, to, attempts }, updated_at }: Waiting, now: number): boolean {
    if (Math.abs(now - (this.#failed.get(id) ?? Number.NEGATIVE_INFINITY)) < RETRY_MS) return false;
    if (attempts > 0 && Math.abs(now - Date.parse(updated_at)) < RETRY_MS * 4 ** (attempts - 1)) return false;
    return now >= Date.parse(to) + SETTLE_MS || now < Date.parse(from) - DAY_MS;
  }

  async #writeDocuments(): Promise<void> {
    const { store, limits, clock } = this.#options;
    if (this.#raised.size === 0) return;
    const raised = [...this.#raised];
    for (const [project_id, own] of Map.groupBy(raised, ([, one]) => one.project_id)) {
      const ids = own.map(([id]) => rawFreezeId(id));
      const known = new Set((await store.view(project_id).getMany('local', ids)).map(({ id }) => id));
      const writes = own.flatMap(([id, { data }]): ProjectWrite[] => {
        if (known.has(rawFreezeId(id))) return [];
        const document: RawFreezeData = {
          alert_id: id,
          machine_id: data.machine_id,
          device_id: data.device_id,
          state: 'waiting',
          ...windowOf(data, limits.seconds, clock()),
          reason: null,
          files: [],
          attempts: 0,
        };
        return [write(project_id, document, 0)];
      });
      if (writes.length > 0) await store.commit(writes);
    }
    for (const [id] of raised) this.#raised.delete(id);
  }

  /** Returns the first alerts that share their files and are all due. */
  #dueGroup(waiting: readonly Waiting[], now: number): Waiting[] | undefined {
    for (const first of waiting) {
      if (!this.#isDue(first, now)) continue;
      const group = this.#sharing(first, waiting);
      if (group.every((one) => this.#isDue(one, now))) return group;
    }
    return undefined;
  }

  /** Returns the alert, and the other waiting alerts of its machine whose windows overlap. Their windows may not have ended yet. */
  #sharing(first: Waiting, waiting: readonly Waiting[]): Waiting[] {
    const { machine_id, device_id, from, to } = first.data;
    return waiting
      .filter(
        ({ project_id, data }) =>
          project_id === first.project_id &&
          data.machine_id === machine_id &&
          (machine_id !== null || data.device_id === device_id) &&
          data.from <= to &&
          data.to >= from,
      )
      .slice(0, MOST_SHARED);
  }

  async #keep(group: readonly Waiting[]): Promise<void> {
    const { store, artifacts, frames, oldest, room, clock, log, limits } = this.#options;
    // Try again later, because the journal still has the frames.
    if (room() <= 0) throw new Error('the disk is short of space');
    const [{ project_id, data: first }] = group as [Waiting];
    const from_ms = Math.min(...group.map(({ data }) => Date.parse(data.from)));
    const to_ms = Math.max(...group.map(({ data }) => Date.parse(data.to)));
    const known = await this.#known();
    const left = this.#left(known);
    const comment = `Raw traffic around the alert ${first.alert_id} of ${timeOf(from_ms)} to ${timeOf(to_ms)}`;
    const most = { mostFiles: MOST_RAW_FILES, mostFileBytes: MOST_FILE_BYTES, mostBytes: left };
    await using files = new FrameFiles({ artifacts, about: { comment, written_ms: clock() }, ...most });
    if (left > 0) {
      const window = { machine: first.machine_id, device: first.device_id, from_ms, to_ms };
      for await (const { device, batch } of frames(window)) await files.add(device, batch);
    }
    const made: { kept: RawFreezeData['files'][number]; isCut: boolean; write: ProjectWrite }[] = [];
    for (const file of files.all) {
      const { device, frames: count, isCut } = file;
      const content = await file.finish();
      const name = `${device.device_id}-${timeOf(from_ms).replaceAll(/[:.]/g, '-')}.mf4`;
      const artifact_id = hashId('artifact', sha256(`raw_freeze\n${first.alert_id}\n${device.device}`));
      const kept = { artifact_id, device_id: device.device, name, frames: count, bytes: content.bytes };
      made.push({ kept, isCut, write: this.#artifact(project_id, kept, content.sha256, first, from_ms) });
    }
    const start = oldest();
    const reasons = [
      left <= 0 ? `The limit of ${megabytes(limits.dayBytes)} a day is used up.` : null,
      left > 0 && made.length === 0 ? 'The journal has no CAN frames of this machine in the time window.' : null,
      made.some(({ isCut }) => isCut) ? 'The file reached its limit, so its last frames are missing.' : null,
      files.leftOut > 0 ? `Only the first ${MOST_RAW_FILES} devices have a file.` : null,
      start !== null && start > from_ms ? `The journal has no raw messages from before ${timeOf(start)}.` : null,
    ].filter((one) => one !== null);
    const state = made.length === 0 ? 'none' : reasons.length > 0 ? 'partly' : 'kept';
    const done = {
      state,
      reason: reasons.length === 0 ? null : reasons.join(' '),
      files: made.map(({ kept }) => kept),
    } as const;
    const removals = await this.#makeRoom(
      known,
      made.reduce((sum, { kept }) => sum + kept.bytes, 0),
    );
    await store.commit([
      ...removals,
      ...made.map((one) => one.write),
      ...group.map(({ data, revision }) => write(project_id, { ...data, ...done }, revision)),
    ]);
    log('info', 'raw traffic around critical alerts was kept', { alerts: group.length, state, files: made.length });
  }

  #artifact(
    project_id: string,
    kept: RawFreezeData['files'][number],
    hash: string,
    { alert_id }: RawFreezeData,
    from_ms: number,
  ): ProjectWrite {
    const data: ArtifactData = {
      kind: 'blackbox',
      name: kept.name,
      content_type: 'application/octet-stream',
      bytes: kept.bytes,
      sha256: hash,
      captured_at: timeOf(from_ms),
      received_at: timeOf(this.#options.clock()),
      device_id: kept.device_id,
      subject: { object: 'alert', id: alert_id },
      origin: null,
      retention_until: null,
      replication: 'local',
      media: null,
      run_id: null,
    };
    const document = { collection: 'records', id: kept.artifact_id, object: 'artifact', project_id } as const;
    return { ...document, data: { ...data }, expected: 0 };
  }

  /** Returns all documents, the oldest first. */
  #known(): Promise<Waiting[]> {
    return this.#options.store.find<RawFreezeData>('local', { object: 'raw_freeze', order: 'asc', limit: PAGE });
  }

  /** Returns how many bytes the gateway may write to files now. */
  #left(known: readonly Waiting[]): number {
    const { limits, room, clock } = this.#options;
    const day = timeOf(clock()).slice(0, 10);
    const today = sizesOf(known.filter(({ updated_at }) => updated_at.startsWith(day)));
    return Math.min(limits.dayBytes - sumOf(today), limits.totalBytes, room());
  }

  /**
   * Returns the writes that delete the oldest files if all files and `added` more bytes would exceed the limit. The alerts of the deleted
   * files then state why the files are missing.
   * If there are too many documents, it also deletes the oldest ones, with their files.
   */
  async #makeRoom(known: readonly Waiting[], added: number): Promise<ProjectWrite[]> {
    const { store, limits } = this.#options;
    const sizes = sizesOf(known);
    const removed = new Map<string, string>();
    let total = sumOf(sizes) + added;
    const old = new Set(known.length < MOST_DOCUMENTS ? [] : oldDocuments(known));
    for (const one of known) {
      const { project_id, data } = one;
      if (total <= limits.totalBytes && !old.has(one)) continue;
      for (const { artifact_id } of data.files) {
        if (!removed.has(artifact_id)) total -= sizes.get(artifact_id) ?? 0;
        removed.set(artifact_id, project_id);
      }
    }
    const removals: ProjectWrite[] = [];
    for (const [id, project_id] of removed) {
      const artifact = await store.view(project_id).get('records', id);
      if (artifact === undefined) continue;
      const { data, revision: expected } = artifact;
      removals.push({ collection: 'records', id, object: 'artifact', project_id, data, expected, deleted: true });
    }
    const most = `${megabytes(limits.totalBytes)} and ${MOST_DOCUMENTS} alerts`;
    const reason = `The files were deleted, because all kept raw traffic has at most ${most}.`;
    for (const { project_id, data, revision } of known.filter((one) => !old.has(one)))
      if (data.files.some(({ artifact_id }) => removed.has(artifact_id)))
        removals.push(write(project_id, { ...data, state: 'deleted', reason, files: [] }, revision));
    for (const { project_id, data, revision } of old)
      removals.push({ ...write(project_id, data, revision), deleted: true });
    return removals;
  }

  async #noteFailure(group: readonly Waiting[], error: unknown): Promise<void> {
    const { store, log } = this.#options;
    log('warn', 'raw traffic around an alert could not be kept', { error: String(error) });
    await store.commit(
      group.map(({ project_id, data, revision }) => {
        const attempts = data.attempts + 1;
        const failed = { state: 'none', reason: `It could not be stored: ${error}` } as const;
        return write(project_id, { ...data, attempts, ...(attempts < MOST_ATTEMPTS ? {} : failed) }, revision);
      }),
    );
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Starts to keep the raw traffic around critical alerts. */
export async function startRawFreeze(options: FreezeOptions): Promise<RawFreeze> {
  const { store, limits, log, tickMs = TICK_MS } = options;
  const freezer = new Freezer(options);
  if (limits.seconds === 0) return { tick: async () => 0, async [Symbol.asyncDispose]() {} };
  const unwatch = store.changes((changes: readonly Change[]) => {
    for (const { operation, document } of changes)
      if (document.object === 'alert' && operation !== 'DELETE')
        freezer.take(document.id, document.project_id, document.data as unknown as AlertData);
  });
  await freezer.findMissed();
  const timer =
    tickMs === null
      ? undefined
      : setInterval(() => {
          freezer.run().catch((error: unknown) => log('warn', 'keeping raw traffic failed', { error: String(error) }));
        }, tickMs);
  return {
    tick: () => freezer.run(),
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      unwatch();
      await freezer.settled();
    },
  };
}
