/** What an end stores about the files of the other end: what its last list said, and of which bundles of it all files are here. */
import type { Life } from '#domain/sync/store.ts';
import type { Store } from '#store/open-store.ts';
import { type Lacking, MOST_LACKING, MOST_READ } from './bundle-parts.ts';

const OBJECT = 'courier_files';

/** Head office stores one of these for each gateway. A site stores one. */
interface FilesState {
  readonly gateway_id: string;
  /** Files that the other end lacks, or of which it has a part, by project. */
  readonly lacking: Readonly<Record<string, readonly Lacking[]>>;
  /** The newest bundles of which all files are here. */
  readonly read: readonly string[];
  /** The newest list that was read, by project. */
  readonly lists?: Readonly<Record<string, ListRead>>;
}

/** Marks of a list, from which an end knows which of two lists is newer. */
export interface ListRead {
  /** When the other end wrote the list, by its own clock. */
  readonly made_at: string;
  /** At head office: the number of the list of the site. At a site: the number of the bundle of head office. */
  readonly number: number;
  readonly life?: Life | undefined;
  /** At a site: the largest number of a bundle of head office that it knew when it read the list. A contact makes this number larger. */
  readonly seen?: number;
}

export class FilesStates {
  readonly #node: Store['node'];

  constructor(store: Pick<Store, 'node'>) {
    this.#node = store.node;
  }

  /** Returns undefined until a bundle of the other end says that it can read files. */
  async get(gateway_id: string): Promise<FilesState | undefined> {
    return (await this.#node.get<FilesState>('local', idOf(gateway_id)))?.data;
  }

  /** Stores which files of a project the other end lacks. `list`: marks of the list that says so. */
  async lacks(gateway_id: string, project: string, lacking: readonly Lacking[], list?: ListRead): Promise<void> {
    const before = await this.#known(gateway_id);
    const all = { ...before.lacking, [project]: lacking.slice(0, MOST_LACKING) };
    const lists = list === undefined ? before.lists : { ...before.lists, [project]: list };
    await this.#keep({ ...before, lacking: all, ...(lists && { lists }) });
  }

  /** Notes that the other end can read files. `read`: the id of a bundle of which all files are here. */
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
