/** The number of open alerts and repair tickets of each machine, with links to their pages. */
import type { Shown } from '#contract/base/shown.ts';
import type { Severity } from '#contract/work/alert.ts';
import { isOpenTicket, OPEN_TICKET_STATUS } from '#contract/work/repair-ticket.ts';
import { t } from '#ui/languages/texts.ts';
import { readAll } from '#ui/office/base/lists.ts';
import type { Session } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';
import { DoNotOperate, stopsMachine } from '#ui/office/care/do-not-operate.tsx';
import { SeverityMark } from '#ui/office/work/alert-card.tsx';

interface Work {
  readonly alerts: number;
  readonly worst: Shown<Severity>;
  readonly tickets: number;
  /** Open tickets of critical items that an inspection found not ok. */
  readonly stops: readonly { readonly id: string; readonly title: string }[];
}
/** The number of open alerts and tickets of each machine, by equipment id. */
export type MachineWorkMap = ReadonlyMap<string, Work>;
const NONE: Work = { alerts: 0, worst: 'info', tickets: 0, stops: [] };
const GRAVER: Readonly<Record<Shown<Severity>, readonly Shown<Severity>[]>> = {
  info: ['warning', 'unknown', 'critical'],
  warning: ['unknown', 'critical'],
  unknown: ['critical'],
  critical: [],
};

/** Counts the open alerts and tickets of each machine. Returns null until the page has read both lists. */
export function useMachineWork(session: Session): MachineWorkMap | null {
  const { data } = usePolled(
    async (signal) => {
      const [alerts, ...tickets] = await Promise.all([
        readAll(session, 'alerts_list', { state: 'active' }, signal),
        ...OPEN_TICKET_STATUS.map((status) => readAll(session, 'repair_tickets_list', { status }, signal)),
      ]);
      const work = new Map<string, Work>();
      const of = (id: string) => work.get(id) ?? NONE;
      for (const { machine_id: id, severity } of alerts.items) {
        if (id === null) continue;
        const { alerts: count, worst } = of(id);
        const first = count === 0 || GRAVER[worst].includes(severity);
        work.set(id, { ...of(id), alerts: count + 1, worst: first ? severity : worst });
      }
      for (const ticket of tickets.flatMap(({ items }) => items)) {
        if (!isOpenTicket(ticket.status)) continue;
        const before = of(ticket.equipment_id);
        const stops = stopsMachine(ticket) ? [...before.stops, ticket] : before.stops;
        work.set(ticket.equipment_id, { ...before, tickets: before.tickets + 1, stops });
      }
      return work;
    },
    4_000,
    [session],
    ['alert', 'repair_ticket'],
  );
  return data;
}

/** Shows how many open alerts and tickets a machine has; nothing if it has none. */
export function MachineWork({ id, work }: { id: string; work: MachineWorkMap | null }) {
  const { alerts, worst, tickets, stops } = work?.get(id) ?? NONE;
  if (alerts + tickets === 0) return null;
  return (
    <span class="work">
      {stops.length > 0 && <b class="badge-word danger">{t('Do not operate')}</b>}
      {alerts > 0 && (
        <a class="work-link" href={`#alerts/${id}`} aria-label={t('{n} alert|{n} alerts', { n: alerts })}>
          <SeverityMark severity={worst} />
          {alerts}
        </a>
      )}
      {tickets > 0 && (
        <a
          class="work-link"
          href={`#tickets/machine/${id}`}
          aria-label={t('{n} open ticket|{n} open tickets', { n: tickets })}
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
  const { alerts, tickets, stops } = work?.get(id) ?? NONE;
  return (
    <>
      <DoNotOperate tickets={stops} />
      <div class="actions">
        <a class="button" href={`#alerts/${id}`}>
          {work === null ? t('Alerts') : t('Alerts: {n}', { n: alerts })}
        </a>
        <a class="button" href={`#tickets/machine/${id}`}>
          {work === null ? t('Repairs') : t('Repairs: {n}', { n: tickets })}
        </a>
        <a class="button" href={`#maintenance/${id}`}>
          {t('Maintenance')}
        </a>
        <a class="button" href={`#tickets/new/${id}`}>
          {t('New ticket')}
        </a>
        <a class="button" href={`#inspections/new/${id}`}>
          {t('Inspect')}
        </a>
      </div>
    </>
  );
}
