/** The inbox of conflicts of a site: both values, who gave them and when, one tap to choose, and undo. */
import { useState } from 'preact/hooks';
import type { ConflictValue, SyncChoice, SyncConflict } from '#contract/site/sync-conflicts.ts';
import { moment } from '#ui/format.ts';
import { useEnds } from '#ui/office/base/ends.ts';
import { Empty, Problem } from '#ui/office/base/parts.tsx';
import { may, newIdempotencyKey, type Session } from '#ui/office/base/session.ts';
import { useNow, usePolled, useSend } from '#ui/office/base/use.ts';

const KINDS: Readonly<Record<string, readonly [name: string, page: string | null]>> = {
  equipment: ['Machine', 'machines'],
  repair_ticket: ['Repair', 'tickets'],
  operator: ['Operator', 'people/operators'],
  mechanic: ['Mechanic', 'people/mechanics'],
  dashboard: ['Board', 'screens'],
  playlist: ['Playlist', 'screens'],
  location: ['Location', null],
  alert_rule: ['Alert rule', 'alerts'],
  maintenance_plan: ['Maintenance plan', 'maintenance'],
  device: ['Device', 'devices'],
  project: ['Site', 'site'],
};

function RecordName({ record }: { record: SyncConflict['record'] }) {
  const [kind, page] = KINDS[record.object] ?? [record.object.replaceAll('_', ' '), null];
  const byId = page === 'machines' || page === 'tickets' || page === 'devices';
  return (
    <>
      {kind}{' '}
      {page === null ? <b>{record.name}</b> : <a href={byId ? `#${page}/${record.id}` : `#${page}`}>{record.name}</a>}
    </>
  );
}

/** What happened, in one sentence. */
const SENTENCES: Readonly<Record<SyncConflict['kind'], string>> = {
  conflict: 'Two people gave different values while there was no connection. The first one is shown now.',
  deletion: 'One person deleted it, and another one edited it without knowing. It stays until you decide.',
  records:
    'While there was no connection, people at two ends made records that contradict each other. Choose what to change.',
  step: 'This move was made while there was no connection, and did not fit any more. It had no effect.',
};

function whoText({ by, place }: Pick<ConflictValue, 'by' | 'place'>): string {
  return place === 'now' ? 'As it is now' : `${by ?? 'Somebody'}, at ${place}`;
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
        <RecordName record={conflict.record} />: {conflict.label}
      </h2>
      <p class="aside">{SENTENCES[conflict.kind]}</p>
      <ul class="conflict-values">
        {conflict.values.map((value, i) => (
          <li key={value.id}>
            <b class="conflict-text">{value.text}</b>
            <small>
              {whoText(value)}
              {value.place !== 'now' && `, ${moment(Date.parse(value.at), now, timezone)}`}
              {conflict.kind === 'conflict' && i === 0 && <em> Shown now</em>}
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
                {conflict.kind === 'conflict' ? 'Use this' : conflict.kind === 'records' ? 'Do this' : value.text}
                <span class="hidden">
                  {' '}
                  {value.text}, {conflict.record.name}
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
  const verb = choice.undoes === null ? 'chose' : 'went back to';
  return (
    <li>
      <p>
        <RecordName record={choice.record} />: {choice.label}. {choice.by ?? 'Somebody'} at {choice.place} {verb}{' '}
        <b>{choice.chosen.text}</b>, {moment(Date.parse(choice.at), now, timezone)}.
      </p>
      <p class="aside">
        Not chosen: {choice.others.map((one) => `${one.text} (${whoText(one)})`).join('; ')}
        {choice.undone && '. This choice was undone.'}
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
          Undo
          <span class="hidden">
            {' '}
            the choice of {choice.chosen.text} for {choice.record.name}
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
      <h1>Conflicts</h1>
      <Problem text={list.problem ?? choices.problem} />
      {list.data !== null && open.length === 0 && (
        <Empty title="Nothing to decide">
          If people at the site and at head office give different values to one field while there is no connection, both
          values are kept, and this page asks which one counts.
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
        <section class="panel-box" aria-label="Decided">
          <h2>Decided</h2>
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
