/** Files in the bundles of a site: which go, and what the lists of head office change here. */
import type { ArtifactData } from '#contract/work/artifact.ts';
import type { Store } from '#store/open-store.ts';
import type { SyncStore } from '#store/sync/replica.ts';
import { walk } from '#store/walk.ts';
import { isMadeBy, markFile } from '#sync/files/file-marks.ts';
import { OPEN } from '#sync/files/file-queue.ts';
import { type Lacking, type ListText, MOST_LACKING } from './bundle-parts.ts';
import { Candidates, type CourierFiles, type FilesEnd, type FilesPlan, listParts, NO_FILES } from './courier-files.ts';
import type { CourierLog } from './courier-log.ts';
import { type Named, nameOfFile } from './files-reading.ts';
import type { FilesStates } from './files-state.ts';

interface SiteFilesOptions {
  readonly store: Pick<Store, 'view'>;
  readonly sync: SyncStore;
  readonly nodeId: string;
  readonly files: CourierFiles;
  readonly states: FilesStates;
  readonly log: CourierLog;
}

export class SiteBundleFiles {
  readonly #options: SiteFilesOptions;

  constructor(options: SiteFilesOptions) {
    this.#options = options;
  }

  /** The files that head office does not have, and what this site lacks. */
  async plan(after: FilesEnd | undefined): Promise<FilesPlan> {
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
      lists.push(...listParts(project, { here: [], lacking, read }, false));
    }
    const isNothing = candidates.waiting + lacks + read.length === 0;
    return isNothing ? NO_FILES : { candidates: candidates.first(), waiting: candidates.waiting, lists };
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
   * Takes what head office has. `isNewest`: no later list and no contact can have said otherwise; then a file that head office had, and has no
   * more, is sent again.
   */
  async takeList({ project, lacking, read, whole }: ListText, named: Named, isNewest: boolean): Promise<void> {
    const { store, sync, nodeId, files, states, log } = this.#options;
    if (!sync.projects().includes(project)) return;
    await log.filesArrived(read);
    if (isNewest) await states.lacks(nodeId, project, lacking);
    const view = store.view(project);
    const marked = (mark: ArtifactData['replication']) =>
      walk<ArtifactData>(view, 'records', { object: 'artifact', where: { 'data.replication': mark } });
    if (whole && isNewest)
      for await (const record of marked('cloud'))
        if (!named.has(nameOfFile(record.data.sha256)) && (await files.isHere(record)))
          await markFile(view, record, 'local');
    for (const mark of OPEN)
      for await (const record of marked(mark))
        if (named.has(nameOfFile(record.data.sha256)) && (await files.isHere(record)))
          await markFile(view, record, 'cloud');
  }
}
