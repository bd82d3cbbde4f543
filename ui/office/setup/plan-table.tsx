/** The table of one list of a plan: pages of rows with a search, the fields of each row, and a tick that keeps it or leaves it out. */
import { useId, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { foldText } from '#contract/base/names.ts';
import { t } from '#ui/languages/texts.ts';
import { fieldId, Tick } from './plan-cells.tsx';
import { columnsOf, namesOfRow } from './plan-columns.tsx';
import { type DraftPlan, type ListName, type Row, withTicks } from './plan-draft.ts';
import { type Edit, wordsOfRow } from './plan-edit.ts';

/** Rows of one page of a table. More rows make typing slow. */
const PAGE = 100;
/** A table with more rows has the buttons of its pages also at its end. */
const SHORT = 10;

/** The field to which the page moves the focus. `n` counts the wishes, so that a second one for the same field counts. */
export interface Wanted {
  readonly list: ListName;
  readonly key: string;
  readonly field: string;
  readonly n: number;
}

const NO_PROBLEMS: ReadonlyMap<string, string> = new Map();

/** What must be corrected, by the key of the object and by field. */
export type Problems = ReadonlyMap<string, ReadonlyMap<string, string>>;

interface RowProps {
  readonly list: ListName;
  readonly row: Row;
  readonly draft: DraftPlan;
  readonly edit: Edit;
  readonly problems: ReadonlyMap<string, string>;
  /** True for an object of a proposal. */
  readonly isProposed: boolean;
}

/** A row is drawn again only if something of it changes: a page has a hundred rows, and each key press changes one. */
function PlanRow({ list, row, draft, edit, problems, isProposed }: RowProps) {
  const isMade = !draft.off.has(row.key);
  const columns = columnsOf(draft, list);
  const wrong = JSON.stringify([...problems]);
  return useMemo(() => {
    const show = () => edit.onShow(row);
    const words = wordsOfRow(draft, row);
    return (
      <tr class={isMade || isProposed ? undefined : 'plan-out'} onMouseEnter={show} onFocusCapture={show}>
        {columns.map(({ title, cell }) => (
          <td key={title} data-label={t(title)}>
            {(cell as (at: unknown) => preact.ComponentChildren)({ row, draft, edit, problems })}
          </td>
        ))}
        <td>
          <Tick
            id={fieldId(row.key, 'made')}
            label={
              <>
                {isProposed ? t('Add') : t('Keep')}
                <span class="hidden"> {words}</span>
              </>
            }
            on={isMade}
            problem={problems.get('made')}
            note={isMade || isProposed ? null : t('Left out')}
            onTick={(on) => edit.onChange((now) => withTicks(now, [row.key], on))}
          />
        </td>
      </tr>
    );
  }, [row, isMade, wrong, namesOfRow(draft, row), columns.length, edit]);
}

/** Moves through the pages of a table. */
function Pager(props: { page: number; pages: number; rows: number; role?: 'status'; onPage(page: number): void }) {
  const { page, pages, rows, onPage } = props;
  return (
    <div class="actions plan-pager">
      <button type="button" disabled={page === 0} onClick={() => onPage(page - 1)}>
        {t('Rows before')}
      </button>
      <span role={props.role}>
        {t('{from} to {to} of {n}', {
          from: Math.min(rows, page * PAGE + 1),
          to: Math.min(rows, (page + 1) * PAGE),
          n: rows,
        })}
      </span>
      <button type="button" disabled={page >= pages - 1} onClick={() => onPage(page + 1)}>
        {t('Rows after')}
      </button>
    </div>
  );
}

interface TableProps {
  /** The title of the list, for screen readers. */
  readonly title: string;
  readonly list: ListName;
  readonly rows: readonly Row[];
  readonly draft: DraftPlan;
  readonly edit: Edit;
  readonly problems: Problems;
  readonly isProposed: boolean;
  readonly wanted: Wanted | null;
}

/** The rows that a search finds. A row that a person renames stays until the next search. */
function useFound(rows: readonly Row[], draft: DraftPlan, query: string): readonly Row[] {
  const found = useMemo(() => {
    const part = foldText(query);
    if (part === '') return null;
    return new Set(rows.filter((row) => foldText(wordsOfRow(draft, row)).includes(part)).map(({ key }) => key));
  }, [query, rows.length]);
  return found === null ? rows : rows.filter(({ key }) => found.has(key));
}

/** The rows of the page that is open. It opens the page of a field that the person wants to see, and moves the focus to the field. */
function usePages({ list, rows, draft, wanted }: TableProps) {
  const [query, setQuery] = useState('');
  const [opened, setOpened] = useState(0);
  const [focus, setFocus] = useState<string | null>(null);
  const found = useFound(rows, draft, query);
  const pages = Math.max(1, Math.ceil(found.length / PAGE));
  const page = Math.min(opened, pages - 1);
  useLayoutEffect(() => {
    const at = wanted === null || wanted.list !== list ? -1 : rows.findIndex(({ key }) => key === wanted.key);
    if (wanted === null || at < 0) return;
    setQuery('');
    setOpened(Math.floor(at / PAGE));
    setFocus(fieldId(wanted.key, wanted.field));
  }, [wanted]);
  useLayoutEffect(() => {
    const element = focus === null ? null : document.getElementById(focus);
    if (element === null) return;
    element.focus();
    element.scrollIntoView({ block: 'center' });
    setFocus(null);
  });
  return {
    query,
    search: (typed: string) => {
      setQuery(typed);
      setOpened(0);
    },
    found,
    pages,
    page,
    open: setOpened,
    shown: found.slice(page * PAGE, (page + 1) * PAGE),
  };
}

export function PlanTable(props: TableProps) {
  const { title, list, rows, draft, edit, problems, isProposed } = props;
  const id = useId();
  const { query, search, found, pages, page, open, shown } = usePages(props);
  if (rows.length === 0) return null;
  const at = { page, pages, rows: found.length, onPage: open };
  return (
    <>
      {rows.length > PAGE && (
        <search class="field plan-search" aria-label={title}>
          <label for={id}>{list === 'equipment' ? t('Find by unit number') : t('Find by name')}</label>
          <input
            id={id}
            type="search"
            maxLength={80}
            value={query}
            onInput={(event) => search(event.currentTarget.value)}
          />
        </search>
      )}
      {pages > 1 && <Pager {...at} role="status" />}
      {found.length === 0 && <p role="status">{t('No row has this text.')}</p>}
      {found.length > 0 && (
        <div class="table stacks inner">
          <table class={`plan-table plan-${list}`}>
            <thead>
              <tr>
                {columnsOf(draft, list).map(({ title }) => (
                  <th scope="col" key={title}>
                    {t(title)}
                  </th>
                ))}
                <th scope="col">
                  <span class="hidden">{t('On the site')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((row) => (
                <PlanRow
                  key={row.key}
                  list={list}
                  row={row}
                  draft={draft}
                  edit={edit}
                  problems={problems.get(row.key) ?? NO_PROBLEMS}
                  isProposed={isProposed}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {pages > 1 && shown.length > SHORT && <Pager {...at} />}
    </>
  );
}
