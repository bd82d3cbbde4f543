/** Licence plates behind their label: `matrícula 45-XQ-12`, `Kennzeichen MKK-BT 210 und MKK-BT 211`. They are the numbers of their machines. */
import { clueAt } from '#domain/words/grammar.ts';
import type { Token } from '#domain/words/text.ts';
import type { Item, Text, Unit } from './items.ts';
import { wordsOf } from './places.ts';

const LABELS = new Set(
  'placa placas patente patentes matricula matriculas kennzeichen nummernschild plaque plaques immatriculation immatricule immatriculee immatricules immatriculees plate plates rego reg registration chapa chapas dominio'.split(
    ' ',
  ),
);
const PART = /^[\p{Lu}\d]{1,4}$/u;
const MOST_PARTS = 4;

/** The end of a plate that begins here: groups of capital letters and digits with dashes, or a German one with a space before its digits. */
function plateEnd(tokens: readonly Token[], at: number, to: number): number | null {
  let end = at;
  let parts = 0;
  while (end < to && parts < MOST_PARTS && PART.test(tokens[end]?.text ?? '')) {
    parts++;
    end++;
    if (tokens[end]?.key !== '-' || tokens[end]?.glued !== true || tokens[end + 1]?.glued !== true) break;
    end++;
  }
  const digits = tokens[end];
  const hasDigits = /\d/.test(wordsOf(tokens, at, end));
  if (parts === 2 && !hasDigits && /^\d{1,4}$/.test(digits?.text ?? '') && digits?.line === tokens[at]?.line)
    return end + 1;
  return parts >= 3 && hasDigits ? end : null;
}

export function platesAt(text: Text, at: number, to: number, before: readonly Item[]): Item | null {
  const { tokens } = text;
  const last = before.at(-1);
  const label = last?.type === 'sign' && last.sign === ':' ? before.at(-2) : last;
  if (label === undefined || !LABELS.has(tokens[label.to - 1]?.key ?? '')) return null;
  const units: Unit[] = [];
  let end = at;
  for (let next = at; next < to; ) {
    const stop = plateEnd(tokens, next, to);
    if (stop === null) break;
    units.push({ text: wordsOf(tokens, next, stop), bare: false });
    end = stop;
    const and = tokens[end]?.key === ',' ? end + 1 : end;
    const clue = clueAt(text, and, to);
    next = clue?.value === 'and' ? clue.to : and;
    if (next === end) break;
  }
  return units.length === 0
    ? null
    : { type: 'units', from: at, to: end, list: { units, tooMany: false, without: [] }, introduced: true };
}
