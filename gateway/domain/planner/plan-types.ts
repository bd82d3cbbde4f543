/** The plan of a site: what a description says, each object with the words from which it was read. */
import type { Weekday } from '#contract/base/local-time.ts';
import type { MachineKind } from '#contract/fleet/machine-kinds.ts';
import type { Language } from '#domain/words/grammar.ts';
import type { PlaceKind } from '#domain/words/place-words.ts';
import type { Topic } from '#domain/words/shift-words.ts';

interface Cited {
  /** The words of the text, as they stand there. */
  readonly from: readonly string[];
  /** Where they stand in a file, if the text has the text of files. */
  readonly at?: string | null;
}

export interface PlannedMachine extends Cited {
  readonly unit_number: string;
  /** True if the text has no number and the planner made one. */
  readonly generated: boolean;
  readonly kind: MachineKind;
  readonly oem_name: string | null;
  readonly model: string | null;
  readonly year: number | null;
  readonly serial_number: string | null;
  readonly location: string | null;
}

export interface PlannedLocation extends Cited {
  readonly name: string;
  readonly kind: PlaceKind;
  readonly parent: string | null;
}

export interface PlannedShift extends Cited {
  readonly name: string;
  readonly starts: string;
  readonly ends: string;
  readonly days: readonly Weekday[] | null;
}

export interface PlannedCrew extends Cited {
  readonly name: string;
  readonly shift: string | null;
}

export interface PlannedPerson extends Cited {
  readonly name: string;
  readonly crew: string | null;
  readonly badge_id: string | null;
  readonly employee_number: string | null;
}

export interface PlannedOperator extends PlannedPerson {
  readonly machine: string | null;
}

/** What the text tells of the site that is no object: a setup remembers it as a learning. */
export interface PlannedFact extends Cited {
  readonly fact: string;
  /** The machine that the fact is about; null if it is about the site. */
  readonly unit_number: string | null;
}

export interface PlannedBoard extends Cited {
  readonly place: string | null;
  readonly shows: readonly Topic[];
}

export type GapCode =
  | 'missing_inventory'
  | 'count_mismatch'
  | 'missing_roster'
  | 'missing_shift_pattern'
  | 'no_night_shift'
  | 'unreadable_machine'
  | 'unconfirmed_machines'
  | 'unconfirmed_places'
  | 'unconfirmed_people'
  | 'unconfirmed_shifts'
  | 'unconfirmed_boards'
  | 'unreadable_board'
  | 'value_too_long'
  | 'list_too_long'
  | 'citations_cut'
  | 'rows_differ';

export interface PlanGap extends Cited {
  readonly resource: 'equipment' | 'locations' | 'shifts' | 'people' | 'boards';
  readonly code: GapCode;
  readonly message: string;
  readonly remedy: string;
  /** The objects that the text may mean here. The planner does not make them: a person confirms or corrects them. */
  readonly proposal?: Proposal;
}

/** Objects of which the planner is not certain, filled in as it would make them. */
export interface Proposal {
  readonly equipment?: readonly PlannedMachine[];
  readonly locations?: readonly PlannedLocation[];
  readonly operators?: readonly PlannedOperator[];
  readonly mechanics?: readonly PlannedPerson[];
  readonly shifts?: readonly PlannedShift[];
  readonly boards?: readonly PlannedBoard[];
}

export interface PlanFailure {
  readonly reason: 'nothing_readable' | 'contradiction' | 'too_many_machines' | 'text_too_long';
  readonly remedy: string;
}

export interface SitePlan {
  readonly language: Language;
  readonly equipment: readonly PlannedMachine[];
  readonly locations: readonly PlannedLocation[];
  readonly shifts: readonly PlannedShift[];
  readonly crews: readonly PlannedCrew[];
  readonly operators: readonly PlannedOperator[];
  readonly mechanics: readonly PlannedPerson[];
  readonly boards: readonly PlannedBoard[];
  readonly facts: readonly PlannedFact[];
  readonly gaps: readonly PlanGap[];
  /** The sentences of which nothing was read. */
  readonly not_read: readonly string[];
  /** The share of the words that the planner understands, from 0 to 1. */
  readonly coverage: number;
  readonly failure: PlanFailure | null;
}
