/** Words that say that nobody works at night: `no night shift`, `nachts wird nicht gearbeitet`, `day shift only`. */

import { KIND_WORDS } from '#domain/words/kind-words.ts';
import { ROLE_WORDS } from '#domain/words/shift-words.ts';
import { type Span, spanOf } from '#domain/words/text.ts';
import type { Read, Text } from './items.ts';

/** Each pattern reads the folded words of a sentence with one space between them. */
const DENIED: readonly RegExp[] = [
  /\b(no|without( a| any)?|not (a|any|on)|never (a|any|on)?) ?(night ?shifts?|nights|night work)\b/,
  /\b(do not|does not|don ' t|dont|doesn ' t|doesnt|not|never) (work|run|have|operate|working|running|do)( on| at| in| a| any| the| during)* ?(night ?shifts?|nights?)\b/,
  /\b(nobody|no one|nothing) (works|runs|happens)( on| at| the)* ?(night ?shift|nights?)\b/,
  /\b(day ?shifts?|days) only\b|\bonly (a |the |on |one )*(day ?shifts?|days)\b(?! (and|&|,))/,
  /\b(no (hay|tenemos|se trabaja|trabajamos|existe|hacemos)|sin|ningun)( el| un| en| de| por| la| trabajo)* (turnos? (de )?(la )?noche|turnos? nocturnos?|noches?|nocturno)\b/,
  /\b(de|por la|en la) noche no (se trabaja|trabajamos|trabaja nadie|hay|se labora)\b/,
  /\b(solo|solamente|unicamente)( el| un| hay| de| trabajamos| en)* (turno (de )?dia|turno diurno|dia)\b/,
  /\b(nao (ha|temos|tem|se trabalha|trabalhamos|existe|fazemos)|sem)( o| um| de| em| a| no| trabalho)* (turnos? (da |de )?noite|turnos? noturnos?|noite|noturno)\b/,
  /\b(a|de|durante a) noite nao (se trabalha|trabalhamos|trabalha ninguem|ha)\b/,
  /\b(so|somente|apenas)( o| um| ha| de| trabalhamos| no)* (turno (do |de |da )?dia|turno diurno)\b/,
  /\b(pas|sans|aucune?|jamais)( de| d '| la| le| en| du| travail| equipe| postes?| quart)* nuit\b/,
  /\bla nuit (on|nous) (ne |n ' )?(travaille|travaillons|roule|tourne) pas\b/,
  /\b(seulement|uniquement)( le| un| en| de| du| la)* (poste (de |du )?jour|equipe (de |du )?jour|quart (de |du )?jour|jour)\b/,
  /\b(keine?n?r?|ohne|nicht|nie)( in| der| die| am| zur)* (nachtschicht(en)?|nachtarbeit|nachtdienst|nachtbetrieb|nachts)\b/,
  /\bnachts( wird| arbeiten wir| arbeitet| ist| lauft| fahren wir)?( nie| gar)* (nicht|nichts|niemand|keiner|geschlossen)\b/,
  /\bnur( in| der| die| eine| am| eine)* (tagschicht|tagesschicht|tagdienst|tagsuber)\b/,
];

/** The words of each sentence that say so. Night work that only some people or machines do not do denies nothing. */
export function deniedNights(text: Text, reads: readonly Read[]): Span[] {
  const { tokens } = text;
  return reads.flatMap(({ sentence: { from, to } }) => {
    const starts: number[] = [];
    let words = '';
    for (let at = from; at < to; at++) {
      starts.push(words.length);
      words += `${tokens[at]?.key ?? ''} `;
    }
    for (const pattern of DENIED) {
      const found = pattern.exec(words);
      if (found === null) continue;
      const first = from + starts.findLastIndex((start) => start <= found.index);
      const end = from + starts.findLastIndex((start) => start < found.index + found[0].length) + 1;
      const isOfSome = ROLE_WORDS.at(tokens, end, to) !== null || KIND_WORDS.at(tokens, end, to) !== null;
      if (!isOfSome) return [spanOf(tokens, first, end)];
    }
    return [];
  });
}
