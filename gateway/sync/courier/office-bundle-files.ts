/** Files in the bundles of head office: what a site lacks, and what head office has. */
import type { FilesEnd } from '#contract/site/sync-courier.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import { nodeOf } from '#domain/sync/registers/registers.ts';
import type { Commit, Life } from '#domain/sync/store.ts';
import type { Store } from '#store/open-store.ts';
import { type ListText, MOST_LACKING } from './bundle-parts.ts';
import { Candidates, type CourierFiles, type FilesPlan } from './courier-files.ts';
import type { FilesStates, ListRead } from './files-state.ts';

interface OfficeFilesOptions {
  readonly store: Pick<Store, 'view'>;
  readonly files: CourierFiles;
  readonly states: FilesStates;
}

/** The files whose records are in the pages of a bundle, by project. The site gets these records with the bundle, so it cannot have the files. */
export class FilesInPages {
  readonly #gateway: string;
  readonly ids = new Map<string, Set<string>>();

  constructor(gateway: string) {
    this.#gateway = gateway;
  }

  add(project: string, commits: readonly Commit[]): void {
    const ids = this.ids.get(project) ?? new Set();
    this.ids.set(project, ids);
    for (const { docs, life } of commits)
      if (nodeOf(life) !== this.#gateway)
        for (const { object, id } of docs) if (object === 'artifact' && ids.size < MOST_LACKING) ids.add(id);
  }
}

/**
 * True if this list of a site is newer than the last one that was read. A site that was put back from a backup gives earlier numbers again, and
 * its clock may be wrong. So a later number or a later time is enough.
 */
const isLater = (list: ListRead, last: ListRead | undefined): boolean =>
  last === undefined || list.number > last.number || list.made_at > last.made_at;

export class OfficeBundleFiles {
  readonly #options: OfficeFilesOptions;

  constructor(options: OfficeFilesOptions) {
    this.#options = options;
  }

  /** True if the version of the site can read files in bundles. */
  async canRead(gateway: string): Promise<boolean> {
    return (await this.#options.states.get(gateway)) !== undefined;
  }

  /** Lists of what head office has. `lives`: the life of head office, by project. */
  async *lists(gateway: string, lives: ReadonlyMap<string, Life>): AsyncGenerator<Buffer, void> {
    const { read = [] } = (await this.#options.states.get(gateway)) ?? {};
    for (const [project, life] of lives) yield* this.#options.files.lists(project, { read: [...read], life });
  }

  /** The files that the site lacks. */
  async plan(gateway: string, pages: FilesInPages, after: FilesEnd | undefined): Promise<FilesPlan> {
    const { states } = this.#options;
    for (const [project, ids] of pages.ids) await this.#addLacking(gateway, project, [...ids]);
    const state = await states.get(gateway);
    const candidates = new Candidates(after);
    for (const project of pages.ids.keys()) await this.#look(project, state?.lacking[project] ?? [], candidates);
    return candidates.plan();
  }

  /** The files that a site lacks, and that are here. */
  async #look(
    project: string,
    lacking: readonly { readonly sha256: string; readonly received: number }[],
    candidates: Candidates,
  ): Promise<void> {
    const { store, files } = this.#options;
    const view = store.view(project);
    for (const { sha256, received } of lacking) {
      const where = { 'data.sha256': sha256 };
      const [record] = await view.find<ArtifactData>('records', { object: 'artifact', where, limit: 1 });
      if (record !== undefined && (await files.isHere(record))) candidates.add(record, project, received);
    }
  }

  /** Takes a list of what a site lacks. A list that is older than the last one changes nothing, because the site may have got the files since. */
  async takeList(gateway: string, { project, lacking, number = 0 }: ListText, made_at: string): Promise<void> {
    const { states } = this.#options;
    const list = { made_at, number };
    if (!isLater(list, (await states.get(gateway))?.lists?.[project])) return;
    await states.lacks(gateway, project, lacking, list);
  }

  /** Notes the files whose records are in the bundle as missing at the site, until a list of the site says what it lacks. */
  async #addLacking(gateway: string, project: string, ids: readonly string[]): Promise<void> {
    const { store, states, files } = this.#options;
    const before = (await states.get(gateway))?.lacking[project] ?? [];
    const known = new Set(before.map(({ sha256 }) => sha256));
    const found = await store.view(project).getMany<ArtifactData>('records', ids);
    const more: (typeof before)[number][] = [];
    for (const record of found)
      if (!known.has(record.data.sha256) && (await files.isHere(record)))
        more.push({ sha256: record.data.sha256, received: 0 });
    if (more.length > 0) await states.lacks(gateway, project, [...before, ...more]);
  }
}
