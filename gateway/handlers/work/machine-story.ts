/** The operation that tells how a machine spent a time, and what happened to it. */
import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { EquipmentData } from '#contract/fleet/equipment.ts';
import type { LocationData } from '#contract/fleet/location.ts';
import { STEP_LADDER } from '#contract/fleet/telemetry.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { ArtifactData } from '#contract/work/artifact.ts';
import { MOST_STORY_ITEMS, STORY_DAYS } from '#contract/work/machine-story.ts';
import type { RunData, TaskData } from '#contract/work/task.ts';
import { decodeTaskId, isRecording } from '#domain/runs/decode-task.ts';
import { placeStretches } from '#domain/work/place-time.ts';
import { partOf } from '#domain/work/shift-time.ts';
import { requireRecord } from '#handlers/base/documents.ts';
import { machineTimes } from './shift-classes.ts';
import { happenedIn } from './shift-stoppages.ts';

const DAY_MS = 86_400_000;
/** Between shifts a story begins this long ago. */
const USUAL_MS = 8 * 3_600_000;

const iso = (ms: number) => new Date(ms).toISOString();
const known = (ms: number) => (Number.isFinite(ms) ? iso(ms) : null);

interface Range {
  readonly from_ms: number;
  readonly to_ms: number;
}

/** The most positions from which the places of a story are computed, and the most locations. */
const MOST_POSITIONS = 700;
const MOST_LOCATIONS = 1_000;
/** A machine stays at its last position for at least this long, because many receivers send a position only while they move. */
const STAYS_MS = 60_000;

/** Returns the locations where a machine was, by its stored positions. */
async function placesOf(context: HandlerContext<'readTelemetry'>, id: string, { from_ms, to_ms }: Range) {
  const { view, readTelemetry, now } = context;
  const locations = await view.find<LocationData>('records', { object: 'location', limit: MOST_LOCATIONS });
  const fenced = locations.filter(({ data }) => data.geofence !== null);
  if (fenced.length === 0) return [];
  const step_s = STEP_LADDER.find((step) => (to_ms - from_ms) / (step * 1000) <= MOST_POSITIONS) ?? 900;
  const { series } = await readTelemetry({
    project_id: view.project_id,
    equipment_id: id,
    signals: ['position.latitude', 'position.longitude'],
    from_ms,
    to_ms,
    step_s,
    now_ms: Date.parse(now),
    only: 'samples',
  });
  const [lat, lon] = ['position.latitude', 'position.longitude'].map((name) =>
    series.find(({ signal }) => signal === name),
  );
  const east = new Map(lon?.t.map((t, i) => [t, lon.last?.[i] ?? lon.value?.[i]]));
  const positions = (lat?.t ?? []).flatMap((t, i) => {
    const [north, across] = [lat?.last?.[i] ?? lat?.value?.[i], east.get(t)];
    return north === undefined || across === undefined
      ? []
      : [{ at_ms: Math.max(from_ms, t), lat: north, lon: across }];
  });
  const places = fenced.map((one) => ({ id: one.id, name: one.data.name, geofence: one.data.geofence }));
  return placeStretches(positions, places, Math.max(STAYS_MS, 2000 * step_s), to_ms).map((one) => {
    return {
      from: iso(one.from_ms),
      to: iso(one.to_ms),
      location_id: one.place?.id ?? null,
      name: one.place?.name ?? null,
    };
  });
}

/** Returns the logs of these devices with data of a time, the newest first. */
async function filesOf({ view }: HandlerContext, devices: readonly string[], { from_ms, to_ms }: Range) {
  if (devices.length === 0) return [];
  const files = (
    await view.find<ArtifactData>('records', {
      object: 'artifact',
      where: { 'data.device_id': [...devices] },
      order: 'desc',
      limit: MOST_STORY_ITEMS * 5,
    })
  ).filter(({ data }) => isRecording(data));
  const tasks = await view.getMany<TaskData>(
    'records',
    files.map(({ id }) => decodeTaskId(id)),
  );
  const runs = await view.getMany<RunData>(
    'records',
    tasks.flatMap(({ data }) => data.latest_run_id ?? []),
  );
  const runByTask = new Map(runs.map((run) => [run.data.task_id, run.data]));
  return files
    .flatMap(({ id, data: { name, bytes, captured_at, received_at } }) => {
      const run = runByTask.get(decodeTaskId(id));
      const { from, to } = run?.output?.details ?? {};
      const decoded = typeof from === 'string' && typeof to === 'string';
      const [since, until] = decoded ? [from, to] : [captured_at ?? received_at, captured_at ?? received_at];
      if (Date.parse(since) >= to_ms || Date.parse(until) < from_ms) return [];
      return [{ id, name, bytes, decoded, since, until }];
    })
    .slice(0, MOST_STORY_ITEMS);
}

export const machineStoryHandlers = handlerGroup(['runStates', 'shifts', 'readTelemetry'], {
  async equipment_story({ id, from, to }, context) {
    const { view, shifts, now } = context;
    const machine = await requireRecord<EquipmentData>(view, 'equipment', id);
    const now_ms = Date.parse(now);
    const shift = (await shifts.shift(view.project_id)).now;
    const to_ms = Math.min(now_ms, to === undefined ? now_ms : Date.parse(to));
    const from_ms = from === undefined ? (shift?.from_ms ?? now_ms - USUAL_MS) : Date.parse(from);
    if (to_ms <= from_ms)
      throw new OperationError('parameter_invalid', 'The story must end after it begins, and begin before now.', {
        param: 'to',
      });
    if (to_ms - from_ms > STORY_DAYS * DAY_MS)
      throw new OperationError(
        'parameter_invalid',
        say('A story has at most {story_days} days. Ask for a shorter time.', { story_days: STORY_DAYS }),
        {
          param: 'from',
        },
      );
    const [time] = await machineTimes(context, [machine], from_ms, to_ms);
    const states = (time?.stretches ?? []).map((stretch) => {
      return { from: iso(stretch.from_ms), to: iso(stretch.to_ms), state: partOf(stretch) };
    });
    const { tickets, alerts, codes } = await happenedIn(context, machine, { from_ms, to_ms });
    const range = (one: { readonly from_ms: number; readonly to_ms: number }) => {
      return { since: known(one.from_ms), until: known(one.to_ms) };
    };
    return {
      object: 'machine_story',
      equipment_id: id,
      from: iso(from_ms),
      to: iso(to_ms),
      shift: shift === null ? null : { name: shift.name, starts_at: iso(shift.from_ms), ends_at: iso(shift.to_ms) },
      states,
      places: await placesOf(context, id, { from_ms, to_ms }),
      files: await filesOf(context, context.live.devicesOf(id), { from_ms, to_ms }),
      alerts: alerts.slice(0, MOST_STORY_ITEMS).map(({ alert, ...one }) => {
        const { severity, signal_name: signal, condition, threshold } = alert;
        const limit = condition === 'threshold' ? threshold : null;
        return { id: one.shown.id, text: one.shown.rule_name, severity, signal, limit, ...range(one) };
      }),
      tickets: tickets.slice(0, MOST_STORY_ITEMS).map((one) => {
        const { id: ticket, number, title, status } = one.shown;
        return { id: ticket, text: `${number} ${title}`, status, ...range(one) };
      }),
      codes: codes.slice(-MOST_STORY_ITEMS).map((one) => {
        const { spn, fmi, meaning } = one.shown;
        return { spn, fmi, text: meaning ?? `SPN ${spn ?? 'unknown'} FMI ${fmi}`, ...range(one) };
      }),
    };
  },
});
