/** Adds many people from spreadsheet rows: paste, preview, then create them one by one. */

import { useId, useMemo, useState } from 'preact/hooks';
import { t } from '#ui/languages/texts.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import type { Session } from '#ui/office/base/session.ts';
import { COLUMNS, type Column, type Entry, MOST_LINES, readEntries, readTable } from './people-parse.ts';
import { ROSTERS, type Roster, STATUS_WORDS } from './people-text.ts';
import { entryKey, type Outcome, usePeopleImport } from './use-people-import.ts';

function ColumnChoice(props: { index: number; value: Column; first: string; onValue(column: Column): void }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>
        {t('Column {n}', { n: props.index + 1 })} <small>{props.first === '' ? t('empty') : props.first}</small>
      </label>
      <select id={id} value={props.value} onChange={(event) => props.onValue(event.currentTarget.value as Column)}>
        {(Object.keys(COLUMNS) as Column[]).map((one) => (
          <option key={one} value={one}>
            {t(COLUMNS[one][0])}
          </option>
        ))}
      </select>
    </div>
  );
}

function OutcomeCell({ entry, outcome }: { entry: Entry; outcome: Outcome | undefined }) {
  if (outcome?.at === 'created') return <b>{t('Added')}</b>;
  if (outcome !== undefined) return <b class="warn">{outcome.text}</b>;
  if (entry.problems.length > 0) return <b class="warn">{entry.problems.join(' ')}</b>;
  return <>{t('Ready')}</>;
}

function Preview({ entries, outcomes }: { entries: readonly Entry[]; outcomes: ReadonlyMap<string, Outcome> }) {
  return (
    <div class="table stacks inner preview-lines">
      <table>
        <thead>
          <tr>
            {[
              t('Row'),
              t('Name'),
              t('Number'),
              t('Badge'),
              t('Phone'),
              t('Crew'),
              t('Status'),
              t('Certificates'),
              t('Result'),
            ].map((name) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.line}>
              <td data-label={t('Row')}>{entry.line}</td>
              <th scope="row">{entry.input.name || '—'}</th>
              <td data-label={t('Number')}>{entry.input.employee_number ?? ''}</td>
              <td data-label={t('Badge')}>{entry.input.badge_id ?? ''}</td>
              <td data-label={t('Phone')}>{entry.input.phone ?? ''}</td>
              <td data-label={t('Crew')}>{entry.input.crew ?? ''}</td>
              <td data-label={t('Status')}>{t(STATUS_WORDS[entry.input.status ?? 'active'])}</td>
              <td class="wrap" data-label={t('Certificates')}>
                {[
                  ...(entry.input.certifications ?? []).map((one) =>
                    one.expires_on == null
                      ? one.code
                      : t('{code} until {date}', { code: one.code, date: one.expires_on }),
                  ),
                  ...(entry.input.trades ?? []),
                ].join(', ')}
              </td>
              <td class="wrap" data-label={t('Result')}>
                <OutcomeCell entry={entry} outcome={outcomes.get(entryKey(entry))} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function PastePeople(props: { session: Session; roster: Roster; onAdded(): void }) {
  const { session, roster } = props;
  const id = useId();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<readonly Column[] | null>(null);
  const { outcomes, sending, problem, send, stop, clearProblem } = usePeopleImport(session, roster, props.onAdded);
  const table = useMemo(() => readTable(text), [text]);
  const columns = chosen ?? table.columns;
  const all = useMemo(() => readEntries(table, columns), [table, columns]);
  const entries = all.slice(0, MOST_LINES);
  const isDone = (entry: Entry) => ['created', 'exists'].includes(outcomes.get(entryKey(entry))?.at ?? '');
  const ready = entries.filter((entry) => entry.problems.length === 0 && !isDone(entry));
  const count = (at: Outcome['at']) => entries.filter((entry) => outcomes.get(entryKey(entry))?.at === at).length;
  const wrong = entries.filter(({ problems }) => problems.length > 0).length;

  return (
    <section class="panel-box" aria-label={t('Add several')}>
      <h2>{t(ROSTERS[roster].several)}</h2>
      <div class="field">
        <label for={id}>{t('Copy the rows from your spreadsheet and paste them here')}</label>
        <textarea
          id={id}
          class="mono lines-in"
          rows={6}
          spellcheck={false}
          disabled={sending}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setChosen(null);
            clearProblem();
          }}
        />
        <small>
          {t(
            'One person per row: name, number, badge, phone, crew, certificates, in any order. Include the header row if there is one. Write certificates as: Blasting 2027-01-31; First aid',
          )}
        </small>
      </div>
      {entries.length > 0 && (
        <>
          <div class="columns">
            {columns.map((column, i) => (
              <ColumnChoice
                key={i}
                index={i}
                value={column}
                first={table.rows[0]?.[i] ?? ''}
                onValue={(next) => setChosen(columns.map((one, k) => (k === i ? next : one === next ? 'skip' : one)))}
              />
            ))}
          </div>
          {all.length > entries.length && (
            <Problem
              text={t('You pasted {n} rows. The page uses the first {most}; paste the others later.', {
                n: all.length,
                most: MOST_LINES,
              })}
            />
          )}
          <p role="status" class={count('created') > 0 ? 'arrived' : ''}>
            {sending
              ? t('Adding, {done} of {all}', {
                  done: count('created') + count('exists') + count('failed'),
                  all: entries.length - wrong,
                })
              : [
                  count('created') > 0 && t('{n} added', { n: count('created') }),
                  count('exists') > 0 && t('{n} exists already|{n} exist already', { n: count('exists') }),
                  count('failed') > 0 && t('{n} failed', { n: count('failed') }),
                  ready.length > 0 && t('{n} ready', { n: ready.length }),
                  wrong > 0 && t('{n} to correct in the text above', { n: wrong }),
                ]
                  .filter((one) => one !== false)
                  .join(', ')}
          </p>
          <Problem text={problem} />
          <div class="actions">
            <button
              type="button"
              class="primary"
              disabled={sending || ready.length === 0}
              onClick={() => void send(ready)}
            >
              {t('Add {n}', { n: ready.length })}
            </button>
            {sending && (
              <button type="button" onClick={stop}>
                {t('Stop')}
              </button>
            )}
          </div>
          <Preview entries={entries} outcomes={outcomes} />
        </>
      )}
    </section>
  );
}
