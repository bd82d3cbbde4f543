/** Which gateway brought which project to head office. Another process of head office may take the first message of a project. */
import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import { MOST_PROJECTS, type SyncProjectData } from '#contract/site/sync.ts';
import type { Store } from '#store/open-store.ts';
import type { SyncStore } from '#store/sync/replica.ts';

const OBJECT = 'sync_project';

export class BroughtProjects implements Disposable {
  readonly #store: Pick<Store, 'node' | 'changes'>;
  readonly #sync: SyncStore;
  readonly #owners = new Map<string, string>();
  readonly #byGateway = new Map<string, Set<string>>();
  /** Projects that take part in the replication in this process. */
  readonly #joined = new Set<string>();
  readonly #unwatch: () => void;

  constructor({ store, sync }: { readonly store: Pick<Store, 'node' | 'changes'>; readonly sync: SyncStore }) {
    this.#store = store;
    this.#sync = sync;
    this.#unwatch = store.changes((changes) => {
      for (const { collection, document } of changes)
        if (collection === 'local' && document.object === OBJECT)
          this.#note(document.data as unknown as SyncProjectData);
    });
  }

  async load(): Promise<void> {
    for (const project of this.#sync.projects()) {
      const found = await this.#store.node.get<SyncProjectData>('local', `sync_${project}`);
      if (found === undefined) continue;
      this.#note(found.data);
      this.#joined.add(project);
    }
  }

  #note({ project_id, gateway_id }: SyncProjectData): void {
    this.#owners.set(project_id, gateway_id);
    const own = this.#byGateway.get(gateway_id) ?? new Set();
    this.#byGateway.set(gateway_id, own.add(project_id));
  }

  of(gateway_id: string): string[] {
    return [...(this.#byGateway.get(gateway_id) ?? [])];
  }

  /** The gateway that brought a project. */
  ownerOf(project: string): string | undefined {
    return this.#owners.get(project);
  }

  /**
   * Makes a project take part. Returns true if this process gets the first message of the project; throws if it is another gateway's.
   */
  async admit(project: string, gateway_id: string): Promise<boolean> {
    const owner = this.#owners.get(project);
    if (owner === gateway_id && this.#joined.has(project)) return false;
    if (owner === undefined) await this.#bring(project, gateway_id);
    else if (owner !== gateway_id) throw ofAnother();
    await this.#sync.join(project);
    this.#joined.add(project);
    return true;
  }

  /** Notes that a gateway brings a project for the first time, unless another process has noted it already. */
  async #bring(project: string, gateway_id: string): Promise<void> {
    if (!/^prj_[0-9a-z]{10,60}$/.test(project)) throw ofAnother();
    if (this.of(gateway_id).length >= MOST_PROJECTS)
      throw new OperationError(
        'limit_reached',
        say('A gateway brings at most {most_projects} projects.', { most_projects: MOST_PROJECTS }),
      );
    const { node } = this.#store;
    const id = `sync_${project}`;
    const known = await node.get<SyncProjectData>('local', id);
    if (known !== undefined && known.data.gateway_id !== gateway_id) throw ofAnother();
    if (known === undefined) {
      // Read after the document above: another process stores that one before the record of the project arrives.
      if ((await node.get('records', project)) !== undefined && (await node.get('local', id)) === undefined)
        throw new OperationError('permission_denied', 'A project with this id was made at head office itself.');
      const data: SyncProjectData = { project_id: project, gateway_id };
      await node
        .commit([{ collection: 'local', id, object: OBJECT, data: { ...data }, expected: 0 }])
        .catch(async (error) => {
          // The other messages of this gateway may be at another process now.
          const found = await node.get<SyncProjectData>('local', id);
          if (found?.data.gateway_id !== gateway_id) throw error;
        });
    }
    this.#note({ project_id: project, gateway_id });
  }

  [Symbol.dispose](): void {
    this.#unwatch();
  }
}

const ofAnother = (): OperationError =>
  new OperationError('permission_denied', 'This project belongs to another gateway of head office.');
