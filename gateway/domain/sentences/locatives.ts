/**
 * Places that no word of the tables names: `P118 at the attenuation pond`, `4 beim Werkleitungsgraben`, `P22 au bassin BR1`. A numbered machine
 * must stand before them, a preposition with an article between, and the part of the sentence must end behind them.
 */
import { clueAt } from '#domain/words/grammar.ts';
import { ROOM_WORDS } from '#domain/words/place-words.ts';
import type { Token } from '#domain/words/text.ts';
import type { Item, Text } from './items.ts';
import { wordsOf } from './places.ts';

/** Prepositions with their article. */
const INTO: Readonly<Record<string, RegExp>> = {
  en: /^(at|in|on|inside|near|by|to|over at|over in|over on|down at|up at|up on|down in) the /,
  es: /^(en (el|la|los|las)|al|junto (al|a la)) /,
  pt: /^(no|na|nos|nas|ao|junto ao|junto à) /,
  fr: /^(au|à la|aux|dans (le|la|les)|sur (le|la|les)|à l'|dans l'|sur l'|en) /,
  de: /^(in der|in dem|im|am|an der|an dem|auf der|auf dem|beim|bei der|bei dem|vor der|vor dem|hinter der|hinter dem|unter der) /,
};
/** Not places: states, times, and words for the whole site. */
const STATES = new Set(
  'hire rent loan order repair reparacion mantenimiento manutencao alquiler aluguel renta moment momento moments week semana semaine woche month mes mois monat year ano annee jahr weekend wochenende morning manana manha matin morgen night noche noite nuit nacht nachts day dia jour tag evening tarde soir abend site sitio obra chantier baustelle fleet flota frota parc list lista liste queue way budget picture photo foto radio books register registro same middle time end fin fim ende start beginning moment service betrieb einsatz miete reparatur wartung reserve reserva panne reparation attente location vente route marche secours standby trial test road lot money farm moment workshop summer winter april mai may june juin juni market dealer handler haendler taller company firma empresa future futuro same moment limit job work trabajo trabalho travail arbeit minute papers system systeme sistema computer office manual screen pantalla tela ecran bildschirm shift turno poste schicht crew guardia turma equipe others otros outros autres anderen rest resto reste'.split(
    ' ',
  ),
);
const STAY =
  /^(is|are|s|works|working|work|stays|stay|parked|over|out|down|up|sits|currently|now|runs|running|loading|loads|digs|digging|esta|estan|trabaja|trabajan|opera|operan|ahora|queda|trabalha|trabalham|estao|fica|ficam|agora|operando|travaille|travaillent|se|trouve|reste|charge|stationne|stationnee|steht|stehen|arbeitet|arbeiten|lauft|laufen|derzeit|zurzeit|zz|momentan|liegt|isch)$/;
const MOST_WORDS = 3;
const MOST_STAY = 4;

const isStay = (item: Item, token: Token | undefined): boolean =>
  (item.type === 'word' || item.type === 'clue') && STAY.test(token?.key ?? '');

/** Puts a place where the words behind a numbered machine can only be one. */
export function withLocatives(text: Text, to: number, items: readonly Item[]): Item[] {
  const { tokens } = text;
  const found: Item[] = [];
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as Item;
    found.push(item);
    if (item.type !== 'units' || item.list.units.length === 0) continue;
    let at = i + 1;
    while (at < items.length && at - i <= MOST_STAY && isStay(items[at] as Item, tokens[(items[at] as Item).from]))
      at++;
    const place = placeFrom(text, items, at, to);
    if (place === null) continue;
    found.push(...items.slice(i + 1, place.first), place.item);
    i = place.last;
  }
  return found;
}

function placeFrom(
  text: Text,
  items: readonly Item[],
  at: number,
  to: number,
): { item: Item; first: number; last: number } | null {
  const { tokens, language } = text;
  const start = items[at]?.from;
  if (start === undefined) return null;
  const words = `${wordsOf(tokens, start, Math.min(to, start + 7))
    .toLowerCase()
    .replaceAll(/[’‘]/g, "'")} `;
  const lead = INTO[language]?.exec(words)?.[0];
  if (lead === undefined) return null;
  const from = start + countTokens(tokens, start, lead);
  let first = at;
  while (first < items.length && (items[first] as Item).from < from) first++;
  let last = first - 1;
  let end = from;
  for (let i = first; i < items.length && end - from < MOST_WORDS; i++) {
    const item = items[i] as Item;
    const isCode = item.type === 'units' && i > first && item.list.units.length === 1 && item.to - item.from <= 3;
    if (item.type !== 'word' && !isCode) break;
    last = i;
    end = item.to;
    if (isCode) break;
  }
  if (last < first || items[first]?.from !== from) return null;
  const own = tokens.slice(from, end);
  const next = tokens[end];
  const isEnd =
    end >= to ||
    next === undefined ||
    next.isSign ||
    next.line !== tokens[from]?.line ||
    clueAt(text, end, to)?.value === 'and';
  const isName = own.some(({ text: word }) => /^\p{L}{3,}/u.test(word));
  const isNoun = language !== 'de' || /^\p{Lu}/u.test(own.at(-1)?.text ?? '') || /\d/.test(own.at(-1)?.text ?? '');
  const isState = own.some(({ key }) => STATES.has(key)) || ROOM_WORDS.at(tokens, from, to) !== null;
  if (!isEnd || !isName || !isNoun || isState) return null;
  const place: Item = {
    type: 'place',
    from,
    to: end,
    name: wordsOf(tokens, from, end),
    kind: 'zone',
    alone: false,
    guessed: true,
  };
  return { item: place, first, last };
}

/** The number of tokens that make up some words of the text. */
function countTokens(tokens: readonly Token[], at: number, words: string): number {
  let count = 1;
  while (count < 6 && wordsOf(tokens, at, at + count).length < words.trimEnd().length) count++;
  return count;
}
