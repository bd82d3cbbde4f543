/** Head office: answers the messages of its gateways, and tells them when there is something new. */

import type { Delivery } from '#contract/base/delivery.ts';
import { OperationError } from '#contract/base/errors.ts';
import type { Kind } from '#contract/base/ids.ts';
import { spoken } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import { type EnrolmentData, MOST_GATEWAYS, type SyncStatus } from '#contract/site/sync.ts';
import type { BoxReport } from '#contract/site/sync-boxes.ts';
import type { SyncGateway } from '#contract/site/sync-gateway.ts';
import type { LiveView } from '#contract/site/sync-live.ts';
import type { HeadOffice, LiveAsked, SiteHeard, SyncReader } from '#contract/sync-services.ts';
import { isChosen } from '#domain/sync/boxes.ts';
import { broughtBy, handleRequest, needAnswer } from '#domain/sync/cloud.ts';
import type { Answer } from '#domain/sync/messages.ts';
import type { Store } from '#store/open-store.ts';
import type { SyncStore } from '#store/sync/replica.ts';
import { GivingBack } from '#sync/boxes/giving-back.ts';
import { KeptBoxes, readBox, shownBoxes } from '#sync/boxes/kept-boxes.ts';
import { namingFull } from '#sync/courier/full-quarantine.ts';
import { OfficeCourier } from '#sync/courier/office-courier.ts';
import { Hints } from '#sync/hints/hints.ts';
import { LiveViews } from '#sync/hints/live-views.ts';
import { type Asked, decodeRequest, encodeAnswer } from '#sync/wire/messages.ts';
import { type WireCode, WireError } from '#sync/wire/wire-error.ts';
import { BroughtProjects } from './brought-projects.ts';
import { conflictReader } from './conflicts.ts';
import { type Box, Contacts, contactSeconds, enrolledBoxes, isLate } from './contacts.ts';
import { deliveryOf } from './deliveries.ts';
import { gatewaySentence, headOfficeSentence } from './fleet-sentences.ts';
import { HeadFiles, type HeadFilesOptions } from './head-files.ts';
import { followBackups, type OfficeBackups } from './office-backups.ts';
import { retryAll, retryTaken } from './quarantine.ts';

export interface HeadOfficeOptions extends Pick<HeadFilesOptions, 'artifacts' | 'uploads' | 'room'> {
  readonly store: Pick<Store, 'node' | 'nodeId' | 'changes' | 'view'>;
  readonly sync: SyncStore;
  readonly clock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly newId: (kind: Kind) => string;
  readonly backups: OfficeBackups;
}

const WIRE_ERRORS: Readonly<Record<WireCode, 'body_malformed' | 'not_acceptable' | 'payload_too_large'>> = {
  not_sync: 'body_malformed',
  message_damaged: 'body_malformed',
  protocol_unsupported: 'not_acceptable',
  message_too_large: 'payload_too_large',
};

/** Starts head office. */
export async function startHeadOffice(options: HeadOfficeOptions): Promise<HeadOffice & SyncReader> {
  const { store, sync, clock } = options;
  const projects = new BroughtProjects(options);
  await projects.load();
  followBackups(options.backups, sync, (project) => projects.ownerOf(project));
  const views = new LiveViews(options);
  const hints = new Hints(store, views);
  // This may be a newer version than the one that could not take them.
  await retryAll(sync);
  const contacts = new Contacts(options);
  await contacts.load(MOST_GATEWAYS);
  const giving = new GivingBack();
  const keptBoxes = new KeptBoxes({ store, changed: () => hints.look() });
  await keptBoxes.load();

  const boxOf = enrolledBoxes(store.node);
  async function enrolledOf(id: string | null, box?: BoxReport): Promise<Box> {
    const enrolled = await boxOf(id);
    if (box === undefined) contacts.heard(enrolled.gateway_id);
    else contacts.heardBox(enrolled.gateway_id, { ...box, at: new Date(clock()).toISOString() });
    return enrolled;
  }
  const gatewayOf = async (id: string | null): Promise<string> => (await enrolledOf(id)).gateway_id;

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

  async function answer({ project, request }: Asked, gateway_id: string, isNewBox: boolean): Promise<Answer> {
    if (request.gateway !== gateway_id)
      throw new OperationError('permission_denied', 'The message names another gateway than its credential.');
    // A gateway that waits for hints does not wait for those of this project yet.
    if (await projects.admit(project, gateway_id)) hints.look();
    if (request.type === 'hello') {
      contacts.fetched(gateway_id, project, request.pulled);
      while (await sync.count(project));
    } else if (request.type === 'pull') contacts.fetched(gateway_id, project, request.after);
    try {
      const answered = await namingFull(
        'At head office',
        sync.run(project, (tx, env) => handleRequest(tx, env, request), broughtBy(request)),
      );
      if (isNewBox) giving.note(project, request, answered);
      // A repair may have brought the documents for which a commit in quarantine waits.
      if (request.type === 'end') await retryTaken(sync, project, false);
      return answered;
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
    heard: (project_id) => heardOf(projects, contacts, project_id, clock()),
    fileState: (file) => files.state(file),
    async exchange(enrolment, message) {
      const { gateway_id, isNewBox } = await enrolledOf(enrolment);
      try {
        return encodeAnswer(await answer(decodeRequest(message), gateway_id, isNewBox));
      } catch (error) {
        if (!(error instanceof WireError)) throw error;
        throw new OperationError(WIRE_ERRORS[error.code], error.message, { cause: error });
      }
    },
    takeoverOf: (gateway_id) => ({
      gateway_id,
      projects: projects.of(gateway_id),
      heard_at: contacts.of(gateway_id)?.at ?? null,
    }),
    noteReport: (gateway_id, report) => contacts.heard(gateway_id, report),
    boxesOf: (gateway_id) => contacts.of(gateway_id)?.boxes ?? [],
    async hint(enrolment, { box: text, ...known }, signal) {
      const box = readBox(text);
      const { gateway_id } = await enrolledOf(enrolment, box);
      const kept = () => (box !== undefined && isChosen(box, keptBoxes.of(gateway_id)) ? box.mark : undefined);
      return hints.wait(() => projects.of(gateway_id), { ...known, kept }, signal);
    },
    role: 'cloud',
    delivery: (project_id, record_id) => deliveryTo(sync, projects, contacts, project_id, record_id),
    ...conflictReader(sync),
    async status(live) {
      const gateways = await readGateways(options, { projects, contacts, files, giving });
      const view = live === undefined ? null : liveOf({ projects, contacts, views, now: clock() }, live);
      return officeStatus(store.nodeId, gateways, view);
    },
    [Symbol.dispose]: () => hints[Symbol.dispose](),
    async [Symbol.asyncDispose]() {
      hints[Symbol.dispose]();
      keptBoxes[Symbol.dispose]();
      projects[Symbol.dispose]();
      await views.close();
      await contacts.close();
    },
  };
}

/** The answer about all sites. */
function officeStatus(id: string, gateways: SyncGateway[], live: LiveView | null): SyncStatus {
  return {
    object: 'sync_status',
    role: 'cloud',
    gateway_id: id,
    state: null,
    ...spoken([headOfficeSentence(gateways)]),
    since: null,
    cloud_url: null,
    cloud_id: id,
    last_contact_at: null,
    in_step_at: null,
    next_try_at: null,
    error: null,
    takeover: null,
    projects: [],
    files: null,
    budget: null,
    live,
    box: null,
    gateways,
  };
}

/** The live view of a project at which a person looks; null for a project that no site brought. */
function liveOf(
  { projects, contacts, views, now }: { projects: BroughtProjects; contacts: Contacts; views: LiveViews; now: number },
  asked: LiveAsked,
): LiveView | null {
  const gateway_id = projects.ownerOf(asked.project_id);
  if (gateway_id === undefined) return null;
  const contact = contacts.of(gateway_id);
  const isAway = contact === undefined || isLate(contact.at, contactSeconds(contact), now);
  return views.state(asked, isAway ? undefined : contact.report);
}

/** When the site of a project was last heard; null for a project that no site brought. */
function heardOf(projects: BroughtProjects, contacts: Contacts, project_id: string, now: number): SiteHeard | null {
  const gateway_id = projects.ownerOf(project_id);
  if (gateway_id === undefined) return null;
  const contact = contacts.of(gateway_id);
  if (contact === undefined) return { connected: false, last_contact_at: null };
  return { connected: !isLate(contact.at, contactSeconds(contact), now), last_contact_at: contact.at };
}

/** Where the last change of head office to a record is; null for a project that no site brought. */
async function deliveryTo(
  sync: SyncStore,
  projects: BroughtProjects,
  contacts: Contacts,
  project_id: string,
  record_id: string,
): Promise<Delivery | null> {
  const gateway_id = projects.ownerOf(project_id);
  if (gateway_id === undefined) return null;
  const marks = contacts.of(gateway_id)?.fetched[project_id] ?? [];
  return deliveryOf(sync, { project_id, record_id, gateway_id, marks });
}

async function readGateways(
  { store, sync, clock }: HeadOfficeOptions,
  of: {
    readonly projects: BroughtProjects;
    readonly contacts: Contacts;
    readonly files: HeadFiles;
    readonly giving: GivingBack;
  },
): Promise<SyncGateway[]> {
  const { projects, contacts, files, giving } = of;
  const found = await store.node.find<EnrolmentData>('local', { object: 'enrolment', limit: MOST_GATEWAYS });
  const listed = (found as Stored<EnrolmentData>[]).flatMap(({ id, data }) =>
    data.gateway_id === null || data.replaced_at !== null ? [] : [{ ...data, id, gateway_id: data.gateway_id }],
  );
  // A project that a site brings at this moment may be noted and not take part yet.
  const joined = new Set(sync.projects());
  const taking = (gateway: string) => projects.of(gateway).filter((project) => joined.has(project));
  const asked = listed.flatMap(({ gateway_id: gateway }) =>
    taking(gateway).map((project) => {
      const after = contacts.of(gateway)?.fetched[project]?.at(-1)?.n ?? 0;
      return { project, gateway, after };
    }),
  );
  const answers = await sync.counts(asked);
  const counts = new Map(asked.map(({ project }, i) => [project, answers[i]]));
  const gateways: SyncGateway[] = [];
  for (const { id, gateway_id, name, revoked_at, enrolled_at, kept } of listed) {
    const own = projects.of(gateway_id);
    const contact = contacts.of(gateway_id);
    const { version, waiting, problems, link } = contact?.report ?? {};
    const contact_s = contactSeconds(contact);
    const [held, only_names, waiting_here, conflicts] = (['quarantined', 'owed', 'waiting', 'conflicts'] as const).map(
      (name) => own.reduce((sum, project) => sum + (counts.get(project)?.[name] ?? 0), 0),
    ) as [number, number, number, number];
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
      given_back: giving.of(own),
      not_taken: held + only_names,
      conflicts,
      files: files.reportOf(gateway_id) ?? null,
      boxes: shownBoxes(contact?.boxes ?? [], { since: enrolled_at ?? '', kept: kept?.mark, now: clock() }),
    };
    const said = spoken(gatewaySentence({ ...facts, only_names }, clock()));
    gateways.push({ gateway_id, name, enrolment_id: id, ...facts, ...said, projects: own });
  }
  return gateways;
}

/** The name that people gave to a gateway. */
async function nameOf({ store }: HeadOfficeOptions, gateway_id: string): Promise<string> {
  const where = { 'data.gateway_id': gateway_id };
  const [found] = await store.node.find<EnrolmentData>('local', { object: 'enrolment', where, limit: 1 });
  return found?.data.name ?? 'the site';
}
