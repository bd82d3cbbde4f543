/** Trouble codes in words for people. */
import { failureMode } from '#contract/failure-modes.ts';
import { PARAMETERS } from './j1939-parameters.ts';

const NAMES: ReadonlyMap<number, string> = new Map(PARAMETERS.map(({ spn, name }) => [spn, name]));

/** The name of a suspect parameter; null for one that the table does not have. */
export function parameterName(spn: number): string | null {
  return NAMES.get(spn) ?? null;
}

/** A code in words, as "Engine oil pressure 1: too low"; null where neither number has any. */
export function faultWords(spn: number | null, fmi: number): string | null {
  const parts = [spn === null ? null : parameterName(spn), failureMode(fmi)].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(': ');
}
