/** Puts rows of tables that speak of one machine together. */
import type { MachineKind } from '#contract/fleet/machine-kinds.ts';
import type { Unit } from '#domain/sentences/items.ts';
import { keyOfUnit } from '#domain/sentences/units.ts';
import { fold, type Span } from '#domain/words/text.ts';
import { sameKind } from './fleet-kinds.ts';
import type { FleetGap, Machine } from './fleet-types.ts';

/** The machines that were read so far. */
interface Shelf {
  readonly machines: Machine[];
  readonly byUnit: Map<string, Machine[]>;
  readonly gaps: FleetGap[];
}

/** A gap names at most this many machines. */
const MOST_NAMED = 6;

/** The letters of a unit number, and its length: machines that have both in common are often of one kind. */
const lettersOf = ({ text }: Unit): string => `${keyOfUnit(text).replace(/\d.*$/, '')} ${text.length}`;

export class RowJoiner {
  readonly #shelf: Shelf;
  /** Rows that do not tell the kind of their machine. Another row, a sentence or the letters of its number may tell it. */
  readonly #kindless: Machine[] = [];
  /** Rows that say more of a machine. They name no machine in a sentence. */
  readonly spans: Span[] = [];

  constructor(shelf: Shelf) {
    this.#shelf = shelf;
  }

  /** Adds the machine of a row. Rows with the same number are one machine, but a number without letters may be used once for each kind. */
  list(one: Machine): void {
    if (one.word === null) {
      this.#kindless.push(one);
      return;
    }
    const { machines, byUnit } = this.#shelf;
    const key = one.unit === null ? null : keyOfUnit(one.unit.text);
    const known = key === null ? [] : (byUnit.get(key) ?? []);
    const same = known.find(({ word }) => sameKind(word, one.word)) ?? (one.unit?.bare === true ? undefined : known[0]);
    if (same !== undefined) {
      this.#join(same, one);
      return;
    }
    machines.push(one);
    if (key !== null) byUnit.set(key, [...known, one]);
  }

  /** A machine that is in one row or sentence, and gone in another row, is in doubt. */
  applyGone(gone: readonly Machine[]): void {
    for (const { unit, word, spans } of gone) {
      const [span] = spans;
      if (unit === null || span === undefined) continue;
      for (const one of this.#shelf.byUnit.get(keyOfUnit(unit.text)) ?? [])
        if (!unit.bare || sameKind(one.word, word)) one.doubt ??= { reason: 'gone', span };
    }
  }

  #join(machine: Machine, row: Machine): void {
    const [first] = machine.spans;
    const differing = joinRow(machine, row);
    this.spans.push(...row.spans);
    const isNumbered = /\p{N}/u.test(machine.unit?.text ?? '');
    if (!isNumbered && first !== undefined && (machine.doubt === undefined || machine.doubt.reason === 'section_kind'))
      machine.doubt = { reason: 'no_digit', span: first };
    if (differing.length > 0)
      this.#shelf.gaps.push({
        code: 'rows_differ',
        what: `${machine.unit?.text ?? ''} (${differing.join('; ')})`,
        spans: [...(first === undefined ? [] : [first]), ...row.spans],
      });
  }

  /**
   * Adds what the rows without a kind say of machines whose kind others tell. A machine whose kind only the letters of its number tell is
   * proposed. The rest are gaps, one for each word in the column of the types.
   */
  applyKindless(kindOf: (one: Machine) => MachineKind | null, gone: ReadonlySet<string>): void {
    const { machines, byUnit, gaps } = this.#shelf;
    const kinds = new Map(
      machines.toReversed().flatMap((one): [string, MachineKind][] => {
        const kind = kindOf(one);
        return one.unit === null || one.unit.bare || kind === null ? [] : [[lettersOf(one.unit), kind]];
      }),
    );
    let guessed: Span | undefined;
    const open = new Map<string, Machine[]>();
    for (const one of this.#kindless) {
      const { unit, typed = '' } = one;
      if (unit === null) continue;
      const key = keyOfUnit(unit.text);
      const [known, ...more] = byUnit.get(key) ?? [];
      const kind = unit.bare || typed !== '' ? undefined : kinds.get(lettersOf(unit));
      // A number without letters may be used once for each kind, and this kind is not known.
      const isOther = unit.bare && typed !== '';
      if (known !== undefined && more.length === 0 && !isOther) this.#join(known, one);
      else if (known === undefined && kind !== undefined) {
        one.word = { kind, general: false, weak: false };
        guessed ??= one.spans[0];
        if (guessed !== undefined) one.doubt ??= { reason: 'kind_guessed', span: guessed };
        machines.push(one);
        byUnit.set(key, [one]);
      } else if (!gone.has(key)) {
        const group = open.get(typed);
        if (group === undefined) open.set(typed, [one]);
        else group.push(one);
      }
    }
    for (const group of open.values()) {
      const names = group.map(({ unit }) => unit?.text ?? '');
      const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
      const what = `${names.slice(0, MOST_NAMED).join(', ')}${more}`;
      gaps.push({ code: 'unreadable_machine', what, spans: group.flatMap(({ spans }) => spans) });
    }
  }
}

/** Fills in what a row says besides, and returns what it says differently. */
function joinRow(machine: Machine, row: Machine): string[] {
  const differing: string[] = [];
  const both = (field: string, one: string | number | null | undefined, other: string | number | null | undefined) => {
    if (one === null || one === undefined || other === null || other === undefined) return;
    if (fold(String(one)) !== fold(String(other))) differing.push(`${field}: ${one}, ${other}`);
  };
  machine.spans.push(...row.spans);
  if (!sameKind(machine.word, row.word)) return [`kind: ${machine.word?.kind}, ${row.word?.kind}`];
  if (machine.word?.general === true) machine.word = row.word ?? machine.word;
  both('make', machine.make, row.make);
  if (machine.model?.key !== row.model?.key) both('model', machine.model?.model, row.model?.model);
  both('location', machine.place, row.place);
  both('year', machine.year, row.year);
  both('serial number', machine.serial, row.serial);
  machine.make ??= row.make;
  machine.model ??= row.model;
  machine.place ??= row.place;
  machine.year ??= row.year;
  machine.serial ??= row.serial;
  const isTold = row.word !== null && row.doubt?.reason !== 'section_kind';
  if (machine.doubt?.reason === 'section_kind' && isTold) delete machine.doubt;
  const { doubt } = row;
  if (doubt !== undefined && doubt.reason !== 'section_kind') machine.doubt ??= doubt;
  return differing;
}
