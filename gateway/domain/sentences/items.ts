/** What the recognisers find in a sentence: one item for a range of tokens. */
import type { Clue, Language } from '#domain/words/grammar.ts';
import type { KindWord } from '#domain/words/kind-words.ts';
import type { PlaceKind } from '#domain/words/place-words.ts';
import type { Role, Topic } from '#domain/words/shift-words.ts';
import type { Sentence, Token } from '#domain/words/text.ts';

/** A unit number as the text writes it, with its letters. */
export interface Unit {
  readonly text: string;
  /** True if only a word of the language stands before the number. */
  readonly bare: boolean;
}

export interface UnitList {
  readonly units: readonly Unit[];
  /** The numbers of a range of more machines than a site has; then `units` is empty. */
  readonly tooMany: boolean;
  /** The keys of the numbers that the text leaves out of the range. */
  readonly without: readonly string[];
}

export type Item = { readonly from: number; readonly to: number } & (
  | { readonly type: 'kind'; readonly word: KindWord; readonly plural: boolean }
  | { readonly type: 'make'; readonly make: string }
  | { readonly type: 'model'; readonly make: string | null; readonly model: string; readonly key: string }
  | { readonly type: 'units'; readonly list: UnitList; readonly introduced: boolean }
  | { readonly type: 'count'; readonly count: number; readonly isArticle: boolean }
  | { readonly type: 'the' }
  | {
      readonly type: 'place';
      readonly name: string;
      readonly kind: PlaceKind;
      readonly alone: boolean;
      /** True if no table has its words: only their position tells that they are a place. */
      readonly guessed?: boolean;
    }
  | { readonly type: 'times'; readonly starts: number; readonly ends: number; readonly marked: boolean }
  | { readonly type: 'clue'; readonly clue: Clue }
  | { readonly type: 'role'; readonly role: Role }
  | { readonly type: 'topic'; readonly topic: Topic }
  | { readonly type: 'noise' }
  | { readonly type: 'sign'; readonly sign: string }
  | { readonly type: 'word' }
);

export interface Text {
  readonly raw: string;
  readonly tokens: readonly Token[];
  readonly language: Language;
}

export interface Read {
  readonly sentence: Sentence;
  readonly items: readonly Item[];
}
