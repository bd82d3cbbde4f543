/**
 * Files of a site: sends the content of its files to head office, and fetches what was made there.
 *
 *   record of a file ─▶ queue ─▶ offer: what does head office have? ─▶ ranges ─▶ head office checks the SHA-256 ─▶ mark
 *
 * Files have a connection of their own and the lowest priority: while other data waits, only one range in some seconds is sent. Where a
 * transfer stopped, it goes on: head office knows how many bytes it has, and a file that comes from there grows on the disk of the site.
 */
import { NODE_PROJECT } from '#contract/base/view.ts';
import {
  type FileAsked,
  type FileOfferAnswer,
  type FilesPaused,
  type FileTransfer,
  type LinkFiles,
  MOST_CODE,
  MOST_MESSAGE,
  MOST_NAME,
} from '#contract/site/sync-files.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import type { Artifacts } from '#store/artifacts.ts';
import type { Store } from '#store/open-store.ts';
import type { SyncStore } from '#store/sync/replica.ts';
import type { Uploads } from '#store/uploads.ts';
import { isMadeBy, markFile } from '#sync/files/file-marks.ts';
import { FileQueue, type FileRecord } from '#sync/files/file-queue.ts';
import { checkFiles, type FileCheck } from './file-check.ts';
import type { FileClient } from './file-client.ts';
import { fetchFile, Ranges, sendFile, type Transfer } from './file-ranges.ts';
import { awayState, hereState } from './file-states.ts';
import { Retry } from './retry.ts';
import { LinkError } from './transport.ts';

/** Files of one plan. */
const PLAN = 20;
/** Without news, the site looks again after this time. */
const LOOK_MS = 60_000;
/** A file that head office does not know yet, or that neither end has, is offered again after this time. */
const UNKNOWN_MS = 1_000;
const LOST_MS = 600_000;
const MOST_SKIPPED = 10_000;
const MOST_ASKED = 1_000;
/** Without a connection, the site looks after this time whether there is one. */
const OFF_MS = 2_000;
/** While other data waits, one range is sent in this time. */
const FLOOR_MS = 5_000;
const GIVE_WAY_MS = 200;
const RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;
export interface SiteFilesOptions {
  readonly store: Pick<Store, 'view' | 'changes' | 'nodeId'>;
  readonly sync: SyncStore;
  readonly artifacts: Artifacts;
  readonly uploads: Uploads;
  /** Bytes that files may still use on this disk. */
  readonly room: () => number;
  readonly clock: () => number;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
  readonly client: FileClient;
  /** How the link is: no contact, or other data waits, or nothing else waits. */
  readonly link: () => 'off' | 'busy' | 'free';
  /** Why a file of this size must wait now; null if it may go. */
  readonly paused: (file: { readonly bytes: number; readonly wanted: boolean }) => FilesPaused | null;
}

/** stopped: the transfer goes on later. unknown: head office does not have the record of the file yet. lost: neither end has the content. */
type Moved = 'done' | 'stopped' | 'unknown' | 'lost';

export class SiteFiles {
  readonly #options: SiteFilesOptions;
  readonly #queue: FileQueue;
  /** Files that cannot move before a time. */
  readonly #skipped = new Map<string, { readonly until_ms: number; readonly lost: boolean }>();
  /** Files that head office asked for, whatever their mark is. */
  readonly #asked = new Set<string>();
  #waiting = { files: 0, bytes: 0 };
  readonly #ranges = new Ranges();
  #current: LinkFiles['current'] = null;
  #paused: FilesPaused | null = null;
  /** Why a file of the plan that is made now must wait. */
  #pausedNow: FilesPaused | null = null;
  #error: LinkFiles['error'] = null;
  #range_ms = 0;
  readonly #retry = new Retry(RETRY_MS, LONGEST_RETRY_MS);
  #reported = '';
  #stopping = false;
  #isNew = true;
  #wake: (() => void) | undefined;
  #unwatch = (): void => {};
  #running: Promise<void> = Promise.resolve();

  constructor(options: SiteFilesOptions) {
    this.#options = options;
    this.#queue = new FileQueue((record) => {
      if ((this.#skipped.get(record.id)?.until_ms ?? 0) > options.clock()) return true;
      const why = this.#pauseOf(record);
      this.#pausedNow ??= why;
      return why !== null;
    });
  }

  start(): void {
    this.#unwatch = this.#options.store.changes((changes) => {
      for (const { collection, document } of changes) {
        if (collection !== 'records' || document.object !== 'artifact') continue;
        const { wanted_at, replication } = document.data as unknown as ArtifactData;
        const isTheirs = document.origin !== this.#options.store.nodeId;
        if (wanted_at != null && replication === 'cloud' && isTheirs && this.#asked.size < MOST_ASKED)
          this.#asked.add(document.id);
        if (wanted_at != null) this.#skipped.delete(document.id);
        this.#isNew = true;
      }
      if (this.#isNew) this.#wake?.();
    });
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#unwatch();
    this.#wake?.();
    await this.#running;
  }

  /** Something that decides about files has changed. */
  look(): void {
    this.#isNew = true;
    this.#wake?.();
  }

  /** What people see of the files of this link. */
  state(): LinkFiles {
    const { files, bytes } = this.#waiting;
    const done = this.#current?.done ?? 0;
    const rest = Math.max(0, bytes - done);
    const canMove = this.#options.link() !== 'off' && this.#paused === null && this.#error === null;
    const speed = canMove ? (this.#ranges.speed ?? 0) : 0;
    const expected_ms = files > 0 && speed > 0 ? this.#options.clock() + (rest / speed) * 1_000 : null;
    return {
      waiting: files,
      waiting_bytes: bytes,
      current: this.#current,
      bytes_per_second: this.#ranges.speed === null ? null : Math.round(this.#ranges.speed),
      expected_at: expected_ms === null ? null : new Date(expected_ms).toISOString(),
      paused: this.#paused,
      error: this.#error,
    };
  }

  /** Tells where the content of a file is, and when it comes. */
  async fileState(file: FileAsked): Promise<FileTransfer> {
    const { artifacts, uploads, clock } = this.#options;
    if ((await artifacts.find(file.sha256))?.bytes === file.bytes)
      return hereState(
        file,
        file.replication === 'cloud'
          ? 'This file is here, and head office has it too.'
          : 'This file is here. Head office does not have it yet.',
      );
    return awayState(
      file,
      {
        at: 'head office',
        received: await uploads.size(file.sha256),
        missing: this.#skipped.get(file.artifact_id)?.lost === true,
        elsewhere: file.replication === 'cloud',
        silent_ms: null,
        paused: this.#paused,
        error: this.#options.link() === 'off' ? { message: 'there is no connection to head office.' } : this.#error,
        bytes_per_second: this.#ranges.speed,
        ahead_bytes: this.#waiting.bytes,
      },
      clock(),
    );
  }

  /** Compares the files of a project with head office. Files that it lacks are sent again. */
  async check(project_id: string): Promise<FileCheck> {
    const view = this.#options.store.view(project_id);
    const isHere = (record: FileRecord) => this.#isHere(record);
    const checked = await checkFiles({ ...this.#options, project_id, view, isHere });
    this.look();
    return checked;
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      try {
        const moved = await this.#turn();
        this.#retry.worked();
        if (this.#options.link() !== 'off') this.#error = null;
        if (!moved) await this.#sleep(this.#pause());
      } catch (error) {
        if (this.#stopping) return;
        this.#fail(error);
        await this.#sleep(this.#retry.failed());
      } finally {
        this.#current = null;
      }
    }
  }

  #pause(): number {
    if (this.#options.link() === 'off') return OFF_MS;
    const now = this.#options.clock();
    for (const [id, { until_ms }] of this.#skipped) if (until_ms <= now) this.#skipped.delete(id);
    if (this.#isNew) return GIVE_WAY_MS;
    const next_ms = Math.min(...[...this.#skipped.values()].map(({ until_ms }) => until_ms), now + LOOK_MS);
    return Math.max(GIVE_WAY_MS, next_ms - now);
  }

  #fail(error: unknown): void {
    const { log } = this.#options;
    this.#ranges.slower();
    if (error instanceof LinkError) {
      // Without a connection there is nothing to say here: the link itself says so.
      this.#error =
        error.fault === 'unreachable'
          ? null
          : {
              code: error.code.slice(0, MOST_CODE),
              message: error.message.slice(0, MOST_MESSAGE),
            };
      return;
    }
    log('error', 'the exchange of files with head office failed', { error: String((error as Error).stack ?? error) });
    this.#error = { code: 'internal_error', message: 'A fault of this gateway. Its log has the details.' };
  }

  /** One round over all projects. Returns true if a file moved. */
  async #turn(): Promise<boolean> {
    const { sync, link } = this.#options;
    if (link() === 'off') return false;
    this.#isNew = false;
    let moved = false;
    this.#pausedNow = null;
    const waiting = { files: 0, bytes: 0 };
    for (const project of sync.projects()) {
      if (project === NODE_PROJECT || this.#stopping) continue;
      const view = this.#options.store.view(project);
      const count = await this.#queue.count(view, (id) => this.#skipped.get(id)?.lost === true);
      waiting.files += count.files;
      waiting.bytes += count.bytes;
      this.#waiting = waiting;
      const plan = await this.#plan(project);
      this.#paused = this.#pausedNow;
      if (plan.length > 0) moved = (await this.#move(project, plan)) || moved;
      else await this.#report(project);
    }
    return moved;
  }

  /** Tells head office what waits, if it has changed. */
  async #report(project: string): Promise<void> {
    if (this.#summary(project) !== this.#reported) await this.#offer(project, []);
  }

  #summary(project: string): string {
    return `${project} ${this.#waiting.files} ${this.#paused?.why}`;
  }

  /** Why the rest of a file must wait now. */
  #pauseOf({ data }: FileRecord, done = 0): FilesPaused | null {
    return this.#options.paused({ bytes: data.bytes - done, wanted: data.wanted_at != null });
  }

  async #plan(project: string): Promise<FileRecord[]> {
    const view = this.#options.store.view(project);
    const asked = await view.getMany<ArtifactData>('records', [...this.#asked].slice(0, PLAN));
    for (const { id } of asked) this.#asked.delete(id);
    return [...asked, ...(await this.#queue.next(view, PLAN))];
  }

  async #offer(project_id: string, records: readonly FileRecord[]): Promise<Map<string, FileOfferAnswer['files'][0]>> {
    const files = [...new Set(records.map(({ data }) => data.sha256))];
    const lost: string[] = [];
    for (const { id, data } of records) if (this.#skipped.get(id)?.lost === true) lost.push(data.sha256);
    const summary = this.#summary(project_id);
    const answer = await this.#options.client.offer({ project_id, files, lost, report: this.state() });
    this.#reported = summary;
    return new Map(answer.files.map((file) => [file.sha256, file]));
  }

  async #isHere({ data }: FileRecord): Promise<boolean> {
    return (await this.#options.artifacts.find(data.sha256))?.bytes === data.bytes;
  }

  /** Moves the files of a plan, one after the other. */
  async #move(project: string, plan: readonly FileRecord[]): Promise<boolean> {
    const view = this.#options.store.view(project);
    const answers = await this.#offer(project, plan);
    let moved = false;
    for (const record of plan) {
      if (this.#stopping || this.#options.link() === 'off') break;
      // Somebody asked for a file meanwhile: plan again.
      if (this.#isNew && record.data.wanted_at == null && (await this.#queue.wanted(view, 1)).length > 0) return true;
      const answer = answers.get(record.data.sha256);
      if (answer === undefined) continue;
      const result = await this.#moveOne(project, record, answer);
      if (result === 'done') {
        moved = true;
        this.#waiting = {
          files: Math.max(0, this.#waiting.files - 1),
          bytes: Math.max(0, this.#waiting.bytes - record.data.bytes),
        };
      } else if (result === 'stopped') break;
      else this.#skip(record.id, result);
    }
    return moved;
  }

  #skip(id: string, result: 'unknown' | 'lost'): void {
    if (this.#skipped.size >= MOST_SKIPPED) this.#skipped.clear();
    const lost = result === 'lost';
    this.#skipped.set(id, { until_ms: this.#options.clock() + (lost ? LOST_MS : UNKNOWN_MS), lost });
  }

  async #moveOne(project: string, record: FileRecord, answer: FileOfferAnswer['files'][0]): Promise<Moved> {
    const view = this.#options.store.view(project);
    const isHere = await this.#isHere(record);
    if (answer.has) {
      if (!isHere && (record.data.wanted_at != null || !(await this.#isOwn(project, record.id))))
        if (!(await fetchFile(this.#transfer(project, record)))) return 'stopped';
      await markFile(view, record, 'cloud');
      return 'done';
    }
    if (!isHere) {
      this.#skip(record.id, 'lost');
      await this.#offer(project, [record]);
      return 'lost';
    }
    if (!answer.known) return 'unknown';
    if (!(await sendFile(this.#transfer(project, record), answer.received))) return 'stopped';
    await markFile(view, record, 'cloud');
    return 'done';
  }

  /** True if this site made the file. Its content was lost with a disk, so it comes back only if somebody asks for it. */
  #isOwn(project: string, id: string): Promise<boolean> {
    const { sync, store } = this.#options;
    return isMadeBy(sync, project, id, store.nodeId);
  }

  /** Waits while other data is more urgent. Returns false if the transfer must stop now. */
  async #mayGoOn(record: FileRecord): Promise<boolean> {
    const { clock, link } = this.#options;
    while (!this.#stopping && link() === 'busy' && Math.abs(clock() - this.#range_ms) < FLOOR_MS)
      await this.#sleep(GIVE_WAY_MS);
    this.#range_ms = clock();
    if (this.#stopping || link() === 'off' || this.#pauseOf(record, this.#current?.done) !== null) return false;
    return !(this.#isNew && record.data.wanted_at == null && (await this.#isSomebodyWaiting(record)));
  }

  async #isSomebodyWaiting({ project_id }: FileRecord): Promise<boolean> {
    this.#isNew = false;
    const isWaiting =
      this.#asked.size > 0 || (await this.#queue.wanted(this.#options.store.view(project_id), 1)).length > 0;
    this.#isNew = isWaiting;
    return isWaiting;
  }

  #transfer(project_id: string, record: FileRecord): Transfer {
    return {
      ...this.#options,
      project_id,
      record,
      ranges: this.#ranges,
      goesOn: (direction, done) => {
        const { sha256, bytes, name } = record.data;
        if (this.#current?.sha256 === sha256 && done > this.#current.done) this.#retry.worked();
        this.#current = { sha256, name: name?.slice(0, MOST_NAME) ?? null, direction, bytes, done };
        return this.#mayGoOn(record);
      },
    };
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#stopping) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }
}
