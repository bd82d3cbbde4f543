/** Repair tickets: what each step leaves behind, and how long a machine stood (decisions D-40, D-41). */
import type { EquipmentStatus } from '#contract/fleet/equipment.ts';
import { type RepairTicketData, TICKET_STEPS, type TicketStatus } from '#contract/work/repair-ticket.ts';

/** True when nothing follows: the ticket is history. */
export function isOver(status: TicketStatus): boolean {
  return TICKET_STEPS[status].length === 0;
}

type Stepped = Pick<RepairTicketData, 'status' | 'started_at' | 'fixed_at' | 'closed_at' | 'hold_reason'>;

/** What the step to `to` changes besides the status; the first start stands, a reopened ticket is not fixed any more. */
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

/** One change of a machine's status by people. */
export interface StatusStep {
  readonly at_ms: number;
  readonly from: EquipmentStatus;
  readonly to: EquipmentStatus;
}

const STANDING: ReadonlySet<EquipmentStatus> = new Set<EquipmentStatus>(['down', 'maintenance']);

/** Whole minutes between two times in which people had the machine as down or in maintenance; `steps` in order, `now` is its status after them. */
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
