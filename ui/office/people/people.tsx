/** People: operators and mechanics, what they may do and until when, where they are now, and what happened. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { readAll } from '#ui/office/base/all.ts';
import { Choice, Empty, Field, Problem } from '#ui/office/base/parts.tsx';
import { saveCsv } from '#ui/office/base/save-file.ts';
import { onceKey, type Session } from '#ui/office/base/session.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';
import { PersonForm } from './people-form.tsx';
import { PersonLog } from './people-log.tsx';
import { PastePeople } from './people-paste.tsx';
import {
  byName,
  certificateWords,
  dayAt,
  type Mechanic,
  type Operator,
  type Person,
  ROSTERS,
  type Roster,
  STATUS_WORDS,
} from './people-words.ts';

/** Rows on the first page; more when a person asks. */
const ROWS = 200;
/** Pages that one reading takes at most: a search may give short ones. */
const MOST_PAGES = 20;

interface Ask {
  readonly q: string;
  readonly status: string;
  readonly crew: string;
}

const filterOf = ({ q, status, crew }: Ask) => ({
  ...(q !== '' && { q }),
  ...(status !== '' && { status: status as Person['status'] }),
  ...(crew !== '' && { crew }),
});

async function readPeople({ client }: Session, roster: Roster, ask: Ask, rows: number) {
  const people: Person[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MOST_PAGES; page++) {
    const input = { limit: 200, order: 'asc' as const, ...filterOf(ask), ...(cursor !== null && { cursor }) };
    const found: { data: Person[]; next_cursor: string | null } = await client.call(ROSTERS[roster].list, input);
    people.push(...found.data);
    cursor = found.next_cursor;
    if (cursor === null || people.length >= rows) break;
  }
  return { people: byName(people), more: cursor !== null };
}

/** A text that others act on once its writer pauses. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text.trim()), 300);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

function Certificates({ person, today }: { person: Person; today: string }) {
  return (
    <ul class="certs">
      {person.certifications.map((one) => {
        const { text, state } = certificateWords(one, today);
        return (
          <li key={`${one.code}${one.expires_on}`} class={state}>
            {state !== 'good' && <b>{state === 'expired' ? 'Expired' : 'Ends soon'}: </b>}
            {text}
          </li>
        );
      })}
    </ul>
  );
}

/** What they are on right now: a machine, or repairs. */
function Now({ person, machines }: { person: Person; machines: ReadonlyMap<string, string> }) {
  const tickets = (person as Mechanic).open_ticket_ids;
  if (tickets !== undefined) return <>{tickets.length === 0 ? '' : `${tickets.length} open repairs`}</>;
  const machine = (person as Operator).current_equipment_id;
  return <>{machine === null ? '' : (machines.get(machine) ?? machine)}</>;
}

function Rows(props: {
  people: readonly Person[];
  chosen: string | null;
  today: string;
  machines: ReadonlyMap<string, string>;
  onChoose(id: string | null): void;
}) {
  return (
    <div class="table stacks people-rows">
      <table>
        <thead>
          <tr>
            {['Name', 'Crew', 'Status', 'Certificates', 'Now'].map((name) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.people.map((one) => (
            <tr key={one.id} aria-selected={props.chosen === one.id}>
              <th scope="row">
                <button
                  type="button"
                  class="link"
                  aria-expanded={props.chosen === one.id}
                  onClick={() => props.onChoose(props.chosen === one.id ? null : one.id)}
                >
                  {one.name}
                </button>
                <small>{[one.employee_number, one.badge_id].filter((text) => text !== null).join(' · ')}</small>
              </th>
              <td data-label="Crew">{one.crew ?? ''}</td>
              <td data-label="Status">
                <span class={one.status === 'active' ? '' : 'said'}>{STATUS_WORDS[one.status]}</span>
              </td>
              <td class="wrap" data-label="Certificates">
                <Certificates person={one} today={props.today} />
              </td>
              <td data-label="Now">
                <Now person={one} machines={props.machines} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Detail(props: {
  session: Session;
  roster: Roster;
  person: Person;
  places: readonly { readonly id: string; readonly name: string }[];
  today: string;
  onChange(): void;
}) {
  const { session, roster, person } = props;
  const panel = useRef<HTMLElement>(null);
  // Where the panel has no place beside the list it stands above it.
  useEffect(() => panel.current?.scrollIntoView({ block: 'nearest' }), []);
  const [changing, setChanging] = useState(false);
  const { busy, problem, send } = useSend();
  const status = person.status === 'inactive' ? ('active' as const) : ('inactive' as const);
  const facts: readonly (readonly [string, string | null])[] = [
    ['Number', person.employee_number],
    ['Badge', person.badge_id],
    ['Phone', person.phone],
    ['Crew or shift', person.crew],
    ['Language', person.language],
    ['Place', props.places.find(({ id }) => id === person.location_id)?.name ?? person.location_id],
    ['Trades', (person as Mechanic).trades?.join(', ') ?? null],
    ['Certificates', person.certifications.map((one) => certificateWords(one, props.today).text).join('; ')],
  ];
  return (
    <section ref={panel} class="detail-panel person" aria-label={person.name}>
      <div class="head">
        <h2>{person.name}</h2>
        <div class="buttons">
          <button type="button" onClick={() => setChanging(!changing)} aria-expanded={changing}>
            {changing ? 'Close' : 'Change'}
          </button>
          <button
            type="button"
            disabled={busy}
            onClick={() =>
              send(async () => {
                const once = { if_match: person.revision, idempotency_key: onceKey() };
                await session.client.call(ROSTERS[roster].update, { id: person.id, status }, once);
                props.onChange();
              })
            }
          >
            {status === 'inactive' ? 'Make inactive' : 'Make active'}
          </button>
        </div>
      </div>
      <Problem text={problem} />
      {changing ? (
        <PersonForm
          session={session}
          roster={roster}
          person={person}
          places={props.places}
          onDone={() => {
            setChanging(false);
            props.onChange();
          }}
        />
      ) : (
        <dl class="facts">
          {facts.map(
            ([name, text]) =>
              text !== null &&
              text !== '' && (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{text}</dd>
                </div>
              ),
          )}
        </dl>
      )}
      <PersonLog session={session} roster={roster} person={person} />
    </section>
  );
}

function RosterPage({ session, roster }: { session: Session; roster: Roster }) {
  const [typed, setTyped] = useState('');
  const [typedCrew, setTypedCrew] = useState('');
  const [status, setStatus] = useState('');
  const [rows, setRows] = useState(ROWS);
  const [open, setOpen] = useState<'add' | 'paste' | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const ask = { q: useSettled(typed), crew: useSettled(typedCrew), status };
  const list = usePolled(
    () => readPeople(session, roster, ask, rows),
    10_000,
    [roster, ask.q, ask.crew, status, rows],
    ['operator', 'mechanic'],
  );
  const around = usePolled(
    async (signal) => {
      const [machines, places] = await Promise.all([
        readAll(session, 'equipment_list', { order: 'asc' }, signal),
        readAll(session, 'locations_list', { order: 'asc' }, signal),
      ]);
      return { machines: new Map(machines.items.map((one) => [one.id, one.unit_number])), places: places.items };
    },
    60_000,
    [session],
    ['equipment', 'location'],
  );
  const exporting = useSend();
  const searchId = useId();
  const { one, title } = ROSTERS[roster];
  const people = list.data?.people ?? [];
  const person = people.find(({ id }) => id === chosen);
  const places = around.data?.places ?? [];
  const today = dayAt(session.now(), session.project.timezone);
  const filtered = ask.q !== '' || ask.crew !== '' || status !== '';
  const toggle = (what: 'add' | 'paste') => setOpen(open === what ? null : what);
  return (
    <>
      <div class="head">
        <div class="buttons">
          <button type="button" onClick={() => toggle('add')} aria-expanded={open === 'add'}>
            {open === 'add' ? 'Close' : `Add ${/^[aeiou]/.test(one) ? 'an' : 'a'} ${one}`}
          </button>
          <button type="button" onClick={() => toggle('paste')} aria-expanded={open === 'paste'}>
            {open === 'paste' ? 'Close' : 'Paste several'}
          </button>
        </div>
        <button
          type="button"
          disabled={exporting.busy || people.length === 0}
          onClick={() =>
            exporting.send(() => saveCsv(session, ROSTERS[roster].list, filterOf(ask), `${title.toLowerCase()}.csv`))
          }
        >
          {filtered ? 'These as a spreadsheet (CSV)' : 'All as a spreadsheet (CSV)'}
        </button>
      </div>
      <Problem text={exporting.problem} />
      {open === 'add' && (
        <section class="panel-box" aria-label={`New ${one}`}>
          <PersonForm
            session={session}
            roster={roster}
            person={null}
            places={places}
            onDone={(id) => {
              setOpen(null);
              setChosen(id);
              list.reload();
            }}
          />
        </section>
      )}
      {open === 'paste' && <PastePeople session={session} roster={roster} onAdded={list.reload} />}
      <Problem text={list.problem ?? around.problem} />
      {list.data === null && list.problem === null && <p class="waiting">Loading</p>}
      {list.data !== null && people.length === 0 && !filtered && open === null && (
        <Empty title={`No ${title.toLowerCase()} yet`}>
          Add one, or paste the lines of your spreadsheet: forty names take a minute.
        </Empty>
      )}
      {(people.length > 0 || filtered) && (
        <search class="filters">
          <div class="field">
            <label for={searchId}>Find by name, number or badge</label>
            <input
              id={searchId}
              type="search"
              maxLength={80}
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          </div>
          <Field label="Crew, as it is written" value={typedCrew} onValue={setTypedCrew} maxLength={60} />
          <Choice
            label="Status"
            value={status}
            onValue={setStatus}
            options={[['', 'All'] as const, ...Object.entries(STATUS_WORDS)]}
          />
        </search>
      )}
      {list.data !== null && people.length === 0 && filtered && <Empty title="Nobody like that">Look for less.</Empty>}
      {people.length > 0 && (
        <div class="split">
          <div>
            <Rows
              people={people}
              chosen={chosen}
              today={today}
              machines={around.data?.machines ?? new Map()}
              onChoose={setChosen}
            />
            <p class="aside">
              {people.length} {people.length === 1 ? one : title.toLowerCase()}
              {list.data?.more && ', and there are more'}.
            </p>
            {list.data?.more && (
              <div class="actions">
                <button type="button" onClick={() => setRows(rows + ROWS)}>
                  Show more
                </button>
              </div>
            )}
          </div>
          {person !== undefined && (
            <Detail
              key={person.id}
              session={session}
              roster={roster}
              person={person}
              places={places}
              today={today}
              onChange={list.reload}
            />
          )}
        </div>
      )}
    </>
  );
}

export function People({ session, roster }: { session: Session; roster: string }) {
  const shown: Roster = roster === 'mechanics' ? 'mechanics' : 'operators';
  return (
    <>
      <div class="head">
        <h1>People</h1>
        <nav class="tabs" aria-label="Rosters">
          {(Object.keys(ROSTERS) as Roster[]).map((one) => (
            <a key={one} href={`#people/${one}`} aria-current={one === shown ? 'page' : undefined}>
              {ROSTERS[one].title}
            </a>
          ))}
        </nav>
      </div>
      <RosterPage key={shown} session={session} roster={shown} />
    </>
  );
}
