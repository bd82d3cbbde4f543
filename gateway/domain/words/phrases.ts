/** Tables of words and phrases, and how they are found in a text: the longest phrase first, in singular or plural. */
import { isCapital, type Token, tokenize } from './text.ts';

interface Node<T> {
  readonly next: Map<string, Node<T>>;
  value?: T;
}

export interface Found<T> {
  readonly value: T;
  /** The index after the last token. */
  readonly to: number;
  /** True if the last word stands in the plural. */
  readonly plural: boolean;
}

const SHORTEST_PLURAL = 4;

/** The singular forms that a word may have; the word itself first. */
function formsOf(key: string): string[] {
  if (key.length < SHORTEST_PLURAL) return [key];
  const forms = [key];
  if (/[sx]$|[elr]n$/.test(key)) forms.push(key.slice(0, -1));
  if (/(es|en|em)$/.test(key)) forms.push(key.slice(0, -2));
  if (/e$/.test(key)) forms.push(key.slice(0, -1));
  if (key.endsWith('oes')) forms.push(`${key.slice(0, -3)}ao`);
  if (key.endsWith('aux')) forms.push(`${key.slice(0, -3)}al`);
  if (key.endsWith('ns')) forms.push(`${key.slice(0, -2)}m`);
  if (key.endsWith('is')) forms.push(`${key.slice(0, -2)}l`);
  if (key.endsWith('ies')) forms.push(`${key.slice(0, -3)}y`);
  return forms;
}

/** Words of this length are also found with one wrong letter. */
const LONG_WORD = 7;
/** A word without one of its letters, in each way. */
const shorter = (key: string): string[] => Array.from(key, (_, i) => key.slice(0, i) + key.slice(i + 1));

export interface Phrases<T> {
  /** The longest phrase that begins at this token. */
  at(tokens: readonly Token[], from: number, to: number): Found<T> | null;
}

/** A row of a table: a value, and the phrases that have it, with `|` between them. */
type Row<T> = readonly [T, string];

interface Table<T> {
  readonly root: Node<T>;
  /** The ends of compounds with their values, the longest first. */
  readonly ends: readonly (readonly [string, T])[];
  /** A long word without one of its letters, with the word. */
  readonly near: ReadonlyMap<string, string>;
}

function tableOf<T>(rows: readonly Row<T>[], typos: boolean): Table<T> {
  const root: Node<T> = { next: new Map() };
  const ends: [string, T][] = [];
  for (const [value, list] of rows)
    for (const phrase of list.split('|')) {
      if (phrase.startsWith('*')) {
        ends.push([phrase.slice(1), value]);
        continue;
      }
      let node = root;
      for (const { key } of tokenize(phrase)) {
        const next = node.next.get(key) ?? { next: new Map() };
        node.next.set(key, next);
        node = next;
      }
      node.value ??= value;
    }
  const near = new Map<string, string>();
  if (typos)
    for (const key of root.next.keys())
      if (key.length >= LONG_WORD) for (const less of [key, ...shorter(key)]) if (!near.has(less)) near.set(less, key);
  ends.sort((a, b) => b[0].length - a[0].length);
  return { root, ends, near };
}

/**
 * A table from rows `[value, 'phrase|phrase']`. A word with `*` in front is the end of a compound: `*bagger`. The table is made when it is
 * used first, because most processes load it and never use it.
 */
export function phrases<T>(
  rows: readonly Row<T>[] | (() => readonly Row<T>[]),
  { typos = false }: { typos?: boolean | 'capital' } = {},
): Phrases<T> {
  let made: Table<T> | undefined;
  const table = (): Table<T> => {
    made ??= tableOf(typeof rows === 'function' ? rows() : rows, typos !== false);
    return made;
  };

  function search(node: Node<T>, tokens: readonly Token[], at: number, to: number, plural: boolean): Found<T> | null {
    const token = tokens[at];
    let best: Found<T> | null = null;
    if (token !== undefined && at < to)
      for (const form of formsOf(token.key)) {
        const next = node.next.get(form);
        const found = next === undefined ? null : search(next, tokens, at + 1, to, form !== token.key);
        if (found !== null && (best === null || found.to > best.to)) best = found;
      }
    if (best !== null) return best;
    return node.value === undefined ? null : { value: node.value, to: at, plural };
  }

  /** The word that differs from this one by one letter, or by two that are exchanged. */
  function meantBy(key: string, { near }: Table<T>): string | undefined {
    if (key.length < LONG_WORD || /\d/.test(key)) return undefined;
    for (const form of formsOf(key))
      for (const less of [form, ...shorter(form)]) {
        const word = near.get(less);
        if (word !== undefined && word[0] === key[0] && Math.abs(word.length - form.length) <= 1) return word;
      }
    return undefined;
  }

  return {
    at(tokens, from, to) {
      const all = table();
      const { root, ends } = all;
      const found = search(root, tokens, from, to, false);
      if (found !== null) return found;
      const token = tokens[from];
      // `showing` is no mistyped `Schwing`: a name needs its capital letter.
      const isFine = token !== undefined && from < to && (typos !== 'capital' || isCapital(token));
      const meant = typos !== false && isFine ? meantBy(token.key, all) : undefined;
      const node = meant === undefined ? undefined : root.next.get(meant);
      const mistyped =
        node === undefined ? null : search(node, tokens, from + 1, to, token?.key.endsWith('s') === true);
      if (mistyped !== null) return mistyped;
      if (token === undefined || ends.length === 0) return null;
      for (const form of formsOf(token.key))
        for (const [end, value] of ends)
          if (form.length > end.length && form.endsWith(end))
            return { value, to: from + 1, plural: form !== token.key };
      return null;
    },
  };
}
