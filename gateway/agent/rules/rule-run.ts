/**
 * What the rules of a skill get, and what they answer. Rules do the work of a catalog skill without a model: they call the same tools, and
 * their sentences name only what the tools answered.
 */
import { type Told, textOf } from '#contract/base/told.ts';
import type { OperationName, Output } from '#contract/operations.ts';
import type { Project } from '#contract/site/project.ts';

/** One line of an answer: its sentences. */
export type Line = readonly Told[];

export interface RuleRun {
  readonly project_id: string;
  readonly prompt: string;
  /** Ids of the objects that the work concerns, such as `equipment_id`. */
  readonly links: Readonly<Record<string, string>>;
  readonly now_ms: number;
  /** The clock and the shifts of the site. */
  readonly site: Pick<Project, 'timezone' | 'shift_pattern'>;
  /**
   * Calls a tool. The answer has all fields that the input asks for in `fields`. Undefined if the tool refused the call; the run then has a
   * gap that says why.
   */
  use<N extends OperationName>(
    name: N,
    input: Readonly<Record<string, unknown>>,
  ): Promise<Partial<Output<N>> | undefined>;
  /** Notes an object that the answer relies on. */
  cite(object: string, id: string | null | undefined): void;
  /** Notes what a person must add before the work is complete. The answer ends with these notes. */
  lacks(code: string, message: Told, remedy: Told): void;
}

/** Does the work of one skill, and returns the lines of the answer. */
export type Rules = (run: RuleRun) => Promise<readonly Line[]>;

/** Returns the lines as a text. */
export const linesText = (lines: readonly Line[]): string => lines.map((line) => textOf(line)).join('\n');
