/** The pages of operators and mechanics: search, list, add, import, export. */

import { useEffect, useId, useState } from 'preact/hooks';
import { t } from '#ui/languages/texts.ts';
import { useIdText, useList } from '#ui/office/base/lists.ts';
import { Choice, Empty, Field, Problem } from '#ui/office/base/parts.tsx';
import { saveCsv } from '#ui/office/base/save-file.ts';
import { may, type Session } from '#ui/office/base/session.ts';
import { usePolled, useSend } from '#ui/office/base/use.ts';
import { PersonForm } from './people-form.tsx';
import { PastePeople } from './people-paste.tsx';
import { PeopleTable } from './people-table.tsx';
import { byName, dayAt, type Person, ROSTERS, type Roster, STATUS_CHOICES } from './people-text.ts';
import { PersonDetail } from './person-detail.tsx';

/** Number of people that are shown at first, and that "Show more" adds. */
const ROWS = 200;
/**
 * Largest number of API pages that one read requests. A page of a search may contain few people or none, so without this limit one read
 * could request very many pages.
 */
const MOST_PAGES = 20;

interface Filter {
  readonly q: string;
  readonly status: string;
  readonly crew: string;
}

const filterOf = ({ q, status, crew }: Filter) => ({
  ...(q !== '' && { q }),
  ...(status !== '' && { status: status as keyof typeof STATUS_CHOICES }),
  ...(crew !== '' && { crew }),
});

async function readPeople({ client }: Session, roster: Roster, filter: Filter, rows: number) {
  const people: Person[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MOST_PAGES; page++) {
    const input = { limit: 200, order: 'asc' as const, ...filterOf(filter), ...(cursor !== null && { cursor }) };
    const found: { data: Person[]; next_cursor: string | null } = await client.call(ROSTERS[roster].list, input);
    people.push(...found.data);
    cursor = found.next_cursor;
    if (cursor === null || people.length >= rows) break;
  }
  return { people: byName(people), more: cursor !== null };
}

/** Returns the text when it has not changed for 300 ms, so that the page does not search after each letter. */
function useDebounced(text: string): string {
  const [debounced, setDebounced] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text.trim()), 300);
    return () => clearTimeout(timer);
  }, [text]);
  return debounced;
}

function RosterFilters(props: { value: Filter; onValue(value: Filter): void }) {
  const { value, onValue } = props;
  const searchId = useId();
  return (
    <search class="filters">
      <div class="field">
        <label for={searchId}>{t('Find by name, number or badge')}</label>
        <input
          id={searchId}
          type="search"
          maxLength={80}
          value={value.q}
          onInput={(event) => onValue({ ...value, q: event.currentTarget.value })}
        />
      </div>
      <Field
        label={t('Crew (exact name)')}
        value={value.crew}
        onValue={(crew) => onValue({ ...value, crew })}
        maxLength={60}
      />
      <Choice
        label={t('Status')}
        value={value.status}
        onValue={(status) => onValue({ ...value, status })}
        options={[
          ['', t('All')] as const,
          ...Object.entries(STATUS_CHOICES).map(([value, word]) => [value, t(word)] as const),
        ]}
      />
    </search>
  );
}

function RosterPage({ session, roster }: { session: Session; roster: Roster }) {
  const [typed, setTyped] = useState<Filter>({ q: '', crew: '', status: '' });
  const [rows, setRows] = useState(ROWS);
  const [open, setOpen] = useState<'add' | 'paste' | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const filter = { q: useDebounced(typed.q), crew: useDebounced(typed.crew), status: typed.status };
  const list = usePolled(
    () => readPeople(session, roster, filter, rows),
    10_000,
    [roster, filter.q, filter.crew, filter.status, rows],
    ['operator', 'mechanic'],
  );
  const places = useList(session, 'locations_list');
  const unitOf = useIdText(useList(session, 'equipment_list'), (machine) => machine.unit_number);
  const exporting = useSend();
  const words = ROSTERS[roster];
  const people = list.data?.people ?? [];
  const person = people.find(({ id }) => id === chosen);
  const today = dayAt(session.now(), session.project.timezone);
  const filtered = filter.q !== '' || filter.crew !== '' || filter.status !== '';
  const toggle = (what: 'add' | 'paste') => setOpen(open === what ? null : what);
  return (
    <>
      <div class="head">
        {may(session, ROSTERS[roster].create) && (
          <div class="buttons">
            <button type="button" onClick={() => toggle('add')} aria-expanded={open === 'add'}>
              {open === 'add' ? t('Close') : t(words.add)}
            </button>
            <button type="button" onClick={() => toggle('paste')} aria-expanded={open === 'paste'}>
              {open === 'paste' ? t('Close') : t('Paste several')}
            </button>
          </div>
        )}
        <button
          type="button"
          disabled={exporting.busy || people.length === 0}
          onClick={() =>
            exporting.send(() => saveCsv(session, ROSTERS[roster].list, filterOf(filter), `${roster}.csv`))
          }
        >
          {filtered ? t('Download these as CSV') : t('Download all as CSV')}
        </button>
      </div>
      <Problem text={exporting.problem} />
      {open === 'add' && (
        <section class="panel-box" aria-label={t(words.made)}>
          <PersonForm
            session={session}
            roster={roster}
            person={null}
            places={places ?? []}
            onDone={(id) => {
              setOpen(null);
              setChosen(id);
              list.reload();
            }}
          />
        </section>
      )}
      {open === 'paste' && <PastePeople session={session} roster={roster} onAdded={list.reload} />}
      <Problem text={list.problem} />
      {list.data === null && list.problem === null && <p class="waiting">{t('Loading')}</p>}
      {list.data !== null && people.length === 0 && !filtered && open === null && (
        <Empty title={t(words.none)}>{t('Add one person, or paste rows from a spreadsheet.')}</Empty>
      )}
      {(people.length > 0 || filtered) && <RosterFilters value={typed} onValue={setTyped} />}
      {list.data !== null && people.length === 0 && filtered && (
        <Empty title={t('No match')}>{t('Change or clear the filters.')}</Empty>
      )}
      {people.length > 0 && (
        <div class="split">
          <div>
            <PeopleTable people={people} chosen={chosen} today={today} unitOf={unitOf} onChoose={setChosen} />
            <p class="aside">
              {t(words.count, { n: people.length })}
              {list.data?.more && `, ${t('and there are more')}`}.
            </p>
            {list.data?.more && (
              <div class="actions">
                <button type="button" onClick={() => setRows(rows + ROWS)}>
                  {t('Show more')}
                </button>
              </div>
            )}
          </div>
          {person !== undefined && (
            <PersonDetail
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
        <h1>{t('People')}</h1>
        <nav class="tabs" aria-label={t('Rosters')}>
          {(Object.keys(ROSTERS) as Roster[]).map((one) => (
            <a key={one} href={`#people/${one}`} aria-current={one === shown ? 'page' : undefined}>
              {t(ROSTERS[one].title)}
            </a>
          ))}
        </nav>
      </div>
      <RosterPage key={shown} session={session} roster={shown} />
    </>
  );
}
