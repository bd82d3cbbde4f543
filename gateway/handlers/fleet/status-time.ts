/** When the status of a machine began. A person often reports a breakdown later than it began, or corrects the time afterwards. */
import { OperationError } from '#contract/base/errors.ts';
import type { EventData } from '#contract/base/event.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { EquipmentData, EquipmentStatus } from '#contract/fleet/equipment.ts';

/** `status_since` may be ahead of the gateway's clock by at most this many milliseconds, because the clock of a tablet may be inaccurate. */
const AHEAD_MS = 300_000;
/** A status may have begun at most this many milliseconds ago. */
const OLDEST_MS = 366 * 86_400_000;
/** The largest number of the newest changes of the status in which the change before is searched. */
const MOST_CHANGES = 50;

/** A change of the status, or of the time at which it began. */
export interface StatusChange {
  /** The status before. */
  readonly from: EquipmentStatus;
  /** When the status began. */
  readonly happened_at: string;
  /** As in the context of a call: null if the time is known. */
  readonly unsure_since: string | null;
}

const refuse = (message: ConstructorParameters<typeof OperationError>[1], details?: Record<string, unknown>): never => {
  const param = 'status_since';
  throw new OperationError(
    'parameter_invalid',
    message,
    details === undefined ? { param } : { param, details: [details] },
  );
};

/** Returns the time that a person gave; throws if it is in the future or too old. */
function givenTime({ now }: HandlerContext, given: string): string {
  const [at_ms, now_ms] = [Date.parse(given), Date.parse(now)];
  if (at_ms > now_ms + AHEAD_MS) refuse('`status_since` is in the future.');
  if (at_ms < now_ms - OLDEST_MS) refuse('`status_since` is more than 366 days ago.');
  return new Date(Math.min(at_ms, now_ms)).toISOString();
}

/** Returns the newest changes of the status that people made to a machine, newest first. */
async function changesOf({ view }: HandlerContext, id: string): Promise<EventData[]> {
  const where = { 'data.subject.id': id, 'data.type': 'status_changed' };
  const found = await view.find<EventData>('events', { object: 'event', where, order: 'desc', limit: MOST_CHANGES });
  return found.map(({ data }) => data);
}

/**
 * Returns the change of the status that a person asks for; null if nothing changes. A status never begins before the change to another
 * status that the log has, because a person has said at that time that the machine had the other status.
 */
export async function statusChange(
  context: HandlerContext,
  { id, data }: Stored<EquipmentData>,
  {
    status,
    status_since,
  }: { readonly status?: EquipmentStatus | undefined; readonly status_since?: string | undefined },
): Promise<StatusChange | null> {
  const isNew = status !== undefined && status !== data.status;
  const { happened_at, unsure_since } = context;
  if (status_since === undefined) return isNew ? { happened_at, unsure_since, from: data.status } : null;
  const since = givenTime(context, status_since);
  const times = { happened_at: since, unsure_since: null };
  if (!isNew) {
    if (data.status_since == null || since === data.status_since) return null;
    if (since > data.status_since)
      refuse(say('The machine has this status since {since}. Give an earlier time.', { since: data.status_since }), {
        since: data.status_since,
      });
  }
  const changes = await changesOf(context, id);
  const before = changes.find(({ data: { to } }) => to !== (isNew ? status : data.status));
  if (before !== undefined && since < before.occurred_at)
    refuse(say('People set another status at {at}. Give that time or a later one.', { at: before.occurred_at }), {
      status: before.data.to,
      at: before.occurred_at,
    });
  if (isNew) return { ...times, from: data.status };
  // A correction has the same status before as the change that it corrects.
  const from = before === undefined ? changes.at(-1)?.data.from : before.data.to;
  return { ...times, from: (from ?? data.status) as EquipmentStatus };
}
