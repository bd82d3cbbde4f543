/**
 * The link of a site to head office: enrolment, the loop that exchanges data, and what people see of it.
 *
 *   change in the store ─┐
 *   hint of head office ─┼─▶ round: each project in turn ─▶ in step ─▶ wait
 *   a minute has passed ─┘        └─ error ─▶ wait longer after each error ─┘
 *
 * Without a link nothing of this runs.
 */

import { createHash } from 'node:crypto';
import { OperationError } from '#contract/base/errors.ts';
import type { Kind } from '#contract/base/ids.ts';
import { messageOf } from '#contract/base/told.ts';
import type { Sealer } from '#contract/context.ts';
import type { Problem } from '#contract/site/node.ts';
import { SYNC_LINK as LINK, type LinkState, type SyncLinkData, type SyncReceipt } from '#contract/site/sync.ts';
import type { Budget, LinkBudget } from '#contract/site/sync-budget.ts';
import type { FileAsked, FileTransfer } from '#contract/site/sync-files.ts';
import type { GatewayReport } from '#contract/site/sync-report.ts';
import type { Takeover } from '#contract/site/sync-takeover.ts';
import type { SiteSync, SyncReader } from '#contract/sync-services.ts';
import { chooseBox } from '#domain/sync/lives.ts';
import { readCloudUrl } from '#settings/cloud-url.ts';
import type { Store } from '#store/open-store.ts';
import type { SyncStore } from '#store/sync/replica.ts';
import { SiteBox } from '#sync/boxes/site-box.ts';
import { DevicesWithoutKey, takeoverState } from '#sync/boxes/takeover.ts';
import { SiteCourier } from '#sync/courier/site-courier.ts';
import { conflictReader } from './conflicts.ts';
import { createFileClient } from './file-client.ts';
import { aloneState } from './file-states.ts';
import { CONTACT_MS } from './hint-listener.ts';
import { LinkMeter, metered } from './link-budget.ts';
import { asOperationError } from './link-errors.ts';
import { linkSentence } from './sentences.ts';
import { SiteFiles, type SiteFilesOptions } from './site-files.ts';
import { SiteLoop } from './site-loop.ts';
import { siteStatus } from './site-status.ts';
import { createTransport, enrolAt } from './transport.ts';
import { verifyProjects } from './verify.ts';

export interface SiteOptions extends Pick<SiteFilesOptions, 'artifacts' | 'uploads' | 'room'> {
  readonly store: Pick<Store, 'node' | 'nodeId' | 'changes' | 'view' | 'takeIdentity'>;
  readonly sync: SyncStore;
  readonly sealer: Sealer;
  readonly clock: () => number;
  readonly newId: (kind: Kind) => string;
  readonly random: (bytes: number) => Uint8Array;
  readonly log: (level: 'info' | 'warn' | 'error', message: string, data?: object) => void;
  readonly version: string;
  /** Writes changed values of each of these projects to the store each 2 s, for so many seconds. */
  readonly writeLive: (live: ReadonlyMap<string, number>) => void;
  /** Counts the problems in the health of this gateway. */
  readonly problems: () => Promise<number>;
  readonly proxies: Readonly<Record<string, string | undefined>>;
  /** Stops this process and starts it again. */
  readonly again: () => void;
  /** Address and code of the settings; null if they are not set. */
  readonly settings: { readonly url: string | null; readonly code: string | null };
}

const CODE_RETRY_MS = 60_000;

const hashOf = (code: string): string => createHash('sha256').update(`enrol ${code.trim()}`).digest('hex');

/** The states of the link that a person must look at. No connection is none of them. */
const REMEDIES: Readonly<Partial<Record<LinkState, string>>> = {
  fenced:
    'Find the other computer with a copy of this disk, and stop one of the two. If head office takes the data of the wrong one, choose this one there, on the page Sites.',
  revoked: 'Ask head office for a new code, and connect this site with it.',
  refused: 'Read the message. If one of the two ends has an older version, update it.',
};

const REPLACED =
  'Stop this box. If it is the right one, ask head office for a code that replaces the box of this site.';

export interface SitePart extends SiteSync, SyncReader, AsyncDisposable {
  /** What health shows. */
  problems(): Problem[];
}

export async function startSite(options: SiteOptions): Promise<SitePart> {
  const site = new Site(options);
  await site.begin();
  return site;
}

class Site implements SitePart {
  readonly role = 'site';
  readonly courier: SiteCourier;
  readonly #options: SiteOptions;
  readonly #meter: LinkMeter;
  readonly #box: SiteBox;
  readonly #withoutKey: DevicesWithoutKey;
  #loop: SiteLoop | undefined;
  #files: SiteFiles | undefined;
  #link: SyncLinkData | undefined;
  #retry: NodeJS.Timeout | undefined;
  #ended = false;
  /** Everything has come back, and this process starts again. */
  #isEnding = false;

  constructor(options: SiteOptions) {
    this.#options = options;
    this.#meter = new LinkMeter(options);
    this.#box = new SiteBox(options);
    this.#withoutKey = new DevicesWithoutKey(options.store);
    this.courier = new SiteCourier({
      ...options,
      nodeId: options.store.nodeId,
      link: () => this.#credential(),
      changed: () => this.#look(),
    });
  }

  #look(): void {
    this.#loop?.look();
    this.#files?.look();
  }

  /** The link and the SHA-256 of its credential, for bundles. */
  #credential() {
    const link = this.#link;
    const secret = link && this.#options.sealer.tryOpen(link.credential, LINK);
    if (link === undefined || secret === undefined)
      throw new OperationError('sync_off', 'This site is not connected to head office. Connect it once with a code.');
    const credential = createHash('sha256').update(secret).digest();
    return { link, credential, revoked: this.#loop?.state.state === 'revoked' };
  }

  async begin(): Promise<void> {
    const { store, settings } = this.#options;
    const { url, code } = settings;
    await this.#meter.load();
    await this.#box.load();
    this.#link = (await store.node.get<SyncLinkData>('local', LINK))?.data;
    if (await this.#takesOver()) return;
    if (url !== null && code !== null && this.#link?.code_hash !== hashOf(code)) this.#enrolLater(url, code, 0);
    else this.#start();
  }

  /**
   * A box that takes the place of another one gets its identity, and must then start again, because all parts have read the earlier one.
   * Returns true if it must. A start after a kill does the same.
   */
  async #takesOver(): Promise<boolean> {
    const { store, log, again } = this.#options;
    const { takeover } = this.#link ?? {};
    if (takeover === undefined) return false;
    if (takeover.gateway_id !== store.nodeId) {
      await store.takeIdentity?.(takeover.gateway_id);
      log('info', 'this box takes the place of another one, and starts again', { gateway_id: takeover.gateway_id });
      again();
      return true;
    }
    await this.#join(takeover.projects);
    return false;
  }

  async #join(projects: readonly string[]): Promise<void> {
    const { sync } = this.#options;
    for (const project of projects) if (!sync.projects().includes(project)) await sync.join(project);
  }

  /**
   * Everything has come back to a box that takes the place of another one. It starts again, because parts such as the alert rules
   * read the store at the start.
   */
  async #cameBack(): Promise<void> {
    const { store, sync, clock, again } = this.#options;
    const link = this.#link;
    const { takeover } = link ?? {};
    if (link === undefined || takeover === undefined || takeover.done_at !== undefined || this.#isEnding) return;
    for (const project of takeover.projects) if (await sync.run(project, (tx) => tx.node().fresh)) return;
    const done = { ...link, takeover: { ...takeover, done_at: new Date(clock()).toISOString() } };
    await store.node.commit([{ collection: 'local', id: LINK, object: 'sync_link', data: { ...done } }]);
    // Until the new start, people see that the box is not ready.
    this.#isEnding = true;
    again();
  }

  /** A box without projects has nothing that another identity would tear apart. */
  async #isEmpty(): Promise<boolean> {
    const { store, sync } = this.#options;
    const [first] = await store.node.find('records', { object: 'project', limit: 1 });
    return store.takeIdentity !== undefined && first === undefined && sync.projects().length === 0;
  }

  /** Enrols with the code of the settings, and tries again until head office can be reached. */
  #enrolLater(cloudUrl: string, code: string, wait_ms: number): void {
    this.#start();
    this.#retry = setTimeout(() => {
      this.connect(cloudUrl, code).catch((error: unknown) => {
        const { log } = this.#options;
        log('warn', 'the gateway could not enrol at head office', { error: String(error) });
        const isFinal = error instanceof OperationError && error.code === 'enrolment_code_invalid';
        if (!isFinal && !this.#ended) this.#enrolLater(cloudUrl, code, CODE_RETRY_MS);
      });
    }, wait_ms);
    this.#retry.unref();
  }

  #start(): void {
    const link = this.#link;
    if (link === undefined || this.#loop !== undefined || this.#ended) return;
    const { store, sync, sealer, clock, log, version, proxies, settings } = this.#options;
    const credential = sealer.tryOpen(link.credential, LINK);
    if (credential === undefined) {
      log('error', 'the credential for head office cannot be decrypted; connect the site with a new code');
      return;
    }
    const url = settings.url ?? link.cloud_url;
    const transport = metered(createTransport({ url, credential, version, proxies }), this.#meter);
    this.#loop = new SiteLoop({
      store,
      sync,
      transport,
      clock,
      log,
      verify: () => this.verify().then(() => undefined),
      report: () => this.#report(),
      box: () => this.#box.report(),
      chosen: (mark) => this.#chosen(mark),
      spending: () => this.#meter.spending,
      settled: () => this.#cameBack(),
      writeLive: this.#options.writeLive,
    });
    this.#loop.start();
    const { artifacts, uploads, room } = this.#options;
    this.#files = new SiteFiles({
      ...{ store, sync, artifacts, uploads, room, clock, log },
      client: createFileClient(transport),
      link: () => this.#linkForFiles(),
      paused: (file) => this.#meter.paused(file),
    });
    this.#files.start();
  }

  #linkForFiles(): 'off' | 'busy' | 'free' {
    const state = this.#loop?.state.state;
    return state === 'in_step' ? 'free' : state === 'catching_up' ? 'busy' : 'off';
  }

  /** If a person chose this box, the exchange begins again. */
  async #chosen(mark: string): Promise<void> {
    if (!(await this.#box.chosen(mark))) return;
    this.#options.log('info', 'a person at head office chose this box: it is the site from now on');
    this.#loop?.look();
  }

  async #report(): Promise<GatewayReport> {
    const { projects } = await this.status();
    const waiting = projects.reduce((sum, project) => sum + project.waiting, 0);
    const { version, problems } = this.#options;
    const link = this.#meter.spending;
    const contact_s = CONTACT_MS[link] / 1_000;
    const live = this.#meter.isCounted ? ('counted' as const) : ('free' as const);
    return { version: version.slice(0, 60), waiting, problems: await problems(), link, contact_s, live };
  }

  async #stop(): Promise<void> {
    const [loop, files] = [this.#loop, this.#files];
    this.#loop = this.#files = undefined;
    await Promise.all([loop?.stop(), files?.stop()]);
  }

  async connect(cloud_url: string, code: string): Promise<{ enrolment_id: string }> {
    const { store, sync, sealer, clock, version, proxies } = this.#options;
    const read = readCloudUrl(cloud_url);
    if ('wrong' in read) throw new OperationError('parameter_invalid', read.wrong, { param: 'cloud_url' });
    const of = { code, gateway_id: store.nodeId, ...((await this.#isEmpty()) && { can_replace: true }) };
    const enrolled = await enrolAt({ url: read.url, version, proxies }, of).catch((error: unknown) => {
      throw asOperationError(error);
    });
    clearTimeout(this.#retry);
    const at = new Date(clock()).toISOString();
    const { takeover } = enrolled;
    const last = this.#link?.cloud_id === enrolled.cloud_id ? this.#link.takeover : undefined;
    const before = last?.gateway_id === store.nodeId ? last : undefined;
    const kept = takeover !== undefined && takeover.gateway_id !== store.nodeId ? { ...takeover, at } : before;
    const { cloud_id, enrolment_id, name } = enrolled;
    const data: SyncLinkData = {
      cloud_url: read.url,
      ...{ cloud_id, enrolment_id, name },
      credential: sealer.seal(enrolled.secret, LINK),
      code_hash: hashOf(code),
      enrolled_at: at,
      ...(kept !== undefined && { takeover: kept }),
    };
    await this.#stop();
    // Head office gave the place of the site to this box, which had it before. All others with its identity have an earlier life from now on.
    if (takeover?.gateway_id === store.nodeId) {
      await this.#join(takeover.projects);
      for (const project of sync.projects()) await sync.run(project, chooseBox);
    }
    await store.node.commit([{ collection: 'local', id: LINK, object: 'sync_link', data: { ...data } }]);
    this.#link = data;
    if (!(await this.#takesOver())) this.#start();
    return { enrolment_id };
  }

  async disconnect(): Promise<boolean> {
    clearTimeout(this.#retry);
    await this.#stop();
    const link = this.#link;
    if (link === undefined) return false;
    this.#link = undefined;
    await this.#options.store.node.commit([
      { collection: 'local', id: LINK, object: 'sync_link', data: { ...link }, deleted: true },
    ]);
    return true;
  }

  async verify(): Promise<SyncReceipt[]> {
    const loop = this.#loop;
    const link = this.#link;
    if (loop === undefined || link === undefined)
      throw new OperationError('sync_off', 'This site is not connected to head office.');
    try {
      const checkFiles = async (project: string) => this.#files?.check(project);
      return await loop.alone((send) =>
        verifyProjects({ ...this.#options, send, checkFiles, cloud_id: link.cloud_id }),
      );
    } catch (error) {
      throw asOperationError(error);
    }
  }

  problems(): Problem[] {
    const { state, since_ms, error, last_contact_ms } = this.#loop?.state ?? {};
    const isStuck = state === 'catching_up' && error?.code === 'comparison_stuck';
    const shown = isStuck ? 'refused' : state;
    const known = shown === undefined ? undefined : REMEDIES[shown];
    const remedy = error?.code === 'gateway_replaced' ? REPLACED : known;
    if (state === undefined || remedy === undefined) return [];
    const now = this.#options.clock();
    const of = { state, waiting: 0, now, last_contact_ms: last_contact_ms ?? null, error: error ?? null };
    const since = since_ms === undefined ? null : new Date(since_ms).toISOString();
    return [{ code: `head_office_${shown}`, ...messageOf(linkSentence(of)), since, given_up: null, remedy }];
  }

  conflicts(project_id: string) {
    return conflictReader(this.#options.sync).conflicts(project_id);
  }

  fieldWrite(...of: Parameters<SyncReader['fieldWrite']>) {
    return conflictReader(this.#options.sync).fieldWrite(...of);
  }

  async status() {
    const { store, sync, clock, settings } = this.#options;
    const takeover = await this.#takeover();
    const files = this.#files?.state() ?? null;
    const budget = this.#meter.state();
    const of = { nodeId: store.nodeId, link: this.#link, loop: this.#loop };
    const box = this.#loop === undefined ? null : await this.#box.report();
    return await siteStatus({ ...of, sync, clock, settings, files, budget, takeover, box });
  }

  async #takeover(): Promise<Takeover | null> {
    const link = this.#link;
    const isDone = link?.takeover?.done_at !== undefined;
    const given_back = isDone ? null : (this.#loop?.givenBack ?? { documents: 0, of: 0 });
    return await takeoverState({ without: this.#withoutKey, link, given_back });
  }

  budget(): LinkBudget {
    return this.#meter.state();
  }

  async setBudget(budget: Budget): Promise<void> {
    await this.#meter.set(budget);
    this.#loop?.budgetChanged();
    this.#files?.look();
  }

  async fileState(file: FileAsked): Promise<FileTransfer> {
    return (await this.#files?.fileState(file)) ?? aloneState(this.#options.artifacts, file);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#retry);
    this.#withoutKey[Symbol.dispose]();
    await this.#stop();
    await this.#meter.end();
  }
}

/** True if this box took the place of another one, and everything has come back. */
export const tookOver = async (node: Pick<Store['node'], 'get'>): Promise<boolean> =>
  (await node.get<SyncLinkData>('local', LINK))?.data.takeover?.done_at !== undefined;
