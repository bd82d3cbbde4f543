/** The lists of head office over all its sites: machines, those in trouble first, open repairs and active alerts. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { FleetAlert, FleetMachine, FleetSite, FleetTicket } from '#contract/site/fleet-lists.ts';
import { duration, moment } from '#ui/format.ts';
import { officeReason } from '#ui/languages/office.ts';
import { language, t, type Word } from '#ui/languages/texts.ts';
import { MoreRows, type Paged, usePaged } from '#ui/office/base/paged.tsx';
import { Choice, Empty, Field, Problem } from '#ui/office/base/parts.tsx';
import { type Session, storeProject } from '#ui/office/base/session.ts';
import { STATUS_TEXT } from '#ui/office/base/status-words.ts';
import { useNow, usePolled } from '#ui/office/base/use.ts';
import { SeverityMark } from '#ui/office/work/alert-card.tsx';
import { crossed, SEVERITY_WORDS } from '#ui/office/work/alert-text.ts';
import { PRIORITY_WORDS, STATUS_WORDS } from '#ui/office/work/ticket-text.ts';
import { markOf } from '#ui/tiles/machine-drawing.ts';
import { AlertMark, LiveMark, Lost } from '#ui/tiles/marks.tsx';
import { ownerTexts, reasonTexts } from '#ui/words.ts';

const EVERY_MS = 10_000;
type LiveWords = Readonly<Record<FleetMachine['live_status'], Word>>;
const LIVE_TEXT: LiveWords = { running: 'Running', idle: 'Idle', off: 'Off', unknown: 'Unknown' };
const LIVE_TEXT_THEN: LiveWords = { running: 'Ran', idle: 'Idled', off: 'Was off', unknown: 'Unknown' };
/** Machines in trouble on the page. */
const MOST_TROUBLED = 50;

interface Shared {
  readonly session: Session;
  onProject(): void;
}

/** Formats a time by the clock of this browser, because the sites have several time zones. */
const here = (at: string, now: number): string =>
  moment(Date.parse(at), now, Intl.DateTimeFormat().resolvedOptions().timeZone);

/** The site of a row, and how old its data is. */
function SiteCell({ site, now }: { site: FleetSite; now: number }) {
  const { name, connected, last_contact_at: at } = site;
  return (
    <td data-label={t('Site')}>
      {name}
      <small>
        {connected === null
          ? t('Made at head office')
          : at === null
            ? t('Never heard')
            : connected
              ? t('Heard {age} ago', { age: duration(now - Date.parse(at)) })
              : t('Not heard since {time}', { time: here(at, now) })}
      </small>
    </td>
  );
}

/** A button that opens a page of the project to which the row belongs. */
function Open(props: Shared & { site: FleetSite; page: string; children: ComponentChildren }) {
  const open = () => {
    storeProject(props.site.project_id);
    location.hash = props.page;
    props.onProject();
  };
  return (
    <button type="button" class="link" onClick={open}>
      {props.children}
    </button>
  );
}

/** What is wrong with a machine, and who is on it; nothing for a machine that needs nobody. */
function Wrong({ attention }: Pick<FleetMachine, 'attention'>) {
  const [first, ...others] = attention?.reasons ?? [];
  if (first === undefined) return null;
  const { grade, cause, says, probably, trend, owner } = first;
  const reason = { says, ...(probably !== null && { probably }), ...(trend !== null && { trend }) };
  return (
    <p class="needs">
      <AlertMark mark={markOf({ grade, cause })} />
      <span>
        {reasonTexts(officeReason(reason))[0]}. {ownerTexts(owner === null ? {} : { owner })[0]}.
        {others.length > 0 && ` ${t('{n} more.', { n: others.length })}`}
      </span>
    </p>
  );
}

function LiveCell({ machine, now }: { machine: FleetMachine; now: number }) {
  const { site, live_status, last_live_data_at: at } = machine;
  const isOld = site.connected === false;
  return (
    <td data-label={t('Live')}>
      <span class="live">
        {isOld ? <Lost /> : <LiveMark live={live_status} />}
        {t((isOld ? LIVE_TEXT_THEN : LIVE_TEXT)[live_status])}
      </span>
      <small>
        {at === null ? t('No live data') : t('Data {age} old', { age: duration(Math.max(0, now - Date.parse(at))) })}
      </small>
    </td>
  );
}

function MachineRows(props: Shared & { label: string; machines: readonly FleetMachine[]; now: number }) {
  const { machines, now } = props;
  return (
    <div class="table stacks fleet">
      <table aria-label={props.label}>
        <thead>
          <tr>
            {(['Unit', 'Site', 'Live', 'Reported'] as const).map((name) => (
              <th key={name} scope="col">
                {t(name)}
              </th>
            ))}
            {(['Hours', 'Open repairs'] as const).map((name) => (
              <th key={name} scope="col" class="figure">
                {t(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {machines.map((one) => (
            <tr key={one.id} class={one.site.connected === false ? 'unheard' : ''}>
              <th scope="row">
                <Open {...props} site={one.site} page={`machines/${one.id}`}>
                  {one.unit_number}
                </Open>
                <Wrong attention={one.attention} />
              </th>
              <SiteCell site={one.site} now={now} />
              <LiveCell machine={one} now={now} />
              <td data-label={t('Reported')}>
                <span class={`said ${one.status}`}>{t(STATUS_TEXT[one.status])}</span>
              </td>
              <td data-label={t('Hours')} class="figure">
                {one.engine_hours === null
                  ? '—'
                  : one.engine_hours.toLocaleString(language().tag, {
                      maximumFractionDigits: 1,
                      minimumFractionDigits: 1,
                    })}
              </td>
              <td data-label={t('Open repairs')} class="figure">
                {one.open_tickets}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function SiteChoice(props: Pick<Shared, 'session'> & { value: string; onValue(value: string): void }) {
  const { session, value, onValue } = props;
  const options = [['', t('All sites')] as const, ...session.projects.map(({ id, name }) => [id, name] as const)];
  return <Choice label={t('Site')} value={value} options={options} onValue={onValue} />;
}

export function AllMachinesPage(props: Shared) {
  const { session } = props;
  const [site, setSite] = useState('');
  const [text, setText] = useState('');
  const now = useNow(session.now);
  const q = text.trim();
  const query = { ...(site !== '' && { site }), ...(q !== '' && { q }) };
  const troubled = usePolled(
    (signal) =>
      session.client.call('fleet_equipment_list', { ...query, in_trouble: true, limit: MOST_TROUBLED }, { signal }),
    EVERY_MS,
    [session, site, q],
  );
  const all = usePaged(session, 'fleet_equipment_list', { ...query, limit: 50 }, EVERY_MS);
  const wrong = troubled.data?.data ?? [];
  const left = troubled.data?.not_ranked ?? 0;
  return (
    <div class="all-sites">
      <h1>{t('Machines of all sites')}</h1>
      <div class="filters">
        <SiteChoice session={session} value={site} onValue={setSite} />
        <Field label={t('Unit number or name')} value={text} onValue={setText} />
      </div>
      <Problem text={troubled.problem ?? all.problem} />
      <h2>{t('In trouble')}</h2>
      {troubled.data !== null && wrong.length === 0 && (
        <p class="aside">{t('No machine of this list is in trouble, as its site was last heard.')}</p>
      )}
      {wrong.length > 0 && <MachineRows {...props} label={t('Machines in trouble')} machines={wrong} now={now} />}
      {troubled.data?.has_more === true && (
        <p class="aside">
          {t('This page shows the {n} most urgent machines. More are in trouble.', { n: wrong.length })}
        </p>
      )}
      {left > 0 && (
        <p class="aside" role="note">
          {t(
            '{n} site has more than 1,000 active alerts or open repairs. Only the newest 1,000 count in this list, so machines of this site may be missing.|{n} sites have more than 1,000 active alerts or open repairs. Only the newest 1,000 count in this list, so machines of these sites may be missing.',
            { n: left },
          )}
        </p>
      )}
      <h2>{t('All machines')}</h2>
      {all.items?.length === 0 && (
        <Empty title={t('No machines')}>
          {q === ''
            ? t('No site has brought a machine yet.')
            : t('No unit number and no name has "{text}" in it.', { text: q })}
        </Empty>
      )}
      {all.items !== null && all.items.length > 0 && (
        <MachineRows {...props} label={t('All machines')} machines={all.items} now={now} />
      )}
      <MoreRows of={all} text={t('Show more machines')} now={now} />
    </div>
  );
}

function TicketRow({ ticket, now, ...props }: Shared & { ticket: FleetTicket; now: number }) {
  const { site, safety_critical, due_at } = ticket;
  return (
    <tr class={site.connected === false ? 'unheard' : ''}>
      <th scope="row">
        <Open {...props} site={site} page={`tickets/${ticket.id}`}>
          {ticket.title}
        </Open>
        <small>{ticket.number}</small>
      </th>
      <SiteCell site={site} now={now} />
      <td data-label={t('Machine')}>{ticket.unit_number ?? t('Not known here yet')}</td>
      <td data-label={t('Status')}>
        {t(STATUS_WORDS[ticket.status])}
        <small>{ticket.assigned === 0 ? t('Nobody is assigned') : t('{n} assigned', { n: ticket.assigned })}</small>
      </td>
      <td data-label={t('Priority')}>
        {safety_critical ? t('Safety critical') : t(PRIORITY_WORDS[ticket.priority])}
        {due_at !== null && (
          <small>
            {t(Date.parse(due_at) < now ? 'Overdue since {time}' : 'Due {time}', { time: here(due_at, now) })}
          </small>
        )}
      </td>
      <td data-label={t('Age')} class="figure">
        {duration(now - Date.parse(ticket.flagged_at))}
      </td>
    </tr>
  );
}

/** A page with rows of all sites, or of the site that a person chooses. */
function SitesPage<T extends { readonly id: string }>(props: {
  readonly session: Session;
  readonly title: Word;
  readonly site: string;
  onSite(site: string): void;
  readonly list: Paged<T>;
  readonly now: number;
  readonly none: { readonly title: Word; readonly text: Word };
  readonly columns: readonly Word[];
  readonly moreText: string;
  row(item: T): ComponentChildren;
}) {
  const { session, title, site, onSite, none, columns, moreText, row } = props;
  const { items, problem } = props.list;
  return (
    <div class="all-sites">
      <h1>{t(title)}</h1>
      <div class="filters">
        <SiteChoice session={session} value={site} onValue={onSite} />
      </div>
      <Problem text={problem} />
      {items?.length === 0 && <Empty title={t(none.title)}>{t(none.text)}</Empty>}
      {items !== null && items.length > 0 && (
        <div class="table stacks fleet">
          <table>
            <thead>
              <tr>
                {columns.map((name) => (
                  <th key={name} scope="col">
                    {t(name)}
                  </th>
                ))}
                <th scope="col" class="figure">
                  {t('Age')}
                </th>
              </tr>
            </thead>
            <tbody>{items.map(row)}</tbody>
          </table>
        </div>
      )}
      <MoreRows of={props.list} text={moreText} now={props.now} />
    </div>
  );
}

/** The rows of all sites, or of the site that a person chooses. */
function useSiteList<N extends 'fleet_repair_tickets_list' | 'fleet_alerts_list'>(session: Shared['session'], name: N) {
  const [site, onSite] = useState('');
  const list = usePaged(session, name, { ...(site !== '' && { site }), limit: 50 }, EVERY_MS);
  return { site, onSite, list };
}

export function AllRepairsPage(props: Shared) {
  const { session } = props;
  const now = useNow(session.now);
  const list = useSiteList(session, 'fleet_repair_tickets_list');
  return (
    <SitesPage
      session={session}
      title="Repairs of all sites"
      {...list}
      now={now}
      none={{ title: 'No open repairs', text: 'Head office knows of no open repair ticket.' }}
      columns={['Repair', 'Site', 'Machine', 'Status', 'Priority']}
      moreText={t('Show more repairs')}
      row={(ticket) => <TicketRow key={ticket.id} {...props} ticket={ticket} now={now} />}
    />
  );
}

function AlertRow({ alert, now, ...props }: Shared & { alert: FleetAlert; now: number }) {
  const { site, severity, machine_id, unit_number, acknowledged_at, raised_at, late } = alert;
  return (
    <tr class={site.connected === false ? 'unheard' : ''}>
      <th scope="row">
        <Open {...props} site={site} page="alerts">
          {crossed(alert)}
        </Open>
        <small>{alert.rule_name}</small>
      </th>
      <SiteCell site={site} now={now} />
      <td data-label={t('Machine')}>{machine_id === null ? t('None') : (unit_number ?? t('Not known here yet'))}</td>
      <td data-label={t('Severity')}>
        <span class="live">
          <SeverityMark severity={severity} />
          {t(SEVERITY_WORDS[severity])}
        </span>
        {late && <small>{t('Its data was old when it arrived')}</small>}
      </td>
      <td data-label={t('Seen')}>
        {acknowledged_at === null ? t('By nobody') : t('Acknowledged {time}', { time: here(acknowledged_at, now) })}
      </td>
      <td data-label={t('Age')} class="figure">
        {duration(now - Date.parse(raised_at))}
      </td>
    </tr>
  );
}

export function AllAlertsPage(props: Shared) {
  const { session } = props;
  const now = useNow(session.now);
  const list = useSiteList(session, 'fleet_alerts_list');
  return (
    <SitesPage
      session={session}
      title="Alerts of all sites"
      {...list}
      now={now}
      none={{ title: 'No active alerts', text: 'Head office knows of no active alert.' }}
      columns={['Alert', 'Site', 'Machine', 'Severity', 'Seen']}
      moreText={t('Show more alerts')}
      row={(alert) => <AlertRow key={alert.id} {...props} alert={alert} now={now} />}
    />
  );
}
