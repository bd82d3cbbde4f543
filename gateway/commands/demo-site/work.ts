/** Creates the people and the work of the demo quarry with the REST API, so that each page shows what it is for. */
import type { Client } from '#contract/client.ts';
import { dateOf, shiftAt } from '#simulator/people.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Engine hours that a machine of the quarry works on a usual day. */
const HOURS_A_DAY = 15;

/** A machine of the demo: the id of its record, and its engine hours. */
export interface DemoMachine {
  readonly id: string;
  readonly hours: number;
}

/** Name, crew and machine of each operator. */
const OPERATORS: readonly (readonly [name: string, crew: 'A' | 'B', unit: string])[] = [
  ['Maria Santos', 'A', 'HT-01'],
  ['Tom Becker', 'A', 'HT-02'],
  ['Aisha Khan', 'A', 'HT-03'],
  ['Luis Ortega', 'A', 'EX-01'],
  ['Grace Wanjiru', 'A', 'WL-01'],
  ['Piotr Nowak', 'B', 'HT-01'],
  ['Sofie Larsen', 'B', 'HT-02'],
  ['Jack Murphy', 'B', 'HT-04'],
  ['Hana Sato', 'B', 'EX-01'],
  ['David Mensah', 'B', 'DZ-01'],
];

const MECHANICS = [
  { name: 'Ana Ruiz', crew: 'A', trades: ['diesel', 'electrical'] },
  { name: 'Ben Carter', crew: 'A', trades: ['hydraulics'] },
  { name: 'Chen Wei', crew: 'B', trades: ['diesel', 'welding'] },
] as const;
type MechanicName = (typeof MECHANICS)[number]['name'];

interface DemoTicket {
  readonly unit: string;
  readonly title: string;
  readonly description: string;
  readonly priority: 'low' | 'medium' | 'high' | 'critical';
  readonly type?: 'preventive' | 'damage';
  readonly reported_by: string;
  readonly hours_ago: number;
  readonly mechanic?: MechanicName;
  /** The statuses that the ticket goes through. */
  readonly steps: readonly ('in_progress' | 'on_hold' | 'fixed' | 'closed')[];
  readonly minutes?: number;
  readonly parts?: readonly { readonly name: string; readonly quantity: number }[];
}

const TICKETS: readonly DemoTicket[] = [
  {
    unit: 'WL-02',
    title: 'Engine oil pressure too low',
    description: 'Red lamp at the stockpile. Engine stopped at once. Oil level is correct.',
    priority: 'critical',
    reported_by: 'Grace Wanjiru',
    hours_ago: 5,
    steps: [],
  },
  {
    unit: 'HT-05',
    title: 'Service after 500 hours',
    description: 'Oil, filters, brakes.',
    priority: 'medium',
    type: 'preventive',
    reported_by: 'Chen Wei',
    hours_ago: 26,
    mechanic: 'Ben Carter',
    steps: ['in_progress'],
    minutes: 150,
    parts: [{ name: 'Engine oil filter', quantity: 2 }],
  },
  {
    unit: 'EX-02',
    title: 'Bucket tooth missing',
    description: 'Second tooth from the left.',
    priority: 'low',
    type: 'damage',
    reported_by: 'Hana Sato',
    hours_ago: 44,
    mechanic: 'Chen Wei',
    steps: ['in_progress', 'on_hold'],
    parts: [{ name: 'Bucket tooth', quantity: 1 }],
  },
  {
    unit: 'HT-02',
    title: 'Seat belt does not lock',
    description: 'The buckle opens when the truck is empty and the road is rough.',
    priority: 'high',
    reported_by: 'Tom Becker',
    hours_ago: 9,
    mechanic: 'Ana Ruiz',
    steps: ['in_progress', 'fixed'],
    minutes: 40,
    parts: [{ name: 'Seat belt buckle', quantity: 1 }],
  },
  {
    unit: 'HT-01',
    title: 'Mirror bracket broken',
    description: 'Left side.',
    priority: 'medium',
    type: 'damage',
    reported_by: 'Piotr Nowak',
    hours_ago: 52,
    mechanic: 'Ana Ruiz',
    steps: ['in_progress', 'fixed', 'closed'],
    minutes: 25,
  },
];

/** Returns since when a machine stands still: since somebody reported its ticket. */
export function standsSince(unit: string, now: number): string | undefined {
  const ticket = TICKETS.find((one) => one.unit === unit);
  return ticket === undefined ? undefined : new Date(now - ticket.hours_ago * HOUR_MS).toISOString();
}

/** Plans by kind of machine, and the engine hours that have passed since the last service of each machine. */
const PLANS = [
  {
    plan: { name: 'Engine oil and filters', kind: 'haul_truck', every_hours: 250, every_months: 6 },
    since: { 'HT-01': 228, 'HT-02': 90, 'HT-03': 255, 'HT-04': 140, 'HT-05': 12, 'HT-06': 196 },
  },
  {
    plan: { name: 'Hydraulic filters', kind: 'excavator', every_hours: 500, every_months: 12 },
    since: { 'EX-01': 310, 'EX-02': 462 },
  },
] as const;

/** The machines that were inspected before the shift, by whom, and which item of the checklist is not in order. */
const INSPECTIONS: readonly { unit: string; kind: string; by: string; failed?: { item: string; note: string } }[] = [
  { unit: 'HT-01', kind: 'haul_truck', by: 'Maria Santos' },
  { unit: 'EX-01', kind: 'excavator', by: 'Luis Ortega' },
  {
    unit: 'HT-06',
    kind: 'haul_truck',
    by: 'Aisha Khan',
    failed: { item: 'Two-way radio', note: 'Only noise on channel 2.' },
  },
];

/**
 * Creates the people and the work, once for a demo. `machines`: by unit number; `location_id`: the quarry; `zone_ms`: local time minus UTC. What a demo that was killed had
 * created stays as it is.
 */
export async function addWork(
  client: Client,
  machines: ReadonlyMap<string, DemoMachine>,
  location_id: string,
  { now, zone_ms }: { readonly now: number; readonly zone_ms: number },
): Promise<void> {
  // The report comes last. So if it is there, all the rest is, too.
  if ((await client.call('shift_reports_list', { limit: 1 })).data.length > 0) return;
  const of = (unit: string): DemoMachine => {
    const machine = machines.get(unit);
    if (machine === undefined) throw new Error(`the demo has no machine ${unit}`);
    return machine;
  };
  const hours_ago = (hours: number): string => new Date(now - hours * HOUR_MS).toISOString();
  const shift = shiftAt(now, zone_ms);
  await addOperators(client, of, shift.name === 'day' ? 'A' : 'B');
  const mechanics = await addMechanics(client);
  await addTickets(client, of, mechanics, hours_ago);
  await addPlans(client, of, now);
  await addInspections(client, of, hours_ago);
  const before = { shift: shift.name === 'day' ? 'night' : 'day', date: dateOf(shift.index - 1) };
  const { report } = await client.call('shift_reports_draft', { location_id, ...before });
  await client.call('shift_reports_create', {
    ...report,
    supervisor_id: 'Elena Rossi',
    moved: [
      { material: 'limestone', loads: 143, quantity: 8_151, unit: 't' },
      { material: 'overburden', loads: 37, quantity: 2_072, unit: 't' },
    ],
    safety: { incidents: 0, inspections_failed: 1 },
    weather: 'dry, wind from the west',
    summary:
      'WL-02 stopped with low oil pressure. HT-05 goes to service. The road to the dump needs water in the morning.',
  });
}

async function addOperators(client: Client, of: (unit: string) => DemoMachine, onShift: 'A' | 'B'): Promise<void> {
  const there = new Set((await client.call('operators_list', { limit: 200 })).data.map(({ name }) => name));
  for (const [name, crew, unit] of OPERATORS) {
    if (there.has(name)) continue;
    const status = crew === onShift ? 'active' : 'off_shift';
    const { id } = await client.call('operators_create', { name, crew, status });
    if (crew === onShift) await client.call('equipment_update', { id: of(unit).id, operator_id: id });
  }
}

async function addMechanics(client: Client): Promise<ReadonlyMap<string, string>> {
  const ids = new Map((await client.call('mechanics_list', { limit: 200 })).data.map(({ name, id }) => [name, id]));
  for (const { trades, ...mechanic } of MECHANICS)
    if (!ids.has(mechanic.name)) {
      const { id } = await client.call('mechanics_create', { ...mechanic, trades: [...trades] });
      ids.set(mechanic.name, id);
    }
  return ids;
}

async function addTickets(
  client: Client,
  of: (unit: string) => DemoMachine,
  mechanics: ReadonlyMap<string, string>,
  hours_ago: (hours: number) => string,
): Promise<void> {
  const there = new Set((await client.call('repair_tickets_list', { limit: 200 })).data.map(({ title }) => title));
  for (const { unit, hours_ago: hours, mechanic, steps, minutes, parts, ...ticket } of TICKETS) {
    if (there.has(ticket.title)) continue;
    const mechanic_id = mechanic === undefined ? null : (mechanics.get(mechanic) ?? null);
    const { id } = await client.call('repair_tickets_create', {
      ...ticket,
      equipment_id: of(unit).id,
      flagged_at: hours_ago(hours),
      ...(mechanic_id !== null && { assigned_mechanic_ids: [mechanic_id] }),
    });
    // A closed ticket takes no more work.
    if (minutes !== undefined || parts !== undefined)
      await client.call('repair_tickets_update', {
        id,
        ...(minutes !== undefined && { labor: [{ mechanic_id, minutes }] }),
        ...(parts !== undefined && {
          parts: parts.map((part) => ({ ...part, status: steps.includes('on_hold') ? 'requested' : 'used' })),
        }),
      });
    for (const status of steps) {
      const hold = status === 'on_hold' ? { hold_reason: 'parts' as const } : {};
      await client.call('repair_tickets_update', { id, status, ...hold });
    }
  }
}

async function addPlans(client: Client, of: (unit: string) => DemoMachine, now: number): Promise<void> {
  const there = new Set((await client.call('maintenance_plans_list', { limit: 200 })).data.map(({ name }) => name));
  for (const { plan, since } of PLANS) {
    if (there.has(plan.name)) continue;
    const { id } = await client.call('maintenance_plans_create', plan);
    for (const [unit, hours] of Object.entries(since))
      await client.call('maintenance_plans_record', {
        id,
        equipment_id: of(unit).id,
        hours: Math.round(of(unit).hours - hours),
        done_at: new Date(now - (hours / HOURS_A_DAY) * DAY_MS).toISOString(),
        done_by: 'Chen Wei',
      });
  }
}

async function addInspections(
  client: Client,
  of: (unit: string) => DemoMachine,
  hours_ago: (hours: number) => string,
): Promise<void> {
  if ((await client.call('inspections_list', { limit: 1 })).data.length > 0) return;
  await client.call('inspection_checklists_add_defaults', {});
  const checklists = (await client.call('inspection_checklists_list', { limit: 200 })).data;
  for (const [i, { unit, kind, by, failed }] of INSPECTIONS.entries()) {
    const checklist = checklists.find((one) => one.kind === kind);
    if (checklist === undefined) continue;
    const bad = checklist.items.find(({ text }) => text === failed?.item);
    await client.call('inspections_create', {
      equipment_id: of(unit).id,
      checklist_id: checklist.id,
      done_by: by,
      completed_at: hours_ago(2 - i / 4),
      answers: checklist.items.map((item) => ({
        item_id: item.id ?? '',
        answer: item === bad ? 'not_ok' : 'ok',
        ...(item === bad && failed && { note: failed.note }),
      })),
    });
  }
}
