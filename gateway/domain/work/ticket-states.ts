/** Computes the fields that a status change of a repair ticket sets, and the downtime of the ticket's machine. */
import type { EquipmentStatus } from '#contract/fleet/equipment.ts';
import { type RepairTicketData, TICKET_STEPS, type TicketStatus } from '#contract/work/repair-ticket.ts';

/** True if no further status can follow. False for a status that only a newer version knows. */
export function isOver(status: TicketStatus): boolean {
  return TICKET_STEPS[status]?.length === 0;
}

type Stepped = Pick<RepairTicketData, 'status' | 'started_at' | 'fixed_at' | 'closed_at' | 'hold_reason'>;

/**
 * The fields of a ticket after the change to status `to`. `started_at` keeps the time of the first start. `fixed_at` becomes null when work
 * starts again.
 */
export function stepFields(
  ticket: Stepped,
  to: TicketStatus,
  now: string,
  hold_reason: Stepped['hold_reason'],
): Stepped {
  return {
    status: to,
    started_at: to === 'in_progress' ? (ticket.started_at ?? now) : ticket.started_at,
    fixed_at: to === 'fixed' ? now : to === 'in_progress' ? null : ticket.fixed_at,
    closed_at: isOver(to) ? now : null,
    hold_reason: to === 'on_hold' ? hold_reason : null,
  };
}

/** One change of a machine's status by a person. */
export interface StatusStep {
  readonly at_ms: number;
  readonly from: EquipmentStatus;
  readonly to: EquipmentStatus;
}

const STANDING: ReadonlySet<EquipmentStatus> = new Set<EquipmentStatus>(['down', 'maintenance']);

/**
 * The whole minutes between `from_ms` and `to_ms` in which the machine had the status down or maintenance. `steps` are the status changes
 * by people, oldest first; `now` is the status after the last change.
 */
export function downtimeMinutes(
  steps: readonly StatusStep[],
  now: EquipmentStatus,
  from_ms: number,
  to_ms: number,
): number {
  let status = steps[0]?.from ?? now;
  let at = from_ms;
  let standing = 0;
  for (const step of [...steps, { at_ms: to_ms, from: now, to: now }]) {
    const until = Math.min(to_ms, Math.max(at, step.at_ms));
    if (STANDING.has(status)) standing += until - at;
    at = until;
    status = step.to;
  }
  return Math.round(standing / 60_000);
}
