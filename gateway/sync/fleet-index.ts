/**
 * The names of the machines of all sites, for the lists of head office. They are in memory, as the live state of machines is, so that a
 * search by unit number reads no document. A machine takes about 200 bytes.
 */
import type { Stored } from '#contract/base/view.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import type { FleetName, FleetReader } from '#contract/sync-services.ts';
import type { AlertData } from '#contract/work/alert.ts';
import { OPEN_TICKET_STATUS, type RepairTicketData } from '#contract/work/repair-ticket.ts';
import type { Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';

const MOST_ALERTS = 1_000;

const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The machines by project. The ids of machines and projects are in the order of their creation. */
class Names {
  readonly #byProject = new Map<string, Map<string, FleetName>>();
  readonly #sorted = new Map<string, readonly FleetName[]>();
  #projects: readonly string[] | undefined;

  has(project_id: string, id: string): boolean {
    return this.#byProject.get(project_id)?.has(id) === true;
  }

  note({
    id,
    project_id,
    data: { unit_number, name },
  }: Pick<Stored<EquipmentData>, 'id' | 'project_id' | 'data'>): void {
    let own = this.#byProject.get(project_id);
    if (own === undefined) {
      own = new Map();
      this.#byProject.set(project_id, own);
      this.#projects = undefined;
    }
    own.set(id, { id, project_id, unit_number, name });
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

/** Reads the names of all machines, and follows their changes. */
export async function openFleetIndex(
  store: Pick<Store, 'find' | 'changes'>,
  heard: FleetReader['heard'],
): Promise<FleetReader & Disposable> {
  const names = new Names();
  const removed = new Set<string>();
  let isRead = false;
  const unwatch = store.changes((changes) => {
    for (const { collection, operation, document } of changes) {
      if (collection !== 'records' || document.object !== 'equipment') continue;
      if (operation !== 'DELETE') names.note(document as unknown as Stored<EquipmentData>);
      else {
        names.remove(document.project_id, document.id);
        if (!isRead) removed.add(document.id);
      }
    }
  });
  // A change that came meanwhile is newer than what was read.
  for await (const machine of walk<EquipmentData>(store, 'records', { object: 'equipment' }))
    if (!removed.has(machine.id) && !names.has(machine.project_id, machine.id)) names.note(machine);
  isRead = true;
  removed.clear();
  return {
    projects: () => names.projects(),
    machines: (project_id) => names.of(project_id),
    heard,
    tickets: (projects, which, after, limit) =>
      store.find<RepairTicketData>('records', {
        object: 'repair_ticket',
        where: {
          'data.status': OPEN_TICKET_STATUS,
          'data.safety_critical': which === 'safety',
          ...(which !== 'safety' && { 'data.priority': which }),
          ...(projects !== null && { project_id: projects }),
        },
        order: 'asc',
        ...(after !== undefined && { after }),
        limit,
      }),
    async alerts() {
      const where = { 'data.state': 'active' };
      const found = await store.find<AlertData>('live', { object: 'alert', where, limit: MOST_ALERTS });
      const counts = new Map<string, number>();
      for (const { project_id } of found) counts.set(project_id, (counts.get(project_id) ?? 0) + 1);
      return counts;
    },
    [Symbol.dispose]: unwatch,
  };
}
