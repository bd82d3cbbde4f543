/** Something that a person should know of; part of health. */
export interface Problem {
  readonly code: string;
  readonly message: string;
}
