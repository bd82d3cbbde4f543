/** The active alerts and the open repair tickets of all sites in memory, with a bound for each project and for all. */
import type { Stored } from '#contract/base/view.ts';
import { type AlertData, SEVERITY } from '#contract/work/alert.ts';
import { OPEN_TICKET, PRIORITY, type RepairTicketData } from '#contract/work/repair-ticket.ts';
import type { Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';

/** How many alerts and tickets are in memory. */
export interface OpenBounds {
  /** At most this many alerts, and as many tickets, of one project. */
  readonly ofProject: number;
  /** At most this many alerts and tickets of all projects. */
  readonly all: number;
  /** A project of which something was left out is read again after this many milliseconds. */
  readonly againMs: number;
}

/** Of one project as many as the ranking of a site reads. All projects together need about 120 MB. */
const BOUNDS: OpenBounds = { ofProject: 1_000, all: 200_000, againMs: 60_000 };

type FleetAlert = AlertData & { readonly id: string };
type FleetTicket = RepairTicketData & { readonly id: string };

interface Open {
  readonly alerts: Map<string, FleetAlert>;
  readonly tickets: Map<string, FleetTicket>;
  /** When an alert or ticket was left out last; undefined if all are in memory. */
  cut_ms: number | undefined;
  /** The documents that changed since a read of the project began; undefined if the project is not being read. */
  touched: Set<string> | undefined;
  /** True if an alert or ticket was left out since that read began. */
  left: boolean;
}

/** The newest first, so that the oldest are left out at a bound. */
export const OPEN_TICKETS = {
  object: 'repair_ticket',
  where: { 'data.status': OPEN_TICKET },
  order: 'desc',
} as const;
export const ACTIVE_ALERTS = { object: 'alert', where: { 'data.state': 'active' }, order: 'desc' } as const;
const NOTHING = { labor: [], parts: [], alerts: [], labels: {} };

/** Keeps what scores and counts need. The texts of an alert or ticket are read with the page that shows them. */
const smallTicket = ({ id, data }: Stored<RepairTicketData>): FleetTicket => ({
  ...data,
  id,
  title: '',
  description: '',
  ...NOTHING,
});
const smallAlert = ({ id, data }: Stored<AlertData>): FleetAlert => ({ ...data, id, actions: [] });

/** Compares two items by their age. */
const ageOf = (item: FleetAlert | FleetTicket): string =>
  `${'raised_at' in item ? item.raised_at : item.flagged_at} ${item.id}`;

function oldestOf<T extends FleetAlert | FleetTicket>(kept: ReadonlyMap<string, T>): T | undefined {
  let oldest: T | undefined;
  for (const item of kept.values()) if (oldest === undefined || ageOf(item) < ageOf(oldest)) oldest = item;
  return oldest;
}

export class OpenOfProjects {
  readonly #store: Pick<Store, 'view'>;
  readonly #bounds: OpenBounds;
  readonly #projects = new Map<string, Open>();
  #count = 0;

  constructor(store: Pick<Store, 'view'>, bounds = BOUNDS) {
    this.#store = store;
    this.#bounds = bounds;
  }

  noteAlert(alert: Stored<AlertData>): void {
    const open = this.#of(alert.project_id);
    open.touched?.add(alert.id);
    this.#set(open, open.alerts, smallAlert(alert));
  }

  noteTicket(ticket: Stored<RepairTicketData>): void {
    const open = this.#of(ticket.project_id);
    open.touched?.add(ticket.id);
    this.#set(open, open.tickets, smallTicket(ticket));
  }

  close(project_id: string, id: string): void {
    const open = this.#projects.get(project_id);
    if (open === undefined) return;
    const { alerts, tickets, touched, cut_ms } = open;
    touched?.add(id);
    if (alerts.delete(id) || tickets.delete(id)) this.#count--;
    if (alerts.size + tickets.size === 0 && cut_ms === undefined) this.#projects.delete(project_id);
  }

  of(project_id: string): { readonly alerts: Iterable<FleetAlert>; readonly tickets: Iterable<FleetTicket> } {
    const open = this.#projects.get(project_id);
    if (open === undefined) return { alerts: [], tickets: [] };
    return { alerts: open.alerts.values(), tickets: open.tickets.values() };
  }

  /** The severities of alerts in memory that only a newer version knows. */
  newerSeverities(): string[] {
    return this.#newer(SEVERITY, ({ alerts }) => [...alerts.values()].map(({ severity }) => severity));
  }

  /** The priorities of tickets in memory that only a newer version knows. */
  newerPriorities(): string[] {
    return this.#newer(PRIORITY, ({ tickets }) => [...tickets.values()].map(({ priority }) => priority));
  }

  isCut(project_id: string): boolean {
    return this.#projects.get(project_id)?.cut_ms !== undefined;
  }

  /** Reads the newest alerts and tickets of a project again, if one was left out and the last read is long enough ago. */
  async readAgain(project_id: string): Promise<void> {
    const open = this.#projects.get(project_id);
    const now = performance.now();
    if (open?.cut_ms === undefined || now - open.cut_ms < this.#bounds.againMs) return;
    open.cut_ms = now;
    const touched = new Set<string>();
    open.touched = touched;
    const view = this.#store.view(project_id);
    const most = this.#bounds.ofProject + 1;
    const read = async <T>(found: AsyncIterable<Stored<T>>): Promise<Stored<T>[]> => {
      const some: Stored<T>[] = [];
      for await (const one of found) if (some.push(one) >= most) break;
      return some;
    };
    open.left = false;
    const [alerts, tickets] = await Promise.all([
      read(walk<AlertData>(view, 'live', ACTIVE_ALERTS)),
      read(walk<RepairTicketData>(view, 'records', OPEN_TICKETS)),
    ]).finally(() => {
      open.touched = undefined;
    });
    open.cut_ms = open.left ? now : undefined;
    // A document that changed during the read is newer than what was read.
    for (const kept of [open.alerts, open.tickets])
      for (const id of [...kept.keys()]) if (!touched.has(id) && kept.delete(id)) this.#count--;
    for (const alert of alerts) if (!touched.has(alert.id)) this.noteAlert(alert);
    for (const ticket of tickets) if (!touched.has(ticket.id)) this.noteTicket(ticket);
  }

  /** Returns the number of open tickets of these machines. Machines without one are left out. */
  async ticketCounts(project_id: string, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    const wanted = new Set(ids);
    const count = (id: string) => void (wanted.has(id) && counts.set(id, (counts.get(id) ?? 0) + 1));
    if (!this.isCut(project_id)) {
      for (const { equipment_id } of this.of(project_id).tickets) count(equipment_id);
      return counts;
    }
    const where = { ...OPEN_TICKETS.where, 'data.equipment_id': ids };
    const found = walk<RepairTicketData>(this.#store.view(project_id), 'records', { ...OPEN_TICKETS, where });
    for await (const { data } of found) count(data.equipment_id);
    return counts;
  }

  #newer(known: readonly string[], values: (open: Open) => Iterable<string>): string[] {
    const found = new Set<string>();
    for (const open of this.#projects.values())
      for (const value of values(open)) if (!known.includes(value)) found.add(value);
    return [...found];
  }

  #of(project_id: string): Open {
    let open = this.#projects.get(project_id);
    if (open === undefined) {
      open = { alerts: new Map(), tickets: new Map(), cut_ms: undefined, touched: undefined, left: false };
      this.#projects.set(project_id, open);
    }
    return open;
  }

  /** Adds an item. If there are too many, the oldest item of the project is left out; this can be the new one. */
  #set<T extends FleetAlert | FleetTicket>(open: Open, kept: Map<string, T>, item: T): void {
    const isNew = !kept.has(item.id);
    if (isNew && (kept.size >= this.#bounds.ofProject || this.#count >= this.#bounds.all)) {
      open.left = true;
      open.cut_ms ??= performance.now();
      const oldest = oldestOf(kept);
      if (oldest === undefined || ageOf(item) <= ageOf(oldest)) return;
      kept.delete(oldest.id);
      this.#count--;
    }
    if (isNew) this.#count++;
    kept.set(item.id, item);
  }
}
