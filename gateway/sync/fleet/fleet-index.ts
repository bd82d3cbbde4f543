/**
 * What lists of head office over all sites need of each machine, in memory, so that a search and the order of a list read no document: its
 * names and status (about 350 bytes), and its active alerts and open repair tickets (about 600 bytes each). It is filled at the start and
 * follows the changes of the store, also those of other processes.
 */
import type { Change, Stored } from '#contract/base/view.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import type { FleetName, FleetReader } from '#contract/sync-services.ts';
import { type AlertData, type AlertRuleData, isTank, type TankRule } from '#contract/work/alert.ts';
import { isOpenTicket, OPEN_TICKET, type RepairTicketData } from '#contract/work/repair-ticket.ts';
import type { Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';
import { ACTIVE_ALERTS, OPEN_TICKETS, type OpenBounds, OpenOfProjects } from './fleet-open.ts';

const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The machines by project. The ids of machines and projects are in the order of their creation. */
class Machines {
  readonly #byProject = new Map<string, Map<string, FleetName>>();
  readonly #sorted = new Map<string, readonly FleetName[]>();
  #projects: readonly string[] | undefined;

  get(project_id: string, id: string): FleetName | undefined {
    return this.#byProject.get(project_id)?.get(id);
  }

  note({ id, project_id, data }: Pick<Stored<EquipmentData>, 'id' | 'project_id' | 'data'>): void {
    let own = this.#byProject.get(project_id);
    if (own === undefined) {
      own = new Map();
      this.#byProject.set(project_id, own);
      this.#projects = undefined;
    }
    const { unit_number, name, kind, status, status_since, taken } = data;
    own.set(id, {
      ...{ id, project_id, unit_number, name, kind, status },
      status_since_ms: status_since == null ? null : Date.parse(status_since),
      taken: taken == null ? null : { by: taken.by, at_ms: Date.parse(taken.at) },
    });
    this.#sorted.delete(project_id);
  }

  remove(project_id: string, id: string): void {
    this.#byProject.get(project_id)?.delete(id);
    this.#sorted.delete(project_id);
  }

  projects(): readonly string[] {
    this.#projects ??= [...this.#byProject.keys()].sort(inOrder);
    return this.#projects;
  }

  of(project_id: string): readonly FleetName[] {
    const known = this.#sorted.get(project_id);
    if (known !== undefined) return known;
    const sorted = [...(this.#byProject.get(project_id)?.values() ?? [])].sort((a, b) => inOrder(a.id, b.id));
    this.#sorted.set(project_id, sorted);
    return sorted;
  }
}

/** The expected seconds between two messages of devices that have a machine, by project and device. */
class Intervals {
  readonly #byProject = new Map<string, Map<string, { readonly machine: string; readonly seconds: number }>>();

  note({ id, project_id, data }: Pick<Stored<DeviceData>, 'id' | 'project_id' | 'data'>): void {
    const { equipment_id: machine, expected_interval_s: seconds } = data;
    if (machine === null || seconds === null) this.remove(project_id, id);
    else {
      const own = this.#byProject.get(project_id) ?? new Map();
      this.#byProject.set(project_id, own.set(id, { machine, seconds }));
    }
  }

  remove(project_id: string, id: string): void {
    this.#byProject.get(project_id)?.delete(id);
  }

  /** Returns the longest interval of the devices of each machine. */
  of(project_id: string): ReadonlyMap<string, number> {
    const longest = new Map<string, number>();
    for (const { machine, seconds } of this.#byProject.get(project_id)?.values() ?? [])
      longest.set(machine, Math.max(longest.get(machine) ?? 0, seconds));
    return longest;
  }
}

/** The alert rules about tanks, by project. */
class TankRules {
  readonly #byProject = new Map<string, Map<string, TankRule>>();

  note({ id, project_id, data }: Pick<Stored<AlertRuleData>, 'id' | 'project_id' | 'data'>): void {
    const { signal, op, value, scope, enabled } = data;
    if (!isTank(signal)) {
      this.remove(project_id, id);
      return;
    }
    const own = this.#byProject.get(project_id) ?? new Map<string, TankRule>();
    this.#byProject.set(project_id, own.set(id, { signal, op, value, scope, enabled }));
  }

  remove(project_id: string, id: string): void {
    this.#byProject.get(project_id)?.delete(id);
  }

  of(project_id: string): readonly TankRule[] {
    return [...(this.#byProject.get(project_id)?.values() ?? [])];
  }
}

/** The machines of all sites, their active alerts and their open tickets. */
export interface FleetIndex extends Omit<FleetReader, 'trouble'>, Disposable {
  /** Returns the active alerts and the open tickets of a project. */
  open(project_id: string): Promise<ReturnType<OpenOfProjects['of']>>;
  /** Returns the expected seconds between two messages of machines whose devices have such an interval. */
  intervals(project_id: string): ReadonlyMap<string, number>;
  /** Returns the alert rules of a project about tanks. */
  tankRules(project_id: string): readonly TankRule[];
  /** Returns a number that changes with each change of a project in this index. */
  version(project_id: string): number;
}

/** Reads the machines of all sites, their active alerts and open tickets, and follows the changes of the store. */
export async function openFleetIndex(
  store: Pick<Store, 'find' | 'changes' | 'view'>,
  heard: FleetReader['heard'],
  bounds?: OpenBounds,
): Promise<FleetIndex> {
  const machines = new Machines();
  const intervals = new Intervals();
  const rules = new TankRules();
  const open = new OpenOfProjects(store, bounds);
  const versions = new Map<string, number>();
  /** The documents that changed while the index was filled. What was read of them may be older. */
  let changed: Set<string> | undefined = new Set();

  function take({ collection, operation, document }: Change): void {
    const { object, id, project_id } = document;
    const isGone = operation === 'DELETE';
    if (collection === 'records' && object === 'equipment') {
      if (isGone) machines.remove(project_id, id);
      else machines.note(document as unknown as Stored<EquipmentData>);
    } else if (collection === 'records' && object === 'device') {
      if (isGone) intervals.remove(project_id, id);
      else intervals.note(document as unknown as Stored<DeviceData>);
    } else if (collection === 'records' && object === 'alert_rule') {
      if (isGone) rules.remove(project_id, id);
      else rules.note(document as unknown as Stored<AlertRuleData>);
    } else if (collection === 'records' && object === 'repair_ticket') {
      const ticket = document as unknown as Stored<RepairTicketData>;
      if (isGone || !isOpenTicket(ticket.data.status)) open.close(project_id, id);
      else open.noteTicket(ticket);
    } else if (collection === 'live' && object === 'alert') {
      const alert = document as unknown as Stored<AlertData>;
      if (isGone || alert.data.state !== 'active') open.close(project_id, id);
      else open.noteAlert(alert);
    } else return;
    changed?.add(id);
    versions.set(project_id, (versions.get(project_id) ?? 0) + 1);
  }

  const unwatch = store.changes((changes) => {
    for (const change of changes) take(change);
  });
  const isNew = ({ id }: { readonly id: string }) => changed?.has(id) !== true;
  for await (const machine of walk<EquipmentData>(store, 'records', { object: 'equipment' }))
    if (isNew(machine)) machines.note(machine);
  for await (const device of walk<DeviceData>(store, 'records', { object: 'device' }))
    if (isNew(device)) intervals.note(device);
  for await (const rule of walk<AlertRuleData>(store, 'records', { object: 'alert_rule' }))
    if (isNew(rule)) rules.note(rule);
  for await (const ticket of walk<RepairTicketData>(store, 'records', OPEN_TICKETS))
    if (isNew(ticket)) open.noteTicket(ticket);
  for await (const alert of walk<AlertData>(store, 'live', ACTIVE_ALERTS)) if (isNew(alert)) open.noteAlert(alert);
  changed = undefined;

  return {
    projects: () => machines.projects(),
    machines: (project_id) => machines.of(project_id),
    machine: (project_id, id) => machines.get(project_id, id),
    heard,
    async open(project_id) {
      if (open.isCut(project_id)) await open.readAgain(project_id);
      return open.of(project_id);
    },
    intervals: (project_id) => intervals.of(project_id),
    tankRules: (project_id) => rules.of(project_id),
    version: (project_id) => versions.get(project_id) ?? 0,
    isCut: (project_id) => open.isCut(project_id),
    openTickets: (project_id, ids) => open.ticketCounts(project_id, ids),
    tickets: (projects, which, after, limit) =>
      store.find<RepairTicketData>('records', {
        object: 'repair_ticket',
        where: {
          'data.status': OPEN_TICKET,
          'data.safety_critical': which === 'safety',
          ...(which !== 'safety' && { 'data.priority': which === 'newer' ? open.newerPriorities() : which }),
          ...(projects !== null && { project_id: projects }),
        },
        order: 'asc',
        ...(after !== undefined && { after }),
        limit,
      }),
    alerts: (projects, severity, after, limit) =>
      store.find<AlertData>('live', {
        object: 'alert',
        where: {
          'data.state': 'active',
          'data.severity': severity === 'newer' ? open.newerSeverities() : severity,
          ...(projects !== null && { project_id: projects }),
        },
        ...(after !== undefined && { after }),
        limit,
      }),
    [Symbol.dispose]: unwatch,
  };
}
