/** Who is on the trouble of a machine. A person takes it ("I take it") and can undo that; the event log of the machine has both. */
import { OperationError } from '#contract/base/errors.ts';
import { say } from '#contract/base/told.ts';
import type { Stored } from '#contract/base/view.ts';
import type { HandlerContext } from '#contract/context.ts';
import type { EquipmentData, Taken } from '#contract/fleet/equipment.ts';
import { handlerGroup } from '#contract/handler.ts';
import type { AlertData } from '#contract/work/alert.ts';
import { OPEN_TICKET, type RepairTicketData } from '#contract/work/repair-ticket.ts';
import { stageAcknowledgement } from '#handlers/base/acknowledge.ts';
import { requireRecord } from '#handlers/base/documents.ts';
import { stageEvent } from '#handlers/base/events.ts';
import { join } from './equipment.ts';

/** A person who takes a machine acknowledges at most this many of its alerts, the newest ones. */
const MOST_ALERTS = 100;

function stageTaken(
  { view }: HandlerContext,
  current: Stored<EquipmentData>,
  taken: Taken | null,
): Stored<EquipmentData> {
  const data = { ...current.data, taken };
  const { id, revision: expected } = current;
  return view.stage({ collection: 'records', id, object: 'equipment', data, current, expected });
}

/**
 * Throws `revision_mismatch` if another person took the machine after this person wrote. A late write must not replace the person who is on
 * the machine now; the page of the sender shows both, and the person decides.
 */
function checkSince({ caller, happened_at, unsure_since }: HandlerContext, before: Taken | null): void {
  if (before === null || before.at <= (unsure_since ?? happened_at) || before.by_id === caller.id) return;
  throw new OperationError(
    'revision_mismatch',
    say('{by} took this machine at {at}, after this was written.', { by: before.by, at: before.at }),
    {
      details: [{ taken_by: before.by, taken_at: before.at }],
    },
  );
}

/**
 * Ends the taking of a machine when the person who took it fixed a ticket and no other ticket of the machine is open. Otherwise the next
 * trouble of the machine would seem to have this person on it.
 */
export async function stageReleaseByFix(
  context: HandlerContext,
  equipment_id: string,
  ticket_id: string,
): Promise<void> {
  const { view, caller } = context;
  const current = await view.get<EquipmentData>('records', equipment_id);
  const before = current?.data.taken ?? null;
  if (current?.object !== 'equipment' || before === null || before.by_id !== caller.id) return;
  const where = { 'data.equipment_id': equipment_id, 'data.status': OPEN_TICKET };
  const open = await view.find<RepairTicketData>('records', { object: 'repair_ticket', where, limit: 2 });
  if (open.some(({ id }) => id !== ticket_id)) return;
  stageTaken(context, current, null);
  stageEvent(context, view, 'equipment', equipment_id, 'released', { from: before.by, ticket_id });
}

export const equipmentTakeHandlers = handlerGroup(['shifts', 'attention'], {
  async equipment_take({ id, note }, context) {
    const { view, caller, happened_at, unsure_since } = context;
    const current = await requireRecord<EquipmentData>(view, 'equipment', id);
    const before = current.data.taken ?? null;
    checkSince(context, before);
    const document = stageTaken(context, current, { by: caller.name, by_id: caller.id, at: happened_at });
    stageEvent(context, view, 'equipment', id, 'taken', {
      by: caller.name,
      ...(before !== null && { from: before.by }),
      ...(note !== undefined && { note }),
    });
    const where = { 'data.machine_id': id, 'data.state': 'active', 'data.acknowledged_at': null };
    const alerts = await view.find<AlertData>('live', { object: 'alert', where, limit: MOST_ALERTS });
    for (const alert of alerts.filter(({ data }) => data.raised_at <= (unsure_since ?? happened_at)))
      stageAcknowledgement(context, alert, note);
    return join(context, document);
  },

  async equipment_release({ id }, context) {
    const { view, caller } = context;
    const current = await requireRecord<EquipmentData>(view, 'equipment', id);
    const before = current.data.taken ?? null;
    if (before === null) return join(context, current);
    checkSince(context, before);
    const isOwn = before.by_id === caller.id && before.by === caller.name;
    if (!isOwn && (caller.role === 'mechanic' || caller.role === 'operator'))
      throw new OperationError(
        'permission_denied',
        say(
          '{by} is on this machine. Only this person, a supervisor or an admin can end that. To be on it yourself, take it.',
          { by: before.by },
        ),
      );
    const document = stageTaken(context, current, null);
    stageEvent(context, view, 'equipment', id, 'released', { from: before.by });
    return join(context, document);
  },
});
