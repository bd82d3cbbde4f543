/**
 * The tile that lists machines as rows with state, values and age. Columns that do not fit are left out; rows that do not fit go to the
 * next page.
 */
import type { DrawnValue, ListRow } from '#contract/site/live.ts';
import { duration, shortDuration } from '#ui/format.ts';
import { t } from '#ui/languages/texts.ts';
import { fitting, shortened, textWidth } from '#ui/text/measure.ts';
import { cut } from '#ui/text/text-fit.ts';
import { compareUnits } from '#ui/text/unit-order.ts';
import { valueFreshness } from './ageing.ts';
import { rowsOf } from './grid.ts';
import { drawMachine, spoken } from './machine-drawing.ts';
import { AlertMark, LiveMark, Service } from './marks.tsx';
import type { TileProps } from './tile-props.ts';

export { Bars } from './bars.tsx';

const FLOOR = 3.7;
const PADDING = 4.4;
const GAP = 2;
const MARK = 5;

interface Cell {
  readonly text: string;
  /** How the cell is marked: `late` for an ageing value, `old` for a stale or absent one. */
  readonly age: '' | 'late' | 'old';
}

function textOf(value: DrawnValue | undefined, at: TileProps<'machine_list'>['at']): Cell {
  if (value === undefined || value.text === null) return { text: '—', age: 'old' };
  const judged = valueFreshness(value, at);
  if (judged === 'none' || judged === 'never') return { text: '—', age: 'old' };
  return { text: value.text, age: judged === 'stale' ? 'old' : judged === 'ageing' ? 'late' : '' };
}

/** Shortens a label for a column heading, for example "Engine hours" to "Hours". */
function lastWord(label: string): string {
  const word = label.split(' ').pop() ?? label;
  return word.charAt(0).toUpperCase() + word.slice(1);
}

export function MachineList({ data, title, at, size, page, first: urgent }: TileProps<'machine_list'>) {
  const { columns, rows } = data.list;
  const most = rowsOf(size, title !== '');
  const pages = Math.max(1, Math.ceil(rows.length / most));
  const each = Math.ceil(rows.length / pages);
  // If there is one page, show the most urgent machine first. If there are several pages, sort by unit number, so that no row is skipped
  // when the order of urgency changes between two pages.
  const placed =
    pages === 1 ? rows : [...rows].sort((a, b) => compareUnits(a.unit_number, b.unit_number) || (a.id < b.id ? -1 : 1));
  const shown = placed.slice(Math.min(page, pages - 1) * each, (Math.min(page, pages - 1) + 1) * each);
  const width = size.w - PADDING;
  const wide = (texts: readonly string[], weight: 400 | 600) =>
    Math.max(0, ...texts.map((text) => textWidth(text, FLOOR, weight)));
  // Shorten long unit numbers before leaving out a column.
  const named =
    Math.min(
      wide(
        rows.map((row) => row.unit_number),
        600,
      ),
      Math.max(width * 0.24, 12.4),
    ) + GAP;
  const least = textWidth(t('Running'), FLOOR, 400) + GAP;
  let left = width - MARK - named - least;
  const take = (wanted: number) => {
    if (wanted > left) return 0;
    left -= wanted;
    return wanted;
  };
  // If the row is too narrow, columns are omitted. The first value has priority, then the age, the other values, and the state. A state
  // that does not fit shows only its mark.
  const heads = columns.map(({ label, unit }) => [`${label}, ${unit}`, label, `${lastWord(label)}, ${unit}`, unit]);
  const wanted = columns.map((_, i) => {
    const head = textWidth(heads[i]?.[0] ?? '', FLOOR, 400);
    return (
      Math.max(
        wide(
          rows.map((row) => textOf(row.values[i], at).text),
          600,
        ),
        Math.min(head, 12),
      ) + GAP
    );
  });
  if (left < (wanted[0] ?? 0)) left += least;
  const first = take(wanted[0] ?? 0);
  const age = take(textWidth('00 min', FLOOR, 400) + GAP);
  const numbers = [first, ...wanted.slice(1).map(take)];
  const lost = numbers.indexOf(0);
  const drawn = lost < 0 ? numbers.length : lost;
  const state = Math.max(0, width - MARK - named - age - numbers.slice(0, drawn).reduce((sum, one) => sum + one, 0));
  const grid = {
    gridTemplateColumns: [MARK, named, state, ...numbers.slice(0, drawn), ...(age > 0 ? [age] : [])]
      .map((one) => `calc(${one} * var(--u))`)
      .join(' '),
  };
  return (
    <section class="panel list" aria-label={title || t('Machines')}>
      {title !== '' && <h2 class="label">{cut(title, FLOOR, 600, width)}</h2>}
      <div class="row head" style={grid}>
        <span />
        <span />
        <span />
        {heads.slice(0, drawn).map((head, i) => (
          <span key={head[0]} class="number">
            {fitting(head, FLOOR, 400, (numbers[i] ?? 0) - GAP)}
          </span>
        ))}
        {age > 0 && <span class="number">{t('Age')}</span>}
      </div>
      {rows.length === 0 && <p class="hint">{t('No machines yet. Add one on the office page.')}</p>}
      <ul>
        {shown.map((row) => (
          <Row
            key={row.id}
            row={row}
            first={row.id === urgent}
            at={at}
            grid={grid}
            unit={named - GAP}
            state={state - GAP}
            numbers={drawn}
            aged={age > 0}
          />
        ))}
      </ul>
    </section>
  );
}

function Row(props: {
  row: ListRow;
  first: boolean;
  at: TileProps<'machine_list'>['at'];
  grid: { gridTemplateColumns: string };
  unit: number;
  state: number;
  numbers: number;
  aged: boolean;
}) {
  const { row, at } = props;
  const drawing = drawMachine(row, at);
  const { chip, conflict, headline, grade } = drawing;
  const reported = chip?.text ?? null;
  const states =
    reported === null
      ? drawing.word
      : conflict
        ? [
            t('{status}, but running now', { status: reported }),
            t('{status}, but running', { status: reported }),
            reported,
          ]
        : [reported];
  const [state = ''] = states;
  const words =
    headline.length === 0
      ? states
      : [`${headline[0]} · ${state}`, ...headline.map((one) => `${one} · ${state}`), ...headline];
  const age =
    row.last_data_ms === null
      ? ''
      : fitting(
          [duration(at.now - row.last_data_ms), shortDuration(at.now - row.last_data_ms)],
          FLOOR,
          400,
          textWidth('00 min', FLOOR, 400),
        );
  const mark = grade === 'act' || grade === 'look' ? drawing.mark : null;
  return (
    <li
      class={props.first ? 'row first' : 'row'}
      style={props.grid}
      data-grade={grade}
      data-live={drawing.live}
      data-fresh={drawing.freshness}
      data-chip={chip?.tone}
      aria-label={spoken(drawing, props.first)}
    >
      {mark !== null ? (
        <AlertMark mark={mark} />
      ) : chip?.tone === 'maint' ? (
        <Service />
      ) : (
        <LiveMark live={drawing.live} />
      )}
      <b>{shortened(row.unit_number, FLOOR, 600, props.unit)}</b>
      <span>{fitting([...words, ''], FLOOR, 400, props.state)}</span>
      {row.values.slice(0, props.numbers).map((value, i) => {
        const { text, age } = textOf(value, at);
        const level = age === 'old' ? 'normal' : value.level;
        return (
          <span key={i} class={`number ${age}`} data-level={level}>
            {text}
          </span>
        );
      })}
      {props.aged && <span class="number old">{age}</span>}
    </li>
  );
}
