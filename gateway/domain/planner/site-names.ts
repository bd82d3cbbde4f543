/** The name of a site that no word for sites stands with: in the title of a document, or in a sentence such as `Carrick Fell is a copper mine`. */

import type { Read, Text } from '#domain/sentences/items.ts';
import { PARTICLES } from '#domain/sentences/names.ts';
import { wordsOf } from '#domain/sentences/places.ts';
import { clueAt, THE_WORDS } from '#domain/words/grammar.ts';
import { KIND_WORDS } from '#domain/words/kind-words.ts';
import { MAKES } from '#domain/words/makes.ts';
import { PLACE_WORDS } from '#domain/words/place-words.ts';
import { DAYS, ROLE_WORDS, SHIFT_NAMES } from '#domain/words/shift-words.ts';
import { isCapital, type Span, spanOf, type Token } from '#domain/words/text.ts';

interface SiteName {
  readonly name: string;
  readonly span: Span;
}

/** Words of the titles of documents. */
const DOCUMENTS = new Set(
  'minutes meeting handover report weekly daily monthly notes memo agenda inventory register list plant fleet acta reunion informe parte semanal diario inventario listado ata reuniao relatorio compte rendu reunion rapport inventaire releve liste visite chantier protokoll besprechungsprotokoll bericht begehung tagesbericht wochenbericht niederschrift besprechung dispo update subject asunto assunto objet betreff re fw fwd notice summary resumen resumo shift shutdown'.split(
    ' ',
  ),
);
const MONTHS =
  /^(jan|feb|fev|mar|apr|abr|avr|may|mai|jun|jul|aug|ago|aou|sep|set|oct|out|okt|nov|dec|dic|dez)(\p{L}*)$/u;
const BREAKS = new Set(['-', ':', ',', '(', ')', '|', ';', '/', '.']);
const ARE = new Set(['is', 'es', 'é', 'est', 'ist', 'war', 'e']);
const AT = /^(at|en|em|in|bei|auf|à|a|chez|from|for|para|pour|für|fur|von|de|do|da|at the)$/;
const MOST_BETWEEN = 8;
const MOST_WORDS = 5;

/** A word that no name of a site begins with. */
const isOther = ({ tokens, language }: Text, at: number, to: number): boolean => {
  const key = tokens[at]?.key ?? '';
  return (
    DOCUMENTS.has(key) ||
    MONTHS.test(key) ||
    KIND_WORDS.at(tokens, at, to) !== null ||
    MAKES.at(tokens, at, to) !== null ||
    ROLE_WORDS.at(tokens, at, to) !== null ||
    (DAYS.at(tokens, at, to) !== null && key.length > 3) ||
    SHIFT_NAMES.at(tokens, at, to) !== null ||
    THE_WORDS[language].at(tokens, at, to) !== null ||
    clueAt({ tokens, language }, at, to) !== null
  );
};

/** The end of a run of words with capital letters; the start itself if there is none. */
function runEnd(text: Text, from: number, to: number): number {
  const { tokens } = text;
  const first = tokens[from] as Token;
  let end = from;
  while (end < to && end < from + MOST_WORDS * 2) {
    const token = tokens[end] as Token;
    if (token.line !== first.line) break;
    const isLink = end > from && PARTICLES.has(token.key) && end + 1 < to && isCapital(tokens[end + 1] as Token);
    const isJoined =
      end > from && token.isSign && token.glued && ['-', "'"].includes(token.key) && tokens[end + 1]?.glued === true;
    if (!isLink && !isJoined && (token.isSign || !(isCapital(token) || (end > from && /^\d+$/.test(token.key))))) break;
    if (!isLink && !isJoined && isOther(text, end, to)) break;
    end++;
  }
  return end;
}

const named = ({ tokens }: Text, from: number, to: number): SiteName => ({
  name: wordsOf(tokens, from, to),
  span: spanOf(tokens, from, to),
});

/** `MINUTES - weekly plant meeting, Harlow Link Road, 14 May`: the part of the title of a document that is a name. */
export function siteOfDocument(text: Text, reads: readonly Read[]): SiteName | null {
  const { tokens } = text;
  for (const { sentence } of reads.slice(0, 2)) {
    const { from, to } = sentence;
    if (from > 30 || !tokens.slice(from, Math.min(to, from + 4)).some(({ key }) => DOCUMENTS.has(key))) continue;
    for (let at = from; at < to; at++) {
      const before = tokens[at - 1];
      if (at > from && before !== undefined && !BREAKS.has(before.key) && !PARTICLES.has(before.key)) continue;
      if (tokens[at]?.line !== tokens[from]?.line) break;
      const end = runEnd(text, at, to);
      const words = tokens.slice(at, end).filter(({ isSign, key }) => !isSign && !PARTICLES.has(key)).length;
      const next = tokens[end];
      const isWhole = next === undefined || end >= to || next.line !== tokens[at]?.line || BREAKS.has(next.key);
      if (words >= 2 && isWhole && !PARTICLES.has(before?.key ?? '')) return named(text, at, end);
    }
  }
  return null;
}

/** `Carrick Fell is an open-cast copper mine`, `the fleet at Mulga Downs`. */
export function siteOfSentence(text: Text, reads: readonly Read[]): SiteName | null {
  const { tokens } = text;
  for (const { sentence } of reads.slice(0, 3)) {
    const { from, to } = sentence;
    const end = from < to ? runEnd(text, from, to) : from;
    if (end > from && ARE.has(tokens[end]?.key ?? ''))
      for (let at = end + 1; at < Math.min(to, end + MOST_BETWEEN) && tokens[at]?.isSign === false; at++)
        if (PLACE_WORDS.at(tokens, at, to)?.value.kind === 'site') return named(text, from, end);
  }
  for (const { sentence, items } of reads.slice(0, 2)) {
    const { from, to } = sentence;
    for (let at = from + 1; at < to; at++) {
      if (!AT.test(tokens[at - 1]?.key ?? '') || !isCapital(tokens[at] as Token)) continue;
      const end = runEnd(text, at, to);
      const words = tokens.slice(at, end).filter(({ isSign, key }) => !isSign && !PARTICLES.has(key)).length;
      const isFree = items.every((item) => item.type === 'word' || item.to <= at || item.from >= end);
      const isAt = ['at', 'en', 'em', 'à', 'in', 'auf', 'bei'].includes(tokens[at - 1]?.key ?? '');
      if (words >= 2 && isFree && isAt && isFleetBefore(text, from, at - 1)) return named(text, at, end);
    }
  }
  return null;
}

/** Words that say that the site of the text follows: `the fleet at`, `what we have in`. */
function isFleetBefore({ tokens }: Text, from: number, to: number): boolean {
  return tokens
    .slice(from, to)
    .some(({ key }) =>
      /^(fleet|plant|equipment|machines|machinery|kit|flota|equipos|maquinaria|maquinas|frota|equipamentos|parc|engins|materiel|machines|maschinen|gerate|maschinenpark|fuhrpark|tenemos|temos|avons|haben|have|got|here|aqui|ici|hier|work|working|trabajamos|trabalhamos|travaillons|arbeiten)$/.test(
        key,
      ),
    );
}
