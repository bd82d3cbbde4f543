/**
 * Files at head office: a gateway offers the files that it has, sends the bytes that head office lacks, and reads files that were made here.
 *
 *   offer ─▶ which are here, and how many bytes of the others ─▶ bytes from there on ─▶ SHA-256 of the whole ─▶ artifact
 *
 * The bytes that arrived stay on disk, so a transfer goes on where it stopped, whatever stopped it. Only the whole file is checked.
 */
import { OperationError } from '#contract/base/errors.ts';
import type { Stored, View } from '#contract/base/view.ts';
import type { FileAsked, FileOffer, FileOfferAnswer, FileTransfer, LinkFiles } from '#contract/site/sync-files.ts';
import type { HeadOfficeFiles } from '#contract/sync-services.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import { type Artifacts, ArtifactTooLarge } from '#store/artifacts.ts';
import type { Store } from '#store/open-store.ts';
import { OffsetMismatch, UploadBusy, type Uploads } from '#store/uploads.ts';
import { walk } from '#store/walk.ts';
import { markFile } from '#sync/files/file-marks.ts';
import { awayState, FileSums, hereState } from './file-states.ts';

/** Files that a gateway does not have, as head office remembers them. */
const MOST_LOST = 1_000;
/** Records of one content that are marked when it arrives. */
const MOST_SAME = 1_000;

export interface HeadFilesOptions {
  readonly store: Pick<Store, 'view'>;
  readonly artifacts: Artifacts;
  readonly uploads: Uploads;
  /** Bytes that files may still use on this disk. */
  readonly room: () => number;
  readonly clock: () => number;
  /** The gateway of a credential, which brought this project. Throws if it is another one. */
  readonly admit: (enrolment: string | null, project_id: string) => Promise<string>;
  /** The gateway that brought a project, its name, and for how long it has not called though it should have; null if it is not late. */
  readonly homeOf: (
    project_id: string,
  ) => Promise<{ readonly gateway_id: string; readonly name: string; readonly silent_ms: number | null } | undefined>;
}

export class HeadFiles implements HeadOfficeFiles {
  readonly #options: HeadFilesOptions;
  /** What each gateway said about its files, by its id. */
  readonly #reports = new Map<string, LinkFiles>();
  /** The files that gateways do not have either. */
  readonly #lost = new Set<string>();

  constructor(options: HeadFilesOptions) {
    this.#options = options;
  }

  /** What a gateway said about its files; undefined before its first offer. */
  reportOf(gateway_id: string): LinkFiles | undefined {
    return this.#reports.get(gateway_id);
  }

  async offer(
    enrolment: string | null,
    { project_id, files, lost, sums, report }: FileOffer,
  ): Promise<FileOfferAnswer> {
    const gateway = await this.#options.admit(enrolment, project_id);
    if (report !== undefined) this.#reports.set(gateway, report);
    for (const sha256 of lost ?? []) if (this.#lost.size < MOST_LOST) this.#lost.add(sha256);
    for (const sha256 of files) this.#lost.delete(sha256);
    const answers: FileOfferAnswer['files'] = [];
    for (const sha256 of files) {
      const record = await this.#record(project_id, sha256);
      const has = record !== undefined && (await this.#has(record));
      if (has) await this.#mark(project_id, sha256);
      const received = has ? record.data.bytes : await this.#options.uploads.size(sha256);
      answers.push({ sha256, known: record !== undefined, has, received });
    }
    const differs = sums === undefined ? [] : (await this.#sums(project_id)).differs(sums);
    return { object: 'file_offer', files: answers, differs };
  }

  async receive(
    enrolment: string | null,
    { project_id, sha256, offset }: { project_id: string; sha256: string; offset: number },
    content: AsyncIterable<Uint8Array>,
  ): Promise<number> {
    const gateway = await this.#options.admit(enrolment, project_id);
    const { uploads, room } = this.#options;
    const record = await this.#need(project_id, sha256);
    const { bytes } = record.data;
    if (await this.#has(record)) return bytes;
    if (bytes - offset > room())
      throw new OperationError('storage_full', 'The disk of head office has no room for the next file.');
    const size = await uploads.append(sha256, offset, content, { limit: bytes }).catch((error: unknown) => {
      throw asRefusal(error);
    });
    this.#progress(gateway, record, size);
    if (size < bytes) return size;
    if ((await uploads.digest(sha256)) !== sha256) {
      await uploads.remove(sha256);
      throw new OperationError(
        'checksum_mismatch',
        'The content does not have its SHA-256, so head office deleted the bytes. It was changed on the way, or at the site.',
      );
    }
    await uploads.finish(sha256);
    await this.#mark(project_id, sha256);
    return bytes;
  }

  async find(
    enrolment: string | null,
    { project_id, sha256 }: { project_id: string; sha256: string },
  ): Promise<{ bytes: number }> {
    await this.#options.admit(enrolment, project_id);
    const record = await this.#need(project_id, sha256);
    if (!(await this.#has(record)))
      throw new OperationError('not_found', 'Head office does not have the content of this file.', { param: 'sha256' });
    return { bytes: record.data.bytes };
  }

  /** Tells where the content of a file is, and when it comes. */
  async state(file: FileAsked): Promise<FileTransfer> {
    const { artifacts, uploads, clock } = this.#options;
    if ((await artifacts.find(file.sha256))?.bytes === file.bytes) return hereState(file, 'Head office has this file.');
    const home = await this.#options.homeOf(file.project_id);
    const now = clock();
    const report = home === undefined ? undefined : this.#reports.get(home.gateway_id);
    const received = await uploads.size(file.sha256);
    return awayState(
      file,
      {
        at: home?.name ?? 'the site',
        received,
        missing: home === undefined || this.#lost.has(file.sha256),
        elsewhere: false,
        silent_ms: home?.silent_ms ?? null,
        paused: report?.paused ?? null,
        error: report?.error ?? null,
        bytes_per_second: report?.bytes_per_second ?? null,
        ahead_bytes: Math.max(0, (report?.waiting_bytes ?? 0) - file.bytes),
      },
      now,
    );
  }

  /** Keeps how far the file is that arrives now, because the site tells about its files only between two of them. */
  #progress(gateway_id: string, { data }: Stored<ArtifactData>, done: number): void {
    const report = this.#reports.get(gateway_id);
    if (report === undefined) return;
    const { sha256, bytes, name } = data;
    const current = done < bytes ? ({ sha256, name, direction: 'up', bytes, done } as const) : null;
    this.#reports.set(gateway_id, { ...report, current });
  }

  async #record(project_id: string, sha256: string): Promise<Stored<ArtifactData> | undefined> {
    const where = { 'data.sha256': sha256 };
    const [found] = await this.#view(project_id).find<ArtifactData>('records', { object: 'artifact', where, limit: 1 });
    return found;
  }

  async #need(project_id: string, sha256: string): Promise<Stored<ArtifactData>> {
    const record = await this.#record(project_id, sha256);
    if (record !== undefined) return record;
    throw new OperationError('not_found', 'Head office has no record of this file.', { param: 'sha256' });
  }

  async #has({ data }: Stored<ArtifactData>): Promise<boolean> {
    return (await this.#options.artifacts.find(data.sha256))?.bytes === data.bytes;
  }

  /** Marks all records of a content that is here. */
  async #mark(project_id: string, sha256: string): Promise<void> {
    const view = this.#view(project_id);
    const where = { 'data.sha256': sha256 };
    const found = await view.find<ArtifactData>('records', { object: 'artifact', where, limit: MOST_SAME });
    for (const record of found) await markFile(view, record, 'cloud');
  }

  /** The sums of the files that are here. A file that a record names as here, and that is not, is left out. */
  async #sums(project_id: string): Promise<FileSums> {
    const sums = new FileSums();
    const view = this.#view(project_id);
    for await (const record of walk<ArtifactData>(view, 'records', { object: 'artifact' })) {
      if (await this.#has(record)) sums.add(record);
      else if (record.data.replication === 'cloud') await markFile(view, record, 'queued');
    }
    return sums;
  }

  #view(project_id: string): View {
    return this.#options.store.view(project_id);
  }
}

function asRefusal(error: unknown): unknown {
  if (error instanceof OffsetMismatch)
    return new OperationError('upload_offset_mismatch', `The file continues at offset ${error.size}.`, {
      param: 'Content-Range',
      details: [{ offset: error.size }],
    });
  if (error instanceof UploadBusy)
    return new OperationError('operation_in_progress', 'Another request sends bytes of this file.');
  if (error instanceof ArtifactTooLarge)
    return new OperationError('payload_too_large', 'The request has more bytes than the rest of the file.');
  return error;
}
