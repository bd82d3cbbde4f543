/** Many people at once: lines from a spreadsheet, looked at before they are sent, then created one by one with the outcome of each. */
import { useId, useMemo, useRef, useState } from 'preact/hooks';
import { ClientError } from '#contract/client.ts';
import { Problem } from '#ui/office/base/parts.tsx';
import { onceKey, type Session } from '#ui/office/base/session.ts';
import { COLUMNS, type Column, type Entry, MOST_LINES, readEntries, readTable } from './people-lines.ts';
import { ROSTERS, type Roster, STATUS_WORDS } from './people-words.ts';

type Outcome =
  | { readonly at: 'created' }
  | { readonly at: 'there'; readonly text: string }
  | { readonly at: 'failed'; readonly text: string };

const keyOf = (entry: Entry) => JSON.stringify(entry.input);

function ColumnChoice(props: { index: number; value: Column; first: string; onValue(column: Column): void }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>
        Column {props.index + 1} <small>{props.first === '' ? 'empty' : props.first}</small>
      </label>
      <select id={id} value={props.value} onChange={(event) => props.onValue(event.currentTarget.value as Column)}>
        {(Object.keys(COLUMNS) as Column[]).map((one) => (
          <option key={one} value={one}>
            {COLUMNS[one][0]}
          </option>
        ))}
      </select>
    </div>
  );
}

function OutcomeCell({ entry, outcome }: { entry: Entry; outcome: Outcome | undefined }) {
  if (outcome?.at === 'created') return <b>Added</b>;
  if (outcome !== undefined) return <b class="warn">{outcome.text}</b>;
  if (entry.problems.length > 0) return <b class="warn">{entry.problems.join(' ')}</b>;
  return <>ready</>;
}

function Preview({ entries, outcomes }: { entries: readonly Entry[]; outcomes: ReadonlyMap<string, Outcome> }) {
  return (
    <div class="table stacks inner preview-lines">
      <table>
        <thead>
          <tr>
            {['Line', 'Name', 'Number', 'Badge', 'Phone', 'Crew', 'Status', 'Certificates', 'Outcome'].map((name) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.line}>
              <td data-label="Line">{entry.line}</td>
              <th scope="row">{entry.input.name || '—'}</th>
              <td data-label="Number">{entry.input.employee_number ?? ''}</td>
              <td data-label="Badge">{entry.input.badge_id ?? ''}</td>
              <td data-label="Phone">{entry.input.phone ?? ''}</td>
              <td data-label="Crew">{entry.input.crew ?? ''}</td>
              <td data-label="Status">{STATUS_WORDS[entry.input.status ?? 'active']}</td>
              <td class="wrap" data-label="Certificates">
                {[
                  ...(entry.input.certifications ?? []).map((one) =>
                    one.expires_on == null ? one.code : `${one.code} until ${one.expires_on}`,
                  ),
                  ...(entry.input.trades ?? []),
                ].join(', ')}
              </td>
              <td class="wrap" data-label="Outcome">
                <OutcomeCell entry={entry} outcome={outcomes.get(keyOf(entry))} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What a failed line says; those that may pass later can be sent again as they are. */
function outcomeOf(error: unknown): Outcome {
  const text = error instanceof Error ? error.message : String(error);
  return error instanceof ClientError && error.code === 'already_exists'
    ? { at: 'there', text }
    : { at: 'failed', text };
}

export function PastePeople(props: { session: Session; roster: Roster; onAdded(): void }) {
  const { session, roster } = props;
  const id = useId();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<readonly Column[] | null>(null);
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const [sending, setSending] = useState(false);
  const [lost, setLost] = useState<string | null>(null);
  const stop = useRef(false);
  /** One key for each line as it stands: sent again it is done once. */
  const keys = useRef(new Map<string, string>());
  const table = useMemo(() => readTable(text), [text]);
  const columns = chosen ?? table.columns;
  const all = useMemo(() => readEntries(table, columns), [table, columns]);
  const entries = all.slice(0, MOST_LINES);
  const isDone = (entry: Entry) => ['created', 'there'].includes(outcomes.get(keyOf(entry))?.at ?? '');
  const ready = entries.filter((entry) => entry.problems.length === 0 && !isDone(entry));
  const count = (at: Outcome['at']) => entries.filter((entry) => outcomes.get(keyOf(entry))?.at === at).length;
  const wrong = entries.filter(({ problems }) => problems.length > 0).length;

  const send = async () => {
    stop.current = false;
    setSending(true);
    setLost(null);
    for (const entry of ready) {
      if (stop.current) break;
      const key = keyOf(entry);
      const once = keys.current.get(key) ?? onceKey();
      keys.current.set(key, once);
      const { trades, ...person } = entry.input;
      const input = roster === 'mechanics' && trades !== undefined ? { ...person, trades } : person;
      try {
        await session.client.call(ROSTERS[roster].create, input, { idempotency_key: once });
        setOutcomes((before) => new Map(before).set(key, { at: 'created' }));
      } catch (error) {
        if (error instanceof ClientError && error.status === null) {
          setLost(`${error.message} Send the rest when it is back; nobody is added twice.`);
          break;
        }
        setOutcomes((before) => new Map(before).set(key, outcomeOf(error)));
      }
    }
    setSending(false);
    props.onAdded();
  };

  return (
    <section class="panel-box" aria-label="Add several">
      <h2>Add several {ROSTERS[roster].title.toLowerCase()}</h2>
      <div class="field">
        <label for={id}>Copy the lines in your spreadsheet, and paste them here</label>
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
            setLost(null);
          }}
        />
        <small>
          One person a line: name, number, badge, phone, crew, certificates, in any order. A first line with the names
          of the columns helps. Certificates as Blasting 2027-01-31; First aid.
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
              text={`${all.length} lines are more than the ${MOST_LINES} of one paste; the first ones are taken.`}
            />
          )}
          <p role="status" class={count('created') > 0 ? 'arrived' : ''}>
            {sending
              ? `Adding, ${count('created') + count('there') + count('failed')} of ${entries.length - wrong}`
              : [
                  count('created') > 0 && `${count('created')} added`,
                  count('there') > 0 && `${count('there')} ${count('there') === 1 ? 'was' : 'were'} there already`,
                  count('failed') > 0 && `${count('failed')} failed`,
                  ready.length > 0 && `${ready.length} ready`,
                  wrong > 0 && `${wrong} to mend in the text above`,
                ]
                  .filter((one) => one !== false)
                  .join(', ')}
          </p>
          <Problem text={lost} />
          <div class="actions">
            <button type="button" class="primary" disabled={sending || ready.length === 0} onClick={() => void send()}>
              Add {ready.length}
            </button>
            {sending && (
              <button
                type="button"
                onClick={() => {
                  stop.current = true;
                }}
              >
                Stop
              </button>
            )}
          </div>
          <Preview entries={entries} outcomes={outcomes} />
        </>
      )}
    </section>
  );
}
