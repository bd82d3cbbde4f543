/** The inbox of conflicts of a site: both values, who gave them and when, one tap to choose, and undo. */
import { useState } from 'preact/hooks';
import type { ConflictValue, SyncChoice, SyncConflict } from '#contract/site/sync-conflicts.ts';
import { moment } from '#ui/format.ts';
import { said, t, type Word } from '#ui/languages/texts.ts';
import { toldOrEnglish } from '#ui/languages/told.ts';
import { useEnds } from '#ui/office/base/ends.ts';
import { Empty, Problem, Told } from '#ui/office/base/parts.tsx';
import { may, newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { useNow, usePolled, useSend } from '#ui/office/base/use.ts';
import { objectText } from '#ui/office/language/object-words.ts';

/** The page of each kind of record that has one. */
const PAGES: Readonly<Record<string, string>> = {
  equipment: 'machines',
  repair_ticket: 'tickets',
  operator: 'people/operators',
  mechanic: 'people/mechanics',
  dashboard: 'screens',
  playlist: 'screens',
  alert_rule: 'alerts',
  maintenance_plan: 'maintenance',
  device: 'devices',
  project: 'site',
};

function RecordName({ record }: { record: SyncConflict['record'] }) {
  const page = PAGES[record.object];
  const byId = page === 'machines' || page === 'tickets' || page === 'devices';
  return (
    <>
      {objectText(record.object)}{' '}
      {page === undefined ? (
        <b>{record.name}</b>
      ) : (
        <a href={byId ? `#${page}/${record.id}` : `#${page}`}>{record.name}</a>
      )}
    </>
  );
}

/** What happened, in one sentence. */
const SENTENCES: Readonly<Record<SyncConflict['kind'], Word>> = {
  conflict: 'Two people gave different values while there was no connection. The first one is shown now.',
  deletion: 'One person deleted it, and another one edited it without knowing. It stays until you decide.',
  records:
    'While there was no connection, people at two ends made records that contradict each other. Choose what to change.',
  step: 'This move was made while there was no connection, and did not fit any more. It had no effect.',
};

/** The words of the gateway for a place without a name of its own. */
const PLACES: readonly Word[] = ['head office', 'this site', 'a site'];

/** Where a value was given. A site has its name. */
function placeText(place: string): string {
  const word = PLACES.find((one) => one === place);
  return word === undefined ? place : t(word);
}

/** The name of a field. A key that people gave, such as that of a label, follows the name. */
function FieldLabel({ of: { label, path } }: { of: Pick<SyncConflict, 'label' | 'path'> }) {
  const key = path.split('/')[1];
  const name = key !== undefined && label.endsWith(` ${key}`) ? label.slice(0, -key.length - 1) : label;
  return (
    <>
      <Told text={name} />
      {label.slice(name.length)}
    </>
  );
}

/** A value in words. The gateway has words of its own for values that are no text of people. */
const valueText = ({ text, value }: Pick<ConflictValue, 'text' | 'value'>): string =>
  typeof value === 'string' && value !== '' ? text : toldOrEnglish(text);

function whoText({ by, place }: Pick<ConflictValue, 'by' | 'place'>): string {
  return place === 'now'
    ? t('As it is now')
    : t('{who}, at {place}', { who: by ?? t('Somebody'), place: placeText(place) });
}

function ConflictCard(props: { session: Session; conflict: SyncConflict; now: number; onDone(): void }) {
  const { session, conflict, now } = props;
  const { busy, problem, send } = useSend();
  const [key] = useState(newIdempotencyKey);
  const { timezone } = session.project;
  const canChoose = may(session, 'sync_conflicts_choose');
  return (
    <li class="panel-box conflict">
      <h2>
        <RecordName record={conflict.record} />: <FieldLabel of={conflict} />
      </h2>
      <p class="aside">{t(SENTENCES[conflict.kind])}</p>
      <ul class="conflict-values">
        {conflict.values.map((value, i) => (
          <li key={value.id}>
            <b class="conflict-text">{valueText(value)}</b>
            <small>
              {whoText(value)}
              {value.place !== 'now' && `, ${moment(Date.parse(value.at), now, timezone)}`}
              {conflict.kind === 'conflict' && i === 0 && <em> {t('Shown now')}</em>}
            </small>
            {canChoose && (conflict.kind !== 'step' || value.place === 'now') && (
              <button
                type="button"
                class={i === 0 ? '' : 'large'}
                disabled={busy}
                onClick={() =>
                  send(async () => {
                    const { record, path } = conflict;
                    const input = { record_id: record.id, path, value_id: value.id };
                    await session.client.call('sync_conflicts_choose', input, {
                      idempotency_key: `${key}-${value.id}`,
                    });
                    props.onDone();
                  })
                }
              >
                {conflict.kind === 'conflict'
                  ? t('Use this')
                  : conflict.kind === 'records'
                    ? t('Do this')
                    : valueText(value)}
                <span class="hidden">
                  {' '}
                  {valueText(value)}, {conflict.record.name}
                </span>
              </button>
            )}
          </li>
        ))}
      </ul>
      <Problem text={problem} />
    </li>
  );
}

function ChoiceRow(props: { session: Session; choice: SyncChoice; now: number; onDone(): void }) {
  const { session, choice, now } = props;
  const { busy, problem, send } = useSend();
  const { timezone } = session.project;
  const canUndo = may(session, 'sync_choices_undo') && !choice.undone && !choice.path.startsWith('steps/');
  return (
    <li>
      <p>
        <RecordName record={choice.record} />: <FieldLabel of={choice} />.{' '}
        {said(
          choice.undoes === null
            ? '{who} at {place} chose {value}, {time}.'
            : '{who} at {place} went back to {value}, {time}.',
          {
            who: choice.by ?? t('Somebody'),
            place: placeText(choice.place),
            value: <b>{valueText(choice.chosen)}</b>,
            time: moment(Date.parse(choice.at), now, timezone),
          },
        )}
      </p>
      <p class="aside">
        {t('Not chosen: {values}', {
          values: choice.others.map((one) => `${valueText(one)} (${whoText(one)})`).join('; '),
        })}
        {choice.undone && `. ${t('This choice was undone.')}`}
      </p>
      {canUndo && (
        <button
          type="button"
          disabled={busy}
          onClick={() =>
            send(async () => {
              await session.client.call('sync_choices_undo', { id: choice.id });
              props.onDone();
            })
          }
        >
          {t('Undo this choice')}
          <span class="hidden">
            {' '}
            {t('the choice of {value} for {name}', { value: choice.chosen.text, name: choice.record.name })}
          </span>
        </button>
      )}
      <Problem text={problem} />
    </li>
  );
}

/** The kinds of records whose changes may end or begin a conflict. */
const CONCERNED = [
  'equipment',
  'repair_ticket',
  'operator',
  'mechanic',
  'dashboard',
  'playlist',
  'location',
  'project',
];

export function ConflictsPage({ session }: { session: Session }) {
  const now = useNow(session.now);
  const list = usePolled(
    (signal) => session.client.call('sync_conflicts_list', {}, { signal }),
    10_000,
    [session],
    CONCERNED,
  );
  const choices = usePolled((signal) => session.client.call('sync_choices_list', { limit: 20 }, { signal }), 30_000, [
    session,
  ]);
  const ends = useEnds();
  const done = () => {
    ends.reload();
    list.reload();
    choices.reload();
  };
  const open = list.data?.data ?? [];
  const made = choices.data?.data ?? [];
  return (
    <>
      <h1>{t('Conflicts')}</h1>
      <Problem text={list.problem ?? choices.problem} />
      {list.data !== null && open.length === 0 && (
        <Empty title={t('Nothing to decide')}>
          {t(
            'If people at the site and at head office give different values to one field while there is no connection, both values are kept, and this page asks which one counts.',
          )}
        </Empty>
      )}
      <ul class="conflicts">
        {open.map((conflict) => (
          <ConflictCard
            key={`${conflict.record.id} ${conflict.path}`}
            session={session}
            conflict={conflict}
            now={now}
            onDone={done}
          />
        ))}
      </ul>
      {made.length > 0 && (
        <section class="panel-box" aria-label={t('Decided')}>
          <h2>{t('Decided')}</h2>
          <ul class="receipts">
            {made.map((choice) => (
              <ChoiceRow key={choice.id} session={session} choice={choice} now={now} onDone={done} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
