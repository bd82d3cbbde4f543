/** The page of a submitted shift report. The report stays as it is; beside it the page shows what history says now. */
import { clock, dateText, joined, moment } from '#ui/format.ts';
import { language, said, t } from '#ui/languages/texts.ts';
import { LinkState } from '#ui/office/base/link-state.tsx';
import { useIdText, useList } from '#ui/office/base/lists.ts';
import { NoRecord } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useNow, usePolled } from '#ui/office/base/use.ts';
import { CsvButtons, PrintButton, UsageTable } from './shift-paper.tsx';
import { ChangeList } from './shift-parts.tsx';
import { evidenceText, minutesText, usageDifferences } from './shift-text.ts';

/** The comparison is read again after a change of an object of these kinds. */
const KINDS = ['equipment', 'equipment_event', 'shift_report', 'shift_report_event'];

export function ReportPage({ session, id }: { session: Session; id: string }) {
  const read = usePolled(
    async (signal) => {
      const report = await session.client.call('shift_reports_get', { id }, { signal });
      return { report, beside: await session.client.call('shift_reports_changes', { id }, { signal }) };
    },
    30_000,
    [session, id],
    KINDS,
  );
  const unit = useIdText(useList(session, 'equipment_list'), (one) => one.unit_number);
  const place = useIdText(useList(session, 'locations_list'), (one) => one.name);
  const now = useNow(session.now);
  const { timezone } = session.project;
  if (read.data === null)
    return <NoRecord title={t('Shifts')} href="#shifts" all={t('All shifts')} problem={read.problem} />;
  const { report, beside } = read.data;
  const { changes, machines } = beside;
  const { shift } = report;
  const isSame = changes.items.length === 0 && machines.length === 0;
  return (
    <>
      <div class="head">
        <h1>{t('Report of the {name} shift of {date}', { name: shift.name, date: dateText(shift.date) })}</h1>
        <PrintButton />
        <CsvButtons of={report} unit={unit} />
        <LinkState of={read} session={session} />
      </div>
      <p class="aside">
        {said('{place}, {from} to {to}. Submitted {time}. {all}', {
          place: place(report.location_id),
          from: clock(Date.parse(shift.starts_at), shift.timezone),
          to: clock(Date.parse(shift.ends_at), shift.timezone),
          time: moment(Date.parse(report.created_at), now, timezone),
          all: <a href="#shifts">{t('All shifts')}</a>,
        })}
      </p>
      {report.summary !== '' && <p>{report.summary}</p>}
      <section>
        <h2>{t('Times in the report')}</h2>
        <UsageTable usage={report.time_usage} unit={unit} />
        {report.fuel_l !== null && (
          <p>{t('Fuel used: {litres} L', { litres: report.fuel_l.toLocaleString(language().tag) })}</p>
        )}
      </section>
      <section>
        <h2>{t('Stoppages in the report')}</h2>
        {report.stopped.length === 0 && <p class="aside">{t('None')}</p>}
        <ul class="shift-list">
          {report.stopped.map((stop) => (
            <li key={`${stop.equipment_id} ${stop.started_at}`}>
              {said('{unit} {from} to {to}, {duration}', {
                unit: <a href={`#machines/${stop.equipment_id}`}>{unit(stop.equipment_id)}</a>,
                from: clock(Date.parse(stop.started_at), shift.timezone),
                to: clock(Date.parse(stop.ended_at), shift.timezone),
                duration: minutesText(stop.minutes),
              })}
              {stop.repair_ticket_id !== null && (
                <>
                  , <a href={`#tickets/${stop.repair_ticket_id}`}>{t('ticket')}</a>
                </>
              )}
              {stop.evidence.length > 0 && <small>{stop.evidence.map(evidenceText).join('; ')}</small>}
            </li>
          ))}
        </ul>
      </section>
      {report.amendments.length > 0 && (
        <section>
          <h2>{t('Corrections of the report')}</h2>
          <ul class="shift-list">
            {report.amendments.map(({ event_id, at, by, reason }) => (
              <li key={event_id}>{joined(moment(Date.parse(at), now, timezone), by, reason)}</li>
            ))}
          </ul>
        </section>
      )}
      <section class={isSame ? '' : 'shift-changes'}>
        <h2>{t('What history says now')}</h2>
        {isSame && <p>{t('The same as the report.')}</p>}
        {changes.items.length > 0 && <ChangeList changes={changes} session={session} now={now} />}
        {machines.length > 0 && (
          <ul class="shift-list">
            {machines.map((one) => (
              <li key={one.equipment_id}>
                {said('{unit} in the report: {differences}', {
                  unit: <a href={`#machines/${one.equipment_id}`}>{one.unit_number}</a>,
                  differences: usageDifferences(one.reported, one.now).join('; '),
                })}
              </li>
            ))}
          </ul>
        )}
        {!isSame && (
          <p class="aside">{t('The report itself stays as it was submitted. Corrections are added as amendments.')}</p>
        )}
      </section>
    </>
  );
}
