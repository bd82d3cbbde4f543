/** Reports the state of the setup of a project: what setups made, from which words, and what is missing. */

import { OperationError } from '#contract/base/errors.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { DeviceData } from '#contract/fleet/device.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { Setup } from '#contract/site/setup.ts';
import type { RunData, TaskData } from '#contract/work/task.ts';
import { hasEnded } from '#domain/runs/run.ts';
import { heardDeviceGaps } from './heard-devices.ts';

/** The handler counts at most this many objects of each kind. If there are more, the text begins with "At least". */
const MOST_COUNTED = 1_000;

const COUNTED = ['equipment', 'location', 'operator', 'mechanic', 'device', 'dashboard', 'playlist'] as const;
type Counted = (typeof COUNTED)[number];
type Missing = Setup['missing_requirements'][number];

const NAMES: Readonly<Record<Counted, readonly [one: string, many: string]>> = {
  equipment: ['machine', 'machines'],
  location: ['location', 'locations'],
  operator: ['operator', 'operators'],
  mechanic: ['mechanic', 'mechanics'],
  device: ['device', 'devices'],
  dashboard: ['dashboard', 'dashboards'],
  playlist: ['playlist', 'playlists'],
};

/** For each kind of object: the missing requirement that is reported if the project has no object of this kind. */
const WANTED: Readonly<Partial<Record<Counted, Omit<Missing, 'field'>>>> = {
  equipment: {
    code: 'missing_inventory',
    resource: 'equipment',
    message: 'No machine is recorded.',
    remedy: 'Record the machines with equipment_create.',
    blocking: true,
  },
  location: {
    code: 'missing_location',
    resource: 'location',
    message: 'No location is recorded.',
    remedy: 'Record the site and its pits with locations_create.',
    blocking: false,
  },
  operator: {
    code: 'missing_roster',
    resource: 'operator',
    message: 'No operator is recorded.',
    remedy: 'Record the crew with operators_create.',
    blocking: false,
  },
  mechanic: {
    code: 'missing_roster',
    resource: 'mechanic',
    message: 'No mechanic is recorded.',
    remedy: 'Record them with mechanics_create.',
    blocking: false,
  },
  device: {
    code: 'missing_inventory',
    resource: 'device',
    message: 'No device is recorded, so no machine can report.',
    remedy: 'Provision a logger with POST /api/v1/devices/provision.',
    blocking: true,
  },
};

const counted = (count: number, [one, many]: readonly [string, string]) =>
  `${count === MOST_COUNTED ? 'At least ' : ''}${count} ${count === 1 ? one : many}`;

/** Returns the missing requirements of devices: a link to a machine, and received data. */
async function deviceGaps(context: HandlerContext, devices: readonly Stored<DeviceData>[]): Promise<Missing[]> {
  const unlinked = devices.filter(({ data }) => data.equipment_id === null && data.location_id === null);
  const { gaps, listed } = await heardDeviceGaps(context, unlinked);
  const others = unlinked.length - listed;
  const silent = devices.filter(({ id }) => {
    const status = context.live.device(id)?.status;
    return status === undefined || status === 'offline' || status === 'unassigned' || status === 'provisioned';
  });
  const missing: Missing[] = [...gaps];
  if (others > 0)
    missing.push({
      code: 'no_equipment_match',
      resource: 'device',
      field: 'equipment_id',
      message: `${counted(others, listed === 0 ? NAMES.device : ['other device', 'other devices'])} without a machine or location.`,
      remedy: 'Ask telemetry_devices_match for suggestions and confirm them with telemetry_devices_link.',
      blocking: false,
    });
  if (silent.length > 0)
    missing.push({
      code: 'device_disconnected',
      resource: 'device',
      field: 'last_seen_at',
      message: `${counted(silent.length, NAMES.device)} not connected now.`,
      remedy: 'Check power, network and key of the devices that devices_list shows as offline.',
      blocking: false,
    });
  return missing;
}

/** The status reads the results of at most this many setups of a project, the newest first. */
const MOST_SETUPS = 50;

interface SetupRun {
  readonly task_id: string;
  readonly run_id: string;
  readonly data: RunData;
  readonly updated_at: string;
}

/** Returns the latest run of each setup of the project, the newest setup first. */
async function setupRuns({ view }: HandlerContext): Promise<SetupRun[]> {
  const where = { 'data.kind': 'setup' };
  const tasks = await view.find<TaskData>('records', { object: 'task', where, limit: MOST_SETUPS });
  const ids = tasks.flatMap(({ data }) => data.latest_run_id ?? []);
  const runs = new Map((await view.getMany<RunData>('records', ids)).map((run) => [run.id, run]));
  return tasks.flatMap(({ id, data }) => {
    const run = runs.get(data.latest_run_id ?? '');
    return run === undefined ? [] : [{ task_id: id, run_id: run.id, data: run.data, updated_at: run.updated_at }];
  });
}

const STATUS = {
  pending: 'running',
  running: 'running',
  completed: 'completed',
  failed: 'failed',
  canceled: 'canceled',
} as const;

/** Returns the ids of all objects that setups of the project made, by kind. */
function createdBy(runs: readonly SetupRun[]): Setup['created'] {
  const of = (kind: string) => [...new Set(runs.toReversed().flatMap(({ data }) => data.output?.created[kind] ?? []))];
  return {
    equipment: of('equipment'),
    locations: of('locations'),
    operators: of('operators'),
    mechanics: of('mechanics'),
    dashboards: of('dashboards'),
    shifts: of('shifts'),
    playlists: of('playlists'),
    learnings: of('learnings'),
    devices: [],
  };
}

const evidenceOf = (runs: readonly SetupRun[]): Setup['evidence'] =>
  runs.toReversed().flatMap(({ data }) => (data.output?.details?.evidence as Setup['evidence'] | undefined) ?? []);

/** What the latest setup could not read or make; for a failed setup its error. */
function openOf(latest: SetupRun | undefined): Missing[] {
  if (latest === undefined) return [];
  const { gaps, error } = latest.data;
  const failed =
    error === null
      ? []
      : [
          {
            code: error.code,
            resource: 'project',
            field: 'prompt',
            message: error.message,
            remedy: error.remedy,
            blocking: true,
          },
        ];
  return [
    ...failed,
    ...gaps.map(({ code, resource, ref, message, remedy, blocking, proposal }) => ({
      ...{ code, resource, field: null, remedy, blocking, ...(proposal && { proposal }) },
      message: ref === null ? message : `${message} The text: "${ref}"`,
    })),
  ];
}

/** Throws `setup_in_progress` if a setup of the project waits or works. */
export async function requireNoSetup(context: HandlerContext): Promise<void> {
  const [latest] = await setupRuns(context);
  if (latest !== undefined && !hasEnded(latest.data))
    throw new OperationError('setup_in_progress', 'A setup of this project runs. Wait until it ends, or cancel it.', {
      details: [{ task_id: latest.task_id }],
    });
}

export const setupHandlers = handlerGroup([], {
  async projects_setup_status(_input, context) {
    const { view } = context;
    const found = new Map<Counted, Stored<DeviceData>[]>();
    for (const object of COUNTED)
      found.set(object, await view.find<DeviceData>('records', { object, limit: MOST_COUNTED }));
    const count = (object: Counted) => found.get(object)?.length ?? 0;
    const project = await context.node.get<{ shift_pattern?: unknown[] }>('records', view.project_id);
    const missing: Missing[] = COUNTED.flatMap((object) => {
      const wanted = WANTED[object];
      return wanted === undefined || count(object) > 0 ? [] : [{ ...wanted, field: null }];
    });
    missing.push(...(await deviceGaps(context, found.get('device') ?? [])));
    if ((project?.data.shift_pattern ?? []).length === 0)
      missing.push({
        code: 'missing_shift_pattern',
        resource: 'project',
        field: 'shift_pattern',
        message: 'The project has no shift pattern.',
        remedy: 'Enter the start and end of shifts in shift_pattern of the project.',
        blocking: false,
      });
    const runs = await setupRuns(context);
    const [latest] = runs;
    missing.push(...openOf(latest));
    return {
      object: 'setup',
      project_id: view.project_id,
      status: latest === undefined ? 'not_started' : STATUS[latest.data.status],
      task_id: latest?.task_id ?? null,
      run_id: latest?.run_id ?? null,
      created: createdBy(runs),
      evidence: [
        ...evidenceOf(runs),
        ...COUNTED.filter((object) => count(object) > 0).map((object) => ({
          claim: `${counted(count(object), NAMES[object])} recorded in this project.`,
          source: 'project',
          excerpt: null,
          confidence: 1,
          created_ids: [],
        })),
      ],
      missing_requirements: missing,
      updated_at: latest?.updated_at ?? context.now,
    };
  },
});
