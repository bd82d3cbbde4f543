/** What an end remembers of the files of the other end: the lists of its last bundle, and the bundles of which all files are here. */
import type { Store } from '#store/open-store.ts';
import { type Lacking, MOST_LACKING, MOST_READ } from './bundle-parts.ts';

const OBJECT = 'courier_files';

/** At head office there is one for each gateway; a site has one. */
interface FilesState {
  readonly gateway_id: string;
  /** Files that the other end lacks, or of which it has a part, by project. */
  readonly lacking: Readonly<Record<string, readonly Lacking[]>>;
  /** The newest bundles of which all files are here. */
  readonly read: readonly string[];
}

export class FilesStates {
  readonly #node: Store['node'];

  constructor(store: Pick<Store, 'node'>) {
    this.#node = store.node;
  }

  /** Undefined if no bundle of the other end said that it can read files. */
  async get(gateway_id: string): Promise<FilesState | undefined> {
    return (await this.#node.get<FilesState>('local', idOf(gateway_id)))?.data;
  }

  /** Keeps the list of a project of the newest bundle. */
  async lacks(gateway_id: string, project: string, lacking: readonly Lacking[]): Promise<void> {
    const before = await this.#known(gateway_id);
    const all = { ...before.lacking, [project]: lacking.slice(0, MOST_LACKING) };
    await this.#keep({ ...before, lacking: all });
  }

  /** Notes that the other end can read files, and a bundle of which all files are here. */
  async knows(gateway_id: string, read?: string): Promise<void> {
    const before = await this.#known(gateway_id);
    const others = before.read.filter((one) => one !== read);
    await this.#keep({ ...before, read: [...others, ...(read === undefined ? [] : [read])].slice(-MOST_READ) });
  }

  async #known(gateway_id: string): Promise<FilesState> {
    return (await this.get(gateway_id)) ?? { gateway_id, lacking: {}, read: [] };
  }

  async #keep(state: FilesState): Promise<void> {
    await this.#node.commit([{ collection: 'local', id: idOf(state.gateway_id), object: OBJECT, data: { ...state } }]);
  }
}

const idOf = (gateway_id: string): string => `courier_files_${gateway_id}`;
