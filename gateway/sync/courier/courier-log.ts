/** The bundles that this end wrote and read, and the one that it writes or reads now. */

import { OperationError } from '#contract/base/errors.ts';
import type { Kind } from '#contract/base/ids.ts';
import { spoken } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import {
  type CourierBundle,
  type CourierBundleData,
  type CourierRunning,
  MOST_LISTED,
} from '#contract/site/sync-courier.ts';
import type { Store } from '#store/open-store.ts';
import { bundleSentence } from './courier-words.ts';

const OBJECT = 'courier_bundle';

export interface CourierLogOptions {
  readonly store: Pick<Store, 'node'>;
  readonly clock: () => number;
  readonly newId: (kind: Kind) => string;
}

/** Counts of the files in a bundle: how many are complete, and the bytes of all pieces. */
export interface FileCounting {
  files: number;
  file_bytes: number;
}

/** What is counted while a bundle is written or read. */
export interface Counting extends FileCounting {
  bytes: number;
  changes: number;
}

export const newCounting = (): Counting => ({ bytes: 0, changes: 0, files: 0, file_bytes: 0 });

export class CourierLog {
  readonly #options: CourierLogOptions;
  readonly #role: 'site' | 'cloud';
  #running: (Omit<CourierRunning, keyof Counting> & { readonly counting: Counting }) | undefined;

  constructor(options: CourierLogOptions, role: 'site' | 'cloud') {
    this.#options = options;
    this.#role = role;
  }

  /** Begins to write or read a bundle. Only one is written or read at a time. The caller calls `end` of the result after it. */
  begin(way: CourierRunning['way'], counting: Counting): { named(site: string): void; end(): void } {
    if (this.#running !== undefined)
      throw new OperationError(
        'rate_limited',
        'Another bundle is being written or read. Try again when that has ended.',
      );
    const since = new Date(this.#options.clock()).toISOString();
    this.#running = { way, site: '', since, counting };
    return {
      named: (site) => {
        if (this.#running !== undefined) this.#running = { ...this.#running, site };
      },
      end: () => {
        this.#running = undefined;
      },
    };
  }

  get running(): CourierRunning | null {
    if (this.#running === undefined) return null;
    const { counting, ...rest } = this.#running;
    return { ...rest, ...counting };
  }

  newId(): string {
    return this.#options.newId(OBJECT);
  }

  async find(id: string): Promise<CourierBundleData | undefined> {
    const found = await this.#options.store.node.get<CourierBundleData>('local', id);
    return found?.object === OBJECT ? found.data : undefined;
  }

  async all(): Promise<Stored<CourierBundleData>[]> {
    const found = await this.#options.store.node.find<CourierBundleData>('local', { object: OBJECT, limit: 1_000 });
    return [...found].sort((a, b) => (a.data.at < b.data.at ? 1 : a.data.at > b.data.at ? -1 : a.id < b.id ? 1 : -1));
  }

  /** Stores a bundle, and deletes the oldest ones from the list. */
  async keep(id: string, data: CourierBundleData): Promise<void> {
    const { node } = this.#options.store;
    const surplus = (await this.all()).slice(MOST_LISTED - 1);
    await node.commit([
      { collection: 'local', id, object: OBJECT, data: { ...data }, expected: 0 },
      ...surplus.map(({ id: gone, data: of }) => ({
        ...({ collection: 'local', object: OBJECT, deleted: true } as const),
        id: gone,
        data: { ...of },
      })),
    ]);
  }

  /** The other end, with this gateway, has all files of these bundles, which were made here. */
  async filesArrived(bundles: readonly string[], gateway_id: string): Promise<void> {
    if (bundles.length === 0) return;
    const arrived = (await this.all()).filter(
      ({ data: of }) =>
        of.way === 'made' &&
        of.gateway_id === gateway_id &&
        of.files_there !== true &&
        bundles.includes(volumeName(of)),
    );
    if (arrived.length === 0) return;
    await this.#options.store.node.commit(
      arrived.map(({ id, data }) => ({
        ...({ collection: 'local', object: OBJECT } as const),
        id,
        data: { ...data, files_there: true },
      })),
    );
  }

  /**
   * A bundle as people see it. `isThere`: the other end has all changes in a bundle that was made here. An earlier version noted no files.
   */
  show(id: string, data: CourierBundleData, isThere: boolean): CourierBundle {
    const { spans: _, confirmed, complete, files_end: __, files_there, files_why = {}, ...stored } = data;
    const rest = {
      ...stored,
      files: data.files ?? 0,
      file_bytes: data.file_bytes ?? 0,
      files_left: data.files_left ?? 0,
    };
    const state = stateOf(data.way, isThere && (rest.file_bytes === 0 || files_there === true), confirmed, complete);
    const said = spoken(bundleSentence({ ...rest, state, role: this.#role, why: files_why }));
    return { object: OBJECT, id, ...rest, state, ...said };
  }
}

/** The name of one file of an export, the same at both ends. */
export const volumeName = ({ bundle, volume }: Pick<CourierBundleData, 'bundle' | 'volume'>): string =>
  `${bundle}/${volume}`;

function stateOf(
  way: CourierBundle['way'],
  isThere: boolean,
  confirmed: boolean,
  complete: boolean,
): CourierBundle['state'] {
  if (way === 'made') return isThere ? 'confirmed' : 'on_its_way';
  if (!complete) return 'incomplete';
  return confirmed ? 'taken' : 'not_confirmed';
}
