/**
 * Reads the facts of a feed (the object that sends the content of boards to pages). Facts are the data that boards show besides machines:
 * tickets, alerts, camera pictures, QR codes and the shift. It reads only facts that a widget needs, and reads them again when a record of
 * their kind has changed; it reads the shift also once a minute. It collects changes and then reads all changed facts together, so on a
 * busy site there is one read a second.
 */

import type { EventData } from '#contract/base/event.ts';
import type { Change, View } from '#contract/base/view.ts';
import type { SiteAggregate } from '#contract/base/widget-kinds.ts';
import type { Sealer, ShiftReader } from '#contract/context.ts';
import type { ShareData } from '#contract/site/display.ts';
import { QR_CAPTIONS, type QrCode, type QrTile } from '#contract/site/live.ts';
import { type PlacedWidget, QrParams, siteAggregateOf } from '#contract/site/widget.ts';
import type { AlertData } from '#contract/work/alert.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import type { DayReader } from '#contract/work/day.ts';
import { SHOWN_IMAGES } from '#contract/work/media.ts';
import { CURRENT_TICKET, type RepairTicketData } from '#contract/work/repair-ticket.ts';
import { toBoardAlert, toBoardTicket } from '#domain/attention/open-items.ts';
import { type BoardFacts, type BoardPicture, NO_FACTS } from '#domain/board/facts.ts';
import type { BoardMachine } from '#domain/board/tiles.ts';
import { isOpen } from '#handlers/boards/display-shares.ts';
import { TIME_KINDS } from '#handlers/work/shift-facts.ts';

/** The services, besides the store, from which the reader gets QR codes and shifts. */
export interface FactServices {
  readonly shifts: ShiftReader;
  readonly days: Pick<DayReader, 'known'>;
  /** Returns the time in milliseconds since 1970. */
  readonly clock: () => number;
  readonly sealer: Pick<Sealer, 'tryOpen'>;
  /** Encodes a text as a QR code; undefined when it is too long. */
  readonly qr: (text: string) => QrCode | undefined;
  /** Returns the address of this gateway, for links in codes. */
  readonly baseUrl: () => string;
}

/** The widgets and machines of the shown boards. They decide which facts must be read. */
export interface Wanted {
  /** The widgets, each with the id of its board. */
  readonly widgets: readonly { readonly board: string; readonly widget: PlacedWidget }[];
  /** True if alerts may be shown on the whole screen in place of the boards. */
  readonly takeover: boolean;
  readonly machines: readonly BoardMachine[];
}

const KINDS = ['tickets', 'alerts', 'frames', 'codes', 'shift', 'days'] as const;
type Kind = (typeof KINDS)[number];
type Read = Pick<BoardFacts, 'tickets' | 'alerts' | 'frames' | 'codes' | 'shift' | 'days'>;

export interface FactsReader {
  readonly facts: Read;
  /** Replaces the widgets and machines. From now on the reader reads the facts that the new widgets and machines need. */
  want(wanted: Wanted): void;
  /** The owner of the reader calls this function for each change of a document in the store. */
  note(change: Change): void;
  /** Returns true if a fact may have changed since it was read. */
  due(): boolean;
  /** Reads the facts that may have changed. Returns true when it read any. */
  refresh(): Promise<boolean>;
  /** Returns true if a board shows this picture, or showed it shortly before, so that a screen may still be loading it. */
  shows(artifact_id: string): boolean;
}

const MOST_TICKETS = 1_000;
const MOST_ALERTS = 1_000;
/** The reader reads the minutes of the shift for at most this many machines. No board has space for more machines. */
const MOST_COUNTED = 200;
/** The reader searches for the newest picture of a camera among this many of its newest files. */
const LATEST_FILES = 8;
/** Number of pictures of one camera that pages may load: the newest picture, and the pictures that were shown before it. */
const RECENT = 4;
const MINUTE_MS = 60_000;
const KINDS_OF_AGGREGATE: Readonly<Record<SiteAggregate, readonly Kind[]>> = {
  working_in_shift: ['shift'],
  longest_down: ['shift'],
  fuel_in_shift: ['days'],
  // The target comes with the shift.
  worked_yesterday: ['days', 'shift'],
  oldest_repair: ['tickets'],
};
const KINDS_OF_WIDGET: { readonly [T in PlacedWidget['type']]?: readonly Kind[] } = {
  ticket_board: ['tickets'],
  alert_feed: ['alerts'],
  camera: ['frames'],
  qr: ['codes'],
  shift_progress: ['shift'],
  day: ['days'],
};

/** Creates a reader. Its facts are empty until the first `refresh`. With `hidesLinks` it makes no code of a display link. */
export function createFactsReader(view: View, services: FactServices, first: Wanted, hidesLinks = false): FactsReader {
  const { clock } = services;
  let wanted = first;
  let needed = kindsOf(first);
  let facts: Read = NO_FACTS;
  const dirty = new Set<Kind>(needed);
  const recent = new Map<string, string[]>();
  let counted_ms = Number.NEGATIVE_INFINITY;

  async function frames(): Promise<Read['frames']> {
    const devices = new Set(wanted.widgets.flatMap(({ widget }) => cameraOf(widget)));
    for (const id of recent.keys()) if (!devices.has(id)) recent.delete(id);
    const found = new Map<string, BoardPicture>();
    for (const id of devices) {
      const files = await view.find<ArtifactData>('records', {
        object: 'artifact',
        where: { 'data.device_id': id },
        limit: LATEST_FILES,
      });
      const taken = files
        .filter(({ data }) => SHOWN_IMAGES.has(data.content_type))
        .map(({ id: artifact_id, data }) => ({ artifact_id, taken_ms: takenAt(data, clock()) }))
        .sort((a, b) => b.taken_ms - a.taken_ms);
      const [newest] = taken;
      if (newest === undefined) continue;
      found.set(id, newest);
      const before = recent.get(id) ?? [];
      recent.set(id, [newest.artifact_id, ...before.filter((one) => one !== newest.artifact_id)].slice(0, RECENT));
    }
    return found;
  }

  async function codes(): Promise<Read['codes']> {
    const found = new Map<string, QrTile>();
    for (const { board, widget } of wanted.widgets)
      if (widget.type === 'qr') found.set(`${board}\n${widget.id}`, await codeOf(widget.params));
    return found;
  }

  async function codeOf(params: PlacedWidget['params']): Promise<QrTile> {
    const shown = QrParams.safeParse(params).data;
    if (shown === undefined) return made('nothing');
    if ('text' in shown) {
      return { code: services.qr(shown.text) ?? null, caption: shown.text.length <= 60 ? shown.text : '' };
    }
    const { kind, object_id } = shown.share;
    const [share] = (
      await view.find<ShareData>('local', {
        object: 'display_share',
        where: { 'data.object_id': object_id },
        limit: 10,
      })
    ).filter(({ data }) => data.kind === kind && data.status === 'active' && isOpen(data, iso(clock())));
    const sealed = share?.data.token ?? null;
    const token = sealed === null ? undefined : services.sealer.tryOpen(sealed, share?.data.token_hash ?? '');
    if (token === undefined) return made('closed');
    if (hidesLinks) return made('hidden');
    const code = services.qr(`${services.baseUrl()}/tv/${token}`) ?? null;
    return shown.caption === undefined ? made('phone', code) : { code, caption: shown.caption };
  }

  async function shift(): Promise<Read['shift']> {
    const computed_ms = Math.floor(clock() / MINUTE_MS) * MINUTE_MS;
    counted_ms = computed_ms;
    const counted = wanted.machines.slice(0, MOST_COUNTED).map(({ id }) => id);
    const used = await services.shifts.used(view.project_id, counted);
    const clocked = await services.shifts.shift(view.project_id);
    return { ...clocked, computed_ms, used };
  }

  /** The summaries are made in the background, because a first picture must not wait for history. */
  const days = async (): Promise<Read['days']> => services.days.known(view.project_id) ?? null;

  const tickets = () => readTickets(view);
  const alerts = () => readAlerts(view);
  const READ: { readonly [K in Kind]: () => Promise<Read[K]> } = { tickets, alerts, frames, codes, shift, days };

  return {
    get facts() {
      return facts;
    },
    want(now) {
      wanted = now;
      needed = kindsOf(now);
      for (const kind of needed) dirty.add(kind);
      for (const kind of KINDS) if (!needed.has(kind)) facts = { ...facts, [kind]: NO_FACTS[kind] };
    },
    note({ collection, document }) {
      const { object, data } = document;
      if (object === 'repair_ticket') dirty.add('tickets');
      else if (object === 'alert' && collection === 'live') dirty.add('alerts');
      else if (object === 'artifact') dirty.add('frames');
      else if (object === 'display_share') dirty.add('codes');
      else if (collection === 'events' && object === 'event') {
        if (TIME_KINDS.includes((data as unknown as EventData).type)) dirty.add('shift');
      }
    },
    due() {
      if (needed.has('shift') && clock() - counted_ms >= MINUTE_MS) dirty.add('shift');
      if (needed.has('days') && (services.days.known(view.project_id) ?? null) !== facts.days) dirty.add('days');
      return [...dirty].some((kind) => needed.has(kind));
    },
    async refresh() {
      const kinds = KINDS.filter((kind) => dirty.has(kind) && needed.has(kind));
      dirty.clear();
      for (const kind of kinds) facts = { ...facts, [kind]: await READ[kind]() };
      return kinds.length > 0;
    },
    shows: (artifact_id) => [...recent.values()].some((ids) => ids.includes(artifact_id)),
  };
}

async function readTickets(view: View): Promise<Read['tickets']> {
  const where = { 'data.status': CURRENT_TICKET };
  const found = await view.find<RepairTicketData>('records', { object: 'repair_ticket', where, limit: MOST_TICKETS });
  return found.map(toBoardTicket);
}

async function readAlerts(view: View): Promise<Read['alerts']> {
  const where = { 'data.state': 'active' };
  const found = await view.find<AlertData>('live', { object: 'alert', where, limit: MOST_ALERTS });
  return found.map(toBoardAlert);
}

/** Returns a code, or none, with a text of the gateway. */
const made = (caption: keyof typeof QR_CAPTIONS, code: QrCode | null = null): QrTile => ({
  code,
  caption: QR_CAPTIONS[caption],
  is_made: true,
});

function kindsOf({ widgets, takeover }: Wanted): ReadonlySet<Kind> {
  const needed = widgets.flatMap(({ widget }) => {
    const about = siteAggregateOf(widget);
    return about === undefined ? (KINDS_OF_WIDGET[widget.type] ?? []) : KINDS_OF_AGGREGATE[about];
  });
  return new Set(takeover ? [...needed, 'alerts' as const] : needed);
}

function cameraOf({ type, query }: PlacedWidget): string[] {
  return type === 'camera' && query.device_id !== undefined ? [query.device_id] : [];
}

/**
 * Returns the time when a picture was taken: the time of the camera, or the receive time if the camera's time is unknown or in the future.
 */
function takenAt({ captured_at, received_at }: ArtifactData, now_ms: number): number {
  const taken = captured_at === null ? Number.POSITIVE_INFINITY : Date.parse(captured_at);
  return taken <= now_ms ? taken : Date.parse(received_at);
}

const iso = (ms: number) => new Date(ms).toISOString();
