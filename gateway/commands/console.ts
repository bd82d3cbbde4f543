/** What the command says: sentences for a person at a terminal, JSON lines for everything else. */
import { stripVTControlCharacters } from 'node:util';

export interface Console {
  readonly person: boolean;
  /** Writes a JSON line for programs, or the text, if there is one, for a person at a terminal. */
  event(name: string, data: object, text?: string): void;
}

/** Speaks on standard output. */
export function createConsole(out: NodeJS.WriteStream = process.stdout): Console {
  const person = out.isTTY === true;
  const line = (event: string, data: object) => {
    out.write(`${JSON.stringify({ level: 'info', time: new Date().toISOString(), event, ...data })}\n`);
  };
  return {
    person,
    event(name, data, text) {
      if (!person) line(name, data);
      else if (text !== undefined) out.write(`${text}\n`);
    },
  };
}

/** Text for a stream, without colours when nobody looks. */
export function plain(text: string, out: NodeJS.WriteStream = process.stdout): string {
  return out.isTTY === true ? text : stripVTControlCharacters(text);
}

/** Rows as aligned columns under their titles; `sides` has an `r` for each column that stands to the right. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[], sides = ''): string {
  const widths = titles.map((title, i) => Math.max(title.length, ...rows.map((row) => (row[i] ?? '').length)));
  const draw = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (sides[i] === 'r' ? cell.padStart(widths[i] as number) : cell.padEnd(widths[i] as number)))
      .join('  ')
      .trimEnd();
  return [titles, ...rows].map(draw).join('\n');
}
