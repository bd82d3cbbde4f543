/**
 * A board while a person edits it: the steps to undo and redo, and the changes that another person saves at the same time. The functions
 * have no side effects.
 */
import type { DashboardData } from '#contract/site/board.ts';
import type { PlacedWidget } from '#contract/site/widget.ts';
import { settled } from './layout.ts';

/** The fields of a board that the editor changes. */
export type Board = Pick<DashboardData, 'name' | 'description' | 'theme'> & {
  readonly widgets: readonly PlacedWidget[];
};

export interface Stored {
  readonly revision: number;
  readonly board: Board;
}

/** What another person changed while this person edited. */
export interface Met {
  /** Ids of tiles, and names of fields, that both people changed. This person's values are kept. */
  readonly both: readonly string[];
  /** Ids of tiles, and names of fields, that only the other person changed. The other person's values are taken. */
  readonly theirs: readonly string[];
  /** Ids of tiles that this person removed and the other person changed. They stay on the board. */
  readonly kept: readonly string[];
  /** Ids of tiles that have another place or size than both people gave them, because tiles of both people covered each other. */
  readonly moved: readonly string[];
}

const KINDS_OF_MET = ['both', 'theirs', 'kept', 'moved'] as const;

/** A board at one step, and what another person changed that this board has or replaces. */
interface Step {
  readonly board: Board;
  readonly met: Met | null;
}

export interface Draft {
  /** The stored board on which the edits are based. */
  readonly base: Stored;
  readonly now: Board;
  /** Earlier steps, the latest last, and steps that were undone, the next one last. */
  readonly past: readonly Step[];
  readonly future: readonly Step[];
  /** Names the field or tile of the last step, so that a text that a person types is one step. */
  readonly group: string | null;
  readonly met: Met | null;
}

/** The largest number of steps that a person can undo. */
export const MOST_STEPS = 50;

/** Returns true if two values of JSON are equal. A missing field is equal to one that is undefined. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((key) => same(left[key], right[key]));
}

export function startDraft(base: Stored, now: Board = base.board): Draft {
  return { base, now, past: [], future: [], group: null, met: null };
}

export const isChanged = ({ base, now }: Draft): boolean => !same(base.board, now);

/** Returns the tiles in the order of these ids; other tiles come last. */
function inOrder<T extends { readonly id: string }>(
  tiles: readonly T[],
  order: readonly { readonly id: string }[],
): T[] {
  const places = new Map(order.map(({ id }, i) => [id, i]));
  return tiles.toSorted((a, b) => (places.get(a.id) ?? order.length) - (places.get(b.id) ?? order.length));
}

const stepOf = ({ now, met }: Draft): Step => ({ board: now, met });

/** Returns the lists of a note; null if all are empty. */
function noted(lists: (kind: (typeof KINDS_OF_MET)[number]) => readonly string[]): Met | null {
  const met = Object.fromEntries(KINDS_OF_MET.map((kind) => [kind, [...new Set(lists(kind))]])) as unknown as Met;
  return KINDS_OF_MET.every((kind) => met[kind].length === 0) ? null : met;
}

/** Returns what a board has under the id of a tile or the name of a field. */
const partOf = (board: Board, id: string): unknown =>
  FIELDS.some((name) => name === id) ? board[id as 'name'] : board.widgets.find((one) => one.id === id);

/** Returns the ids of the tiles, and the names of the fields, in which two boards differ. */
const unlike = (a: Board, b: Board): string[] =>
  [...new Set([...FIELDS, ...[...a.widgets, ...b.widgets].map(({ id }) => id)])].filter(
    (id) => !same(partOf(a, id), partOf(b, id)),
  );

/** Returns the note without what both changed and this board does not replace, because it has the value of the other person. */
const stillMet = (met: Met | null, base: Board, now: Board): Met | null =>
  met === null
    ? null
    : noted((kind) =>
        kind === 'both' ? met.both.filter((id) => !same(partOf(base, id), partOf(now, id))) : met[kind],
      );

/** Returns what the page says about another person; null if there is nothing to say. */
export const metNow = (draft: Draft): Met | null =>
  isChanged(draft) ? stillMet(draft.met, draft.base.board, draft.now) : null;

/** Changes the board. Changes with the same `group`, one after the other, are one step. */
export function change(draft: Draft, now: Board, group: string | null = null): Draft {
  if (same(draft.now, now)) return draft;
  const joins = group !== null && group === draft.group;
  const past = joins ? draft.past : [...draft.past, stepOf(draft)].slice(-MOST_STEPS);
  const isBase = same(draft.base.board, now);
  return { ...draft, now, past, future: [], group, met: isBase ? null : stillMet(draft.met, draft.base.board, now) };
}

export function undo(draft: Draft): Draft {
  const to = draft.past.at(-1);
  if (to === undefined) return draft;
  const future = [...draft.future, stepOf(draft)];
  return { ...draft, now: to.board, met: to.met, past: draft.past.slice(0, -1), future, group: null };
}

export function redo(draft: Draft): Draft {
  const to = draft.future.at(-1);
  if (to === undefined) return draft;
  const past = [...draft.past, stepOf(draft)];
  return { ...draft, now: to.board, met: to.met, past, future: draft.future.slice(0, -1), group: null };
}

/** Removes a note that the person has read, from all steps. */
export function dismiss(draft: Draft): Draft {
  const read = metNow(draft);
  if (read === null) return draft;
  const left = (met: Met | null) =>
    met === null ? null : noted((kind) => met[kind].filter((id) => !read[kind].includes(id)));
  const without = ({ board, met }: Step): Step => ({ board, met: left(met) });
  return { ...draft, met: left(draft.met), past: draft.past.map(without), future: draft.future.map(without) };
}

const FIELDS = ['name', 'description', 'theme'] as const;

/**
 * Joins the edits of this person with a newer stored board: what only one of the two changed is taken; what both changed keeps the value of
 * this person. A tile that one person removed and the other changed stays.
 */
export function merge(base: Board, mine: Board, theirs: Board): { readonly board: Board; readonly met: Met } {
  const both: string[] = [];
  const taken: string[] = [];
  const kept: string[] = [];
  /** Returns the value of this person if this person changed it, or else the value of the other person. */
  const pick = <T>(name: string, before: T, own: T, other: T): T => {
    if (same(before, other) || same(own, other)) return own;
    const clashes = !same(before, own);
    (clashes ? both : taken).push(name);
    return clashes ? own : other;
  };
  const fields = FIELDS.map((name) => [name, pick(name, base[name], mine[name], theirs[name])] as const);
  const find = (board: Board, id: string) => board.widgets.find((one) => one.id === id);
  const ids = new Set([...mine.widgets, ...theirs.widgets].map(({ id }) => id));
  const widgets = [...ids].flatMap((id) => {
    const [before, own, other] = [find(base, id), find(mine, id), find(theirs, id)];
    // One removed it and the other changed it: nothing of what a person made is lost.
    if (own === undefined && other !== undefined && before !== undefined && !same(before, other)) {
      kept.push(id);
      return [other];
    }
    return pick(id, before, own, other) ?? [];
  });
  // The tiles of this person keep their places; the order of the tiles is that of the stored board.
  const placed = settled(widgets);
  const moved = placed.filter((one, i) => !same(one.position, widgets[i]?.position)).map(({ id }) => id);
  return {
    board: {
      ...(Object.fromEntries(fields) as Pick<Board, (typeof FIELDS)[number]>),
      widgets: inOrder(placed, theirs.widgets),
    },
    met: { both, theirs: taken, kept, moved },
  };
}

/**
 * Puts the draft on a newer stored board. Each step to undo is put on it too, so that an undo never takes back a change of another person
 * in silence: each step has its own note.
 */
export function rebase(draft: Draft, stored: Stored): Draft {
  const onto = ({ board: own, met: before }: Step): Step => {
    const { board, met } = merge(draft.base.board, own, stored.board);
    // A step without changes of this person has nothing that the page must say.
    const isSilent = same(draft.base.board, own);
    return { board, met: isSilent ? null : noted((kind) => [...(before?.[kind] ?? []), ...met[kind]]) };
  };
  const { board: now, met } = onto(stepOf(draft));
  return { base: stored, now, past: draft.past.map(onto), future: draft.future.map(onto), group: null, met };
}

/** Takes the value of the other person for a tile or field that both changed. It is a step that a person can undo. */
export function takeTheirs(draft: Draft, name: string): Draft {
  const { base, now } = draft;
  const field = FIELDS.find((one) => one === name);
  const theirs = base.board.widgets.filter(({ id }) => id === name);
  const board =
    field !== undefined
      ? { ...now, [field]: base.board[field] }
      : {
          ...now,
          widgets: inOrder(settled([...theirs, ...now.widgets.filter(({ id }) => id !== name)]), now.widgets),
        };
  return change(draft, board);
}

/** Returns the draft after this person saved `sent`, and the gateway stored it as `stored`. Edits made since then stay. */
export function saved(draft: Draft, sent: Board, stored: Stored): Draft {
  const { board: now } = merge(sent, draft.now, stored.board);
  // A step may still replace a value of another person that is stored. The rest of its note is about a board that was saved since, or about
  // a value that this save replaced.
  const replaced = unlike(draft.base.board, sent);
  const left = ({ board, met }: Step): Step => ({
    board,
    met: noted((kind) => (kind === 'both' ? (met?.both ?? []).filter((id) => !replaced.includes(id)) : [])),
  });
  return {
    ...draft,
    base: stored,
    now,
    met: null,
    group: null,
    past: draft.past.map(left),
    future: draft.future.map(left),
  };
}

/**
 * Returns the draft after the gateway has a board that is what this page sent without an answer. If the person took back a part of it since,
 * the board may as well be that of another person: the note names this part, and the own value stays.
 */
export function arrived(draft: Draft, sent: Board, stored: Stored): Draft {
  const { base, now } = draft;
  const back = unlike(stored.board, now).filter((id) => same(partOf(base.board, id), partOf(now, id)));
  return { ...saved(draft, sent, stored), met: noted((kind) => (kind === 'both' ? back : [])) };
}
