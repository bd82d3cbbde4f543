/** The page of shifts: the draft of a shift with its stoppages and what changed since the last look, and the submitted reports. */
import { useEffect, useState } from 'preact/hooks';
import { moment } from '#ui/format.ts';
import { said, t } from '#ui/languages/texts.ts';
import { LinkState } from '#ui/office/base/link-state.tsx';
import { useList } from '#ui/office/base/lists.ts';
import { Choice, Empty, Field, Problem } from '#ui/office/base/parts.tsx';
import { may, newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { useNow, usePolled, useSend } from '#ui/office/base/use.ts';
import { CsvButtons, PrintButton, tablesOf } from './shift-paper.tsx';
import { ChangeList, MachineTimes, Stoppages, Worked } from './shift-parts.tsx';
import { ReportPage } from './shift-report.tsx';
import { type ChosenShift, type Draft, presentShift } from './shift-text.ts';

/** The draft is read again after a change of an object of these kinds. */
const KINDS = ['equipment', 'equipment_event', 'repair_ticket', 'alert', 'shift_report'];

interface Chosen extends ChosenShift {
  readonly location_id: string;
}

/** The changes since the last look of the person. A person confirms them, or opens the shift for the first time. */
function SinceLastLook(props: { session: Session; chosen: Chosen; draft: Draft; onSeen(draft: Draft): void }) {
  const { session, chosen, draft } = props;
  const { changes } = draft;
  const now = useNow(session.now);
  const saving = useSend();
  // A role that may only read has no looks, so its drafts name no changes.
  const mayLook = may(session, 'shift_reports_look');
  const look = () =>
    saving.send(async () => {
      props.onSeen(await session.client.call('shift_reports_look', chosen, { idempotency_key: newIdempotencyKey() }));
    });
  // The first look at a shift is remembered at once, because there is nothing to confirm.
  const isFirst = changes.since === null;
  useEffect(() => {
    if (isFirst && mayLook) look();
  }, [isFirst, chosen.location_id, chosen.shift, chosen.date]);
  if (changes.since === null || changes.items.length === 0) return <Problem text={saving.problem} />;
  return (
    <section class="shift-changes">
      <h2>
        {t('Changed since your last look at {time}', {
          time: moment(Date.parse(changes.since), now, session.project.timezone),
        })}
      </h2>
      <ChangeList changes={changes} session={session} now={now} />
      <Problem text={saving.problem} />
      <button type="button" disabled={saving.busy} onClick={look}>
        {t('I have seen these changes')}
      </button>
    </section>
  );
}

function Submit({ session, draft, onDone }: { session: Session; draft: Draft; onDone(id: string): void }) {
  const [summary, setSummary] = useState('');
  const sending = useSend();
  return (
    <section class="not-on-paper">
      <h2>{t('Submit the report')}</h2>
      <p class="aside">
        {t(
          'The report takes the times and stoppages of this page. It never changes afterwards; corrections are added to it.',
        )}
      </p>
      <Field label={t('Summary')} value={summary} onValue={setSummary} />
      <Problem text={sending.problem} />
      <button
        type="button"
        class="primary"
        disabled={sending.busy}
        onClick={() =>
          sending.send(async () => {
            const report = await session.client.call(
              'shift_reports_create',
              { ...draft.report, summary },
              { idempotency_key: newIdempotencyKey() },
            );
            onDone(report.id);
          })
        }
      >
        {t('Submit the report')}
      </button>
    </section>
  );
}

function DraftOf({ session, chosen }: { session: Session; chosen: Chosen }) {
  const read = usePolled(
    (signal) => session.client.call('shift_reports_draft', chosen, { signal }),
    30_000,
    [session, chosen.location_id, chosen.shift, chosen.date],
    KINDS,
  );
  const reports = usePolled(
    (signal) =>
      session.client.call(
        'shift_reports_list',
        { location_id: chosen.location_id, shift: chosen.shift, shift_date: chosen.date, limit: 1 },
        { signal },
      ),
    30_000,
    [session, chosen.location_id, chosen.shift, chosen.date],
    ['shift_report'],
  );
  const now = useNow(session.now);
  const draft = read.data;
  const report = reports.data?.data[0];
  if (draft === null)
    return read.problem === null ? <p class="aside">{t('Loading')}</p> : <Problem text={read.problem} />;
  const units = new Map(draft.time_classes.map((one) => [one.equipment_id, one.unit_number]));
  const until = moment(Date.parse(draft.computed_until), now, session.project.timezone);
  return (
    <>
      <div class="head">
        <h2>{draft.complete ? t('The whole shift') : t('Until {until}', { until })}</h2>
        <PrintButton />
        <CsvButtons of={tablesOf(draft)} unit={(id) => units.get(id) ?? id} />
        <LinkState of={read} session={session} />
      </div>
      {report !== undefined && (
        <p>
          {said('The report of this shift was submitted. {a}', {
            a: <a href={`#shifts/${report.id}`}>{t('Report and what changed since')}</a>,
          })}
        </p>
      )}
      <SinceLastLook session={session} chosen={chosen} draft={draft} onSeen={() => read.reload()} />
      {draft.time_classes.length === 0 ? (
        <Empty title={t('No machines at this location')}>{t('Set the location of a machine on its page.')}</Empty>
      ) : (
        <>
          <Worked draft={draft} target={session.project.working_target_percent} />
          <MachineTimes draft={draft} />
        </>
      )}
      {draft.more_machines && <p class="aside">{t('The location has more machines than a draft can hold.')}</p>}
      <section>
        <h2>{t('Stoppages')}</h2>
        <Stoppages stoppages={draft.stoppages} session={session} now={now} />
      </section>
      {report === undefined && may(session, 'shift_reports_create') && draft.complete && reports.data !== null && (
        <Submit
          session={session}
          draft={draft}
          onDone={(id) => {
            location.hash = `#shifts/${id}`;
          }}
        />
      )}
    </>
  );
}

function Drafts({ session }: { session: Session }) {
  const locations = useList(session, 'locations_list');
  const [place, setPlace] = useState('');
  const [chosen, setChosen] = useState(() => presentShift(session.project, session.now()));
  const location_id = place === '' ? (locations?.[0]?.id ?? '') : place;
  return (
    <>
      <div class="head">
        <h1>{t('Shifts')}</h1>
      </div>
      <div class="narrow-by">
        <Choice
          label={t('Location')}
          value={location_id}
          options={(locations ?? []).map((one) => [one.id, one.name] as const)}
          onValue={setPlace}
        />
        <Choice
          label={t('Shift')}
          value={chosen.shift}
          options={session.project.shift_pattern.map(({ name }) => [name, name] as const)}
          onValue={(shift) => setChosen({ ...chosen, shift })}
        />
        <div class="field">
          <label for="shift-date">{t('Begins on')}</label>
          <input
            id="shift-date"
            type="date"
            value={chosen.date}
            onChange={({ currentTarget: { value } }) => value !== '' && setChosen({ ...chosen, date: value })}
          />
        </div>
      </div>
      {locations !== null && locations.length === 0 ? (
        <Empty title={t('No locations')}>{t('A draft has the machines of a location. Add a location first.')}</Empty>
      ) : (
        location_id !== '' && (
          <DraftOf
            key={`${location_id} ${chosen.shift} ${chosen.date}`}
            session={session}
            chosen={{ ...chosen, location_id }}
          />
        )
      )}
    </>
  );
}

/** The page. `at` is the id of a report, or empty for drafts. */
export function ShiftsPage({ session, at }: { session: Session; at: string }) {
  return at === '' ? <Drafts session={session} /> : <ReportPage key={at} session={session} id={at} />;
}
