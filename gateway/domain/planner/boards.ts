/** Screens that a person wants: at which place, and what they show. */

import type { Read, Text } from '#domain/sentences/items.ts';
import { wordsOf } from '#domain/sentences/places.ts';
import { clueAt } from '#domain/words/grammar.ts';
import { phrases } from '#domain/words/phrases.ts';
import { ROOM_WORDS } from '#domain/words/place-words.ts';
import { SCREEN_WORDS, TOPIC_WORDS, type Topic } from '#domain/words/shift-words.ts';
import { type Sentence, type Span, spanOf } from '#domain/words/text.ts';
import type { Doubt } from './fleet-types.ts';
import type { PlannedBoard } from './plan-types.ts';

/** Words that say that a screen is wanted later or perhaps, or that it was there before. */
const NOT_NOW = phrases<'unsure' | 'future' | 'past'>([
  [
    'unsure',
    "maybe|perhaps|possibly|we are thinking about|we're thinking about|not sure|quizá|quizás|tal vez|a lo mejor|talvez|quem sabe|peut-être|éventuellement|vielleicht|eventuell|evtl|möglicherweise",
  ],
  [
    'future',
    "later on|later|next year|some day|one day|el próximo año|el año que viene|más adelante|algún día|no próximo ano|ano que vem|mais tarde|um dia|l'an prochain|l'année prochaine|plus tard|un jour|nächstes jahr|später|irgendwann|demnächst",
  ],
  [
    'past',
    'used to|there was|had a|antes había|había|teníamos|antes havia|havia|tínhamos|il y avait|avions|gab es|war früher|hatten',
  ],
]);

/** A title such as `TOP 3 Anzeigen` is at most this long. */
const LONGEST_TITLE = 4;

interface Found<T> {
  readonly at: number;
  readonly to: number;
  readonly value: T;
}

export interface BoardsRead {
  readonly boards: readonly PlannedBoard[];
  /** Screens of which the text does not say what they show, with a board of the states of the machines. */
  readonly unclear: readonly { readonly span: Span; readonly board: PlannedBoard }[];
  /** Screens that the text wants later or perhaps, or that were there before. */
  readonly doubted: readonly { readonly object: PlannedBoard; readonly doubt: Doubt }[];
  /** The sentences that speak of screens only. */
  readonly used: ReadonlySet<Read>;
}

const all = <T>({ from, to }: Sentence, find: (at: number) => { value: T; to: number } | null): Found<T>[] => {
  const found: Found<T>[] = [];
  for (let at = from; at < to; ) {
    const one = find(at);
    if (one !== null) found.push({ at, ...one });
    at = one?.to ?? at + 1;
  }
  return found;
};

export function readBoards(text: Text, reads: readonly Read[]): BoardsRead {
  const { tokens, raw } = text;
  const boards: PlannedBoard[] = [];
  const unclear: BoardsRead['unclear'][number][] = [];
  const doubted: BoardsRead['doubted'][number][] = [];
  const used = new Set<Read>();
  let inList = false;
  let wasBoard = false;
  /** The place of a question about a screen in the list of sentences: `What do you want on the TV?` */
  let asked: number | null = null;
  for (const read of reads) {
    const { sentence } = read;
    const { from, to } = sentence;
    const screens = all(sentence, (at) => SCREEN_WORDS.at(tokens, at, to));
    const hasMachines = read.items.some(({ type }) => type === 'units' || type === 'make' || type === 'times');
    const isNegated = all(sentence, (at) => clueAt(text, at, to)).some(
      ({ value }) => value === 'none' || value === 'not',
    );
    if (sentence.afterGap) inList = false;
    const isNumbered =
      boards.length > 0 && wasBoard && /^[\d\p{Pd}•*]/u.test(tokens[from]?.text ?? '') && sentence.startsLine;
    wasBoard = wasBoard && !sentence.afterGap;
    const isAnswer = asked !== null && reads.indexOf(read) === asked + 1 && !hasMachines;
    asked = screens.length > 0 && tokens[to - 1]?.key === '?' ? reads.indexOf(read) : null;
    // `Dispatch gets a map. The dry gets engine hours.`
    const isNext =
      wasBoard &&
      screens.length === 0 &&
      all(sentence, (at) => ROOM_WORDS.at(tokens, at, to)).length > 0 &&
      !read.items.some(({ type }) => type === 'role');
    const isListed =
      isAnswer ||
      (isNext && !hasMachines) ||
      ((inList || isNumbered) && screens.length === 0 && !hasMachines && sentence.startsLine);
    if (hasMachines) inList = false;
    if ((screens.length === 0 && !isListed) || hasMachines) continue;
    const rooms = all(sentence, (at) => ROOM_WORDS.at(tokens, at, to)).map((room) => ({
      ...room,
      name: wordsOf(tokens, room.at, room.to),
    }));
    const topics = all(sentence, (at) => (isRoom(rooms, at) ? null : TOPIC_WORDS.at(tokens, at, to))).filter(
      (topic) => !rooms.some((room) => topic.at >= room.at && topic.at < room.to),
    );
    // `4. Screens.`
    const isTitle = screens.length > 0 && to - from <= LONGEST_TITLE && sentence.startsLine;
    if (isTitle && topics.length === 0 && rooms.length === 0) {
      wasBoard = true;
      used.add(read);
      continue;
    }
    if (screens.length > 0 && tokens[to - 1]?.key === ':') {
      inList = true;
      used.add(read);
      if (topics.length === 0) continue;
    }
    if (isNegated) {
      if (isListed || screens.length > 0) used.add(read);
      continue;
    }
    if (topics.length === 0) {
      if (isListed) inList = false;
      else if (screens.length > 0 && rooms.length > 0) {
        used.add(read);
        const span = spanOf(tokens, from, to);
        const place = rooms[0]?.name ?? null;
        unclear.push({ span, board: { place, shows: ['status'], from: [raw.slice(span.start, span.end)] } });
      }
      continue;
    }
    used.add(read);
    wasBoard = true;
    const doubt = doubtOf(from, to);
    const made = divided(rooms, topics, from, to);
    if (doubt === null) boards.push(...made);
    else for (const object of made) doubted.push({ object, doubt });
  }
  return { boards, unclear, doubted, used };

  function doubtOf(from: number, to: number): Doubt | null {
    for (let at = from; at < to; at++) {
      const found = NOT_NOW.at(tokens, at, to);
      if (found !== null) return { reason: found.value, span: spanOf(tokens, at, found.to) };
    }
    return null;
  }

  /**
   * Makes one board for each room. A topic belongs to the room that the sentence names before it. If the sentence begins with a topic, each
   * topic belongs to the room that the sentence names after it.
   */
  function divided(
    rooms: readonly (Found<true> & { name: string })[],
    topics: readonly Found<Topic>[],
    from: number,
    to: number,
  ): PlannedBoard[] {
    const make = (place: string | null, of: readonly Found<Topic>[], start: number, end: number): PlannedBoard => ({
      place,
      shows: [...new Set(of.map(({ value }) => value))],
      from: [raw.slice(tokens[start]?.start, tokens[end - 1]?.end)],
    });
    const [room] = rooms;
    if (rooms.length <= 1 || room === undefined) return [make(room?.name ?? null, topics, from, to)];
    const isBefore = (topics[0]?.at ?? 0) < room.at;
    const made: PlannedBoard[] = [];
    for (const [i, one] of rooms.entries()) {
      const start = isBefore ? (rooms[i - 1]?.to ?? from) : one.at;
      const end = isBefore ? one.to : (rooms[i + 1]?.at ?? to);
      const own = topics.filter(({ at }) => at >= start && at < end);
      if (own.length > 0) made.push(make(one.name, own, start, end));
    }
    return made;
  }
}

const isRoom = (rooms: readonly Found<true>[], at: number): boolean =>
  rooms.some((room) => at >= room.at && at < room.to);
