/**
 * What boards show besides machines: tickets, alerts, pictures, codes, the shift. Only what a widget of the feed asks for is read,
 * and read again when a record of its kind changed, or time passed for it; a round at a time, so that a busy site costs one read a second.
 */

import type { EventData } from '#contract/base/event.ts';
import type { Change, View } from '#contract/base/view.ts';
import type { Sealer, ShiftReader } from '#contract/context.ts';
import type { ShareData } from '#contract/site/display.ts';
import type { QrCode, QrTile } from '#contract/site/live.ts';
import { type PlacedWidget, QrParams } from '#contract/site/widget.ts';
import type { AlertData } from '#contract/work/alert.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import { SHOWN_IMAGES } from '#contract/work/media.ts';
import type { RepairTicketData, TicketStatus } from '#contract/work/repair-ticket.ts';
import { type BoardFacts, type BoardPicture, NO_FACTS } from '#domain/board/facts.ts';
import type { BoardMachine } from '#domain/board/tiles.ts';
import { partMinutes } from '#domain/work/shift-time.ts';
import { isOpen } from '#handlers/boards/display-shares.ts';
import { TIME_KINDS } from '#handlers/work/shift-facts.ts';

/** What reads codes and shifts besides the store. */
export interface FactServices {
  readonly shifts: ShiftReader;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly sealer: Pick<Sealer, 'open'>;
  /** Draws a text as a code; undefined for one that is too long. */
  readonly qr: (text: string) => QrCode | undefined;
  /** Where this gateway is reached, for links in codes. */
  readonly baseUrl: () => string;
}

/** What the boards of a feed ask for. */
export interface Wanted {
  /** Each with the id of its board. */
  readonly widgets: readonly { readonly board: string; readonly widget: PlacedWidget }[];
  /** Alerts may take the screen. */
  readonly takeover: boolean;
  readonly machines: readonly BoardMachine[];
}

const KINDS = ['tickets', 'alerts', 'frames', 'codes', 'shift'] as const;
type Kind = (typeof KINDS)[number];
type Read = Pick<BoardFacts, 'tickets' | 'alerts' | 'frames' | 'codes' | 'shift'>;

export interface FactsReader {
  readonly facts: Read;
  /** Sets what is read from now on. */
  want(wanted: Wanted): void;
  /** Notes what a commit changed. */
  note(change: Change): void;
  /** True when something may read differently now. */
  due(): boolean;
  /** Reads what is due; true when anything is other than before. */
  refresh(): Promise<boolean>;
  /** True for a picture that a board shows, or showed just now: a screen may still be fetching it. */
  shows(artifact_id: string): boolean;
}

const MOST_TICKETS = 1_000;
const MOST_ALERTS = 1_000;
/** Machines whose shift is counted; a board has room for fewer. */
const MOST_COUNTED = 200;
/** Among so many files of a device the newest picture is looked for. */
const LATEST_FILES = 8;
/** Pictures of one device that may be fetched: the newest and those before it. */
const RECENT = 4;
const MINUTE_MS = 60_000;
const OPEN_TICKETS: readonly TicketStatus[] = ['flagged', 'in_progress', 'on_hold', 'fixed'];
/** Machines are drawn by what is open on them. */
const OPEN_ITEMS = ['tickets', 'alerts'] as const;
const ASKS: { readonly [T in PlacedWidget['type']]?: readonly Kind[] } = {
  status_board: OPEN_ITEMS,
  machine_list: OPEN_ITEMS,
  map: OPEN_ITEMS,
  ticket_board: ['tickets'],
  alert_feed: ['alerts'],
  camera: ['frames'],
  qr: ['codes'],
  shift_progress: ['shift'],
};

/** A reader that has read nothing yet. */
export function createFactsReader(view: View, services: FactServices, first: Wanted): FactsReader {
  const { clock } = services;
  let wanted = first;
  let asked = kindsOf(first);
  let facts: Read = NO_FACTS;
  const dirty = new Set<Kind>(asked);
  const recent = new Map<string, string[]>();
  let counted_ms = Number.NEGATIVE_INFINITY;

  async function tickets(): Promise<Read['tickets']> {
    const found = await view.find<RepairTicketData>('records', {
      object: 'repair_ticket',
      where: { 'data.status': OPEN_TICKETS },
      limit: MOST_TICKETS,
    });
    return found.map(({ id, data }) => ({ id, ...data }));
  }

  async function alerts(): Promise<Read['alerts']> {
    const where = { 'data.state': 'active' };
    const found = await view.find<AlertData>('live', { object: 'alert', where, limit: MOST_ALERTS });
    return found.map(({ id, data }) => ({ id, ...data }));
  }

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
    if (shown === undefined) return { code: null, caption: 'Nothing to show' };
    if ('text' in shown) {
      const { text } = shown;
      return { code: services.qr(text) ?? null, caption: text.length <= 60 ? text : '' };
    }
    const { kind, object_id } = shown.share;
    const [share] = (
      await view.find<ShareData>('local', {
        object: 'display_share',
        where: { 'data.object_id': object_id },
        limit: 10,
      })
    ).filter(({ data }) => data.kind === kind && data.status === 'active' && isOpen(data, iso(clock())));
    const token = share?.data.token ?? null;
    if (share === undefined || token === null)
      return { code: null, caption: 'Its link is not open. Open it on the office page.' };
    const code = services.qr(`${services.baseUrl()}/tv/${services.sealer.open(token, share.data.token_hash)}`) ?? null;
    return { code, caption: shown.caption ?? 'Scan to see it on a phone' };
  }

  async function shift(): Promise<Read['shift']> {
    const computed_ms = Math.floor(clock() / MINUTE_MS) * MINUTE_MS;
    counted_ms = computed_ms;
    const counted = wanted.machines.slice(0, MOST_COUNTED).map(({ id }) => id);
    const spent = await services.shifts.spent(view.project_id, counted);
    const { now, next } = await services.shifts.shift(view.project_id);
    return { now, next, computed_ms, minutes: new Map([...spent].map(([id, ms]) => [id, partMinutes(ms)])) };
  }

  const READ: { readonly [K in Kind]: () => Promise<Read[K]> } = { tickets, alerts, frames, codes, shift };

  return {
    get facts() {
      return facts;
    },
    want(now) {
      wanted = now;
      asked = kindsOf(now);
      for (const kind of asked) dirty.add(kind);
      for (const kind of KINDS) if (!asked.has(kind)) facts = { ...facts, [kind]: NO_FACTS[kind] };
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
      if (asked.has('shift') && clock() - counted_ms >= MINUTE_MS) dirty.add('shift');
      return [...dirty].some((kind) => asked.has(kind));
    },
    async refresh() {
      const kinds = KINDS.filter((kind) => dirty.has(kind) && asked.has(kind));
      dirty.clear();
      for (const kind of kinds) facts = { ...facts, [kind]: await READ[kind]() };
      return kinds.length > 0;
    },
    shows: (artifact_id) => [...recent.values()].some((ids) => ids.includes(artifact_id)),
  };
}

function kindsOf({ widgets, takeover }: Wanted): ReadonlySet<Kind> {
  const asked = widgets.flatMap(({ widget }) => ASKS[widget.type] ?? []);
  return new Set(takeover ? [...asked, 'alerts' as const] : asked);
}

function cameraOf({ type, query }: PlacedWidget): string[] {
  return type === 'camera' && query.device_id !== undefined ? [query.device_id] : [];
}

/** When a picture was taken: what its camera says, unless that is in the future. */
function takenAt({ captured_at, received_at }: ArtifactData, now_ms: number): number {
  const taken = captured_at === null ? Number.POSITIVE_INFINITY : Date.parse(captured_at);
  return taken <= now_ms ? taken : Date.parse(received_at);
}

const iso = (ms: number) => new Date(ms).toISOString();
