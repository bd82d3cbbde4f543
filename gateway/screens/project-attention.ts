import { isSignal } from '#contract/base/signals.ts';
import type { Change, View } from '#contract/base/view.ts';
import type { LiveReader, ShiftReader } from '#contract/context.ts';
import type { ValueLine } from '#contract/site/trouble.ts';
import { type AlertData, TANKS, type TankRule } from '#contract/work/alert.ts';
import { OPEN_TICKET, type RepairTicketData } from '#contract/work/repair-ticket.ts';
import type { Passed } from '#domain/attention/items.ts';
import {
  type BoardAlert,
  type OpenItems,
  openItemsOf,
  toBoardAlert,
  toBoardTicket,
} from '#domain/attention/open-items.ts';
import { lostLinks, SECOND_SIGNS, withLostLink } from '#domain/attention/probable.ts';
import { type Ranked, type Ranking, rank } from '#domain/attention/ranking.ts';
import { compareScored, type Moment, scoreOf } from '#domain/attention/score.ts';
import { STEP_S } from '#domain/attention/trend.ts';
import { type BoardMachine, type Standing, UNRANKED } from '#domain/board/tiles.ts';
import type { Store } from '#store/open-store.ts';
import { readSite } from './feed-frame.ts';
import { createTrendHistory, type History } from './feed-history.ts';
import { LowTanks, readTankRules } from './low-tanks.ts';

export interface AttentionServices {
  readonly store: Store;
  readonly live: LiveReader;
  readonly shifts: ShiftReader;
  readonly history: History;
  /** Returns the time in milliseconds since 1970. */
  readonly clock: () => number;
  /** Milliseconds between two rankings. Default: 1,000. */
  readonly everyMs?: number;
}

/** A site has at most this many open alerts, tickets and named mechanics in its ranking. If there are more, the oldest are left out. */
const MOST_ITEMS = 1_000;
/** Values of at most this many reasons have a trend. */
const MOST_TRENDS = 32;
/** Length of the history of a value, in seconds. */
const WINDOW_S = 1_800;
/** Machines up to this place get the history of their value, which a screen draws as a line. */
const LINES = 3;
/** The state of the shift is read again after this time, in milliseconds. */
const SHIFT_MS = 30_000;

const SITE_OBJECTS: ReadonlySet<string> = new Set(['equipment', 'device', 'location']);

/** The ranking of the machines of one project. */
export class ProjectAttention {
  ranking: Ranking | undefined;
  private readonly services: AttentionServices;
  private readonly view: View;
  private readonly onRead: () => void;
  private machines: readonly BoardMachine[] = [];
  private places: ReadonlyMap<string, string> = new Map();
  private items: OpenItems = { alerts: [], tickets: [] };
  private open: (id: string) => OpenItems = openItemsOf(this.items);
  private mechanics: ReadonlyMap<string, string> = new Map();
  private in_shift = true;
  private shift_ms = Number.NEGATIVE_INFINITY;
  private readonly trends;
  private readonly tanks;
  private tankRules: readonly TankRule[] = [];
  private readonly dirty = new Set<'site' | 'items' | 'rules'>(['site', 'items', 'rules']);
  /** A promise that resolves when the last read has ended. Reads run one after the other. */
  private work = Promise.resolve();
  private reading = false;
  private readonly standings = new Map<string, Standing>();

  constructor(services: AttentionServices, view: View, onRead: () => void) {
    this.services = services;
    this.view = view;
    this.onRead = onRead;
    this.trends = createTrendHistory(services.history, []);
    this.tanks = new LowTanks(services.history);
  }

  /** Call it for each change of a commit. */
  note({ collection, document: { object } }: Change): void {
    if (object === 'repair_ticket' || object === 'mechanic' || (object === 'alert' && collection === 'live'))
      this.dirty.add('items');
    else if (collection === 'records' && SITE_OBJECTS.has(object)) this.dirty.add('site');
    else if (object === 'alert_rule') this.dirty.add('rules');
  }

  /** Ranks the machines at this moment. Call it once a second. */
  tick(): void {
    const now_ms = this.services.clock();
    const due = this.dirty.size > 0 || this.isShiftDue() || this.trends.due(now_ms) || this.tanks.due();
    if (!due) this.rank();
    else if (!this.reading) {
      this.reading = true;
      const settled = () => {
        this.reading = false;
      };
      this.refresh().then(() => {
        settled();
        this.onRead();
      }, settled);
    }
  }

  /** Reads what has changed, and ranks the machines. */
  refresh(): Promise<void> {
    const next = this.work.then(() => this.read());
    this.work = next.catch(() => undefined);
    return next;
  }

  /** Returns what screens show of the ranking of a machine. */
  standing(id: string): Standing {
    return this.standings.get(id) ?? UNRANKED;
  }

  private isShiftDue(): boolean {
    return Math.abs(this.services.clock() - this.shift_ms) >= SHIFT_MS;
  }

  private async read(): Promise<void> {
    const { services, view, dirty } = this;
    if (dirty.delete('site')) {
      const { machines, locations } = await readSite(view);
      this.machines = machines;
      this.places = new Map(locations.map(({ id, data }) => [id, data.name]));
    }
    if (dirty.delete('items')) await this.readItems();
    if (dirty.delete('rules')) this.tankRules = await readTankRules(view);
    if (this.isShiftDue()) {
      this.shift_ms = services.clock();
      this.in_shift = (await services.shifts.shift(view.project_id)).now !== null;
    }
    this.rank();
    if (this.tanks.due()) {
      await this.tanks.refresh();
      this.rank();
    }
    const before = this.trends.due(services.clock());
    if (before && (await this.trends.refresh(services.clock()))) this.rank();
  }

  private async readItems(): Promise<void> {
    const { view } = this;
    const [alerts, tickets, mechanics] = await Promise.all([
      view.find<AlertData>('live', { object: 'alert', where: { 'data.state': 'active' }, limit: MOST_ITEMS }),
      view.find<RepairTicketData>('records', {
        object: 'repair_ticket',
        where: { 'data.status': OPEN_TICKET },
        limit: MOST_ITEMS,
      }),
      view.find<{ name: string }>('records', { object: 'mechanic', limit: MOST_ITEMS }),
    ]);
    this.items = { alerts: alerts.map(toBoardAlert), tickets: tickets.map(toBoardTicket) };
    this.open = openItemsOf(this.items);
    this.mechanics = new Map(mechanics.map(({ id, data }) => [id, data.name]));
  }

  private rank(): void {
    const now_ms = this.services.clock();
    const moment: Moment = {
      now_ms,
      in_shift: this.in_shift,
      mechanics: this.mechanics,
      means: (id, signal) => this.trends.series(id, signal, STEP_S),
      low: (id) => this.tanks.of(id),
    };
    const { live } = this.services;
    this.tanks.judge(this.machines, this.tankRules, (id) => live.equipment(id, TANKS), now_ms);
    const alone = this.machines.map((machine) =>
      scoreOf(
        machine,
        live.equipment(machine.id, signalsOf(this.open(machine.id).alerts)),
        this.open(machine.id),
        moment,
      ),
    );
    const placed = this.machines.map(({ location_id }) =>
      location_id === null ? undefined : this.places.get(location_id),
    );
    const links = lostLinks(alone.map(({ reasons }, i) => ({ reasons, location: placed[i] })));
    const scored =
      links.size === 0
        ? alone
        : alone.map((one, i) => ({ ...one, reasons: withLostLink(one.reasons, links.get(placed[i] ?? '')) }));
    const ranking = rank(this.ranking, scored, now_ms);
    this.ranking = ranking;
    const passing = [...ranking.machines.values()]
      .filter(({ grade, passed }) => grade !== 'note' && passed !== null)
      .sort(compareScored)
      .slice(0, MOST_TRENDS);
    this.trends.want(
      passing.flatMap(({ id, passed }) => {
        const { signal } = passed as Passed;
        const second = SECOND_SIGNS[signal];
        const wanted = second === undefined || second === 'engine.speed' ? [signal] : [signal, second];
        return wanted.map((one) => ({ equipment_id: id, signal: one, step_s: STEP_S, window_s: WINDOW_S }));
      }),
    );
    this.standings.clear();
    for (const machine of this.machines) {
      const ranked = ranking.machines.get(machine.id);
      if (ranked !== undefined) this.standings.set(machine.id, this.standingOf(machine, ranked, now_ms));
    }
  }

  private standingOf({ kind, location_id }: BoardMachine, ranked: Ranked, now_ms: number): Standing {
    const { score, place, over, reasons, passed, id } = ranked;
    // A machine that has not entered yet looks as before on every screen.
    if (place === null) return { reasons: reasons.filter(({ grade }) => grade === 'note') };
    const location = location_id === null ? undefined : this.places.get(location_id);
    const line = place <= LINES && passed !== null ? this.lineOf(id, passed, now_ms) : undefined;
    return {
      reasons,
      attention: {
        score,
        place,
        ...(over !== undefined && { over }),
        ...(kind !== null && { kind }),
        ...(location !== undefined && { location }),
        ...(line !== undefined && { line }),
      },
    };
  }

  private lineOf(id: string, { signal, limit, below }: Passed, now_ms: number): ValueLine | undefined {
    const means = this.trends.series(id, signal, STEP_S);
    if (means === undefined || means.t.length === 0) return undefined;
    const to_s = Math.floor(now_ms / 1000 / STEP_S) * STEP_S;
    const from_s = to_s - WINDOW_S;
    const v: (number | null)[] = Array.from({ length: WINDOW_S / STEP_S }, () => null);
    for (const [i, t] of means.t.entries()) {
      const at = (t - from_s) / STEP_S;
      if (at >= 0 && at < v.length) v[at] = Number((means.v[i] as number).toPrecision(5));
    }
    return { from_ms: from_s * 1000, step_ms: STEP_S * 1000, v, limit, below };
  }
}

/** The signals on which the score of every machine depends. */
const BASIC = ['engine.speed', 'vehicle.speed', 'electrical.battery', ...TANKS] as const;

function signalsOf(alerts: readonly BoardAlert[]) {
  const own = alerts.flatMap(({ signal_name }) => (isSignal(signal_name) ? [signal_name] : []));
  return [...BASIC, ...own, ...own.flatMap((signal) => SECOND_SIGNS[signal] ?? [])];
}
