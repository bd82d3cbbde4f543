/** The alerts page: active alerts, most severe first, and alerts that cleared in the last days. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { SEVERITY, type Severity } from '#contract/work/alert.ts';
import { CURRENT_TICKET_STATUS } from '#contract/work/repair-ticket.ts';
import { t } from '#ui/languages/texts.ts';
import { LinkState } from '#ui/office/base/link-state.tsx';
import { readAll, useIdText, useList } from '#ui/office/base/lists.ts';
import { Choice, Empty } from '#ui/office/base/parts.tsx';
import { Pick } from '#ui/office/base/picks.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useNow, usePolled } from '#ui/office/base/use.ts';
import { AlertCard } from './alert-card.tsx';
import { type Alert, byGravity, SEVERITY_WORDS } from './alert-text.ts';
import { Cleared, NO_MACHINE, type Shared } from './cleared-alerts.tsx';
import { OfMachine } from './of-machine.tsx';
import { TicketCard } from './ticket-card.tsx';
import { byNeed, type Ticket } from './ticket-text.ts';

/** Number of alerts that are shown until a person asks for the rest. */
const SHOWN = 100;
/** Returns the URL hash of the alerts of one machine. */
const address = (machine: string) => (machine === '' ? '#alerts' : `#alerts/${machine}`);

interface OpenTickets {
  /** The tickets that were created from an alert, by the id of the alert. */
  readonly ofAlerts: ReadonlyMap<string, Ticket>;
  /** The safety critical tickets that are not fixed. */
  readonly safety: readonly Ticket[];
}

const NO_TICKETS: OpenTickets = { ofAlerts: new Map(), safety: [] };

function useOpenTickets(session: Session): OpenTickets {
  const { data } = usePolled(
    async (signal) => {
      const read = CURRENT_TICKET_STATUS.map((status) => readAll(session, 'repair_tickets_list', { status }, signal));
      const tickets = (await Promise.all(read)).flatMap(({ items }) => items);
      const ofAlerts = tickets.flatMap((one) => [
        ...(one.source.kind === 'alert' ? [[one.source.ref ?? '', one] as const] : []),
        ...(one.alerts ?? []).map(({ alert_id }) => [alert_id, one] as const),
      ]);
      const safety = tickets.filter((one) => one.safety_critical && one.status !== 'fixed').sort(byNeed);
      return { ofAlerts: new Map(ofAlerts), safety };
    },
    10_000,
    [session],
    ['repair_ticket'],
  );
  return data ?? NO_TICKETS;
}

/** Shows the safety critical tickets that people reported. TV boards also show these tickets before all alerts. */
function SafetyTickets(props: {
  session: Session;
  tickets: readonly Ticket[];
  machine(id: string): string;
  now: number;
}) {
  const { session, tickets, machine, now } = props;
  const mechanics = useList(session, 'mechanics_list');
  const mechanic = useIdText(mechanics, (one) => one.name);
  if (tickets.length === 0) return null;
  return (
    <section class="raised" aria-label={t('Safety critical repairs')}>
      <h2>{t('Safety critical repairs: {n}', { n: tickets.length })}</h2>
      <p class="aside">{t('People reported these problems. They stay here until the repair is marked as fixed.')}</p>
      <ul class="rows">
        {tickets.map((ticket) => (
          <TicketCard key={ticket.id} ticket={ticket} now={now} machine={machine} mechanic={mechanic} />
        ))}
      </ul>
    </section>
  );
}

function Raised(
  props: Shared & { wanted: (alert: Alert) => boolean; narrowed: boolean; onCount(count: number): void },
) {
  const { session, wanted, narrowed } = props;
  const list = usePolled(
    (signal) => readAll(session, 'alerts_list', { state: 'active' }, signal),
    2_000,
    [session],
    ['alert'],
  );
  const [all, setAll] = useState(false);
  const [announcement, setAnnouncement] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  const count = list.data?.items.length ?? 0;
  useEffect(() => props.onCount(count), [count]);
  const raised = (list.data?.items ?? []).filter(wanted).sort(byGravity);
  const shown = all ? raised : raised.slice(0, SHOWN);
  const open = shown.filter((one) => one.acknowledged_at === null);
  const acknowledged = shown.filter((one) => one.acknowledged_at !== null);
  const card = (alert: Alert) => (
    <AlertCard
      key={alert.id}
      {...props}
      alert={alert}
      ticket={props.tickets.get(alert.id)}
      onAcknowledged={(text) => {
        setAnnouncement(text);
        list.reload();
        // The pressed button disappears. Focus the heading, so that a person who uses the keyboard stays in the list.
        heading.current?.focus({ preventScroll: true });
      }}
    />
  );
  return (
    <section class="raised" aria-label={t('Active now')}>
      <div class="head">
        <h2 ref={heading} tabIndex={-1}>
          {t('Active now')}
          {list.data !== null && `: ${raised.length}`}
          {open.length > 0 && <span class="aside"> {t('{n} not acknowledged', { n: open.length })}</span>}
        </h2>
        <LinkState of={list} session={session} />
      </div>
      <p class="hidden" role="status">
        {announcement}
      </p>
      {list.data !== null && raised.length === 0 && (
        <Empty title={t('No active alerts')}>
          {narrowed
            ? t('No active alert matches the filters above.')
            : t('New alerts appear here within seconds. You do not need to reload the page.')}
        </Empty>
      )}
      {open.length > 0 && <ul class="rows">{open.map(card)}</ul>}
      {acknowledged.length > 0 && (
        <>
          <h3>{t('Acknowledged')}</h3>
          <ul class="rows">{acknowledged.map(card)}</ul>
        </>
      )}
      {raised.length > shown.length && (
        <button type="button" onClick={() => setAll(true)}>
          {t('Show {n} more', { n: raised.length - shown.length })}
        </button>
      )}
      {list.data?.more && <p class="aside">{t('This page shows the newest 1,000 active alerts. There are more.')}</p>}
    </section>
  );
}

function List({ session, machine_id }: { session: Session; machine_id: string }) {
  const machines = useList(session, 'equipment_list');
  const devices = useList(session, 'devices_list');
  const machine = useIdText(machines, (one) => one.unit_number);
  const device = useIdText(devices, (one) => one.name || one.device_id);
  const tickets = useOpenTickets(session);
  const safety = tickets.safety.filter((one) => machine_id === '' || one.equipment_id === machine_id);
  const [severity, setSeverity] = useState<Severity | ''>('');
  const [raised, setRaised] = useState(0);
  const now = useNow(session.now);
  const wanted = (alert: Alert) =>
    (severity === '' || alert.severity === severity) &&
    (machine_id === '' || (alert.machine_id ?? NO_MACHINE) === machine_id);
  const shared = { session, machine, device, tickets: tickets.ofAlerts, now, wanted };
  return (
    <>
      <div class="narrow-by">
        <Choice
          label={t('Machine')}
          value={machine_id}
          options={[
            ['', t('All')],
            [NO_MACHINE, t('Without a machine')],
            ...(machines ?? []).map((one) => [one.id, one.unit_number] as const),
            ...(machines === null && machine_id !== '' ? [[machine_id, '…'] as const] : []),
          ]}
          onValue={(id) => {
            location.hash = address(id);
          }}
        />
        <Pick<Severity | ''>
          label={t('Severity')}
          value={severity}
          options={[['', t('All')], ...[...SEVERITY].reverse().map((one) => [one, t(SEVERITY_WORDS[one])] as const)]}
          onValue={setSeverity}
        />
      </div>
      <SafetyTickets session={session} tickets={safety} machine={machine} now={now} />
      <Raised {...shared} narrowed={severity !== '' || machine_id !== ''} onCount={setRaised} />
      <Cleared {...shared} machine_id={machine_id} severity={severity} raised={raised} />
    </>
  );
}

/** The pages for `#alerts`, `#alerts/eq_...` (alerts of one machine) and `#alerts/none` (alerts without a machine). */
export function AlertsPage({ session, at }: { session: Session; at: string }) {
  return (
    <>
      <div class="head">
        <h1>{t('Alerts')}</h1>
        <div class="actions">
          <a class="button" href="#alerts/rules">
            {t('Rules')}
          </a>
        </div>
      </div>
      <OfMachine key={at} session={session} id={at === NO_MACHINE ? '' : at} href="#alerts">
        <List session={session} machine_id={at} />
      </OfMachine>
    </>
  );
}
