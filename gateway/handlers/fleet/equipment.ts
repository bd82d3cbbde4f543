/** Operations on machines. People write the record and the status. When a machine is read, the handler adds the telemetry fields. */

import type { FieldSource, LineageSource } from '#contract/base/common.ts';
import { OperationError } from '#contract/base/errors.ts';
import { freshnessOf, USUAL_MACHINE_INTERVAL_S } from '#contract/base/freshness.ts';
import { ADMINS } from '#contract/base/operation.ts';
import { SIGNAL_NAMES, signalRow } from '#contract/base/signals.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import type { Dtc, EquipmentData, EquipmentLive, LiveValue, TelemetryFields } from '#contract/fleet/equipment.ts';
import { faultWords } from '#contract/fleet/fault-words.ts';
import { SILENT } from '#contract/fleet/silent-equipment.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Output, Parsed } from '#contract/operations.ts';
import type { ShiftSpent } from '#contract/work/shift-report.ts';
import { utilizationOf } from '#domain/work/shift-tally.ts';
import { leaveMachines, requireActive } from '#handlers/base/assignments.ts';
import { deliveryFor } from '#handlers/base/deliveries.ts';
import { applyFields, checkRevision, mediaFrom, requireRecord, type WithMedia } from '#handlers/base/documents.ts';
import { stageEvent } from '#handlers/base/events.ts';
import { listPage } from '#handlers/base/lists.ts';
import { claimNames, holderOf } from '#handlers/base/names.ts';
import { tasksOfRuns } from '#handlers/base/run-tasks.ts';
import { mediaOf } from '#handlers/base/shown-media.ts';
import { hoursCalc, toCalc } from './equipment-calc.ts';
import { type StatusChange, statusChange } from './status-time.ts';

type Equipment = Output<'equipment_update'>;
type Data = EquipmentData & WithMedia;

const ROWS = SIGNAL_NAMES.map((name) => {
  const row = signalRow(name);
  return { name, ...row, field: row.field as keyof TelemetryFields };
});

/** The API fields of a machine that telemetry provides. */
interface TelemetryPart {
  /** The value of each telemetry field; null if there is none. */
  readonly values: TelemetryFields;
  readonly fields: Readonly<Record<string, FieldSource>>;
  readonly lineage: readonly LineageSource[];
  readonly meters: Equipment['meters'];
  /** The source of the newest value; `context` names its run and device. */
  readonly newest: FieldSource | undefined;
}

/** Every telemetry field as null. */
const NO_VALUES = Object.fromEntries(ROWS.map(({ field }) => [field, null])) as TelemetryFields;
const NO_TELEMETRY: TelemetryPart = { values: NO_VALUES, fields: {}, lineage: [], meters: [], newest: undefined };

function telemetryOf(live: EquipmentLive, now_ms: number): TelemetryPart {
  const values: Record<keyof TelemetryFields, number | null> = { ...NO_VALUES };
  const fields: Record<string, FieldSource> = {};
  const meters: Equipment['meters'] = [];
  const lineage: LineageSource[] = [];
  let newest: FieldSource | undefined;
  for (const { name, field, kind, unit } of ROWS) {
    const found = live.values[name];
    if (found === undefined) continue;
    const { value, meter, ...source } = found;
    values[field] = value;
    fields[field] = { ...source, ...freshnessOf(name, found, now_ms) };
    if ((newest?.received_at ?? '') <= found.received_at) newest = source;
    if (kind === 'meter') meters.push(meterOf(found, meter, field, unit));
    addSource(lineage, source);
  }
  return { values, fields, lineage, meters, newest };
}

/** Counts the value in the row of its run and device, which names the newest message of these values. */
function addSource(lineage: LineageSource[], source: FieldSource): void {
  const { run_id, device_id, observed_at, ref } = source;
  const at = lineage.findIndex((one) => one.run_id === run_id && one.device_id === device_id);
  const known = lineage[at];
  if (known === undefined) lineage.push({ run_id, task_id: null, device_id, values: 1, observed_at, ref });
  else {
    const isNewer = ref !== null && (known.ref === null || (known.observed_at ?? '') < (observed_at ?? ''));
    lineage[at] = { ...known, values: known.values + 1, ...(isNewer ? { observed_at, ref } : {}) };
  }
}

/** Documents of earlier builds have no `meter`; their value has no offset. */
function meterOf(found: LiveValue, meter: LiveValue['meter'], kind: string, unit: string): Equipment['meters'][number] {
  const { value, observed_at, device_id, pgn, dbc } = found;
  const {
    basis = pgn === null && dbc === undefined ? 'feed' : 'control_unit',
    reading = value,
    offset = 0,
    since = observed_at,
    needs_review = null,
  } = meter ?? {};
  return { kind, basis, value, unit, reading, offset, since, observed_at, device_id, needs_review };
}

const inWords = (code: Dtc): Dtc => ({ ...code, meaning: faultWords(code.spn, code.fmi) });

// Use one object literal with a single spread at its beginning. With this form, V8 gives all objects the same hidden class. With a second
// spread the function takes five times as long.
function toEquipment(
  document: Stored<Data>,
  live: EquipmentLive,
  device_ids: string[],
  utilization_pct: number | null,
  now_ms: number,
  shown?: readonly string[],
): Equipment {
  const { data } = document;
  const { values, fields, lineage, meters, newest } = live === SILENT ? NO_TELEMETRY : telemetryOf(live, now_ms);
  return {
    ...values,
    object: 'equipment',
    id: document.id,
    project_id: document.project_id,
    revision: document.revision,
    created_at: document.created_at,
    updated_at: document.updated_at,
    unit_number: data.unit_number,
    aliases: data.aliases,
    name: data.name,
    kind: data.kind,
    oem_name: data.oem_name,
    model: data.model,
    serial_number: data.serial_number,
    pin: data.pin,
    year: data.year,
    status: data.status,
    location_id: data.location_id,
    operator_id: data.operator_id,
    operator_since: data.operator_since ?? null,
    status_since: data.status_since ?? null,
    taken: data.taken ?? null,
    labels: data.labels,
    live_status: live.live_status,
    live_status_since: live.live_status_since,
    last_live_data_at: live.last_live_data_at,
    expected_interval_s: live.expected_interval_s ?? USUAL_MACHINE_INTERVAL_S,
    device_ids,
    utilization_pct,
    meters,
    dtcs: live.dtcs === null || live.dtcs.length === 0 ? live.dtcs : live.dtcs.map(inWords),
    dtc_counts: live.dtc_counts,
    context: {
      run_id: newest?.run_id ?? null,
      device_id: newest?.device_id ?? null,
      media: mediaOf(data.media, shown),
      lineage: [...lineage],
      fields,
    },
  };
}

/** Joins machines with their live state. Working time is computed only for machines that have sent data. */
async function joinAll(
  context: HandlerContext<'shifts' | 'attention'>,
  documents: readonly Stored<Data>[],
  include?: Parsed<'equipment_get'>['include'],
): Promise<Equipment[]> {
  const { live, shifts, attention, media, view } = context;
  const ids = documents.map(({ id }) => id);
  const shown = await media.newest(view.project_id, 'subject', ids);
  const joined = documents.map((document) => ({ document, known: live.equipment(document.id) ?? SILENT }));
  const heard = joined
    .filter(({ document, known }) => hasSent(known) && document.data.status !== 'decommissioned')
    .map(({ document }) => document.id);
  const now_ms = Date.parse(context.now);
  const spent = heard.length === 0 ? NOTHING_SPENT : await shifts.spent(view.project_id, heard);
  const { now } = include === 'calc' ? await shifts.shift(view.project_id) : { now: null };
  const ranked = include === 'attention' ? await attention.read(view.project_id, ids) : null;
  const items = joined.map(({ document, known }) => {
    const { id } = document;
    const own = spent.get(id);
    const pct = own === undefined ? null : utilizationOf(own);
    const item = toEquipment(document, known, [...live.devicesOf(id)], pct, now_ms, shown.get(id));
    if (ranked !== null) item.attention = ranked.get(id);
    if (include === 'calc')
      item.calc = {
        utilization: own && now ? toCalc(own, now) : null,
        engine_hours: hoursCalc(known.values['engine.hours']),
      };
    return item;
  });
  await addTasks(context, items);
  return items;
}

/** Adds the tasks of the runs from which values came. */
async function addTasks({ view }: HandlerContext, items: readonly Equipment[]): Promise<void> {
  const rows = items.flatMap(({ context }) => context.lineage ?? []);
  if (rows.length === 0) return;
  const tasks = await tasksOfRuns(
    view,
    rows.map(({ run_id }) => run_id),
  );
  for (const row of rows) row.task_id = tasks.get(row.run_id ?? '') ?? null;
}

/** Returns true if the gateway has values of the machine, live or from a log file. */
const hasSent = ({ live_status_since, values }: EquipmentLive): boolean =>
  live_status_since !== null || Object.keys(values).length > 0;

const NOTHING_SPENT: ReadonlyMap<string, ShiftSpent> = new Map();

export async function join(
  context: HandlerContext<'shifts' | 'attention'>,
  document: Stored<Data>,
  include?: Parsed<'equipment_get'>['include'],
): Promise<Equipment> {
  const [item] = await joinAll(context, [document], include);
  return item as Equipment;
}

async function checkReferences(context: HandlerContext, data: Partial<Data>): Promise<void> {
  if (data.location_id) await requireActive(context.view, 'location', [data.location_id], 'location_id');
  if (data.operator_id) await requireActive(context.view, 'operator', [data.operator_id], 'operator_id');
}

/**
 * Throws if the status must not change in this way. A decommissioned machine can only become available again, and only if an owner or admin
 * gives a reason.
 */
function checkStatus(context: HandlerContext, from: string, to: string | undefined, reason: string | undefined): void {
  if (to === undefined || to === from || from !== 'decommissioned') return;
  if (to !== 'available')
    throw new OperationError(
      'parameter_invalid',
      'The status of a decommissioned machine can only change to available.',
      {
        param: 'status',
        details: [{ allowed: ['available'] }],
      },
    );
  if (context.caller.role === null || !ADMINS.includes(context.caller.role))
    throw new OperationError('permission_denied', 'Only an owner or admin can bring back a decommissioned machine.', {
      param: 'status',
    });
  if (reason === undefined)
    throw new OperationError(
      'parameter_missing',
      'Give the reason for bringing back the decommissioned machine in `reason`.',
      {
        param: 'reason',
      },
    );
}

/** Stages (adds to the commit of this call) one event per kind of change, and one `updated` event with the names of all other fields. */
function stageChanges(
  context: HandlerContext,
  id: string,
  before: Data,
  after: Data,
  fields: readonly string[],
  { told, reason }: { readonly told: StatusChange | null; readonly reason: string | undefined },
): void {
  const log = (type: string, data: Record<string, unknown>, at = context) =>
    stageEvent(at, context.view, 'equipment', id, type, data);
  if (told !== null) {
    const { from, ...times } = told;
    const said = { from, to: after.status, ...(reason === undefined ? {} : { reason }) };
    log('status_changed', said, { ...context, ...times });
  }
  if (fields.includes('operator_id'))
    if (after.operator_id === null) log('unassigned_operator', { operator_id: before.operator_id });
    else log('assigned_operator', { operator_id: after.operator_id, from: before.operator_id });
  if (fields.includes('location_id'))
    log('assigned_location', { location_id: after.location_id, from: before.location_id });
  const rest = fields.filter((name) => !['status', 'operator_id', 'location_id'].includes(name));
  if (rest.length > 0) log('updated', { fields: rest });
}

/**
 * Returns the machine that a filter names by unit number or device: null if no machine matches, undefined if the request has no such
 * filter.
 */
async function namedMachine(
  context: HandlerContext,
  { unit_number, device_id }: Parsed<'equipment_list'>,
): Promise<string | null | undefined> {
  const { view } = context;
  const byNumber =
    unit_number === undefined ? undefined : ((await holderOf(context, view, 'unit_number', unit_number)) ?? null);
  if (device_id === undefined) return byNumber;
  const device = await view.get<DeviceData>('records', device_id);
  const byDevice = device?.object === 'device' ? device.data.equipment_id : null;
  return byNumber === undefined || byNumber === byDevice ? byDevice : null;
}

/** Stages a new machine: its record, its live state and its event. Throws if another machine has its unit number. */
export async function stageMachine(context: HandlerContext, id: string, data: Data): Promise<Stored<Data>> {
  const { view } = context;
  await checkReferences(context, data);
  await claimNames(context, view, 'unit_number', id, [], [data.unit_number, ...data.aliases]);
  if (data.operator_id !== null) await leaveMachines(context, data.operator_id, id);
  const document = view.stage({ collection: 'records', id, object: 'equipment', data, expected: 0 });
  // Store the live state `unknown`, so that filters find a machine that has never sent data.
  view.stage({ collection: 'live', id, object: 'equipment', data: SILENT, expected: 0 });
  stageEvent(context, view, 'equipment', id, 'created', { unit_number: data.unit_number });
  return document;
}

export const equipmentHandlers = handlerGroup(['shifts', 'attention'], {
  async equipment_create(input, context) {
    const { view } = context;
    const id = context.newId('equipment');
    const data: Data = {
      unit_number: input.unit_number,
      aliases: input.aliases ?? [],
      name: input.name ?? input.unit_number,
      kind: input.kind ?? null,
      oem_name: input.oem_name ?? null,
      model: input.model ?? null,
      serial_number: input.serial_number ?? null,
      pin: input.pin ?? null,
      year: input.year ?? null,
      status: input.status,
      location_id: input.location_id ?? null,
      operator_id: input.operator_id ?? null,
      operator_since: input.operator_id ? context.now : null,
      status_since: context.now,
      taken: null,
      labels: input.labels ?? {},
      ...(await mediaFrom(view, input.context)),
    };
    return toEquipment(await stageMachine(context, id, data), SILENT, [], null, Date.parse(context.now));
  },

  async equipment_list(input, context) {
    const { status, live_status, kind, location_id, operator_id } = input;
    const id = await namedMachine(context, input);
    if (id === null) return { object: 'list', data: [], has_more: false, next_cursor: null };
    return listPage<Data, Equipment>(
      context,
      context.view,
      'records',
      input,
      {
        object: 'equipment',
        where: {
          id,
          'data.status': status,
          'data.kind': kind,
          'data.location_id': location_id,
          'data.operator_id': operator_id,
        },
        live: { 'data.live_status': live_status },
        text: ({ data }) => [data.unit_number, data.name, ...data.aliases, data.serial_number, data.pin],
      },
      async (documents) => {
        const items = await joinAll(context, documents, input.include);
        // The filter read the stored status, which may be older than the status in memory. So leave out machines with another status in
        // memory.
        return live_status === undefined ? items : items.filter((item) => item.live_status === live_status);
      },
    );
  },

  async equipment_get({ id, include }, context) {
    const item = await join(context, await requireRecord<Data>(context.view, 'equipment', id), include);
    const delivery = await deliveryFor(context, id);
    return { ...item, ...delivery, history_from: await context.historyEnds.through(id) };
  },

  async equipment_update({ id, reason, context: shown, status_since, ...changes }, context) {
    const { view } = context;
    const current = await requireRecord<Data>(view, 'equipment', id);
    checkRevision(context, current);
    checkStatus(context, current.data.status, changes.status, reason);
    const media = await mediaFrom(view, shown);
    const { data: changed, fields } = applyFields(current.data, { ...changes, ...media } as Partial<Data>);
    const told = await statusChange(context, current, { status: changes.status, status_since });
    if (told !== null && !fields.includes('status')) fields.push('status');
    const data = {
      ...changed,
      ...(fields.includes('operator_id') && { operator_since: changed.operator_id === null ? null : context.now }),
      ...(told !== null && { status_since: told.happened_at }),
    };
    if (fields.length === 0) return join(context, current);
    await checkReferences(context, Object.fromEntries(fields.map((name) => [name, data[name as keyof EquipmentData]])));
    await claimNames(
      context,
      view,
      'unit_number',
      id,
      [current.data.unit_number, ...current.data.aliases],
      [data.unit_number, ...data.aliases],
    );
    if (fields.includes('operator_id') && data.operator_id !== null) await leaveMachines(context, data.operator_id, id);
    const document = view.stage({
      collection: 'records',
      id,
      object: 'equipment',
      data,
      current,
      expected: current.revision,
    });
    stageChanges(context, id, current.data, data, fields, { told, reason });
    return join(context, document);
  },
});
