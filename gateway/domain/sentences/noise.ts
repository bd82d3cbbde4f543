/** Source code, times of messages, addresses, phone numbers, prices, dates and measures: they are none of the planner's business, and their digits are no numbers of machines. */

import { phrases } from '#domain/words/phrases.ts';
import { isDigits, type Sentence, type Span, spanOf, type Token } from '#domain/words/text.ts';
import type { Read, Text } from './items.ts';

const MEASURES = phrases<true>([
  [
    true,
    'metric|t|to|tn|ton|tonne|tons|tonnes|toneladas|tonelada|tonnen|mt|mtpa|kg|g|m|m2|m²|m3|m³|km|km/h|mm|cm|dl|l|ltr|litre|litres|litros|liter|kva|kw|kwh|hp|ps|cv|ch|ha|ft|yd|yd3|cy|bcm|%|°|degrees|percent|por ciento|prozent|pour cent|min|minutes|minutos|minuten|hours|horas de trabalho|days|días|dias|jours|tage|weeks|semanas|semaines|wochen|months|meses|mois|monate|years|años|anos|ans|jahre|mpa|bar|v|m³/h|m3/h|cubic|tonner|tonners|inch|inches|foot|feet|metres|meters|metros|mètres|meter',
  ],
]);
const MONEY = phrases<true>([
  [
    true,
    '€|$|£|r$|us$|usd|eur|euro|euros|gbp|mxn|cop|clp|brl|pen|ars|chf|dólares|dollars|reais|pesos|soles|aud|cad|hT|ttc|s/',
  ],
]);
const PHONE = new Set(
  'telemovel gsm natel tfno cellulaire tlm nextel tel telefon telefono telefone phone ph mobile mob movil celular cel handy fax whatsapp telf tlf call fone portable ramal anexo ext'.split(
    ' ',
  ),
);
export const MONTHS = phrases<true>([
  [
    true,
    'january|february|march|april|june|july|august|september|october|november|december|jan|feb|apr|jun|jul|aug|sep|sept|oct|nov|dec|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|januar|februar|märz|juni|juli|oktober|dezember',
  ],
]);
/** A road and its number: `Rodovia BR-999`. */
const ROADS = new Set(
  'rodovia highway motorway road autovia autopista carretera ruta route autoroute nationale departementale autobahn bundesstrasse landstrasse km pk'.split(
    ' ',
  ),
);
const HOURS = new Set('h hs hrs hora horas heures hours std stunden bh'.split(' '));
const WEEKS = new Set('kw week semana semaine kalenderwoche woche wk'.split(' '));
const LONG_PHONE = 7;
const MOST_GROUPS = 8;

const isNumber = (token: Token | undefined): boolean =>
  token !== undefined && /^\d/.test(token.key) && /^[\d.,]+$/.test(token.key);

function addressAt(tokens: readonly Token[], at: number, to: number): number {
  const token = tokens[at];
  const isUrl =
    (['http', 'https', 'ftp', 'file'].includes(token?.key ?? '') &&
      tokens[at + 1]?.key === ':' &&
      tokens[at + 2]?.key === '/') ||
    (token?.key === 'www' && tokens[at + 1]?.key === '.');
  if (!isUrl && tokens[at + 1]?.key !== '@') return at;
  let end = at + 1;
  while (end < to && tokens[end]?.glued === true) end++;
  return end;
}

/** Digits in groups, as phone numbers are written; also dates such as 30/06/2027. */
function groupsAt(tokens: readonly Token[], at: number, to: number, isPhone: boolean): number {
  let end = at;
  let digits = 0;
  let groups = 0;
  let slashes = 0;
  let last = at;
  if (['+', '('].includes(tokens[at]?.key ?? '')) end++;
  if (!isNumber(tokens[end])) return at;
  while (end < to && groups < MOST_GROUPS) {
    const token = tokens[end];
    if (token === undefined || token.line !== tokens[at]?.line) break;
    if (isNumber(token)) {
      digits += token.key.replace(/\D/g, '').length;
      groups++;
      last = end + 1;
    } else if (token.key === '/' || token.key === '-') {
      if (!token.glued && !isPhone) break;
      if (token.key === '/' && token.glued) slashes++;
    } else if (!['(', ')', '.'].includes(token.key) || (token.key === '.' && tokens[end + 1]?.glued !== true)) break;
    end++;
  }
  const isDate = groups === 3 && slashes === 2;
  const first = tokens[at];
  const looksLike =
    first?.key === '+' || (first?.key.startsWith('0') === true && first.key.length >= 3) || first?.key === '(';
  if (isDate || (isPhone && digits >= 5) || (looksLike && groups > 1 && digits >= LONG_PHONE + 1)) return last;
  return at;
}

/** `s/n KPZ01234`, `Fahrgestellnummer ABC123`: a serial number, with its label. */
const SERIALS = new Set(
  'sn serial serie serienummer seriennummer chassis chasis chassi vin fahrgestell fahrgestellnummer fin motornummer'.split(
    ' ',
  ),
);
export function serialEnd(tokens: readonly Token[], at: number, to: number): number {
  const keys = [0, 1, 2].map((i) => tokens[at + i]?.key ?? '');
  const isSlashed = /^(s|n)$/.test(keys[0] ?? '') && keys[1] === '/' && /^(n|s)$/.test(keys[2] ?? '');
  if (!isSlashed && !SERIALS.has(keys[0] ?? '')) return at;
  let end = isSlashed ? at + 3 : at + 1;
  while (end < Math.min(to, at + 6) && /^(:|\.|no|nr|number|numero|n|°|º|de|do)$/.test(tokens[end]?.key ?? '')) end++;
  const code = tokens[end];
  if (code === undefined || end >= to || !/\d/.test(code.text) || code.line !== tokens[at]?.line) return at;
  end++;
  while (end < to && tokens[end]?.glued === true && ![',', ')', ';', '.', ':'].includes(tokens[end]?.key ?? '')) end++;
  return end;
}

/** Words that say whether a price includes taxes. */
const TAXES = new Set(['ht', 'ttc']);

/** The end of a part that is none of the planner's business and begins here; the start itself if there is none. */
export function noiseAt(tokens: readonly Token[], at: number, to: number): number {
  const token = tokens[at];
  if (token === undefined) return at;
  const address = addressAt(tokens, at, to);
  if (address > at) return address;
  if (PHONE.has(token.key)) {
    let next = at + 1;
    while (['.', ':', 'no', '/'].includes(tokens[next]?.key ?? '') && next < at + 3) next++;
    const end = groupsAt(tokens, next, to, true);
    return end > next ? end : at;
  }
  if (ROADS.has(token.key) && /^[A-Z]{1,3}$|\d/.test(tokens[at + 1]?.text ?? '') && at + 1 < to) {
    let end = at + 2;
    while (end < to && tokens[end]?.glued === true) end++;
    return end;
  }
  // `30-tonne`
  if (isDigits(token.key) && tokens[at + 1]?.key === '-' && tokens[at + 1]?.glued && tokens[at + 2]?.glued) {
    const size = MEASURES.at(tokens, at + 2, to);
    if (size !== null && (tokens[at + 2]?.key.length ?? 0) > 2) return size.to;
  }
  // `KW 24`: a week of the year
  if (WEEKS.has(token.key) && /^\d{1,2}$/.test(tokens[at + 1]?.key ?? '') && at + 1 < to) return at + 2;
  const groups = groupsAt(tokens, at, to, false);
  if (groups > at) return groups;
  const money = MONEY.at(tokens, at, to);
  // `1200 HT`: words for taxes stand behind a price; `HT 1` is a machine.
  if (money !== null && !TAXES.has(token.key) && isNumber(tokens[money.to])) return money.to + 1;
  if (/^\d{1,5}(t|to|kg|kva|kw|m3|mm|km|hp|ps|cv|l|ft|mt)$/.test(token.key)) return at + 1;
  if (!isNumber(token)) return at;
  if (tokens[at + 1]?.key === '.' && MONTHS.at(tokens, at + 2, to) !== null)
    return MONTHS.at(tokens, at + 2, to)?.to ?? at;
  const after = tokens[at + 1];
  if (after !== undefined && at + 1 < to && after.line === token.line) {
    // `4.200 horas`
    if (/^\d{1,3}[.,]\d{3}$/.test(token.key) && HOURS.has(after.key)) return at + 2;
    const price = MONEY.at(tokens, at + 1, to);
    if (price !== null) return price.to;
    const month = MONTHS.at(tokens, ['de', 'of'].includes(after.key) ? at + 2 : at + 1, to);
    if (month !== null) return month.to;
    const measure = MEASURES.at(tokens, at + 1, to);
    // `4 m` is a length, `4 M 12` is not; a capital letter behind a number is a measure only as T or M in a list of measures.
    // `1 to 2` is a range, `40 to` are tonnes.
    const isRange = after.key === 'to' && /^\d/.test(tokens[at + 2]?.key ?? '');
    if (measure !== null && !isRange && (after.text !== after.text.toUpperCase() || !/^\p{L}/u.test(after.text)))
      return measure.to;
  }
  return isDigits(token.key)
    ? at
    : /^\d+[.,]\d+$/.test(token.key) && !/^\d{1,2}[.]\d\d$/.test(token.key) && !/^\d{1,3}([.,]\d{3})+$/.test(token.key)
      ? at + 1
      : at;
}

const CODE_SIGNS = new Set(['{', '}', '<', '>', '=', ';', '$', '\\', '`', '_', '[', ']', '"']);
const CODE_WORDS = new Set([
  'select',
  'drop',
  'delete',
  'update',
  'const',
  'import',
  'export',
  'function',
  'href',
  'src',
  'script',
  'insert',
]);
const CODE_SHARE = 0.2;
const LEAST_SIGNS = 4;

/** True for a sentence of signs as programs have them. */
export function isCode({ tokens }: Text, { from, to }: Sentence): boolean {
  let signs = 0;
  let isProgram = false;
  for (let at = from; at < to; at++) {
    // `Mina Morro da Prata;;;;` has empty cells of a table.
    if (CODE_SIGNS.has(tokens[at]?.key ?? '') && tokens[at]?.key !== tokens[at - 1]?.key) signs++;
    if (at < from + 3 && CODE_WORDS.has(tokens[at]?.key ?? '')) isProgram = true;
  }
  return (signs >= LEAST_SIGNS && signs / (to - from) > CODE_SHARE) || (isProgram && signs > 0);
}

/** The sentence without `[12:01] Ana:` before it. */
export function isTalk({ tokens }: Text, sentence: Sentence): Sentence {
  const { from, to } = sentence;
  const at = (i: number) => tokens[from + i]?.key ?? '';
  if (at(0) !== '[' || !isDigits(at(1)) || at(2) !== ':') return sentence;
  let next = from + 3;
  while (next < to && next < from + 12 && tokens[next]?.key !== ']') next++;
  const colon = tokens.slice(next, next + 4).findIndex(({ key }) => key === ':');
  return { ...sentence, from: Math.min(to, colon < 0 ? next + 1 : next + colon + 1) };
}

/** `4 trucks per hour`, `2 cargadores por turno`, `3 trucks of stone`: a count of trips, not of machines. */
export function isRate({ raw }: Text, end: number): boolean {
  return /^\s*(per |an? (hour|day|shift|week|trip)|\/ ?(h|day|hour|shift|tag|jour|dia|día)|of (stone|rock|sand|gravel|ore|coal|muck|dirt|waste)|loads|de (piedra|arena|pedra|areia|sable|pierre)|por (hora|turno|d[ií]a|viaje|semana)|par (heure|jour|poste|semaine)|à l'heure|pro (stunde|tag|schicht|woche)|am tag|täglich|daily|diarios|diarias|diários|diárias)/i.test(
    raw.slice(end, end + 30),
  );
}

/** The sentences of which the planner has recognised nothing. A heading such as `Screens:` is no sentence. */
export function notRead(text: Text, reads: readonly Read[]): Span[] {
  return reads.flatMap(({ sentence, items }) =>
    text.tokens[sentence.to - 1]?.key !== ':' &&
    items.every(({ type }) => type === 'word' || type === 'sign' || type === 'the' || type === 'clue')
      ? [spanOf(text.tokens, sentence.from, sentence.to)]
      : [],
  );
}
