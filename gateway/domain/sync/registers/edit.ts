/** Writes of people and programs: which registers a change of data writes. */
import { canonicalJson } from '#contract/base/canonical-json.ts';
import type { KindRule } from '#contract/ownership/rule.ts';
import { isCreatedPath } from './created.ts';
import { type Doc, type DocName, makeDoc } from './documents.ts';
import { type Data, decompose, ordersOf, ruleOfPath } from './paths.ts';
import {
  DELETED,
  hasConflict,
  isPeoples,
  joinRegister,
  makeValue,
  type Register,
  type Registers,
  type Stamp,
  shownOf,
  type Value,
  writeRegister,
} from './registers.ts';
import { FIRST_STEP, foldSteps, STEPS_PATH, type Step, stepBetween } from './ticket-steps.ts';

export interface Edited {
  readonly doc: Doc;
  /** The paths that were written; undefined for a new document: all of them. */
  readonly paths: readonly string[] | undefined;
}

/** Makes a new document: each path has one value without ancestors. */
export function createDoc(kind: KindRule, name: DocName, data: Data, stamp: Stamp): Edited {
  const registers = new Map<string, Register>();
  for (const [path, v] of [...decompose(kind, data), ...ordersOf(kind, data, registers)])
    registers.set(path, [makeValue(path, v, stamp)]);
  return { doc: makeDoc(name, registers, 1), paths: undefined };
}

/**
 * Returns the document after its author, who saw `old`, gave it this data. A path that the data does not have becomes null, with one
 * exception: a path of a field that this version does not know stays as it is. `chosen` has paths with a conflict that the author decided.
 * `isUnsent` tells whether a value never left this node.
 */
export function editDoc(
  kind: KindRule,
  old: Doc,
  data: Data,
  stamp: Stamp,
  chosen: readonly string[] = [],
  isUnsent?: (value: Value) => boolean,
): Edited {
  const registers = new Map(old.registers);
  const paths: string[] = [];
  const put = (path: string, v: unknown): void => {
    const register = registers.get(path);
    // The author saw only the value that screens show. The others of a conflict stay until somebody decides it. Of values with ranks
    // screens show the gravest, so an edit of it decides for all. Who brings a record back decides about all its deletions.
    const isOpen =
      register !== undefined &&
      isPeoples(path) &&
      path !== DELETED &&
      hasConflict(register) &&
      !chosen.includes(path) &&
      ruleOfPath(kind, path)?.rank === undefined;
    const seen = isOpen ? [shownOf(register)] : register;
    const written = writeRegister(path, seen, v, stamp, isUnsent);
    registers.set(path, isOpen ? joinRegister(path, register, written) : written);
    paths.push(path);
  };
  const next = decompose(kind, data);
  for (const [path, v] of next) {
    if (path === FIRST_STEP) putStep(registers, v as Data, stamp, put);
    else if (chosen.includes(path) || !isSame(kind, path, registers.get(path), v)) put(path, v);
  }
  for (const [path, register] of old.registers) {
    const isOpen = !next.has(path) && path !== DELETED && !path.startsWith(`${STEPS_PATH}/`) && path[0] !== '^';
    if (isOpen && !isCreatedPath(path) && ruleOfPath(kind, path) !== undefined && shownOf(register).v !== null)
      put(path, null);
  }
  for (const [path, v] of ordersOf(kind, data, old.registers)) put(path, v);
  if (old.dead || chosen.includes(DELETED)) put(DELETED, null);
  for (const path of chosen) if (path.startsWith(`${STEPS_PATH}/`)) putSeen(registers, path, put);
  return { doc: paths.length === 0 ? old : makeDoc(old, registers, old.rev + 1), paths };
}

/** A move that the fold skipped and that the author has seen: it changes nothing any more. */
function putSeen(registers: Registers, path: string, put: (path: string, v: unknown) => void): void {
  const move = registers.get(path)?.at(-1)?.v as Step | undefined;
  if (move !== undefined && move.seen !== true)
    put(path, { from: move.to, to: move.to, set: {}, seen: true } satisfies Step);
}

function isSame(kind: KindRule, path: string, register: Register | undefined, v: unknown): boolean {
  if (register === undefined) return v === null;
  const shown = shownOf(register, ruleOfPath(kind, path)?.rank).v;
  return shown === v || canonicalJson(shown) === canonicalJson(v);
}

function putStep(registers: Registers, after: Data, stamp: Stamp, put: (path: string, v: unknown) => void): void {
  const entries: (readonly [string, Register])[] = [];
  for (const [path, register] of registers)
    if (path.startsWith(`${STEPS_PATH}/`)) entries.push([path.slice(STEPS_PATH.length + 1), register]);
  const step = stepBetween(foldSteps(entries).state, after);
  if (step.from === step.to && Object.keys(step.set).length === 0) return;
  put(`${STEPS_PATH}/${stamp.hlc}.${stamp.life}`, step);
}
