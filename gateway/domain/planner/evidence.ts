/**
 * Weighs the evidence for machines without a number. The planner makes such machines only if the text says how many there are and no number
 * near them was left unread. Otherwise a number of the text would get a second machine that does not exist. A doubtful group becomes a slot:
 * a gap that a person fills.
 */

import { type Span, spanOf } from '#domain/words/text.ts';
import type { FinishedMachine } from './fleet-finish.ts';
import type { FleetGap } from './fleet-types.ts';
import type { Item, Read, Text } from './items.ts';

/** A number of a machine may stand this many words behind the words for the machine. */
const NEAR_TOKENS = 14;
/** Letters and digits as in a unit number. */
const CODE = /^\p{L}{0,4}\d{1,5}\p{L}?$/u;
/** A measure or an ordinal: `21t`, `1st`. */
const MEASURE = /^\d+(t|to|kw|hp|ps|cv|m|m2|m3|l|kg|km|kt|mt|h|v|e|er|eme|o|a|st|nd|rd|th)$/;

/** Machines that the text may mean, without enough evidence to make them. */
export interface Slot {
  readonly machines: readonly FinishedMachine[];
  readonly spans: readonly Span[];
}

const isMachine = ({ type }: Item): boolean => type === 'kind' || type === 'make' || type === 'model';

/** The numbers of a sentence that no reader has used, as positions in the text. */
function unreadNumbers(text: Text, { items }: Read): Span[] {
  return items.flatMap((item, i): Span[] => {
    const token = text.tokens[item.from];
    if (token === undefined) return [];
    if (item.type === 'word' && /\d/.test(token.text))
      return CODE.test(token.text) && !MEASURE.test(token.key) ? [spanOf(text.tokens, item.from, item.to)] : [];
    if (item.type !== 'count' || item.isArticle || !/^\d/.test(token.key)) return [];
    // `Chargeuses: 2`, `Dumper 2 Stück`
    const [two, one] = items
      .slice(Math.max(0, i - 2), i)
      .toReversed()
      .map(({ type }) => type)
      .toReversed();
    if (one === 'kind' || (one === 'sign' && two === 'kind')) return [];
    // A count belongs to the machine behind it: `3 white Volvo trucks`.
    const stop = items.findIndex((one, j) => j > i && one.type === 'sign' && one.sign !== '.');
    const ahead = items.slice(i + 1, stop < 0 ? i + 6 : Math.min(stop, i + 6));
    return ahead.some(isMachine) ? [] : [spanOf(text.tokens, item.from, item.to)];
  });
}

/** `4 trucks per hour`, `2 cargadores por turno`, `3 trucks of stone`: a count of trips, not of machines. */
function isRate({ raw }: Text, end: number): boolean {
  return /^\s*(per |an? (hour|day|shift|week|trip)|\/ ?(h|day|hour|shift|tag|jour|dia|día)|of (stone|rock|sand|gravel|ore|coal|muck|dirt|waste)|loads|de (piedra|arena|pedra|areia|sable|pierre)|por (hora|turno|d[ií]a|viaje|semana)|par (heure|jour|poste|semaine)|à l'heure|pro (stunde|tag|schicht|woche)|am tag|täglich|daily|diarios|diarias|diários|diárias)/i.test(
    raw.slice(end, end + 30),
  );
}

/** Returns the machines with enough evidence, and the slots for the others. */
export function weigh(
  text: Text,
  reads: readonly Read[],
  machines: readonly FinishedMachine[],
  gaps: readonly FleetGap[],
): { readonly machines: FinishedMachine[]; readonly slots: Slot[] } {
  const sentences = reads.map((read) => ({
    span: spanOf(text.tokens, read.sentence.from, read.sentence.to),
    read,
    numbers: null as Span[] | null,
  }));
  // A unit number whose kind is not known may be the number of a counted machine of its sentence.
  const unknown = gaps.filter(({ code }) => code === 'unreadable_machine').flatMap(({ spans }) => spans);
  const single = machines.filter(({ unit, model, make }) => unit === null && (model !== null || make !== null));
  const doubts = new Map<string, boolean>();
  const isDoubtful = (one: FinishedMachine): boolean => {
    const { unit, spans } = one;
    const [own] = spans;
    if (unit !== null || own === undefined) return false;
    const isListed = text.raw.slice(own.start, own.end).includes(':');
    const isPlain = isListed || (one.model === null && one.make === null);
    const key = `${own.start}-${own.end}`;
    const known = doubts.get(key);
    if (known !== undefined) return known;
    const sentence = sentences.find(({ span }) => span.start <= own.start && own.end <= span.end);
    let doubtful = isRate(text, own.end);
    if (sentence !== undefined) {
      sentence.numbers ??= unreadNumbers(text, sentence.read);
      const last = text.tokens.findLastIndex(({ end }) => end <= own.end);
      const until = text.tokens[last + NEAR_TOKENS]?.end ?? Number.POSITIVE_INFINITY;
      const inside = ({ start, end }: Span) => start >= sentence.span.start && end <= sentence.span.end;
      doubtful ||=
        sentence.numbers.some(({ start, end }) => start >= own.start && end <= until) ||
        unknown.some(inside) ||
        // `two loaders: the old Volvo L150 and the Komatsu WA470`: the count may be the count of the others.
        (isPlain &&
          single.some(
            (other) => other.kind === one.kind && other.spans.some((at) => at.start > own.end && inside(at)),
          ));
    }
    doubts.set(key, doubtful);
    return doubtful;
  };
  const groups = Map.groupBy(machines.filter(isDoubtful), ({ spans: [own] }) => `${own?.start}-${own?.end}`);
  return {
    machines: machines.filter((one) => !isDoubtful(one)),
    slots: [...groups.values()].map((group) => ({ machines: group, spans: group[0]?.spans.slice(0, 1) ?? [] })),
  };
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
