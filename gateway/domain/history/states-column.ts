/** The column with the states of all signals (`states.ts`) in a segment or rollup. */
import type { Column, OpenColumns } from './columns.ts';
import { decodeShared, encodeShared } from './shared-column.ts';
import { STATE_FIELDS, type StateRuns } from './states.ts';

/** The name of the column. */
const STATES = '~states';

/** Returns the entry for the head of the segment or rollup: the names of the signals. It is absent if there are no states. */
export const statesMeta = (states: readonly StateRuns[]): { readonly states?: readonly string[] } =>
  states.length === 0 ? {} : { states: states.map(({ signal }) => signal) };

/** Returns the column; an empty list if there are no states. */
export const statesColumns = (states: readonly StateRuns[]): Column[] =>
  states.length === 0 ? [] : [encodeShared(STATES, STATE_FIELDS, states)];

/** Decodes the column. `names` is the entry of the head. Throws `RangeError` if the bytes are damaged. */
export const readStates = (opened: OpenColumns, names: unknown): StateRuns[] =>
  Array.isArray(names) ? decodeShared(opened, STATES, STATE_FIELDS, names) : [];
