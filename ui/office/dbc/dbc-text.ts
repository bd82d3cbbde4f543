/** Text functions of the DBC pages: decoding of file text, lines around an error, and numbers and units as text. */

import { isSignal, signalRow } from '#contract/base/signals.ts';
import { conversionOf } from '#contract/base/units.ts';
import type { MappedSignal } from '#contract/fleet/dbc.ts';
import type { Output } from '#contract/operations.ts';
import { decimals, t } from '#ui/languages/texts.ts';

export type DbcFile = Output<'dbc_get'>;

/**
 * Returns a key of a signal that is unique in its file. The key contains the name of the message, because signals of different messages may
 * have the same name.
 */
export const signalKey = ({ message, signal }: Pick<MappedSignal, 'message' | 'signal'>) => `${message}.${signal}`;

/** Decodes a file as UTF-8, or as Windows-1252 when it is not valid UTF-8: most DBC editors write Windows-1252. */
export function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** Returns the name that the upload form suggests for a DBC file: its file name without `.dbc`. */
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

/** Returns the line with number `line` (from 1) and the `beside` lines before and after it, each cut at 160 characters. */
export function linesAround(text: string, line: number, beside = 2): Line[] {
  const lines = text.split(/\r?\n/);
  const first = Math.max(1, line - beside);
  return lines
    .slice(first - 1, Math.min(lines.length, line + beside))
    .map((one, i) => ({ number: first + i, text: one.length > 160 ? `${one.slice(0, 159)}…` : one }));
}

/** Formats a number with six significant digits, thin spaces between thousands, and the decimal mark of the language. */
export function number(value: number): string {
  const text = Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
  return decimals(text.replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, '\u2009'));
}

const unitText = (unit: string) => (unit === '' ? t('no unit') : unit);

/** Returns the conversion from a unit to the unit of a site signal as text, for example "bar × 100 = kPa"; null when there is none. */
export function conversionWords(unit: string, to: string): string | null {
  if (!isSignal(to)) return null;
  const found = conversionOf(unit, to);
  if (found === undefined) return null;
  const ours = signalRow(to).unit;
  const { factor, offset } = found;
  if (factor === 1 && offset === 0) return t('{unit}, not converted', { unit: unitText(unit) });
  const times = factor === 1 ? '' : ` × ${number(factor)}`;
  const plus = offset === 0 ? '' : ` ${offset < 0 ? '−' : '+'} ${number(Math.abs(offset))}`;
  return `${unit}${times}${plus} = ${ours}`;
}

/** Converts a value from a unit of the file to the unit of a site signal. Returns null when no conversion exists or none is needed. */
export function inOurs(value: number, unit: string, to: string): string | null {
  if (!isSignal(to)) return null;
  const found = conversionOf(unit, to);
  if (found === undefined || (found.factor === 1 && found.offset === 0)) return null;
  return `${number(value * found.factor + found.offset)} ${signalRow(to).unit}`;
}

/** Returns the state of a DBC file version: in use, used before, mapped and ready for use, or not mapped. */
export function stateOf(file: DbcFile): 'live' | 'used' | 'ready' | 'unmapped' {
  if (file.active) return 'live';
  if (file.first_activated_at !== null) return 'used';
  return file.mapping.length > 0 ? 'ready' : 'unmapped';
}

/** Returns the DBC files sorted by name, and the versions of each file with the newest first. */
export function inOrder(files: readonly DbcFile[]): DbcFile[] {
  return [...files].sort((a, b) => a.name.localeCompare(b.name) || b.version - a.version);
}
