/** Lists of head office over all its sites. `gateway/sync/SPEC.md` has the rules. */
import { z } from 'zod';
import { listOf, searchQuery, Timestamp } from '#contract/base/common.ts';
import { operation, V1 } from '#contract/base/operation.ts';
import { shown, shownFields } from '#contract/base/shown.ts';
import { EQUIPMENT_STATUS, LIVE_STATUS } from '#contract/fleet/equipment.ts';
import { AlertData } from '#contract/work/alert.ts';
import { Attention } from '#contract/work/attention.ts';
import { PRIORITY, TICKET_STATUS } from '#contract/work/repair-ticket.ts';

const FleetSite = z
  .object({
    project_id: z.string(),
    name: z.string(),
    connected: z.boolean().nullable().meta({
      description: 'False: head office shows what it knew at `last_contact_at`. Null: no site has this project.',
    }),
    last_contact_at: Timestamp.nullable().meta({ description: 'When head office last heard the site.' }),
  })
  .meta({ id: 'FleetSite', description: 'The site of an item, and how old its data can be.' });
export type FleetSite = z.infer<typeof FleetSite>;

const FleetMachine = z
  .object({
    object: z.literal('fleet_machine'),
    id: z.string(),
    site: FleetSite,
    unit_number: z.string(),
    name: z.string(),
    kind: z.string().nullable(),
    status: shown(EQUIPMENT_STATUS, 'Written by people and operator workflows.'),
    live_status: z.enum(LIVE_STATUS),
    last_live_data_at: Timestamp.nullable(),
    engine_hours: z.number().nullable().meta({ unit: 'h' }),
    attention: Attention.nullable().meta({ description: 'Null for a decommissioned machine.' }),
    open_tickets: z.number().int().meta({ description: 'Repair tickets whose work is not done.' }),
  })
  .meta({ id: 'FleetMachine', description: 'A machine of one of the sites of head office.' });
export type FleetMachine = z.infer<typeof FleetMachine>;

const FleetTicket = z
  .object({
    object: z.literal('fleet_repair_ticket'),
    id: z.string(),
    site: FleetSite,
    number: z.string(),
    title: z.string(),
    status: shown(TICKET_STATUS),
    priority: shown(PRIORITY),
    safety_critical: z.boolean(),
    equipment_id: z.string(),
    unit_number: z.string().nullable().meta({ description: 'Null if the machine has not arrived yet.' }),
    flagged_at: Timestamp,
    due_at: Timestamp.nullable(),
    assigned: z.number().int().meta({ description: 'Number of mechanics of the ticket.' }),
  })
  .meta({ id: 'FleetRepairTicket', description: 'An open repair ticket of one of the sites of head office.' });
export type FleetTicket = z.infer<typeof FleetTicket>;

const FleetAlert = z
  .object({
    object: z.literal('fleet_alert'),
    id: z.string(),
    site: FleetSite,
    unit_number: z.string().nullable().meta({ description: 'Null without a machine, and if it has not arrived yet.' }),
    ...shownFields(
      AlertData.pick({
        ...{ rule_name: true, severity: true, signal_name: true, machine_id: true, condition: true, value: true },
        ...{ threshold: true, unit: true, code: true, change: true, geofence: true, service: true },
        ...{ acknowledged_at: true, raised_at: true, late: true },
      }).shape,
    ),
  })
  .meta({ id: 'FleetAlert', description: 'An active alert of one of the sites of head office.' });
export type FleetAlert = z.infer<typeof FleetAlert>;

const { limit, cursor, q } = searchQuery;
const site = z.string().max(80).optional().meta({ description: 'Project id of one site.' });
const source = { extension: 'head office sees all sites in one list' };

/** Operations of head office on all its sites. */
export const fleetListOperations = {
  fleet_equipment_list: operation({
    method: 'GET',
    path: `${V1}/fleet/equipment`,
    summary: 'List machines of all sites',
    description:
      'Machines by site, the earliest site and machine first. With `in_trouble`, only machines that need people now, the most urgent first.',
    scope: 'node',
    input: z.object({
      limit,
      cursor,
      site,
      q,
      in_trouble: z.boolean().optional(),
    }),
    output: listOf(FleetMachine).extend({
      not_ranked: z.number().int().meta({
        description:
          'With `in_trouble`: sites with more than 1,000 active alerts or open tickets. Of these only the newest 1,000 count, so machines may be missing. Use `site`.',
      }),
    }),
    source,
  }),
  fleet_repair_tickets_list: operation({
    method: 'GET',
    path: `${V1}/fleet/repair-tickets`,
    summary: 'List open repair tickets of all sites',
    description:
      'Safety-critical tickets first, then by priority; of one priority the ticket that was made first is the first.',
    scope: 'node',
    input: z.object({ limit, cursor, site }),
    inputLike: 'fleet_equipment_list',
    output: listOf(FleetTicket),
    source,
  }),
  fleet_alerts_list: operation({
    method: 'GET',
    path: `${V1}/fleet/alerts`,
    summary: 'List active alerts of all sites',
    description: 'The gravest first; of one severity the newest first. Alerts are acknowledged at the site.',
    scope: 'node',
    input: z.object({ limit, cursor, site }),
    inputLike: 'fleet_equipment_list',
    output: listOf(FleetAlert),
    source,
  }),
} as const;
