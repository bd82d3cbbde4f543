/** The page of a submitted shift report. The report stays as it is; beside it the page shows what history says now. */
import { clock, moment } from '#ui/format.ts';
import { said, t } from '#ui/languages/texts.ts';
import { LinkState } from '#ui/office/base/link-state.tsx';
import { Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { useNow, usePolled } from '#ui/office/base/use.ts';
import { ChangeList } from './shift-parts.tsx';
import { minutesText, usageDifferences } from './shift-text.ts';

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
  const now = useNow(session.now);
  const { timezone } = session.project;
  if (read.data === null)
    return read.problem === null ? <p class="aside">{t('Loading')}</p> : <Problem text={read.problem} />;
  const { report, beside } = read.data;
  const { changes, machines } = beside;
  const { shift } = report;
  const isSame = changes.items.length === 0 && machines.length === 0;
  return (
    <>
      <div class="head">
        <h1>{t('Report of the {name} shift of {date}', { name: shift.name, date: shift.date })}</h1>
        <LinkState of={read} session={session} />
      </div>
      <p class="aside">
        {said('{from} to {to}. Submitted {time}. {all}', {
          from: clock(Date.parse(shift.starts_at), shift.timezone),
          to: clock(Date.parse(shift.ends_at), shift.timezone),
          time: moment(Date.parse(report.created_at), now, timezone),
          all: <a href="#shifts">{t('All shifts')}</a>,
        })}
      </p>
      {report.summary !== '' && <p>{report.summary}</p>}
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
      <section>
        <h2>{t('Stoppages in the report')}</h2>
        {report.stopped.length === 0 && <p class="aside">{t('None')}</p>}
        <ul class="shift-list">
          {report.stopped.map((stop) => (
            <li key={`${stop.equipment_id} ${stop.started_at}`}>
              {said('{unit} {from} to {to}, {duration}', {
                unit: <a href={`#machines/${stop.equipment_id}`}>{t('Machine')}</a>,
                from: clock(Date.parse(stop.started_at), shift.timezone),
                to: clock(Date.parse(stop.ended_at), shift.timezone),
                duration: minutesText(stop.minutes),
              })}
              {stop.repair_ticket_id !== null && (
                <>
                  , <a href={`#tickets/${stop.repair_ticket_id}`}>{t('ticket')}</a>
                </>
              )}
              {stop.evidence.length > 0 && <small>{stop.evidence.join('; ')}</small>}
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}
