import { ASIDE_HEADINGS, type Aside } from '#domain/words/aside-headings.ts';
import { phrases } from '#domain/words/phrases.ts';
import { tokenize } from '#domain/words/text.ts';

export type Column =
  | 'unit'
  | 'kind'
  | 'make'
  | 'model'
  | 'makemodel'
  | 'year'
  | 'serial'
  | 'place'
  | 'machine'
  | 'name'
  | 'driver'
  | 'role'
  | 'crew'
  | 'badge'
  | 'number'
  | 'count'
  | Aside;

const isAside = (column: Column | null): column is Aside => column === 'measure' || column === 'paper';

const HEADINGS = phrases<Column>([
  [
    'unit',
    'unit|unit no|unit no.|unit number|unit id|fleet no|fleet no.|fleet number|plant no|plant no.|asset|asset no|asset id|id|tag|code|no|no.|number|código|cod|cód.|matrícula/cód.|matrícula / cód.|nº|n°|numero|número|número económico|no. económico|económico|interno|n° interno|nº interno|prefixo|nº frota|frota|patrimônio|n° parc|n° de parc|numéro|no de parc|code parc|nr|nr.|geräte-nr.|geräte-nr|gerätenummer|gerätenr|nummer|inventar-nr.|inv.-nr.|inventarnummer|kennung|betriebsnummer|matrícula|placa|equipment no|equipment id|machine no|machine id|parc|no. de equipo|código interno|cód. interno|unidad',
  ],
  [
    'kind',
    'type|what|kind|category|class|description|desc|tipo|tipo de equipo|tipo de máquina|clase|descripción|categoría|tipo de equipamento|descrição|categoria|classe|désignation|designation|catégorie|nature|genre|description|bezeichnung|art|geräteart|maschinenart|gerätetyp|kategorie|equipment type|machine type',
  ],
  [
    'machine',
    'machine|equipment|máquina|equipo|equipamento|engin|matériel|maschine|gerät|plant|item|vehicle|veículo|fahrzeug|baumaschine',
  ],
  ['make', 'make|manufacturer|brand|oem|maker|marca|fabricante|marque|constructeur|hersteller|fabrikat|marke'],
  ['model', 'model|modelo|modèle|typ|modell|model no'],
  [
    'makemodel',
    'make/model|make / model|make and model|make & model|marca/modelo|marca / modelo|marca y modelo|marca e modelo|marque/modèle|marque / modèle|marque et modèle|hersteller/typ|hersteller / typ|hersteller und typ|fabrikat/typ|fabrikat / typ|modelo/marca|marke/typ|marke / typ|type/modèle',
  ],
  [
    'year',
    'year|yom|year of manufacture|build year|año|ano|année|baujahr|bj|bj.|jahr|ano de fabricação|año de fabricación|mise en service',
  ],
  [
    'serial',
    'serial|serial no|serial no.|serial number|s/n|sn|vin|pin|serie|nº serie|n° serie|número de serie|no. de serie|nº de serie|n° de serie|série|nº série|n° série|número de série|nº de série|n° de série|numéro de série|fabr.-nr.|fabr.-nr|fabriknummer|seriennummer|serien-nr.|serien-nr|chassis|fahrgestellnummer|fin|fabriknr|chasis',
  ],
  [
    'place',
    'location|area|pit|site|zone|work area|where|place|level|ubicación|zona|lugar|frente|área|sector|nivel|ubicacion|localização|local|área|setor|nível|affectation|emplacement|lieu|zone|secteur|niveau|localisation|poste de travail|standort|ort|einsatzort|bereich|sohle|abschnitt|einsatz',
  ],
  [
    'count',
    'qty|quantity|count|pcs|units|cantidad|cant|cant.|cdad|uds|quantidade|qtd|qtd.|qtde|quantité|qté|nombre|anzahl|stück|stk|menge',
  ],
  [
    'name',
    'name|full name|employee|person|nombre|nombre y apellido|apellidos y nombre|nome|nome completo|funcionário|nom|nom et prénom|nom prénom|prénom nom|mitarbeiter|vorname nachname|name, vorname|mitarbeitername|trabajador|colaborador|salarié',
  ],
  [
    'driver',
    'operator|operators|driver|drivers|assigned to|operador|operadores|operador asignado|chofer|choferes|conductor|conductores|maquinista|maquinistas|motorista|motoristas|condutor|condutores|manobrador|conducteur|conducteurs|chauffeur|chauffeurs|opérateur|opérateurs|affecté à|fahrer|fahrer/in|maschinist|maschinisten|geräteführer|bediener',
  ],
  [
    'role',
    'role|position|job|trade|job title|occupation|puesto|cargo|función|oficio|categoría laboral|função|fonction|métier|funktion|tätigkeit|beruf|rolle',
  ],
  [
    'crew',
    'crew|shift|team|roster|panel|guardia|turno|cuadrilla|grupo|turma|équipe|poste|quart|schicht|kolonne|gruppe',
  ],
  [
    'badge',
    'badge|badge no|badge id|card no|fotocheck|tarjeta|credencial|crachá|cartão|n° badge|ausweis|ausweis-nr.|ausweisnummer|ausweis-nr',
  ],
  [
    'number',
    'employee no|employee no.|employee number|emp no|emp. no.|payroll no|staff no|legajo|ficha|nº empleado|n° empleado|número de empleado|matricule|personalnummer|personal-nr.|pers.-nr.|personalnr|nº mecanográfico',
  ],
]);

export interface Cell {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export interface Row {
  readonly cells: ReadonlyMap<Column, Cell>;
  /** What stands in columns that the planner does not read, and in the column of places. */
  readonly remarks: string;
  /** The cells of columns whose heading no table of words has. */
  readonly others: readonly Cell[];
  /** The cells of columns of measures and papers. */
  readonly asides: readonly { readonly cell: Cell; readonly aside: Aside }[];
  /** The cell of the last row above that has only one: `Loaders`, `Sold`. */
  readonly section: Cell | null;
  readonly start: number;
  readonly end: number;
}

export interface Table {
  readonly rows: readonly Row[];
  /** The rows with one cell that head the rows below them. */
  readonly sections: readonly Cell[];
  readonly firstLine: number;
  readonly lastLine: number;
}

interface Line {
  readonly text: string;
  readonly start: number;
}

const MOST_COLUMNS = 40;
/** Characters of a line of headings: 40 columns with long headings. */
const LONGEST_HEADING = 4_000;
const DELIMITERS = [';', '\t', '|', ',', 'spaces'] as const;
type Delimiter = (typeof DELIMITERS)[number];

function cellsOf({ text, start }: Line, delimiter: Delimiter): Cell[] {
  const cells: Cell[] = [];
  const add = (from: number, to: number) => {
    let a = from;
    let b = to;
    while (a < b && /[\s"]/.test(text[a] ?? '')) a++;
    while (b > a && /[\s"]/.test(text[b - 1] ?? '')) b--;
    cells.push({ text: text.slice(a, b), start: start + a, end: start + b });
  };
  let from = 0;
  let quoted = false;
  for (let i = 0; i < text.length && cells.length < MOST_COLUMNS; i++) {
    if (text[i] === '"' && delimiter !== 'spaces') quoted = !quoted;
    if (quoted) continue;
    if (delimiter === 'spaces') {
      if (text[i] === ' ' && text[i + 1] === ' ') {
        add(from, i);
        while (text[i + 1] === ' ') i++;
        from = i + 1;
      }
    } else if (text[i] === delimiter) {
      add(from, i);
      from = i + 1;
    }
  }
  add(from, text.length);
  if (delimiter === '|') {
    if (cells[0]?.text === '') cells.shift();
    if (cells.at(-1)?.text === '') cells.pop();
  }
  return cells;
}

/** The columns of a line of headings; null if it is none. Columns without a heading behind the last one count as cells beside the table. */
function columnsOf(given: readonly Cell[]): (Column | null)[] | null {
  const cells = given.slice(0, given.findLastIndex(({ text }) => text !== '') + 1);
  if (cells.length < 2) return null;
  const columns = cells.map(({ text }) => {
    const tokens = tokenize(text);
    // `Masse (t)`, `Nr.`: only a unit or a sign may follow.
    const isWhole = (found: { readonly to: number }): boolean => {
      const rest = tokens[found.to];
      return rest === undefined || ((rest.isSign || /^[a-z]{1,2}$/.test(rest.text)) && rest.key !== ':');
    };
    const found = HEADINGS.at(tokens, 0, tokens.length);
    if (found !== null && isWhole(found)) return found.value;
    const aside = ASIDE_HEADINGS.at(tokens, 0, tokens.length);
    return aside !== null && isWhole(aside) ? aside.value : null;
  });
  const known = columns.filter((one) => one !== null && !isAside(one)).length;
  const unknown = columns.filter((one, i) => one === null && cells[i]?.text !== '').length;
  if (known < 2 || known < unknown) return null;
  // `Engin` is the number if another column is the type; else it is the type.
  const hasKind = columns.includes('kind');
  const hasUnit = columns.includes('unit');
  const hasMake = columns.includes('make');
  const isPeople = columns.includes('name') && columns.includes('machine');
  return columns.map((one, i) => {
    if (isPeople && one === 'unit') return 'number';
    if (isPeople && one === 'machine') return 'unit';
    if (one === 'machine') return hasKind && !hasUnit ? 'unit' : 'kind';
    if (one === 'kind' && columns.includes('machine') && hasUnit)
      return columns.includes('model') ? one : hasMake ? 'model' : 'makemodel';
    if (one === 'kind' && columns.indexOf('kind') < i) return hasMake ? 'model' : null;
    if (one === 'model' && !hasMake) return 'makemodel';
    return !isAside(one) && columns.indexOf(one) < i ? null : one;
  });
}

const isRule = (text: string): boolean => /^[\s|:+=_-]*$/.test(text) && text.trim() !== '';

/** A line of headings within a table: the first cell is a heading too, so that a row of values is none. */
function isHeading(cells: readonly Cell[]): boolean {
  const columns = columnsOf(cells);
  if (columns === null || cells.some(({ text }) => /\d/.test(text))) return false;
  return columns[cells.findIndex(({ text }) => text !== '')] !== null;
}

/** True if these cells are the headings of a table that the planner reads. */
export const areHeadings = (texts: readonly string[]): boolean =>
  isHeading(texts.map((text) => ({ text, start: 0, end: 0 })));

const headingKey = (cells: readonly Cell[]): string =>
  cells
    .map(({ text }) => text.toLowerCase())
    .join(';')
    .replace(/;+$/, '');

/** The tables of a text. */
export function tablesOf(raw: string): Table[] {
  const lines: Line[] = [];
  let start = 0;
  for (const text of raw.split('\n')) {
    lines.push({ text: text.endsWith('\r') ? text.slice(0, -1) : text, start });
    start += text.length + 1;
  }
  const tables: Table[] = [];
  for (let i = 0; i < lines.length; i++) {
    const table = tableAt(lines, i);
    if (table === null) continue;
    tables.push(table);
    i = table.lastLine;
  }
  return tables;
}

/** Columns in which one cell without others is no heading of a section, but the rest of a row. */
const NO_SECTION: ReadonlySet<Column> = new Set<Column>([
  ...(['make', 'model', 'makemodel', 'year', 'serial', 'place', 'driver', 'role', 'crew', 'badge', 'number'] as const),
  'count',
]);

/** The cell of a row that has only one, as the heading of the rows below it; undefined for other rows. */
function sectionOf(cells: readonly Cell[], columns: readonly (Column | null)[]): Cell | undefined {
  const filled = cells.flatMap((cell, c) => (cell.text === '' ? [] : [{ cell, c }]));
  const [only, ...more] = filled;
  if (only === undefined || more.length > 0 || columns.length <= 2 || /\d/.test(only.cell.text)) return undefined;
  const column = columns[only.c] ?? null;
  return only.c > 0 && column !== null && NO_SECTION.has(column) ? undefined : only.cell;
}

function rowOf(line: Line, cells: readonly Cell[], columns: readonly (Column | null)[], section: Cell | null): Row {
  const found = new Map<Column, Cell>();
  const remarks: string[] = cells.slice(columns.length).map(({ text }) => text);
  const asides: Row['asides'][number][] = [];
  for (const [c, column] of columns.entries()) {
    const cell = cells[c];
    if (cell === undefined) continue;
    if (column === null || column === 'place' || isAside(column)) remarks.push(cell.text);
    if (isAside(column)) asides.push({ cell, aside: column });
    else if (column !== null && /[\p{L}\p{N}]/u.test(cell.text)) found.set(column, cell);
  }
  const text = line.text.trimEnd();
  const indent = text.length - text.trimStart().length;
  return {
    cells: found,
    remarks: remarks.join(' ; '),
    others: cells.filter((_, c) => (columns[c] ?? null) === null),
    section,
    asides,
    start: line.start + indent,
    end: line.start + text.length,
  };
}

function tableAt(lines: readonly Line[], at: number): Table | null {
  const head = lines[at];
  if (head === undefined || head.text.length > LONGEST_HEADING) return null;
  for (const delimiter of DELIMITERS) {
    const headings = cellsOf(head, delimiter);
    const columns = columnsOf(headings);
    if (columns === null) continue;
    const rows: Row[] = [];
    const sections: Cell[] = [];
    let last = at;
    let section: Cell | null = null;
    for (let i = at + 1; i < lines.length; i++) {
      const line = lines[i];
      if (line === undefined || line.text.trim() === '') break;
      if (isRule(line.text)) {
        last = i;
        continue;
      }
      const cells = cellsOf(line, delimiter);
      if (cells.length < Math.max(2, Math.ceil(columns.length / 2))) break;
      const isRepeated = headingKey(cells) === headingKey(headings);
      // A sheet may have several tables, and a table its headings on each page.
      if (!isRepeated && isHeading(cells)) break;
      last = i;
      if (isRepeated) continue;
      const own = sectionOf(cells, columns);
      if (own === undefined) rows.push(rowOf(line, cells, columns, section));
      else {
        section = own;
        sections.push(own);
      }
    }
    if (rows.length + sections.length > 0) return { rows, sections, firstLine: at, lastLine: last };
  }
  return null;
}
