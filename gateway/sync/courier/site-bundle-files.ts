/** Files in the bundles of a site: which files a bundle has, and what a list of head office changes at the site. */
import type { Stored } from '#contract/base/view.ts';
import type { FilesEnd } from '#contract/site/sync-courier.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import { isSameLife } from '#domain/sync/lives.ts';
import type { Life } from '#domain/sync/store.ts';
import type { Store } from '#store/open-store.ts';
import type { SyncStore } from '#store/sync/replica.ts';
import { walk } from '#store/walk.ts';
import { isMadeBy, markFiles } from '#sync/files/file-marks.ts';
import { OPEN } from '#sync/files/file-queue.ts';
import { encodePart, type Lacking, type ListText, MOST_LACKING } from './bundle-parts.ts';
import { Candidates, type CourierFiles, type FilesPlan, NO_FILES } from './courier-files.ts';
import type { CourierLog } from './courier-log.ts';
import { type Named, nameOfFile } from './files-reading.ts';
import type { FilesStates, ListRead } from './files-state.ts';

interface SiteFilesOptions {
  readonly store: Pick<Store, 'view'>;
  readonly sync: SyncStore;
  readonly nodeId: string;
  readonly files: CourierFiles;
  readonly states: FilesStates;
  readonly log: CourierLog;
}

/** `lists`: the parts with the files that this site lacks, for all projects. */
export interface SiteFilesPlan extends FilesPlan {
  readonly lists: readonly Buffer[];
}

export const NO_SITE_FILES: SiteFilesPlan = { ...NO_FILES, lists: [] };

/** What this site knew of head office before it read a bundle. */
export interface KnownOffice {
  /** A bundle with a smaller number is older than a bundle that was read before, or than the last contact. */
  readonly least: number;
  /** The value of `least` after this bundle was taken. */
  readonly seen: number;
  /** This bundle shows that head office lost something. */
  readonly isLoss: boolean;
  /** The life of head office. */
  readonly cloud: Life | undefined;
}

export class SiteBundleFiles {
  readonly #options: SiteFilesOptions;

  constructor(options: SiteFilesOptions) {
    this.#options = options;
  }

  /** The files that head office does not have, and what this site lacks. `numbers`: the number of the list, by project. */
  async plan(after: FilesEnd | undefined, numbers: ReadonlyMap<string, number>): Promise<SiteFilesPlan> {
    const { sync, nodeId, states } = this.#options;
    const { lacking: begun = {}, read = [] } = (await states.get(nodeId)) ?? {};
    const candidates = new Candidates(after);
    const lists: Buffer[] = [];
    let lacks = 0;
    for (const project of sync.projects()) {
      const received = new Map((begun[project] ?? []).map((one) => [one.sha256, one.received]));
      const lacking = await this.#look(project, (record) =>
        candidates.add(record, project, received.get(record.data.sha256) ?? 0),
      );
      lacks += lacking.length;
      const said = { lacking, read: [...read], last: true, whole: false, number: numbers.get(project) ?? 0 };
      lists.push(encodePart('L', { project, ...said } satisfies ListText));
    }
    const plan = candidates.plan();
    const isNothing = plan.waiting + lacks + read.length === 0;
    return isNothing ? NO_SITE_FILES : { ...plan, lists };
  }

  /** Calls `found` for each file that head office lacks, and returns those that this site lacks. */
  async #look(project: string, found: (record: Parameters<Candidates['add']>[0]) => void): Promise<Lacking[]> {
    const { store, files } = this.#options;
    const lacking = new Map<string, Lacking>();
    const lacks = async (sha256: string): Promise<void> => {
      if (lacking.size < MOST_LACKING) lacking.set(sha256, { sha256, received: await files.received(sha256) });
    };
    const view = store.view(project);
    for (const mark of OPEN)
      for await (const record of walk<ArtifactData>(view, 'records', {
        object: 'artifact',
        where: { 'data.replication': mark },
      })) {
        if (await files.isHere(record)) found(record);
        else if (record.data.wanted_at != null || !(await this.#isOwn(project, record.id)))
          await lacks(record.data.sha256);
      }
    const wanted = { 'data.wanted_at': { gt: '' } };
    for await (const record of walk<ArtifactData>(view, 'records', { object: 'artifact', where: wanted }))
      if (!(await files.isHere(record))) await lacks(record.data.sha256);
    return [...lacking.values()];
  }

  #isOwn(project: string, id: string): Promise<boolean> {
    const { sync, nodeId } = this.#options;
    return isMadeBy(sync, project, id, nodeId);
  }

  /**
   * Takes a list of the files that head office has. Only a list that is at least as new as the last list and as the last contact changes marks
   * of files. An older list may name a file that head office has lost since, or leave out one that it has now.
   */
  async takeList(text: ListText, named: Named, list: ListRead, known: KnownOffice): Promise<void> {
    const { store, sync, nodeId, files, states, log } = this.#options;
    const { project, lacking, read, whole } = text;
    if (!sync.projects().includes(project)) return;
    await log.filesArrived(read, nodeId);
    const last = (await states.get(nodeId))?.lists?.[project];
    const isSure = isLatest(list, last, known);
    // After a restore of head office its numbers are smaller, so such a list is used only to send files again: that loses nothing.
    if (!isSure && !isAfterLoss(list, last, known)) return;
    await states.lacks(nodeId, project, lacking, { ...list, seen: known.seen });
    const view = store.view(project);
    async function* marked(mark: ArtifactData['replication'], isNamed: boolean): AsyncGenerator<Stored<ArtifactData>> {
      const where = { 'data.replication': mark };
      for await (const record of walk<ArtifactData>(view, 'records', { object: 'artifact', where }))
        if (named.has(nameOfFile(record.data.sha256)) === isNamed && (await files.isHere(record))) yield record;
    }
    if (whole) await markFiles(view, marked('cloud', false), 'local');
    if (isSure) for (const mark of OPEN) await markFiles(view, marked(mark, true), 'cloud');
  }
}

function isLatest(list: ListRead, last: ListRead | undefined, { least, cloud }: KnownOffice): boolean {
  const { life } = list;
  if (life === undefined) return false;
  for (const other of [last?.life, cloud])
    if (other !== undefined && life.number <= other.number && !isSameLife(life, other)) return false;
  if (list.number < least) return false;
  // After a restore head office gives the same numbers again. Until the next contact only its clock tells which list is older.
  return last === undefined || least !== last.seen || list.made_at >= last.made_at;
}

function isAfterLoss({ life, made_at }: ListRead, last: ListRead | undefined, { isLoss, cloud }: KnownOffice): boolean {
  if (life === undefined || (last !== undefined && made_at < last.made_at)) return false;
  return isLoss || (cloud !== undefined && life.number > cloud.number);
}
