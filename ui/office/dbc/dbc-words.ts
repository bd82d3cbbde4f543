/** What the pages of DBC files say: texts out of bytes, places in them, numbers and units in words. Pure. */

import { isSignal, signalRow } from '#contract/base/signals.ts';
import { conversionOf } from '#contract/base/units.ts';
import type { Output } from '#contract/operations.ts';

export type DbcFile = Output<'dbc_get'>;

/** The text of a file: UTF-8 where it is that, else Windows-1252, as most makers write it. */
export function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** The name under which a file is kept, unless a person gives another. */
export function nameOf(fileName: string): string {
  return (
    fileName
      .replace(/\.dbc$/i, '')
      .trim()
      .slice(0, 120) || 'DBC'
  );
}

export interface Line {
  readonly number: number;
  readonly text: string;
}

/** A line of a text (from 1) with its neighbours, each cut to what a page can show. */
export function linesAround(text: string, line: number, beside = 2): Line[] {
  const lines = text.split(/\r?\n/);
  const first = Math.max(1, line - beside);
  return lines
    .slice(first - 1, Math.min(lines.length, line + beside))
    .map((one, i) => ({ number: first + i, text: one.length > 160 ? `${one.slice(0, 159)}…` : one }));
}

/** A number as people read it: six digits that count, thin spaces between thousands. */
export function number(value: number): string {
  const text = Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
  return text.replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, '\u2009');
}

/** "3 messages", "1 message". */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${number(n)} ${n === 1 ? one : many}`;
}

const unitText = (unit: string) => (unit === '' ? 'no unit' : unit);

/** How a number of the file becomes one of ours, in words; null where it cannot. */
export function conversionWords(unit: string, to: string): string | null {
  if (!isSignal(to)) return null;
  const found = conversionOf(unit, to);
  if (found === undefined) return null;
  const ours = signalRow(to).unit;
  const { factor, offset } = found;
  if (factor === 1 && offset === 0) return `${unitText(unit)}, as it is`;
  const times = factor === 1 ? '' : ` × ${number(factor)}`;
  const plus = offset === 0 ? '' : ` ${offset < 0 ? '−' : '+'} ${number(Math.abs(offset))}`;
  return `${unit}${times}${plus} = ${ours}`;
}

/** A number of the file in our unit; null where it cannot become one, or is one already. */
export function inOurs(value: number, unit: string, to: string): string | null {
  if (!isSignal(to)) return null;
  const found = conversionOf(unit, to);
  if (found === undefined || (found.factor === 1 && found.offset === 0)) return null;
  return `${number(value * found.factor + found.offset)} ${signalRow(to).unit}`;
}

/** Where a version stands: in use, used before, ready, or to be mapped. */
export function stateOf(file: DbcFile): 'live' | 'used' | 'ready' | 'unmapped' {
  if (file.active) return 'live';
  if (file.first_activated_at !== null) return 'used';
  return file.mapping.length > 0 ? 'ready' : 'unmapped';
}

/** By name, the newest version of each first. */
export function inOrder(files: readonly DbcFile[]): DbcFile[] {
  return [...files].sort((a, b) => a.name.localeCompare(b.name) || b.version - a.version);
}
