/**
 * The form in which a row of `sync_docs` stores the registers of a document. The life and the time of most values are columns of the row. The
 * JSON text has only registers that the data of the document does not imply, and of their values only what nothing else says:
 *
 *   { r: [[path, [life number, time, ancestors, value?], ...], ...] }     value is absent if the data has it
 */
import { canonicalJson } from '#contract/base/canonical-json.ts';
import { type Implied, type Packed, packRegisters, unpackRegisters } from '#domain/sync/pack.ts';
import { makeValue, type Register, type Registers, type Stamp } from '#domain/sync/registers/registers.ts';
import type { Words } from './words.ts';

type StoredValue = readonly [life: number, hlc: string, anc: string, v?: unknown];

interface State {
  readonly r: readonly (readonly [path: string, ...values: StoredValue[]])[];
  /** Set for a deleted document: its kind and its revision. Its row may be gone. */
  readonly o?: string;
  readonly rev?: number;
  /** 1 for a grave. */
  readonly g?: 1;
}

/** The states of a document that was removed. gone: the row stays while the ledger needs the number of its commit. */
export const GONE = 'gone';
export const REMOVALS = ['aged', 'replaced'] as const;

/** True if the document is not here. */
export const isGone = (state: string | null): boolean =>
  state === GONE || (REMOVALS as readonly (string | null)[]).includes(state);

const ID = 16;

const splitIds = (text: string): string[] => {
  const ids: string[] = [];
  for (let at = 0; at < text.length; at += ID) ids.push(text.slice(at, at + ID));
  return ids;
};

/** What a deleted document stores besides its registers. */
export interface Dead {
  readonly object: string;
  readonly rev: number;
  readonly grave: boolean;
}

/** Returns the base of a document and its text; null if the data implies all registers. */
export function encodeState(
  words: Words,
  implied: Implied,
  registers: Registers,
  dead: Dead | undefined,
): { readonly base: Stamp; readonly state: string | null } {
  const { base, registers: stored } = packRegisters(implied, registers);
  if (stored.length === 0 && dead === undefined) return { base, state: null };
  const r = stored.map(([path, register]): [string, ...StoredValue[]] => {
    const known = implied.has(path) ? canonicalJson(implied.get(path)) : undefined;
    const values = register.map(({ life, hlc, v, anc }): StoredValue => {
      const head = [words.number(life), hlc, anc.join('')] as const;
      return canonicalJson(v) === known ? head : [...head, v];
    });
    return [path, ...values];
  });
  const state: State = {
    r,
    ...(dead && { o: dead.object, rev: dead.rev }),
    ...(dead?.grave === true && { g: 1 as const }),
  };
  return { base, state: JSON.stringify(state) };
}

/** What a text says about a deleted document; undefined if the document is not deleted. */
export function deadOf(state: string | null): Dead | undefined {
  if (state === null) return undefined;
  const { o, rev, g } = JSON.parse(state) as State;
  return o === undefined ? undefined : { object: o, rev: rev ?? 0, grave: g === 1 };
}

export function decodeState(words: Words, implied: Implied, base: Stamp, state: string | null): Registers {
  const stored = state === null ? [] : (JSON.parse(state) as State).r;
  const packed: Packed = {
    base,
    registers: stored.map(([path, ...values]): [string, Register] => [
      path,
      values.map((stored) => {
        const [life, hlc, anc] = stored;
        const v = stored.length === 4 ? stored[3] : implied.get(path);
        return makeValue(path, v, { life: words.word(life), hlc }, splitIds(anc));
      }),
    ]),
  };
  return unpackRegisters(implied, packed);
}
