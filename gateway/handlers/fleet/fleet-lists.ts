/** Lists over all sites at head office: machines, the machines in trouble, and open repair tickets. */
import { OperationError } from '#contract/base/errors.ts';
import { foldText } from '#contract/base/names.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output, Parsed } from '#contract/operations.ts';
import type { FleetAlert, FleetMachine, FleetSite, FleetTicket } from '#contract/site/fleet-lists.ts';
import type { FleetName, FleetTrouble } from '#contract/sync-services.ts';
import { type AlertData, SEVERITY } from '#contract/work/alert.ts';
import type { Attention } from '#contract/work/attention.ts';
import { PRIORITY, type RepairTicketData } from '#contract/work/repair-ticket.ts';
import { nextTurn } from '#handlers/base/next-turn.ts';

type Context = HandlerContext<'fleet' | 'attention'>;
type MachineList = Output<'fleet_equipment_list'>;

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
      context.fleet.openTickets(project_id, ids),
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
  return all.filter((one) => isNamed(one, wanted));
}

/** True if the unit number or name of a machine has this folded text in it. */
const isNamed = ({ unit_number, name }: FleetName, wanted: string): boolean =>
  foldText(unit_number).includes(wanted) || foldText(name).includes(wanted);

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

/** The place of a machine in trouble in the list over all sites: the larger score first, then the site and the machine. */
const placeOf = ({ machine, score }: FleetTrouble) => ({
  created_at: `${String(100 - score).padStart(3, '0')} ${machine.project_id}`,
  id: machine.id,
});

/** The machines in trouble, the most urgent first. */
async function byTrouble(context: Context, input: MachineInput, projects: readonly string[]): Promise<MachineList> {
  const { fleet, page } = context;
  const { limit, q } = input;
  const after = page.after(input.cursor);
  const isAfter = (one: FleetTrouble) => {
    if (after === undefined) return true;
    const { created_at, id } = placeOf(one);
    return created_at > after.created_at || (created_at === after.created_at && id > after.id);
  };
  const wanted = q === undefined ? undefined : foldText(q);
  const found = (await fleet.trouble(projects)).filter(
    (one) => (wanted === undefined || isNamed(one.machine, wanted)) && isAfter(one),
  );
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1) : undefined;
  const machines = await joinMachines(
    context,
    shown.map(({ machine }) => machine),
  );
  return {
    object: 'list',
    // The ranking of a site has the last word: a machine may have just entered or left it.
    data: machines.filter(({ attention }) => attention?.place != null),
    not_ranked: projects.filter((id) => fleet.isCut(id)).length,
    ...(last === undefined ? END : { has_more: true, next_cursor: page.next(placeOf(last)) }),
  };
}

/** The groups of open tickets, the most urgent first. A priority that only a newer version knows counts as the most urgent one. */
const TICKETS = ['safety', 'newer', ...PRIORITY.toReversed()] as const;
/** The groups of active alerts, the gravest first. A severity that only a newer version knows counts as the gravest one. */
const ALERTS = ['newer', ...SEVERITY.toReversed()] as const;

/**
 * Reads a page of a list that has groups, one after the other. The place in the cursor is `<group>:<id>`. Returns the documents of the page,
 * and the end of the list.
 */
async function readGroups<G, T>(
  { page }: Context,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  groups: readonly G[],
  read: (group: G, after: Place | undefined, limit: number) => Promise<Stored<T>[]>,
): Promise<{ found: Stored<T>[]; end: { has_more: boolean; next_cursor: string | null } }> {
  const after = page.after(cursor);
  const [begun = '0', id = ''] = after?.id.split(':') ?? [];
  const found: { group: number; document: Stored<T> }[] = [];
  for (const [group, which] of groups.entries()) {
    if (group < Number(begun)) continue;
    const from = after !== undefined && group === Number(begun) ? { created_at: after.created_at, id } : undefined;
    const some = await read(which, from, limit + 1 - found.length);
    found.push(...some.map((document) => ({ group, document })));
    if (found.length > limit) break;
  }
  const last = found.length > limit ? found[limit - 1] : undefined;
  return {
    found: found.slice(0, limit).map(({ document }) => document),
    end:
      last === undefined
        ? END
        : {
            has_more: true,
            next_cursor: page.next({
              created_at: last.document.created_at,
              id: `${last.group}:${last.document.id}`,
            }),
          },
  };
}

/** Returns a page of a list that has groups, each document with its site. */
async function listGroups<G, T, D>(
  context: Context,
  input: { readonly limit: number; readonly cursor?: string | undefined },
  groups: readonly G[],
  read: (group: G, after: Place | undefined, limit: number) => Promise<Stored<T>[]>,
  show: (context: Context, document: Stored<T>, sites: ReadonlyMap<string, FleetSite>) => D,
) {
  const { found, end } = await readGroups(context, input, groups, read);
  const sites = await sitesOf(
    context,
    found.map(({ project_id }) => project_id),
  );
  return { object: 'list' as const, data: found.map((document) => show(context, document, sites)), ...end };
}

interface Place {
  readonly created_at: string;
  readonly id: string;
}

export const fleetListHandlers = handlerGroup(['headOffice', 'fleet', 'attention'], {
  async fleet_equipment_list(input, context) {
    const wanted = await projectsOf(context, input.site);
    const projects = context.fleet.projects().filter((id) => wanted?.includes(id) ?? true);
    return input.in_trouble === true ? byTrouble(context, input, projects) : bySite(context, input, projects);
  },

  async fleet_repair_tickets_list(input, context) {
    const projects = await projectsOf(context, input.site);
    const read = (which: (typeof TICKETS)[number], after: Place | undefined, limit: number) =>
      context.fleet.tickets(projects, which, after, limit);
    return await listGroups(context, input, TICKETS, read, toTicket);
  },

  async fleet_alerts_list(input, context) {
    const projects = await projectsOf(context, input.site);
    const read = (severity: (typeof ALERTS)[number], after: Place | undefined, limit: number) =>
      context.fleet.alerts(projects, severity, after, limit);
    return await listGroups(context, input, ALERTS, read, toAlert);
  },
});

function toAlert(
  { fleet }: Context,
  { id, project_id, data }: Stored<AlertData>,
  sites: ReadonlyMap<string, FleetSite>,
): FleetAlert {
  const { rule_name, severity, signal_name, machine_id, condition, value, threshold, unit } = data;
  const { code, change, geofence, service, acknowledged_at, raised_at, late } = data;
  return {
    object: 'fleet_alert',
    id,
    site: sites.get(project_id) as FleetSite,
    unit_number: machine_id === null ? null : (fleet.machine(project_id, machine_id)?.unit_number ?? null),
    ...{ rule_name, severity, signal_name, machine_id, condition, value, threshold, unit },
    ...{ code, change, geofence, service, acknowledged_at, raised_at, late },
  };
}

function toTicket(
  { fleet }: Context,
  { id, project_id, data }: Stored<RepairTicketData>,
  sites: ReadonlyMap<string, FleetSite>,
): FleetTicket {
  const { number, title, status, priority, safety_critical, equipment_id, flagged_at, due_at } = data;
  return {
    object: 'fleet_repair_ticket',
    id,
    site: sites.get(project_id) as FleetSite,
    ...{ number, title, status, priority, safety_critical, equipment_id },
    unit_number: fleet.machine(project_id, equipment_id)?.unit_number ?? null,
    flagged_at,
    due_at,
    assigned: data.assigned_mechanic_ids.length,
  };
}
