/** Machines while they are read. */
import type { MachineKind } from '#contract/fleet/machine-kinds.ts';
import type { Unit } from '#domain/sentences/items.ts';
import type { DoubtWord } from '#domain/words/doubt-words.ts';
import type { KindWord } from '#domain/words/kind-words.ts';
import { kindByMake, knownModel } from '#domain/words/makes.ts';
import type { Span } from '#domain/words/text.ts';

export type DoubtReason =
  | DoubtWord
  | 'gone'
  | 'vague'
  | 'unknown_words'
  | 'unread_number'
  | 'rate'
  | 'counted_twice'
  | 'kind_guessed'
  | 'section_kind'
  | 'no_digit'
  | 'common_word'
  | 'model_or_number'
  | 'mentioned'
  | 'guessed_place'
  | 'common_place';

/** Why a machine is not certain, and the words that say so. */
export interface Doubt {
  readonly reason: DoubtReason;
  readonly span: Span;
}

export interface ModelName {
  readonly make: string | null;
  readonly model: string;
  readonly key: string;
}

/** The kind that a model tells. */
export const kindOfModel = (model: ModelName | null): MachineKind | null =>
  model === null
    ? null
    : model.make === null
      ? (knownModel(model.key)?.kind ?? null)
      : kindByMake(model.make, model.key);

export interface Machine {
  readonly unit: Unit | null;
  word: KindWord | null;
  make: string | null;
  model: ModelName | null;
  place: string | null;
  year: number | null;
  serial: string | null;
  readonly spans: Span[];
  /** The group in which it was made, for `the rest`. */
  readonly group: number;
  /** What its row of a table leaves open. */
  doubt?: Doubt;
  /** The cell of the type, for a row of a table that does not tell the kind. */
  readonly typed?: string;
}

/** Machines with one number list in a group. */
export interface Segment {
  readonly machines: Machine[];
  hasOwn: boolean;
}

/** Some machines of a count: `2x Liebherr 924` of `3 Bagger`. */
export interface Part {
  count: number;
  make: string | null;
  model: ModelName | null;
  span: Span;
}

/** What a sentence says about one sort of machines. */
export interface Group {
  readonly id: number;
  word: KindWord | null;
  plural: boolean;
  count: number | null;
  isArticle: boolean;
  definite: boolean;
  vague: boolean;
  figure: boolean;
  unnumbered: boolean;
  make: string | null;
  model: ModelName | null;
  modelPlural: boolean;
  place: string | null;
  /** The place that the sentence names before its machines. */
  around: string | null;
  readonly segments: Segment[];
  readonly parts: Part[];
  span: Span;
  readonly startsLine: boolean;
  all: boolean;
  depth: number;
}

export interface FleetGap {
  readonly code: 'missing_inventory' | 'count_mismatch' | 'unreadable_machine' | 'rows_differ' | 'list_too_long';
  readonly what: string;
  readonly spans: readonly Span[];
}

/** True if a word may speak of the machines of a group. */
export const isSameKind = (group: Group, word: KindWord): boolean =>
  group.word !== null && (group.word.kind === word.kind || group.word.general || word.general);
