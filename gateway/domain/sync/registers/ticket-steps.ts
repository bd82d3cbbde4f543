/**
 * The status of a ticket as people at two ends move it. Each move is a register of its own at `steps/<time>`; the status is the fold of all
 * moves in the order of their times. A move to the current status changes nothing. A move that TICKET_STEPS does not allow is skipped and
 * shown in the inbox, so that no move is lost.
 */
import { TICKET_STEPS, type TicketStatus } from '#contract/work/repair-ticket.ts';
import { compareValues, type Register, type Value } from './registers.ts';

export const STEPS_PATH = 'steps';
/** The state with which the ticket was made. */
export const FIRST_STEP = `${STEPS_PATH}/0`;

type Fields = Readonly<Record<string, unknown>>;

/** A move, or a change of the fields of a state (then `from` is `to`). `set` has only the fields that the move changed. */
export interface Step {
  readonly from: string;
  readonly to: string;
  readonly set: Fields;
  /** A person has seen that this move was skipped. It stays without effect. */
  readonly seen?: true;
}

export interface Folded {
  /** status, hold_reason and the other fields of the group. */
  readonly state: Fields;
  /** Moves that the fold skipped. */
  readonly skipped: readonly Value[];
}

/** Returns the move from one state to the next. */
export function stepBetween(before: Fields, after: Fields): Step {
  const set: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(after))
    if (field !== 'status' && JSON.stringify(value) !== JSON.stringify(before[field])) set[field] = value;
  return { from: String(before.status), to: String(after.status), set };
}

/** A move from or to a status that only a newer version knows is allowed if it was made in the current status: its author knew both. */
function isAllowed(status: string, from: string, to: string): boolean {
  if (from === to) return to === status;
  if (!isStatus(status) || !isStatus(to)) return from === status;
  return TICKET_STEPS[status].includes(to);
}

const isStatus = (text: string): text is TicketStatus => Object.hasOwn(TICKET_STEPS, text);

/** Folds the registers below `steps/`; the names are the paths without `steps/`. */
export function foldSteps(entries: readonly (readonly [string, Register])[]): Folded {
  let state: Fields = {};
  const moves: Value[] = [];
  for (const [name, register] of entries) {
    if (name === '0') state = (register[0] as Value).v as Fields;
    else moves.push(...register);
  }
  const skipped: Value[] = [];
  for (const move of moves.sort(compareValues)) {
    const { from, to, set, seen } = move.v as Step;
    if (seen === true) continue;
    if (isAllowed(String(state.status), from, to)) state = { ...state, ...set, status: to };
    else if (to !== state.status) skipped.push(move);
  }
  return { state, skipped };
}
