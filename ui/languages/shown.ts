/**
 * Puts what the gateway sends to a screen into the language and the units of the page: names of signals, notes, numbers with their units.
 * Texts of people (names, titles, notes) stay as they are.
 */
import type { BoardView, DrawnValue, MachineTile, TrendLine, WidgetData } from '#contract/site/live.ts';
import type { Reason } from '#contract/site/trouble.ts';
import type { Probable, Sentence } from '#contract/work/attention.ts';
import { fill } from '#contract/work/attention-words.ts';
import type { DaySentence, SiteDay } from '#contract/work/day.ts';
import { TEMPLATES } from './keys.ts';
import { decimals, isolated, type Language, language, t, translated } from './texts.ts';
import { shownNumber, shownQuantity, shownUnit, shownValue } from './units.ts';

/** What the gateway writes behind a number whose unit it does not know. */
const UNKNOWN_UNIT = ' of an unknown unit';

type Template = (typeof TEMPLATES)[number];

/** How a parameter of a sentence of the gateway is put into the language of the page. A parameter without an entry stays as it is. */
const PARTS: Readonly<Record<string, (text: string) => string>> = {
  label: translated,
  left: (text) => retold(text),
  size: (text) => quantityText(text, true),
  due: (text) => quantityText(text),
  n: decimals,
  meter: (text) => meterText(text),
  change: (text) => quantityText(text, true),
  code: (text) => codeText(text),
};

/** Returns a number with its unit; the unit of a meter may be unknown. */
function quantityText(text: string, isChange = false): string {
  return isolated(text.endsWith(UNKNOWN_UNIT) ? retold(text) : shownQuantity(text, isChange));
}

/** Returns what a meter shows and where its total comes from: "engine hours 1501.2 h (from the control unit)". */
function meterText(text: string): string {
  const found = /^(\D+) ([^ ]+ (?:of an unknown unit|[^ ]+))(?: \((.+)\))?$/.exec(text);
  if (found === null) return text;
  const [, name = '', total = '', origin] = found;
  const from = origin === undefined ? '' : ` (${origin.split('; ').map(translated).join('; ')})`;
  return `${translated(name)} ${quantityText(total)}${from}`;
}

const patterns = new Map<Template, RegExp>(
  TEMPLATES.map((template) => [
    template,
    new RegExp(`^${template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, '(?<$1>.+?)')}$`),
  ]),
);

/** Returns a text of the gateway in the language of the page. It finds the template from which the gateway made the text. */
function retold(text: string): string {
  const known = translated(text);
  if (known !== text) return known;
  for (const [template, pattern] of patterns) {
    const found = pattern.exec(text)?.groups;
    if (found === undefined) continue;
    const params = Object.entries(found).map(([name, value]) => [name, PARTS[name]?.(value) ?? value]);
    return fill(translated(template), Object.fromEntries(params));
  }
  return text;
}

/** Returns a trouble code in words; the name of the parameter is that of SAE J1939 and stays English. */
function codeText(text: string): string {
  const at = text.indexOf(': ');
  return at < 0 ? retold(text) : `${text.slice(0, at)}: ${translated(text.slice(at + 2))}`;
}

/** Returns the detail of an alert: a value with its name, or a sentence. */
export function detailText(text: string): string {
  const value = /^(\D+) ([^ ]+ [^ ]+|[^ ]*\d[^ ]*)$/.exec(text);
  if (value?.[1] !== undefined && value[2] !== undefined) {
    const shown = shownQuantity(value[2]);
    if (shown !== value[2] || translated(value[1]) !== value[1]) return `${translated(value[1])} ${isolated(shown)}`;
  }
  const told = retold(text);
  return told === text ? codeText(text) : told;
}

/** Returns what a reason says, with its names and values in the language and the units of the page. */
function shownSentence({ code, params }: Sentence): Sentence {
  const { unit, value, limit, up, down, label, lamp, how, text, speed } = params;
  const isChange = code === 'value_change';
  const number = (of: string | undefined, key: string, change = false) =>
    of === undefined ? {} : { [key]: shownNumber(of, unit ?? '', change) };
  return {
    code,
    params: {
      ...params,
      ...number(value, 'value'),
      ...number(limit, 'limit'),
      ...number(up, 'up', isChange),
      ...number(down, 'down', isChange),
      ...(unit !== undefined && { unit: shownUnit(unit) }),
      ...(label !== undefined && { label: translated(label) }),
      ...(lamp !== undefined && { lamp: translated(lamp) }),
      ...(how !== undefined && { how: translated(how) }),
      ...(code === 'service' && text !== undefined && { text: retold(text) }),
      ...(speed !== undefined && { speed: shownNumber(speed, 'km/h'), speed_unit: shownUnit('km/h') }),
    },
  };
}

function shownCause({ code, params }: Probable): Probable {
  const plain = ([name, text]: [string, string]) => [name, name === 'place' ? text : decimals(text)];
  return { code, params: Object.fromEntries(Object.entries(params).map(plain)) };
}

/** Returns a reason in the language and the units of the page. */
export function shownReason<T extends Pick<Reason, 'says' | 'probably'>>(reason: T): T {
  const { says, probably } = reason;
  return { ...reason, says: shownSentence(says), ...(probably !== undefined && { probably: shownCause(probably) }) };
}

function shownDrawn<T extends DrawnValue | null>(value: T): T {
  if (value === null) return value;
  const { label, text, unit } = value;
  return {
    ...value,
    label: translated(label),
    text: text === null ? null : shownNumber(text, unit),
    unit: translated(shownUnit(unit)),
  };
}

function shownMachine<T extends MachineTile>(machine: T): T {
  const { attention } = machine;
  const over = attention?.over;
  return {
    ...machine,
    primary: shownDrawn(machine.primary),
    reasons: machine.reasons.map(shownReason),
    ...(attention !== undefined &&
      over?.says !== undefined && { attention: { ...attention, over: { ...over, says: shownSentence(over.says) } } }),
  };
}

function shownLine(line: TrendLine): TrendLine {
  const { label, unit, v } = line;
  return {
    ...line,
    label: retold(label),
    unit: shownUnit(unit),
    v: shownUnit(unit) === unit ? v : v.map((value) => (value === null ? null : shownValue(value, unit))),
  };
}

/** Returns the summary of a day with fuel in the unit of the page. */
export function shownDay(day: SiteDay): SiteDay {
  const inUnit = (one: DaySentence): DaySentence => {
    const { fuel, unit } = one.params;
    if (typeof fuel !== 'number' || typeof unit !== 'string') return one;
    return { ...one, params: { ...one.params, fuel: Math.floor(shownValue(fuel, unit)), unit: shownUnit(unit) } };
  };
  return { ...day, sentences: day.sentences.map(inUnit) };
}

const noteText = (note: string) => note.split(' · ').map(retold).join(' · ');

function shownData(data: WidgetData): WidgetData {
  switch (data.type) {
    case 'status_board': {
      const { calm } = data;
      const last = calm?.last && { ...calm.last, says: shownSentence(calm.last.says) };
      return {
        ...data,
        machines: data.machines.map(shownMachine),
        ...(calm !== undefined && { calm: { ...calm, ...(last !== undefined && { last }) } }),
      };
    }
    case 'machine_list': {
      const columns = data.list.columns.map(({ label, unit }) => ({ label: translated(label), unit: shownUnit(unit) }));
      const rows = data.list.rows.map((row) => ({ ...shownMachine(row), values: row.values.map(shownDrawn) }));
      return { ...data, list: { columns, rows } };
    }
    case 'bar': {
      const { label, unit, note, rows } = data.bar;
      const shown = { label: translated(label), unit: shownUnit(unit), note: noteText(note) };
      return {
        ...data,
        bar: { ...data.bar, ...shown, rows: rows.map((row) => ({ ...row, value: shownDrawn(row.value) })) },
      };
    }
    case 'kpi': {
      const { value, note } = data.kpi;
      return { ...data, kpi: { ...data.kpi, value: shownDrawn(value), note: note === null ? null : noteText(note) } };
    }
    case 'timeseries':
      return { ...data, trend: { ...data.trend, lines: data.trend.lines.map(shownLine) } };
    case 'map': {
      const { machines, note, trouble } = data.map;
      const shown = { machines: machines.map(shownMachine), note: note === null ? null : noteText(note) };
      const listed = trouble && { trouble: { ...trouble, unplaced: trouble.unplaced.map(shownMachine) } };
      return { ...data, map: { ...data.map, ...shown, ...listed } };
    }
    case 'ticket_board':
      return { ...data, columns: data.columns.map((column) => ({ ...column, label: translated(column.label) })) };
    case 'alert_feed': {
      const rows = data.alerts.rows.map((row) => ({ ...row, detail: detailText(row.detail) }));
      return { ...data, alerts: { ...data.alerts, rows } };
    }
    case 'day':
      return data.day === null ? data : { ...data, day: shownDay(data.day) };
    case 'qr':
      return { ...data, qr: data.qr.is_made ? { ...data.qr, caption: translated(data.qr.caption) } : data.qr };
    case 'camera':
    case 'media':
    case 'shift_progress':
    case 'text':
      return data;
  }
}

/** What was last shown, so that only changed widgets are put into words again. It belongs to one language. */
let shown = {
  of: language(),
  data: new WeakMap<WidgetData, WidgetData>(),
  boards: new WeakMap<BoardView, BoardView>(),
};

function shownBoard(board: BoardView): BoardView {
  const known = shown.boards.get(board);
  if (known !== undefined) return known;
  const count = /^\d+/.exec(board.subtitle)?.[0];
  const next: BoardView = {
    ...board,
    subtitle: count === undefined ? board.subtitle : t('{n} machine|{n} machines', { n: count }),
    widgets: board.widgets.map((widget) => {
      const data = shown.data.get(widget.data) ?? shownData(widget.data);
      shown.data.set(widget.data, data);
      // The gateway itself writes the titles of the board of an alert.
      return { ...widget, data, title: board.alarm === undefined ? widget.title : retold(widget.title) };
    }),
  };
  shown.boards.set(board, next);
  return next;
}

/** Returns boards in the language and the units of the page. A board that has not changed is the same object as before. */
export function shownBoards(boards: readonly BoardView[]): readonly BoardView[] {
  const of: Language = language();
  if (shown.of !== of) shown = { of, data: new WeakMap(), boards: new WeakMap() };
  return boards.map(shownBoard);
}
