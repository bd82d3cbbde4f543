/** Head office: answers the messages of its gateways, and tells them when there is something new. */
import { OperationError } from '#contract/base/errors.ts';
import type { Kind } from '#contract/base/ids.ts';
import type { Stored } from '#contract/base/view.ts';
import {
  type EnrolmentData,
  MOST_GATEWAYS,
  MOST_PROJECTS,
  type SyncGateway,
  type SyncProjectData,
} from '#contract/site/sync.ts';
import type { HeadOffice, SyncReader } from '#contract/sync-services.ts';
import { handleRequest, needAnswer } from '#domain/sync/cloud.ts';
import type { Answer } from '#domain/sync/messages.ts';
import { nodeOf } from '#domain/sync/registers.ts';
import type { Store } from '#store/open-store.ts';
import type { SyncStore } from '#store/sync/replica.ts';
import { OfficeCourier } from '#sync/courier/office-courier.ts';
import { type Asked, decodeRequest, encodeAnswer } from '#sync/wire/messages.ts';
import { type WireCode, WireError } from '#sync/wire/wire-error.ts';
import { conflictReader } from './conflicts.ts';
import { Contacts, contactSeconds, isLate } from './contacts.ts';
import { gatewaySentence, headOfficeSentence } from './fleet-sentences.ts';
import { HeadFiles, type HeadFilesOptions } from './head-files.ts';

/** A hint is answered after this time at the latest, so that proxies do not close the connection. */
const HINT_MS = 25_000;
/** Commits of head office that are counted for one project. More are shown as this number. */
const MOST_COUNTED = 1_000;
/** Gateways that wait for a hint at the same time. */
const MOST_HINTS = 2_000;

export interface HeadOfficeOptions extends Pick<HeadFilesOptions, 'artifacts' | 'uploads' | 'room'> {
  readonly store: Pick<Store, 'node' | 'nodeId' | 'changes' | 'view'>;
  readonly sync: SyncStore;
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly newId: (kind: Kind) => string;
}

const WIRE_ERRORS: Readonly<Record<WireCode, 'body_malformed' | 'not_acceptable' | 'payload_too_large'>> = {
  not_sync: 'body_malformed',
  message_damaged: 'body_malformed',
  protocol_unsupported: 'not_acceptable',
  message_too_large: 'payload_too_large',
};

/** Counts, for each project, the changes that its gateway does not have yet. */
class Hints implements Disposable {
  readonly #start: string;
  readonly #counts = new Map<string, number>();
  readonly #waiting = new Set<() => void>();
  readonly #unwatch: () => void;

  constructor({ store, random }: Pick<HeadOfficeOptions, 'store' | 'random'>) {
    this.#start = Buffer.from(random(6)).toString('hex');
    this.#unwatch = store.changes((changes) => {
      let changed = false;
      for (const { collection, operation, document } of changes) {
        if (collection === 'local' || document.origin !== store.nodeId) continue;
        // The mark of a file that arrived is not copied, so it is nothing new for a site.
        if (document.object === 'artifact' && operation === 'UPDATE' && document.data.wanted_at == null) continue;
        const project = document.object === 'project' ? document.id : document.project_id;
        this.#counts.set(project, (this.#counts.get(project) ?? 0) + 1);
        changed = true;
      }
      if (changed) this.look();
    });
  }

  /** Looks for all that wait whether something is new for them. */
  look(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  #state(projects: readonly string[]): string {
    let sum = 0;
    for (const project of projects) sum += this.#counts.get(project) ?? 0;
    return `${this.#start}.${projects.length}.${sum}`;
  }

  /** Resolves when the state of these projects differs from `after`, or after some seconds. */
  async wait(projects: () => readonly string[], after: string | undefined, signal: AbortSignal): Promise<string> {
    if (this.#waiting.size >= MOST_HINTS)
      throw new OperationError('rate_limited', 'Too many gateways wait for hints. Try again later.');
    const until = AbortSignal.any([signal, AbortSignal.timeout(HINT_MS)]);
    while (this.#state(projects()) === after && !until.aborted) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiting.delete(wake);
          until.removeEventListener('abort', wake);
          resolve();
        };
        this.#waiting.add(wake);
        until.addEventListener('abort', wake);
      });
    }
    return this.#state(projects());
  }

  [Symbol.dispose](): void {
    this.#unwatch();
    this.look();
  }
}

/** Which gateway brought which project. */
class Projects {
  readonly #options: HeadOfficeOptions;
  readonly #owners = new Map<string, string>();

  constructor(options: HeadOfficeOptions) {
    this.#options = options;
  }

  async load(): Promise<void> {
    const { store, sync } = this.#options;
    for (const project of sync.projects()) {
      const found = await store.node.get<SyncProjectData>('local', `sync_${project}`);
      if (found !== undefined) this.#owners.set(project, found.data.gateway_id);
    }
  }

  of(gateway_id: string): string[] {
    return [...this.#owners].flatMap(([project, owner]) => (owner === gateway_id ? [project] : []));
  }

  /** The gateway that brought a project. */
  ownerOf(project: string): string | undefined {
    return this.#owners.get(project);
  }

  /** Makes a project take part. Returns true if its gateway brings it for the first time; throws if it is another gateway's. */
  async admit(project: string, gateway_id: string): Promise<boolean> {
    const owner = this.#owners.get(project);
    if (owner === gateway_id) return false;
    if (owner !== undefined || !/^prj_[0-9a-z]{10,60}$/.test(project))
      throw new OperationError('permission_denied', 'This project belongs to another gateway of head office.');
    if (this.of(gateway_id).length >= MOST_PROJECTS)
      throw new OperationError('limit_reached', `A gateway brings at most ${MOST_PROJECTS} projects.`);
    const { store, sync } = this.#options;
    if ((await store.node.get('records', project)) !== undefined && !sync.projects().includes(project))
      throw new OperationError('permission_denied', 'A project with this id was made at head office itself.');
    const id = `sync_${project}`;
    const known = await store.node.get<SyncProjectData>('local', id);
    if (known !== undefined && known.data.gateway_id !== gateway_id)
      throw new OperationError('permission_denied', 'This project belongs to another gateway of head office.');
    const data: SyncProjectData = { project_id: project, gateway_id };
    if (known === undefined)
      await store.node.commit([{ collection: 'local', id, object: 'sync_project', data: { ...data }, expected: 0 }]);
    await sync.join(project);
    this.#owners.set(project, gateway_id);
    return true;
  }
}

/** Starts head office. */
export async function startHeadOffice(options: HeadOfficeOptions): Promise<HeadOffice & SyncReader> {
  const { store, sync, clock } = options;
  const projects = new Projects(options);
  await projects.load();
  const hints = new Hints(options);
  const contacts = new Contacts(options);
  await contacts.load(MOST_GATEWAYS);

  async function gatewayOf(id: string | null): Promise<string> {
    const found = id === null ? undefined : await store.node.get<EnrolmentData>('local', id);
    if (found?.data.gateway_id == null)
      throw new OperationError('permission_denied', 'There is no enrolment for this credential.');
    contacts.heard(found.data.gateway_id);
    return found.data.gateway_id;
  }

  const { artifacts, uploads, room } = options;
  const files = new HeadFiles({
    ...{ store, artifacts, uploads, room, clock },
    async admit(enrolment, project) {
      const gateway_id = await gatewayOf(enrolment);
      if (projects.ownerOf(project) === gateway_id) return gateway_id;
      throw new OperationError('permission_denied', 'This project belongs to another gateway of head office.');
    },
    async homeOf(project) {
      const gateway_id = projects.ownerOf(project);
      if (gateway_id === undefined) return undefined;
      const contact = contacts.of(gateway_id);
      const isAway = contact !== undefined && isLate(contact.at, contactSeconds(contact), clock());
      const silent_ms = isAway ? clock() - Date.parse(contact.at) : null;
      return { gateway_id, name: await nameOf(options, gateway_id), silent_ms };
    },
  });

  async function answer({ project, request }: Asked, gateway_id: string): Promise<Answer> {
    if (request.gateway !== gateway_id)
      throw new OperationError('permission_denied', 'The message names another gateway than its credential.');
    // A gateway that waits for hints does not wait for those of this project yet.
    if (await projects.admit(project, gateway_id)) hints.look();
    if (request.type === 'hello') {
      contacts.fetched(gateway_id, project, request.pulled);
      while (await sync.count(project));
    } else if (request.type === 'pull') contacts.fetched(gateway_id, project, request.after);
    try {
      return await sync.run(project, (tx, env) => handleRequest(tx, env, request));
    } catch (error) {
      const need = needAnswer(error);
      if (need === undefined) throw error;
      return need;
    }
  }

  const courier = new OfficeCourier({
    ...options,
    projectsOf: (gateway_id) => projects.of(gateway_id),
    admit: (project, gateway_id) => projects.admit(project, gateway_id),
    fetched: (gateway_id, project) => contacts.position(gateway_id, project),
    reached: (gateway_id, project, position) => contacts.reached(gateway_id, project, position),
  });

  return {
    courier,
    files,
    fileState: (file) => files.state(file),
    async exchange(enrolment, message) {
      const gateway_id = await gatewayOf(enrolment);
      try {
        return encodeAnswer(await answer(decodeRequest(message), gateway_id));
      } catch (error) {
        if (!(error instanceof WireError)) throw error;
        throw new OperationError(WIRE_ERRORS[error.code], error.message, { cause: error });
      }
    },
    noteReport: (gateway_id, report) => contacts.heard(gateway_id, report),
    async hint(enrolment, after, signal) {
      const gateway_id = await gatewayOf(enrolment);
      return hints.wait(() => projects.of(gateway_id), after, signal);
    },
    role: 'cloud',
    ...conflictReader(sync),
    async status() {
      const gateways = await readGateways(options, projects, contacts, files);
      return {
        object: 'sync_status',
        role: 'cloud',
        gateway_id: store.nodeId,
        state: null,
        sentence: headOfficeSentence(gateways),
        since: null,
        cloud_url: null,
        cloud_id: store.nodeId,
        last_contact_at: null,
        in_step_at: null,
        next_try_at: null,
        error: null,
        projects: [],
        files: null,
        budget: null,
        gateways,
      };
    },
    [Symbol.dispose]: () => hints[Symbol.dispose](),
    async [Symbol.asyncDispose]() {
      hints[Symbol.dispose]();
      await contacts.close();
    },
  };
}

async function readGateways(
  { store, sync, clock }: HeadOfficeOptions,
  projects: Projects,
  contacts: Contacts,
  files: HeadFiles,
): Promise<SyncGateway[]> {
  const found = await store.node.find<EnrolmentData>('local', { object: 'enrolment', limit: MOST_GATEWAYS });
  const gateways: SyncGateway[] = [];
  for (const { id, data } of found as Stored<EnrolmentData>[]) {
    const { gateway_id, name, revoked_at, replaced_at } = data;
    if (gateway_id === null || replaced_at !== null) continue;
    const own = projects.of(gateway_id);
    const contact = contacts.of(gateway_id);
    const { version, waiting, problems, link } = contact?.report ?? {};
    const contact_s = contactSeconds(contact);
    let not_taken = 0;
    let waiting_here = 0;
    let conflicts = 0;
    for (const project of own) {
      const after = contact?.fetched[project]?.at(-1)?.n ?? 0;
      const counts = await sync.run(project, (tx) => ({
        quarantined: tx.quarantined().length,
        conflicts: tx.conflicted().length,
        rows: tx.rows(after, MOST_COUNTED).filter(({ from }) => nodeOf(from) !== gateway_id).length,
      }));
      not_taken += counts.quarantined;
      waiting_here += counts.rows;
      conflicts += counts.conflicts;
    }
    const facts = {
      state: revoked_at === null ? ('enrolled' as const) : ('revoked' as const),
      last_contact_at: contact?.at ?? null,
      connected: contact !== undefined && !isLate(contact.at, contact_s, clock()),
      link: link ?? null,
      contact_s,
      version: version ?? null,
      problems: problems ?? null,
      waiting: waiting ?? null,
      waiting_here,
      not_taken,
      conflicts,
      files: files.reportOf(gateway_id) ?? null,
    };
    const sentence = gatewaySentence(facts, clock());
    gateways.push({ gateway_id, name, enrolment_id: id, ...facts, sentence, projects: own });
  }
  return gateways;
}

/** The name that people gave to a gateway. */
async function nameOf({ store }: HeadOfficeOptions, gateway_id: string): Promise<string> {
  const where = { 'data.gateway_id': gateway_id };
  const [found] = await store.node.find<EnrolmentData>('local', { object: 'enrolment', where, limit: 1 });
  return found?.data.name ?? 'the site';
}
