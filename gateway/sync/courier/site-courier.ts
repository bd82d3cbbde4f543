/** Bundles at a site: writes those for head office, and reads those of head office. */
import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { SyncLinkData } from '#contract/site/sync.ts';
import type { CourierBundle, CourierBundleData, CourierSpan } from '#contract/site/sync-courier.ts';
import type { Courier, CourierExport } from '#contract/sync-services.ts';
import { ALL_LANES } from '#domain/sync/channels.ts';
import {
  type BundleHead,
  bundlePage,
  closeBundle,
  openBundle,
  takeAnswer,
  takeAnswerPage,
} from '#domain/sync/courier.ts';
import type { PageSize } from '#domain/sync/pages.ts';
import type { SyncTx } from '#domain/sync/store.ts';
import type { Store } from '#store/open-store.ts';
import type { SyncStore } from '#store/sync/replica.ts';
import { encodeRequest } from '#sync/wire/messages.ts';
import { damagedBundle } from './bundle-damage.ts';
import { type BundleHeader, BundleReader, type NewHeader } from './bundle-file.ts';
import { type DownHead, decodeDown, type FileText, type PageText, readAnswer } from './bundle-parts.ts';
import { begun, ending, type MadePage, nameOf, pageOf, writeBundle } from './bundle-stream.ts';
import { CourierFiles, type CourierFilesOptions, filesDone } from './courier-files.ts';
import { type Counting, CourierLog, type CourierLogOptions, newCounting, volumeName } from './courier-log.ts';
import { FilesReading } from './files-reading.ts';
import { FilesStates } from './files-state.ts';
import { namingFull } from './full-quarantine.ts';
import { type KnownOffice, NO_SITE_FILES, SiteBundleFiles } from './site-bundle-files.ts';

export interface SiteCourierOptions extends CourierLogOptions, CourierFilesOptions {
  readonly store: Pick<Store, 'node' | 'view'>;
  readonly nodeId: string;
  readonly sync: SyncStore;
  readonly random: (bytes: number) => Uint8Array;
  /** The link to head office and the SHA-256 of its credential; throws an `OperationError` if there is none. */
  readonly link: () => { readonly link: SyncLinkData; readonly credential: Buffer; readonly revoked: boolean };
  /** Called after a bundle of head office brought changes, or confirmed bundles of this site. */
  readonly changed: () => void;
}

/** A project while its bundle is written. */
interface Opened {
  readonly project: string;
  readonly head: BundleHead;
  readonly from: readonly number[];
  readonly at: number[];
}

export class SiteCourier implements Courier {
  readonly #options: SiteCourierOptions;
  readonly #log: CourierLog;
  readonly #contents: CourierFiles;
  readonly #states: FilesStates;
  readonly #files: SiteBundleFiles;

  constructor(options: SiteCourierOptions) {
    this.#options = options;
    this.#log = new CourierLog(options, 'site');
    this.#contents = new CourierFiles(options);
    this.#states = new FilesStates(options.store);
    this.#files = new SiteBundleFiles({ ...options, files: this.#contents, states: this.#states, log: this.#log });
  }

  async state() {
    const data: CourierBundle[] = [];
    for (const { id, data: each } of await this.#log.all())
      data.push(this.#log.show(id, each, each.way === 'made' && (await this.#isThere(each))));
    return { object: 'courier' as const, running: this.#log.running, data };
  }

  /** Head office has all rows of a bundle. */
  async #isThere({ spans }: CourierBundleData): Promise<boolean> {
    const { sync } = this.#options;
    for (const { project_id, id, to } of spans) {
      if (!sync.projects().includes(project_id)) continue;
      const isConfirmed = await sync.run(project_id, (tx) => {
        const { sent, courier } = tx.siteChannel();
        return (
          to.every((n, lane) => n <= (sent[lane] ?? 0)) ||
          courier?.volumes.some((volume) => volume.id === id && volume.acked) === true
        );
      });
      if (!isConfirmed) return false;
    }
    return true;
  }

  async export({
    most_bytes,
    file_bytes,
    after,
  }: CourierExport): Promise<{ name: string; content: AsyncIterable<Buffer> }> {
    const { link, credential, revoked } = this.#options.link();
    if (revoked)
      throw new OperationError(
        'bundle_revoked',
        'Head office has revoked this gateway, so it takes no bundle of it. Ask head office for a new code, and connect this site with it.',
      );
    const before = after === undefined ? undefined : await this.#log.find(after);
    if (after !== undefined && before?.way !== 'made')
      throw new OperationError('not_found', 'There is no bundle with this id.', { param: 'after' });
    const { clock } = this.#options;
    const counting = newCounting();
    const running = this.#log.begin('made', counting);
    running.named(link.name);
    try {
      const { opened, skipped } = await this.#open(before?.spans ?? []);
      const numbers = new Map(opened.map(({ project, head }) => [project, numberOf(head)]));
      const plan = file_bytes === 0 ? NO_SITE_FILES : await this.#files.plan(before?.files_end, numbers);
      const id = this.#log.newId();
      const header: NewHeader = {
        direction: 'to_head_office',
        enrolment: link.enrolment_id,
        gateway: this.#options.nodeId,
        site: link.name,
        bundle: before?.bundle ?? id,
        volume: (before?.volume ?? 0) + 1,
        made_at: new Date(clock()).toISOString(),
        files: plan !== NO_SITE_FILES,
      };
      const done = filesDone(before?.files_end);
      const contents = this.#contents;
      const pages = await begun(this.#pages(opened, pageOf(most_bytes)));
      // A file with only photos and logs has no changes that head office could confirm, so it is not among the bundles that wait for that.
      const isOnlyFiles = before !== undefined && pages.isEmpty;
      const content = writeBundle({
        ...{ header, credential, most_bytes, counting, random: this.#options.random },
        heads: isOnlyFiles ? [] : opened.map(({ project, head }) => ({ project, ...head, files: true })),
        pages: pages.all,
        async *files(room) {
          for (const list of plan.lists) {
            if (list.length > room()) return;
            yield list;
          }
          yield* contents.pieces(plan, { room, counting, most: file_bytes, done });
        },
        close: async ({ more, bytes }) => {
          const spans = isOnlyFiles ? before.spans : await this.#close(opened);
          const { direction: _, enrolment: __, gateway: gateway_id, files: ___, ...rest } = header;
          await this.#log.keep(id, {
            ...{ way: 'made', gateway_id, ...rest, ...counting, at: new Date(clock()).toISOString(), more, bytes },
            ...{
              files_left: plan.waiting - done.passed,
              files_end: done.end,
              files_why: { unreadable: done.unreadable },
            },
            ...{ not_taken: 0, skipped, spans, confirmed: false, complete: true },
          });
        },
      });
      return { name: nameOf(header), content: ending(content, running.end) };
    } catch (error) {
      running.end();
      throw error;
    }
  }

  async #open(before: readonly CourierSpan[]): Promise<{ opened: Opened[]; skipped: string[] }> {
    const { sync } = this.#options;
    const opened: Opened[] = [];
    const skipped: string[] = [];
    for (const project of sync.projects()) {
      while (await sync.count(project));
      const after = before.find(({ project_id }) => project_id === project)?.to;
      const found = await sync.run(project, (tx, env) => {
        const { fenced, cloud } = tx.siteChannel();
        if (fenced) throw fencedHere();
        return cloud === undefined ? undefined : openBundle(tx, env, after);
      });
      if (found === undefined) skipped.push(project);
      else opened.push({ project, ...found, at: [...found.from] });
    }
    return { opened, skipped };
  }

  /** The pages of all projects: first the most urgent lane of each, so that it is in the file if there is no room for all. */
  async *#pages(opened: readonly Opened[], size: PageSize): AsyncGenerator<MadePage, void> {
    const { sync } = this.#options;
    for (const lane of ALL_LANES)
      for (const { project, head, at } of opened)
        for (;;) {
          const page = await sync.run(project, (tx, env) => bundlePage(tx, env, lane, at[lane] ?? 0, size));
          if (page === undefined) break;
          const { gateway, life, id: token } = head;
          const request = { type: 'push', gateway, life, token, commits: page.commits } as const;
          yield {
            text: { project },
            message: encodeRequest({ project, request }),
            commits: page.commits,
            written: () => {
              at[lane] = page.to;
            },
          };
        }
  }

  async #close(opened: readonly Opened[]): Promise<CourierSpan[]> {
    for (const { project, head, from, at } of opened)
      await this.#options.sync.run(project, (tx) => closeBundle(tx, head.id, from, at));
    return opened.map(({ project, head, at }) => ({ project_id: project, id: head.id, to: at }));
  }

  async import(bytes: AsyncIterable<Uint8Array>): Promise<CourierBundle> {
    const counting = newCounting();
    const { link, credential } = this.#options.link();
    const running = this.#log.begin('taken', counting);
    try {
      const reader = await BundleReader.open(bytes);
      const { header } = reader;
      running.named(link.name);
      this.#check(header, link);
      return await this.#read(reader, credential, counting);
    } finally {
      running.end();
      this.#options.changed();
    }
  }

  #check({ direction, enrolment, gateway }: BundleHeader, link: SyncLinkData): void {
    if (direction !== 'to_site')
      throw new OperationError(
        'bundle_wrong_end',
        'This bundle was made at a site, for head office. Import it at head office, and import here the one that head office makes.',
      );
    if (gateway !== this.#options.nodeId)
      throw new OperationError(
        'bundle_other_site',
        say('This bundle is for another site. Make one at head office for {name}.', { name: link.name }),
      );
    if (enrolment !== link.enrolment_id)
      throw new OperationError(
        'bundle_replaced',
        'This site was connected to head office anew since this bundle was made. Make a new one at head office.',
      );
  }

  async #read(reader: BundleReader, credential: Buffer, counting: Counting): Promise<CourierBundle> {
    const { header } = reader;
    let heads: readonly DownHead[] | undefined;
    let not_taken = 0;
    const reading = new FilesReading(this.#contents, counting);
    const before = new Map<string, KnownOffice>();
    const id = this.#log.newId();
    const keep = async (more: boolean, complete: boolean): Promise<CourierBundle> => {
      const { direction: _, enrolment: __, gateway: gateway_id, ...rest } = header;
      const data: CourierBundleData = {
        ...{ way: 'taken', gateway_id, ...rest, at: new Date(this.#options.clock()).toISOString(), more },
        ...{ ...counting, files_left: reading.left, files_why: reading.why },
        ...{ not_taken, skipped: [], spans: [], confirmed: true, complete },
      };
      if (counting.file_bytes > 0 && reading.left === 0)
        await this.#states.knows(this.#options.nodeId, volumeName(header));
      await this.#log.keep(id, data);
      return this.#log.show(id, data, false);
    };
    for await (const bytes of reader.parts(credential)) {
      const part = decodeDown(bytes);
      counting.bytes = reader.taken;
      if (part.kind === 'heads') {
        if (heads !== undefined) throw damagedBundle();
        heads = part.heads;
        for (const head of heads) before.set(head.project, await this.#takeHead(head));
      } else if (part.kind === 'page')
        not_taken += await this.#takePage(heads ?? [], part.text, part.message, counting);
      else if (part.kind === 'piece') await this.#takePiece(reading, part.text, part.bytes);
      else if (part.kind === 'list') {
        const named = reading.list(part.text, part.names);
        if (named === undefined) continue;
        const { project, life } = part.text;
        const [head, known] = [heads?.find((each) => each.project === project), before.get(project)];
        if (head === undefined || known === undefined) throw damagedBundle();
        const list = { made_at: header.made_at, number: head.answer ?? 0, life };
        await this.#files.takeList(part.text, named, list, known);
      } else return await keep(part.text.more, true);
    }
    throw damagedBundle();
  }

  async #takePiece(reading: FilesReading, text: FileText, bytes: Buffer): Promise<void> {
    if (this.#options.sync.projects().includes(text.project)) await reading.piece(text, bytes);
  }

  /** Takes what a bundle confirms. Returns what this site knew before. */
  async #takeHead(head: DownHead): Promise<KnownOffice> {
    const { sync } = this.#options;
    if (!sync.projects().includes(head.project)) return { ...{ least: 0, seen: 0 }, isLoss: false, cloud: undefined };
    const { taken, ...known } = await sync.run(head.project, (tx: SyncTx) => {
      const { fenced, courier, cloud, asked } = tx.siteChannel();
      if (fenced) throw fencedHere();
      const taken = takeAnswer(tx, head);
      const now = tx.siteChannel();
      const isLoss = now.asked > asked;
      return { ...{ least: courier?.answer ?? 0, seen: now.courier?.answer ?? 0 }, isLoss, cloud, taken };
    });
    if (taken === 'taken') return known;
    throw new OperationError(
      'bundle_gap',
      taken === 'put_back'
        ? 'Head office has a bundle that this gateway does not know, so this gateway was put back from a backup since. Connect it to head office once over a network: both then find out what is missing.'
        : 'Changes before those of this bundle are missing here. If the export had several files, import the earlier ones first. Otherwise carry a new bundle to head office, and import the one that it then makes.',
    );
  }

  async #takePage(
    heads: readonly DownHead[],
    { project, after, marks }: PageText,
    message: Buffer,
    counting: Counting,
  ): Promise<number> {
    const { sync } = this.#options;
    const head = heads.find((each) => each.project === project);
    if (head === undefined || after === undefined || marks === undefined) throw damagedBundle();
    if (!sync.projects().includes(project)) return 0;
    const page = readAnswer(message);
    if (page.type !== 'pull') throw damagedBundle();
    const { to, commits } = page;
    const taking = sync.run(project, (tx, env) => {
      if (tx.siteChannel().fenced) throw fencedHere();
      return takeAnswerPage(tx, env, head.cloud, { after, marks, to, commits });
    });
    const quarantined = await namingFull('At this site', taking);
    counting.changes += commits.length;
    return quarantined.length;
  }
}

/** How many bundles this site had made in a project when it began one. */
const numberOf = ({ id }: BundleHead): number => Number(id.split('/').at(-2) ?? 0);

const fencedHere = (): OperationError =>
  new OperationError(
    'sync_fenced',
    'Another computer uses the identity of this gateway, such as a copy of its disk. Stop the other one, or ask head office which of the two counts; until then no bundle is made or taken here.',
  );
