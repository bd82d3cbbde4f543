/** The number of open alerts and repair tickets of each machine, with links to their pages. */
import type { Severity } from '#contract/work/alert.ts';
import { readAll } from '#ui/office/base/lists.ts';
import type { Session } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';
import { SeverityMark } from '#ui/office/work/alert-card.tsx';
import { isOpen } from '#ui/office/work/ticket-text.ts';

interface Work {
  readonly alerts: number;
  readonly worst: Severity;
  readonly tickets: number;
}
/** The number of open alerts and tickets of each machine, by equipment id. */
export type MachineWorkMap = ReadonlyMap<string, Work>;
const NONE: Work = { alerts: 0, worst: 'info', tickets: 0 };
const GRAVER: Readonly<Record<Severity, readonly Severity[]>> = {
  info: ['warning', 'critical'],
  warning: ['critical'],
  critical: [],
};

/** Counts the open alerts and tickets of each machine. Returns null until the page has read both lists. */
export function useMachineWork(session: Session): MachineWorkMap | null {
  const { data } = usePolled(
    async (signal) => {
      const [alerts, ...tickets] = await Promise.all([
        readAll(session, 'alerts_list', { state: 'active' }, signal),
        ...(['flagged', 'in_progress', 'on_hold'] as const).map((status) =>
          readAll(session, 'repair_tickets_list', { status }, signal),
        ),
      ]);
      const work = new Map<string, Work>();
      const of = (id: string) => work.get(id) ?? NONE;
      for (const { machine_id: id, severity } of alerts.items) {
        if (id === null) continue;
        const { alerts: count, worst } = of(id);
        const first = count === 0 || GRAVER[worst].includes(severity);
        work.set(id, { ...of(id), alerts: count + 1, worst: first ? severity : worst });
      }
      for (const ticket of tickets.flatMap(({ items }) => items))
        if (isOpen(ticket))
          work.set(ticket.equipment_id, { ...of(ticket.equipment_id), tickets: of(ticket.equipment_id).tickets + 1 });
      return work;
    },
    4_000,
    [session],
    ['alert', 'repair_ticket'],
  );
  return data;
}

const several = (count: number, one: string, more: string) => `${count} ${count === 1 ? one : more}`;

/** Shows how many open alerts and tickets a machine has; nothing if it has none. */
export function MachineWork({ id, work }: { id: string; work: MachineWorkMap | null }) {
  const { alerts, worst, tickets } = work?.get(id) ?? NONE;
  if (alerts + tickets === 0) return null;
  return (
    <span class="work">
      {alerts > 0 && (
        <a class="work-link" href={`#alerts/${id}`} aria-label={several(alerts, 'alert', 'alerts')}>
          <SeverityMark severity={worst} />
          {alerts}
        </a>
      )}
      {tickets > 0 && (
        <a
          class="work-link"
          href={`#tickets/machine/${id}`}
          aria-label={several(tickets, 'open ticket', 'open tickets')}
        >
          <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
            <path
              class="fill"
              d="M15 2a6.500 6.500 0 0 0-6.200 8.500L2.500 16.800a3.300 3.300 0 0 0 4.700 4.700l6.300-6.300A6.500 6.500 0 0 0 21.700 7l-3.900 3.900-3.500-1.200-1.200-3.500L17 2.300A6.500 6.500 0 0 0 15 2z"
            />
          </svg>
          {tickets}
        </a>
      )}
    </span>
  );
}

/** Links from a machine to its alerts and repairs. */
export function MachineLinks({ id, work }: { id: string; work: MachineWorkMap | null }) {
  const { alerts, tickets } = work?.get(id) ?? NONE;
  return (
    <div class="actions">
      <a class="button" href={`#alerts/${id}`}>
        {work === null ? 'Alerts' : `Alerts: ${alerts}`}
      </a>
      <a class="button" href={`#tickets/machine/${id}`}>
        {work === null ? 'Repairs' : `Repairs: ${tickets}`}
      </a>
      <a class="button" href={`#tickets/new/${id}`}>
        New ticket
      </a>
    </div>
  );
}
