/** Bundles at head office: reads those of sites, and writes those for sites. */
import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { KeyData } from '#contract/site/node.ts';
import type { EnrolmentData } from '#contract/site/sync.ts';
import type { CourierBundle, CourierBundleData, CourierSpan } from '#contract/site/sync-courier.ts';
import type { Courier, CourierExport, CourierImport } from '#contract/sync-services.ts';
import { broughtBy, isOurs, isTrimmed } from '#domain/sync/cloud.ts';
import { type AnswerHead, answerPage, endBundle, openAnswer, takeBundlePage } from '#domain/sync/courier.ts';
import { isSameLife } from '#domain/sync/lives.ts';
import type { PageSize } from '#domain/sync/pages.ts';
import type { Life, Position } from '#domain/sync/store.ts';
import type { Store } from '#store/open-store.ts';
import type { SyncStore } from '#store/sync/replica.ts';
import { encodeAnswer } from '#sync/wire/messages.ts';
import { damagedBundle } from './bundle-damage.ts';
import { type BundleHeader, BundleReader, type NewHeader } from './bundle-file.ts';
import { decodeUp, type PageText, readRequest, type UpHead } from './bundle-parts.ts';
import { ending, type MadePage, nameOf, pageOf, writeBundle } from './bundle-stream.ts';
import { CourierFiles, type CourierFilesOptions, filesDone } from './courier-files.ts';
import { type Counting, CourierLog, type CourierLogOptions, newCounting, volumeName } from './courier-log.ts';
import { FilesReading } from './files-reading.ts';
import { FilesStates } from './files-state.ts';
import { namingFull } from './full-quarantine.ts';
import { FilesInPages, OfficeBundleFiles } from './office-bundle-files.ts';

export interface OfficeCourierOptions extends CourierLogOptions, CourierFilesOptions {
  readonly store: Pick<Store, 'node' | 'view'>;
  readonly sync: SyncStore;
  readonly random: (bytes: number) => Uint8Array;
  /** The projects of a gateway. */
  readonly projectsOf: (gateway_id: string) => readonly string[];
  /** Makes a project take part; throws if it is another gateway's. */
  readonly admit: (project: string, gateway_id: string) => Promise<unknown>;
  /** Up to which position a gateway has fetched a project over the network. */
  readonly fetched: (gateway_id: string, project: string) => Position | undefined;
  /** A bundle says up to which position the gateway had a project. */
  readonly reached: (gateway_id: string, project: string, position: Position) => void;
}

interface Enrolled {
  readonly id: string;
  readonly data: EnrolmentData;
  readonly credential: Buffer;
}

/** A project while its bundle is written. */
interface Opened {
  readonly project: string;
  readonly head: AnswerHead;
  readonly life: Life;
  at: Position;
}

type LifeState = 'same' | 'later' | 'earlier';

export class OfficeCourier implements Courier {
  readonly #options: OfficeCourierOptions;
  readonly #log: CourierLog;
  readonly #contents: CourierFiles;
  readonly #states: FilesStates;
  readonly #files: OfficeBundleFiles;

  constructor(options: OfficeCourierOptions) {
    this.#options = options;
    this.#log = new CourierLog(options, 'cloud');
    this.#contents = new CourierFiles(options);
    this.#states = new FilesStates(options.store);
    this.#files = new OfficeBundleFiles({ store: options.store, files: this.#contents, states: this.#states });
  }

  async state() {
    const data: CourierBundle[] = [];
    for (const { id, data: each } of await this.#log.all())
      data.push(this.#log.show(id, each, each.way === 'made' && (await this.#isThere(each))));
    return { object: 'courier' as const, running: this.#log.running, data };
  }

  /** The site has all rows of a bundle. */
  async #isThere({ gateway_id, spans }: CourierBundleData): Promise<boolean> {
    const { sync, fetched } = this.#options;
    for (const { project_id, to } of spans) {
      if (!sync.projects().includes(project_id)) continue;
      const known = await sync.run(project_id, (tx) =>
        [tx.cloudChannel(gateway_id).reached, fetched(gateway_id, project_id)].map((each) =>
          each !== undefined && (isOurs(tx, each) || isTrimmed(tx, each)) ? each.n : 0,
        ),
      );
      if (Math.max(...known) < (to[0] ?? 0)) return false;
    }
    return true;
  }

  /** The enrolment of a gateway that counts. */
  async #enrolled(gateway_id: string): Promise<Enrolled> {
    const where = { 'data.gateway_id': gateway_id };
    const found = await this.#options.store.node.find<EnrolmentData>('local', {
      object: 'enrolment',
      where,
      limit: 1_000,
    });
    const current = found.find(({ data }) => data.replaced_at === null);
    if (current === undefined)
      throw new OperationError('not_found', 'No gateway with this id is enrolled here.', { param: 'gateway_id' });
    return this.#withCredential(current.id, current.data);
  }

  async #withCredential(id: string, data: EnrolmentData): Promise<Enrolled> {
    if (data.revoked_at !== null)
      throw new OperationError(
        'bundle_revoked',
        say(
          'Head office has revoked {name}, so no bundle is made for it or taken from it. To take its data, make a new code, and connect the site with it.',
          { name: data.name },
        ),
      );
    const key = data.key === null ? undefined : await this.#options.store.node.get<KeyData>('local', data.key);
    if (key === undefined)
      throw new OperationError(
        'bundle_other_site',
        say('{name} was never connected to this head office.', { name: data.name }),
      );
    return { id, data, credential: Buffer.from(key.data.hash, 'hex') };
  }

  async export({ gateway_id, most_bytes, file_bytes, after }: CourierExport) {
    if (gateway_id === undefined)
      throw new OperationError('parameter_missing', 'Name the gateway for which the bundle is.', {
        param: 'gateway_id',
      });
    const { id: enrolment, data: enrolled, credential } = await this.#enrolled(gateway_id);
    const before = after === undefined ? undefined : await this.#log.find(after);
    if (after !== undefined && (before?.way !== 'made' || before.gateway_id !== gateway_id))
      throw new OperationError('not_found', 'There is no bundle of this gateway with this id.', { param: 'after' });
    const counting = newCounting();
    const running = this.#log.begin('made', counting);
    running.named(enrolled.name);
    try {
      const { opened, skipped } = await this.#open(gateway_id, before?.spans ?? []);
      const id = this.#log.newId();
      const made_at = new Date(this.#options.clock()).toISOString();
      const header: NewHeader = {
        ...{ direction: 'to_site', enrolment, gateway: gateway_id, site: enrolled.name, made_at },
        ...{ bundle: before?.bundle ?? id, volume: (before?.volume ?? 0) + 1 },
        files: file_bytes > 0 && (await this.#files.canRead(gateway_id)),
      };
      const inPages = new FilesInPages(gateway_id);
      for (const { project } of opened) inPages.add(project, []);
      const lives = new Map(opened.map(({ project, life }) => [project, life]));
      const done = filesDone(before?.files_end);
      let files_left = 0;
      const { contents, files } = { contents: this.#contents, files: this.#files };
      const content = writeBundle({
        ...{ header, credential, most_bytes, counting, random: this.#options.random },
        heads: opened.map(({ project, head }) => ({ project, ...head })),
        pages: this.#pages(opened, pageOf(most_bytes), skipped, inPages),
        async *files(room) {
          if (header.files !== true) return;
          let isFull = false;
          // A bundle that goes on after the files of an earlier one has no lists, because that one has them.
          for await (const list of files.lists(gateway_id, done.end === undefined ? lives : new Map())) {
            isFull = list.length > room();
            if (isFull) break;
            yield list;
          }
          const plan = await files.plan(gateway_id, inPages, before?.files_end);
          if (!isFull) yield* contents.pieces(plan, { room, counting, most: file_bytes, done });
          files_left = plan.waiting - done.passed;
        },
        close: async ({ more, bytes }) => {
          const { bundle, volume, site } = header;
          const spans = opened.map(
            ({ project, at }): CourierSpan => ({ project_id: project, id, to: [at.n], chain: at.chain }),
          );
          await this.#log.keep(id, {
            ...{ way: 'made', gateway_id, site, bundle, volume, made_at, at: made_at, more, bytes },
            ...{ files: counting.files, file_bytes: counting.file_bytes, files_left, files_end: done.end },
            files_why: { unreadable: done.unreadable },
            ...{ changes: counting.changes, not_taken: 0, skipped, spans, confirmed: false, complete: true },
          });
        },
      });
      return { name: nameOf(header), content: ending(content, running.end) };
    } catch (error) {
      running.end();
      throw error;
    }
  }

  async #open(gateway_id: string, before: readonly CourierSpan[]): Promise<{ opened: Opened[]; skipped: string[] }> {
    const { sync, projectsOf, fetched } = this.#options;
    const opened: Opened[] = [];
    const skipped: string[] = [];
    for (const project of projectsOf(gateway_id)) {
      while (await sync.count(project));
      const last = before.find(({ project_id }) => project_id === project);
      const n = last?.to[0];
      const from = n === undefined || last?.chain === undefined ? undefined : { n, chain: last.chain };
      const [head, life] = await sync.run(project, (tx) => [
        openAnswer(tx, gateway_id, fetched(gateway_id, project), from),
        tx.node().life,
      ]);
      if (head === undefined) skipped.push(project);
      else opened.push({ project, head, life, at: head.after });
    }
    return { opened, skipped };
  }

  /** The pages of all projects. If the log loses rows of a project meanwhile, the pages of this project end before them, and it is named. */
  async *#pages(
    opened: readonly Opened[],
    size: PageSize,
    skipped: string[],
    files: FilesInPages,
  ): AsyncGenerator<MadePage, void> {
    const { sync } = this.#options;
    for (const one of opened)
      for (;;) {
        const { project } = one;
        const page = await sync.run(project, (tx, env) => answerPage(tx, env, one.at, size));
        if (page === 'gone') skipped.push(project);
        if (page === undefined || page === 'gone') break;
        const { after, marks, to, commits } = page;
        yield {
          text: { project, after, marks },
          message: encodeAnswer({ type: 'pull', to, commits, more: false }),
          commits,
          written: () => {
            files.add(project, commits);
            one.at = to;
          },
        };
      }
  }

  async import(bytes: AsyncIterable<Uint8Array>, { earlier_life }: CourierImport): Promise<CourierBundle> {
    const counting = newCounting();
    const running = this.#log.begin('taken', counting);
    try {
      const reader = await BundleReader.open(bytes);
      const { credential } = await this.#check(reader.header);
      running.named(reader.header.site);
      return await this.#read(reader, credential, counting, earlier_life);
    } finally {
      running.end();
    }
  }

  async #check({ direction, enrolment, gateway, site }: BundleHeader): Promise<Enrolled> {
    if (direction !== 'to_head_office')
      throw new OperationError(
        'bundle_wrong_end',
        say(
          'This bundle was made at head office, for {site}. Import it there, and import here the one that the site makes.',
          { site },
        ),
      );
    const found = await this.#options.store.node.get<EnrolmentData>('local', enrolment);
    if (found?.object !== 'enrolment' || found.data.gateway_id !== gateway)
      throw new OperationError(
        'bundle_other_site',
        say(
          'This head office does not know the site {site} of this bundle. Import it at the head office to which that site is connected.',
          { site },
        ),
      );
    const enrolled = await this.#withCredential(found.id, found.data);
    if (found.data.replaced_at !== null)
      throw new OperationError(
        'bundle_replaced',
        say(
          '{site} was connected anew since this bundle was made. Make a new bundle at the site: it has everything of this one.',
          { site },
        ),
      );
    return enrolled;
  }

  async #read(reader: BundleReader, credential: Buffer, counting: Counting, earlier: boolean): Promise<CourierBundle> {
    const { direction: _, enrolment: __, gateway: gateway_id, ...rest } = reader.header;
    let heads: readonly UpHead[] | undefined;
    let not_taken = 0;
    const reading = new FilesReading(this.#contents, counting);
    for await (const bytes of reader.parts(credential)) {
      const part = decodeUp(bytes);
      counting.bytes = reader.taken;
      if (part.kind === 'heads') {
        if (heads !== undefined) throw damagedBundle();
        heads = part.heads;
        for (const head of heads) await this.#admit(head, gateway_id, reader.header.site, earlier);
        if (heads.some(({ files }) => files === true)) await this.#states.knows(gateway_id);
      } else if (part.kind === 'page') {
        not_taken += await this.#takePage(heads ?? [], part.text, part.message, counting);
      } else if (part.kind === 'list') {
        if (!this.#options.projectsOf(gateway_id).includes(part.text.project)) throw damagedBundle();
        if (reading.list(part.text, part.names) === undefined) continue;
        await this.#files.takeList(gateway_id, part.text, reader.header.made_at);
        await this.#log.filesArrived(part.text.read, gateway_id);
      } else if (part.kind === 'piece') {
        if (!this.#options.projectsOf(gateway_id).includes(part.text.project)) throw damagedBundle();
        await reading.piece(part.text, part.bytes);
      } else {
        const confirmed = await this.#end(heads ?? []);
        if (counting.file_bytes > 0 && reading.left === 0)
          await this.#states.knows(gateway_id, volumeName(reader.header));
        const id = this.#log.newId();
        const data: CourierBundleData = {
          ...{ way: 'taken', gateway_id, ...rest, at: new Date(this.#options.clock()).toISOString() },
          ...{
            ...counting,
            files_left: reading.left,
            files_why: reading.why,
            more: part.text.more,
            not_taken,
            skipped: [],
            spans: [],
            confirmed,
            complete: true,
          },
        };
        await this.#log.keep(id, data);
        return this.#log.show(id, data, false);
      }
    }
    throw damagedBundle();
  }

  /** Checks a project of a bundle before anything of it is taken. */
  async #admit(head: UpHead, gateway_id: string, site: string, earlier: boolean): Promise<void> {
    const { project, gateway, life } = head;
    if (gateway !== gateway_id) throw damagedBundle();
    const { admit, sync } = this.#options;
    await admit(project, gateway_id);
    while (await sync.count(project));
    const state = await sync.run(project, (tx) => compare(tx.life(gateway), life));
    if (state === 'earlier' && !earlier)
      throw new OperationError(
        'bundle_earlier_life',
        say(
          '{site} was put back from a backup since this bundle was made, or another computer with a copy of its disk made it. If the site itself made it, import it with --earlier-life (over the API: the header Earlier-Life: take): records and events are taken, live values are not. If a copy made it, stop the copy.',
          { site },
        ),
      );
  }

  async #takePage(
    heads: readonly UpHead[],
    { project }: PageText,
    message: Buffer,
    counting: Counting,
  ): Promise<number> {
    const head = heads.find((each) => each.project === project);
    const asked = readRequest(message);
    if (head === undefined || asked.project !== project || asked.request.type !== 'push') throw damagedBundle();
    const { commits } = asked.request;
    const quarantined = await namingFull(
      'At head office',
      this.#options.sync.run(project, (tx, env) => takeBundlePage(tx, env, head, commits), broughtBy(asked.request)),
    );
    counting.changes += commits.length;
    return quarantined.length;
  }

  /** Ends a bundle after all its parts. Returns false if a project in it is of a life of the box that does not count. */
  async #end(heads: readonly UpHead[]): Promise<boolean> {
    let confirmed = true;
    for (const head of heads) {
      const { counts, reached } = await this.#options.sync.run(head.project, (tx) => {
        const { taken } = tx.cloudChannel(head.gateway);
        const isCounted = endBundle(tx, head);
        const now = tx.cloudChannel(head.gateway);
        // A bundle that is read again names an old position of the site.
        return { counts: isCounted, reached: now.taken === taken ? undefined : now.reached };
      });
      if (reached !== undefined) this.#options.reached(head.gateway, head.project, reached);
      confirmed &&= counts;
    }
    return confirmed;
  }
}

/** Compares the life in a bundle with the one that head office knows of the gateway. A later life, and the first one, had no complete contact yet. */
function compare(known: Life | undefined, life: Life): LifeState {
  if (known === undefined || life.number > known.number) return 'later';
  return isSameLife(known, life) ? 'same' : 'earlier';
}
