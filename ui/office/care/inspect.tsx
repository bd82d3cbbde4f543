/** Fills in an inspection, on a tablet or phone: large buttons, one item below the other, usable with one hand and gloves. */
import { useState } from 'preact/hooks';
import { t, type Word } from '#ui/languages/texts.ts';
import { readAll } from '#ui/office/base/lists.ts';
import { Choice, Empty, Field, NoRecord, Problem } from '#ui/office/base/parts.tsx';
import { TextArea } from '#ui/office/base/picks.tsx';
import { may, type Session } from '#ui/office/base/session.ts';
import { usePolled } from '#ui/office/base/use.ts';
import { OutboxFull } from '#ui/office/outbox/outbox-mark.tsx';
import { MediaList } from '#ui/office/work/ticket-media.tsx';
import { Photos } from './photos.tsx';
import { type Answer, type Checklist, type Inspection, useInspection } from './use-inspection.ts';

const ANSWERS: readonly (readonly [Answer, Word])[] = [
  ['ok', 'OK'],
  ['not_ok', 'Not ok'],
  ['not_applicable', 'N/A'],
];

type Filling = ReturnType<typeof useInspection>;

function Item(props: { session: Session; equipment_id: string; item: Filling['items'][number]; filling: Filling }) {
  const { session, equipment_id, item, filling } = props;
  const { filled } = filling;
  const answer = filled.answers[item.id];
  return (
    <li class={`inspect-item ${answer ?? ''}`}>
      <h2 id={`item ${item.id}`}>
        {item.text}
        {item.critical && <span class="badge-word danger">{t('Critical')}</span>}
      </h2>
      {item.hint !== '' && <p class="aside">{item.hint}</p>}
      <fieldset class="inspect-answers" aria-labelledby={`item ${item.id}`}>
        {ANSWERS.map(([value, word]) => (
          <button
            key={value}
            type="button"
            class={value}
            aria-pressed={answer === value}
            onClick={() => filling.answer(item.id, value)}
          >
            {t(word)}
          </button>
        ))}
      </fieldset>
      {answer === 'not_ok' && (
        <>
          {item.critical && (
            <p class="inspect-stop" role="alert">
              {t('Do not operate this machine. Send this inspection, then tell your supervisor.')}
            </p>
          )}
          <TextArea
            label={t('What is wrong? (optional)')}
            value={filled.notes[item.id] ?? ''}
            onValue={(value) => filling.note(item.id, value)}
            rows={2}
            maxLength={1_000}
          />
        </>
      )}
      {answer !== undefined && may(session, 'equipment_upload_photo') && (
        <Photos
          session={session}
          equipment_id={equipment_id}
          subject={filled.key}
          about={t('Photo of "{text}"', { text: item.text })}
          photos={filled.photos?.[item.id] ?? []}
          onPhotos={(next) => filling.photos(item.id, next)}
        />
      )}
    </li>
  );
}

function Fill(props: {
  session: Session;
  machine: { readonly id: string; readonly unit_number: string };
  list: Checklist;
}) {
  const { session, machine, list } = props;
  const filling = useInspection({
    session,
    equipment_id: machine.id,
    list,
    unit: machine.unit_number,
    onSent: (sent) => {
      location.hash = sent === null ? '#outbox' : `#inspections/${sent.id}`;
    },
  });
  const { items, done, filled, busy, problem } = filling;
  const isComplete = done === items.length;
  return (
    <>
      <OutboxFull />
      {/* The answer clears the form, so nobody may change it until then. */}
      <div inert={busy}>
        <ul class="inspect">
          {items.map((item) => (
            <Item key={item.id} session={session} equipment_id={machine.id} item={item} filling={filling} />
          ))}
        </ul>
        <div class="panel-box">
          <Field label={t('Your name')} value={filled.done_by} onValue={(value) => filling.touch('done_by', value)} />
          <Field
            label={t('Engine hours (optional)')}
            value={filled.hours}
            onValue={(value) => filling.touch('hours', value)}
          />
        </div>
      </div>
      <div class="inspect-send">
        <p role="status">{t('{done} of {all} answered', { done, all: items.length })}</p>
        <Problem text={problem} />
        <button type="button" class="primary large" disabled={busy || !isComplete} onClick={filling.send}>
          {busy ? t('Sending') : t('Send the inspection')}
        </button>
      </div>
    </>
  );
}

/** The page on which a person inspects one machine. */
export function Inspect({ session, equipment_id }: { session: Session; equipment_id: string }) {
  const { client } = session;
  const machine = usePolled((signal) => client.call('equipment_get', { id: equipment_id }, { signal }), 60_000, [
    equipment_id,
  ]);
  const lists = usePolled((signal) => readAll(session, 'inspection_checklists_list', {}, signal), 60_000, [session]);
  const [chosen, setChosen] = useState('');
  const { data } = machine;
  if (data === null || lists.data === null) {
    const problem = machine.problem ?? lists.problem;
    return <NoRecord title={t('Inspections')} href="#inspections" all={t('All inspections')} problem={problem} />;
  }
  const fitting = lists.data.items.filter(({ kind, enabled }) => enabled && (kind === null || kind === data.kind));
  const list = fitting.find(({ id }) => id === chosen) ?? fitting[0];
  return (
    <>
      <div class="head">
        <h1>{t('Inspect {unit}', { unit: data.unit_number })}</h1>
      </div>
      {fitting.length > 1 && list !== undefined && (
        <Choice
          label={t('Checklist')}
          value={list.id}
          options={fitting.map((one) => [one.id, one.name] as const)}
          onValue={setChosen}
        />
      )}
      {list === undefined ? (
        <Empty title={t('There is no checklist for this kind of machine')}>
          {t('A supervisor adds checklists on the page Inspections.')}
        </Empty>
      ) : (
        <Fill key={list.id} session={session} machine={data} list={list} />
      )}
    </>
  );
}

/** Shows a completed inspection. */
export function InspectionResult(props: { session: Session; inspection: Inspection; unit: string; when: string }) {
  const { session, inspection, unit, when } = props;
  const failed = inspection.items.filter(({ answer }) => answer === 'not_ok');
  const words = new Map<Answer, string>(ANSWERS.map(([answer, word]) => [answer, t(word)]));
  return (
    <>
      <div class="head">
        <h1>{t('Inspection of {unit}', { unit })}</h1>
      </div>
      {inspection.do_not_operate ? (
        <p class="inspect-stop large" role="alert">
          {t('Do not operate {unit}', { unit })}
        </p>
      ) : (
        <p class="inspect-result">{failed.length === 0 ? t('No defects') : t('Defects: {n}', { n: failed.length })}</p>
      )}
      <p class="aside">
        {t('{checklist}, by {done_by}, {when}', { checklist: inspection.checklist, done_by: inspection.done_by, when })}
        {inspection.hours !== null && `, ${t('at {size}', { size: `${inspection.hours} h` })}`}
      </p>
      <ul class="rows">
        {[...failed, ...inspection.items.filter((item) => !failed.includes(item))].map((item) => (
          <li key={item.item_id}>
            <div class="row">
              <div>
                <b>
                  {item.text}: {item.answer === 'unknown' ? t('Unknown') : words.get(item.answer)}
                </b>
                {item.note !== '' && <small>{item.note}</small>}
                <MediaList session={session} media={item.media} />
              </div>
              {item.ticket_id !== null && (
                <a class="button" href={`#tickets/${item.ticket_id}`}>
                  {t('Ticket')}
                </a>
              )}
            </div>
          </li>
        ))}
      </ul>
      <div class="actions">
        <a class="button" href="#inspections">
          {t('All inspections')}
        </a>
        <a class="button" href={`#machines/${inspection.equipment_id}`}>
          {unit}
        </a>
      </div>
    </>
  );
}
