/** Repair tickets: the fields that each status change sets, and the downtime of the machine. */
import type { EquipmentStatus } from '#contract/fleet/equipment.ts';
import { type RepairTicketData, TICKET_STEPS, type TicketStatus } from '#contract/work/repair-ticket.ts';

/** True if no further status can follow. */
export function isOver(status: TicketStatus): boolean {
  return TICKET_STEPS[status].length === 0;
}

type Stepped = Pick<RepairTicketData, 'status' | 'started_at' | 'fixed_at' | 'closed_at' | 'hold_reason'>;

/** The fields that the change to status `to` sets besides the status. Keeps the first start; clears the repair of a reopened ticket. */
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
 * Whole minutes between two times during which a person had set the machine to down or maintenance. `steps` are in order; `now` is the
 * status after the last.
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
