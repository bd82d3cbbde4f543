/** Lists over all sites at head office: machines, the machines in trouble, and open repair tickets. */
import { OperationError } from '#contract/base/errors.ts';
import { foldText } from '#contract/base/names.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output, Parsed } from '#contract/operations.ts';
import { type FleetMachine, type FleetSite, type FleetTicket, MOST_RANKED_SITES } from '#contract/site/fleet-lists.ts';
import type { FleetName } from '#contract/sync-services.ts';
import type { Attention } from '#contract/work/attention.ts';
import { OPEN_TICKET_STATUS, PRIORITY, type RepairTicketData } from '#contract/work/repair-ticket.ts';
import { nextTurn } from '#handlers/base/next-turn.ts';

type Context = HandlerContext<'fleet' | 'attention'>;
type MachineList = Output<'fleet_equipment_list'>;

/** At most this many open tickets of one site are counted on one page. */
const MOST_TICKETS = 1_000;

const END = { has_more: false, next_cursor: null } as const;

/** The projects that this call lists; null: all. Throws `project_not_found` for a project that the caller may not see. */
async function projectsOf({ caller, node }: Context, site: string | undefined): Promise<readonly string[] | null> {
  if (site === undefined) return caller.project_ids;
  const isReached = caller.project_ids?.includes(site) ?? true;
  const found = isReached ? await node.get('records', site) : undefined;
  if (found?.object !== 'project')
    throw new OperationError('project_not_found', 'The site does not exist, or this credential has no access to it.', {
      param: 'site',
    });
  return [site];
}

/** Returns the sites of these projects by project id. */
async function sitesOf({ node, fleet }: Context, projects: Iterable<string>): Promise<ReadonlyMap<string, FleetSite>> {
  const ids = [...new Set(projects)];
  const documents = await node.getMany<{ name: string }>('records', ids);
  const names = new Map(documents.map(({ id, data }) => [id, data.name]));
  return new Map(
    ids.map((project_id): [string, FleetSite] => {
      const heard = fleet.heard(project_id);
      return [
        project_id,
        {
          project_id,
          name: names.get(project_id) ?? project_id,
          connected: heard?.connected ?? null,
          last_contact_at: heard?.last_contact_at ?? null,
        },
      ];
    }),
  );
}

/** Returns the number of open tickets of these machines of one project. */
async function openTickets(context: Context, project_id: string, ids: readonly string[]): Promise<Map<string, number>> {
  const found = await context.project(project_id).find<RepairTicketData>('records', {
    object: 'repair_ticket',
    where: { 'data.status': OPEN_TICKET_STATUS, 'data.equipment_id': ids },
    limit: MOST_TICKETS,
  });
  const counts = new Map<string, number>();
  for (const { data } of found) counts.set(data.equipment_id, (counts.get(data.equipment_id) ?? 0) + 1);
  return counts;
}

/** Joins machines with their sites, live state, attention and tickets. The order stays. */
async function joinMachines(context: Context, names: readonly FleetName[]): Promise<FleetMachine[]> {
  const sites = await sitesOf(
    context,
    names.map(({ project_id }) => project_id),
  );
  const joined = new Map<string, FleetMachine>();
  for (const [project_id, site] of sites) {
    const ids = names.filter((one) => one.project_id === project_id).map(({ id }) => id);
    const view = context.project(project_id);
    const [documents, tickets, attention] = await Promise.all([
      view.getMany<EquipmentData>('records', ids),
      openTickets(context, project_id, ids),
      context.attention.read(project_id, ids),
    ]);
    for (const document of documents) joined.set(document.id, toMachine(context, document, site, tickets, attention));
    await nextTurn();
  }
  return names.flatMap(({ id }) => joined.get(id) ?? []);
}

function toMachine(
  { live }: Context,
  { id, data }: Stored<EquipmentData>,
  site: FleetSite,
  tickets: ReadonlyMap<string, number>,
  attention: ReadonlyMap<string, Attention>,
): FleetMachine {
  const now = live.equipment(id);
  return {
    object: 'fleet_machine',
    id,
    site,
    unit_number: data.unit_number,
    name: data.name,
    kind: data.kind,
    status: data.status,
    live_status: now?.live_status ?? 'unknown',
    last_live_data_at: now?.last_live_data_at ?? null,
    engine_hours: now?.values['engine.hours']?.value ?? null,
    attention: attention.get(id) ?? null,
    open_tickets: tickets.get(id) ?? 0,
  };
}

/** Returns the machines that match a search, or all, of one project. */
function matching({ fleet }: Context, project_id: string, q: string | undefined): readonly FleetName[] {
  const all = fleet.machines(project_id);
  if (q === undefined) return all;
  const wanted = foldText(q);
  return all.filter((one) => foldText(one.unit_number).includes(wanted) || foldText(one.name).includes(wanted));
}

type MachineInput = Parsed<'fleet_equipment_list'>;

/** The machines by site. The cursor names the project and the machine. */
async function bySite(context: Context, input: MachineInput, projects: readonly string[]): Promise<MachineList> {
  const { limit, q } = input;
  const after = context.page.after(input.cursor);
  const found: FleetName[] = [];
  for (const project_id of projects) {
    if (after !== undefined && project_id < after.created_at) continue;
    for (const one of matching(context, project_id, q)) {
      if (project_id === after?.created_at && one.id <= after.id) continue;
      found.push(one);
      if (found.length > limit) break;
    }
    if (found.length > limit) break;
  }
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    object: 'list',
    data: await joinMachines(context, page),
    not_ranked: 0,
    ...(last === undefined
      ? END
      : { has_more: true, next_cursor: context.page.next({ created_at: last.project_id, id: last.id }) }),
  };
}

/** A machine in trouble, and its place in the list over all sites. */
interface Troubled {
  readonly machine: FleetName;
  /** The score, so that a larger one comes first as a text, and then the project. */
  readonly created_at: string;
  readonly id: string;
}

const before = (a: Pick<Troubled, 'created_at' | 'id'>, b: Pick<Troubled, 'created_at' | 'id'>): boolean =>
  a.created_at < b.created_at || (a.created_at === b.created_at && a.id < b.id);

/** The machines in trouble, the most urgent first. The score of each is that of the ranking of its site. */
async function byTrouble(context: Context, input: MachineInput, projects: readonly string[]): Promise<MachineList> {
  const { limit, q } = input;
  const after = context.page.after(input.cursor);
  const ranked = await mostAlerts(context, projects);
  const found: Troubled[] = [];
  for (const project_id of ranked) {
    const machines = matching(context, project_id, q);
    if (machines.length === 0) continue;
    const attention = await context.attention.read(
      project_id,
      machines.map(({ id }) => id),
    );
    for (const machine of machines) {
      const { place = null, score = 0 } = attention.get(machine.id) ?? {};
      if (place === null) continue;
      const one = { machine, created_at: `${String(100 - score).padStart(3, '0')} ${project_id}`, id: machine.id };
      if (after === undefined || before(after, one)) found.push(one);
    }
    await nextTurn();
  }
  found.sort((a, b) => (before(a, b) ? -1 : 1));
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    object: 'list',
    data: await joinMachines(
      context,
      page.map(({ machine }) => machine),
    ),
    not_ranked: projects.length - ranked.length,
    ...(last === undefined ? END : { has_more: true, next_cursor: context.page.next(last) }),
  };
}

/** Returns the projects whose machines are ranked: all, or if there are too many those with the most active alerts. */
async function mostAlerts({ fleet }: Context, projects: readonly string[]): Promise<readonly string[]> {
  if (projects.length <= MOST_RANKED_SITES) return projects;
  const counts = await fleet.alerts();
  return [...projects]
    .sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || (a < b ? -1 : 1))
    .slice(0, MOST_RANKED_SITES);
}

/** The groups of open tickets, the most urgent first. */
const GROUPS = ['safety', ...PRIORITY.toReversed()] as const;

/** Reads the tickets that follow a place, through the groups, until there are `limit`. The id of a place is `<group>:<ticket>`. */
async function readTickets(
  { fleet }: Context,
  projects: readonly string[] | null,
  after: { readonly created_at: string; readonly id: string } | undefined,
  limit: number,
): Promise<{ group: number; ticket: Stored<RepairTicketData> }[]> {
  const [begun = '0', id = ''] = after?.id.split(':') ?? [];
  const found: { group: number; ticket: Stored<RepairTicketData> }[] = [];
  for (const [group, which] of GROUPS.entries()) {
    if (group < Number(begun)) continue;
    const from = after !== undefined && group === Number(begun) ? { created_at: after.created_at, id } : undefined;
    const tickets = await fleet.tickets(projects, which, from, limit - found.length);
    found.push(...tickets.map((ticket) => ({ group, ticket })));
    if (found.length >= limit) break;
  }
  return found;
}

export const fleetListHandlers = handlerGroup(['headOffice', 'fleet', 'attention'], {
  async fleet_equipment_list(input, context) {
    const wanted = await projectsOf(context, input.site);
    const projects = context.fleet.projects().filter((id) => wanted?.includes(id) ?? true);
    return input.in_trouble === true ? byTrouble(context, input, projects) : bySite(context, input, projects);
  },

  async fleet_repair_tickets_list({ site, limit, cursor }, context) {
    const projects = await projectsOf(context, site);
    const found = await readTickets(context, projects, context.page.after(cursor), limit + 1);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    const sites = await sitesOf(
      context,
      page.map(({ ticket }) => ticket.project_id),
    );
    const units = new Map<string, string>();
    for (const project_id of sites.keys())
      for (const { id, unit_number } of context.fleet.machines(project_id)) units.set(id, unit_number);
    return {
      object: 'list',
      data: page.map(({ ticket }) => toTicket(ticket, sites, units)),
      ...(last === undefined
        ? END
        : {
            has_more: true,
            next_cursor: context.page.next({
              created_at: last.ticket.created_at,
              id: `${last.group}:${last.ticket.id}`,
            }),
          }),
    };
  },
});

function toTicket(
  { id, project_id, data }: Stored<RepairTicketData>,
  sites: ReadonlyMap<string, FleetSite>,
  units: ReadonlyMap<string, string>,
): FleetTicket {
  const { number, title, status, priority, safety_critical, equipment_id, flagged_at, due_at } = data;
  return {
    object: 'fleet_repair_ticket',
    id,
    site: sites.get(project_id) as FleetSite,
    ...{ number, title, status, priority, safety_critical, equipment_id },
    unit_number: units.get(equipment_id) ?? null,
    flagged_at,
    due_at,
    assigned: data.assigned_mechanic_ids.length,
  };
}
