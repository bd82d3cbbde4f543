/** The open alerts and tickets of machines, found by machine. */
import { type AlertData, SEVERITY } from '#contract/work/alert.ts';
import { PRIORITY, type RepairTicketData } from '#contract/work/repair-ticket.ts';

export interface BoardTicket extends RepairTicketData {
  readonly id: string;
}

export interface BoardAlert extends AlertData {
  readonly id: string;
}

type Found<T> = { readonly id: string; readonly data: T };

/** An alert as screens show it. A severity that only a newer version knows counts as critical, so that no screen hides the alert. */
export function toBoardAlert({ id, data }: Found<AlertData>): BoardAlert {
  return { id, ...data, severity: SEVERITY.includes(data.severity) ? data.severity : 'critical' };
}

/** A ticket as screens show it. A priority that only a newer version knows counts as critical. */
export function toBoardTicket({ id, data }: Found<RepairTicketData>): BoardTicket {
  return { id, ...data, priority: PRIORITY.includes(data.priority) ? data.priority : 'critical' };
}

/** The open alerts and tickets of one machine. */
export interface OpenItems {
  readonly alerts: readonly BoardAlert[];
  readonly tickets: readonly BoardTicket[];
}
const NOTHING_OPEN: OpenItems = { alerts: [], tickets: [] };

/** Returns a function that finds the open alerts and tickets of a machine. */
export function openItemsOf({ alerts, tickets }: OpenItems): (id: string) => OpenItems {
  const found = new Map<string, { alerts: BoardAlert[]; tickets: BoardTicket[] }>();
  const at = (id: string) => {
    const items = found.get(id) ?? { alerts: [], tickets: [] };
    found.set(id, items);
    return items;
  };
  for (const alert of alerts) if (alert.machine_id !== null) at(alert.machine_id).alerts.push(alert);
  for (const ticket of tickets) at(ticket.equipment_id).tickets.push(ticket);
  return (id) => found.get(id) ?? NOTHING_OPEN;
}
