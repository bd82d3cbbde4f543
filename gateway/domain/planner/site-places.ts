/** The places of a site: each name once, with what lies in what. */

import type { Item, Read, Text } from '#domain/sentences/items.ts';
import { negationOf } from '#domain/sentences/negation.ts';
import { wordsOf } from '#domain/sentences/places.ts';
import type { PlaceKind } from '#domain/words/place-words.ts';
import { CREW_WORDS, SHIFT_NAMES, SITE_LABELS } from '#domain/words/shift-words.ts';
import { fold, isCapital, type Span, spanOf, type Token, tokenize } from '#domain/words/text.ts';

export interface Place {
  readonly name: string;
  readonly kind: PlaceKind;
  readonly alone: boolean;
  parent: Place | null;
  readonly span: Span;
  /** True if no table has its words. */
  readonly guessed: boolean;
}

const LINKING = new Set('de del do da dos das du des d la le les el los las the of o a os as l'.split(' '));

/** A name without small words, for comparison. */
const placeKey = (name: string): string =>
  fold(name)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !LINKING.has(word))
    .join(' ');

export interface Places {
  /** `onlySites`: other places of the sentence are not read. `title`: a part of the name of the site (`LGV Est - Lot 12`) is no place. */
  read(read: Read, how: { readonly onlySites: boolean; readonly title: boolean }): void;
  add(name: string, kind: PlaceKind, alone: boolean, span: Span): Place;
  find(name: string): Place | null;
  result(): Place[];
}

const INSIDE = new Set('in im within inside en dentro no na nos nas em dans au à i'.split(' '));
const HOLDS = new Set(
  'containing latter distinguen distingue contiene contienen contem conteniendo enthalt beinhaltet inclut compte contenant comprend comprising comprises consists includes bestehend umfasst besteht comprende comprenden incluye compuesta compuesto compreende compreendendo composta composto comporte regroupe divided contains has explora'.split(
    ' ',
  ),
);

export function createPlaces(text: Text): Places {
  const places: Place[] = [];
  const { tokens } = text;

  const byKey = new Map<string, Place>();

  function find(name: string): Place | null {
    const key = placeKey(name);
    const same = byKey.get(key);
    if (same !== undefined) return same;
    // `extraction` is `zone d'extraction`, `Nord` of `Bruch Nord` is not: only a noun is enough.
    for (const [known, place] of byKey) if (place.kind !== 'site' && known.endsWith(` ${key}`)) return place;
    return null;
  }

  function add(name: string, kind: PlaceKind, alone: boolean, span: Span, guessed = false): Place {
    const key = placeKey(name);
    const known = byKey.get(key);
    if (known !== undefined) return known;
    const made: Place = { name, kind, alone, parent: null, span, guessed };
    places.push(made);
    byKey.set(key, made);
    return made;
  }

  function read({ items }: Read, { onlySites, title }: { readonly onlySites: boolean; readonly title: boolean }): void {
    const { gone } = negationOf(items);
    let before: { place: Place; to: number } | null = null;
    let holder: Place | null = null;
    let chain: Place[] = [];
    for (const [i, item] of items.entries()) {
      const name = items[i - 2];
      const isPart = title && items[i - 1]?.type === 'sign' && name?.type === 'place' && name.kind === 'site';
      if (item.type === 'place' && item.kind !== 'site' && (onlySites || isPart)) continue;
      if (item.type === 'place' && !gone.has(item)) {
        const known = item.alone ? find(item.name) : null;
        const place = known ?? add(item.name, item.kind, item.alone, spanOf(tokens, item.from, item.to), item.guessed);
        if (holder !== null && place !== holder && place.parent === null && place.kind !== 'site')
          place.parent = holder;
        if (
          before !== null &&
          place !== before.place &&
          isInside(before.to, item.from) &&
          before.place.kind !== 'site' &&
          place.kind !== 'site'
        )
          for (const one of [before.place, ...chain]) if (one !== place && one.kind !== 'site') one.parent ??= place;
        if (before !== null && isListed(before.to, item.from)) chain.push(before.place);
        else chain = [];
        before = { place, to: item.to };
      } else if (item.type === 'word' && before !== null && HOLDS.has(tokens[item.from]?.key ?? ''))
        holder = before.place;
      else if (
        (item.type === 'sign' && item.sign === ';') ||
        (item.type !== 'word' &&
          item.type !== 'clue' &&
          item.type !== 'the' &&
          item.type !== 'sign' &&
          item.type !== 'count')
      ) {
        if (item.type !== 'sign') before = null;
        if (item.type === 'kind' || item.type === 'make' || item.type === 'sign') holder = null;
      }
    }
  }

  /** `the workshop and the fuel farm` */
  function isListed(from: number, to: number): boolean {
    return tokens
      .slice(from, to)
      .every(({ key }) => ['and', 'y', 'e', 'et', 'und', ','].includes(key) || LINKING.has(key));
  }

  /** `is in`, `steht im`, `dans la`: only small words, and the last of them says inside. */
  function isInside(from: number, to: number): boolean {
    const between = tokens.slice(from, to);
    return (
      between.length > 0 &&
      between.length <= 4 &&
      between.every(
        ({ key }) =>
          key !== ',' &&
          key !== ':' &&
          key !== ';' &&
          key !== '.' &&
          key !== 'and' &&
          key !== 'y' &&
          key !== 'et' &&
          key !== 'e' &&
          key !== 'und',
      ) &&
      between.some(({ key }) => INSIDE.has(key))
    );
  }

  return {
    read,
    add,
    find,
    result() {
      const sites = places.filter(({ kind }) => kind === 'site');
      const [site] = sites;
      if (site !== undefined && sites.length === 1)
        for (const place of places) if (place !== site) place.parent ??= site;
      return places;
    },
  };
}

/** Words at the start of a title that are not the name. */
const TITLES = new Set(
  'dispo update actualizacion actualizacao correction correccion correcao korrektur dispatch notes setup liste list fleet flota frota parc gerateliste bestandsliste inventar inventory plant movimiento movimientos de tierras terraplenagem terrassement erdbau obra chantier site baustelle projekt project proyecto projeto for setup of zur der pour la le'.split(
    ' ',
  ),
);
const STOPS = new Set(['(', ')', '/', ',', ':', '.', ';', '|', '=']);
const LONGEST_TITLE = 14;

/** `Site: Eagle Point`, `we're up at Blackwater`, or a first line that is only a name. */
export function siteByLabel(text: Text, reads: readonly Read[]): { name: string; span: Span } | null {
  const { tokens } = text;
  for (const { sentence, items } of reads)
    for (let at = sentence.from; at < Math.min(sentence.to, sentence.from + 12); at++) {
      const label = SITE_LABELS.at(tokens, at, sentence.to);
      if (label === null) continue;
      const isColon = tokens[label.to]?.key === ':';
      const words = label.to - at;
      const isOperation = /^opera(cion|tion|cao)$/.test(tokens[at]?.key ?? '');
      if (
        !isColon &&
        words < 2 &&
        !isOperation &&
        !(
          at === sentence.from &&
          sentence.startsLine &&
          isCapital(tokens[at] as Token) &&
          isCapital(tokens[label.to] ?? (tokens[at] as Token))
        )
      )
        continue;
      const from = isColon ? label.to + 1 : label.to;
      // `we run HT-10 to HT-14` names machines.
      if (items.some((item) => item.type === 'units' && item.from <= from && item.to > from)) continue;
      const name = nameFrom(tokens, from, sentence.to);
      if (name !== null) return name;
    }
  return null;
}

function nameFrom(tokens: readonly Token[], from: number, to: number): { name: string; span: Span } | null {
  let start = from;
  while (start < to && LINKING.has(tokens[start]?.key ?? '')) start++;
  const first = tokens[start];
  if (first === undefined || start >= to || !isCapital(first)) return null;
  let end = start + 1;
  while (end < to && end < start + LONGEST_TITLE) {
    const token = tokens[end];
    if (token === undefined || token.line !== first.line || STOPS.has(token.key)) break;
    if (token.key === '-' && !token.glued) {
      end++;
      continue;
    }
    if (
      !token.isSign &&
      !isCapital(token) &&
      !/^\d+$/.test(token.key) &&
      !(LINKING.has(token.key) && isCapital(tokens[end + 1] ?? first))
    )
      break;
    end++;
  }
  while (end > start + 1 && tokens[end - 1]?.isSign === true) end--;
  return { name: wordsOf(tokens, start, end), span: spanOf(tokens, start, end) };
}

/** A first line that is only a name. */
export function titleOf({ tokens }: Text, reads: readonly Read[]): { name: string; span: Span } | null {
  const [first] = reads;
  if (
    first === undefined ||
    first.items.some(({ type }: Item) => ['kind', 'make', 'times', 'model', 'role'].includes(type))
  )
    return null;
  const { from, to } = first.sentence;
  const line = tokens[from]?.line ?? 0;
  if (
    tokens[to - 1]?.line !== line ||
    to - from > LONGEST_TITLE ||
    [':', '!'].includes(tokens[to - 1]?.key ?? '') ||
    tokens[to - 1]?.key === ','
  )
    return null;
  let start = from;
  while (start < to && TITLES.has(tokens[start]?.key ?? '')) start++;
  // `Crew A: day shift` names a crew.
  if (CREW_WORDS.at(tokens, start, to) !== null) return null;
  const isShift = tokens
    .slice(start, to)
    .some(
      ({ key }, i) => SHIFT_NAMES.at(tokens, start + i, to) !== null && /shift|schicht|turno|poste|quart/.test(key),
    );
  const own = isShift ? null : nameFrom(tokens, start, to);
  const next = tokens.find((token) => own !== null && token.start >= own.span.end);
  // `Hans Bauer fährt HT-1` is no title.
  const isSentence = next !== undefined && !next.isSign && next.line === line;
  if (isSentence && first.items.some(({ type }) => type === 'units')) return null;
  return own !== null &&
    tokenize(own.name).length >= 2 &&
    own.name !== own.name.toUpperCase() &&
    !/^\p{Lu}{4,} /u.test(own.name)
    ? own
    : null;
}
