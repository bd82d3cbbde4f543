/** Output of a command: text for a person at a terminal, JSON lines for anything else. */
import { stripVTControlCharacters } from 'node:util';

export interface Console {
  /** True when the output is a terminal. */
  readonly person: boolean;
  /** Reports an event: prints `text` on a terminal (nothing without `text`), otherwise a JSON line with `name` and `data`. */
  event(name: string, data: object, text?: string): void;
}

/** Creates a console that writes to `out`. */
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

/** Removes the colour codes from a text when the stream is not a terminal. */
export function plain(text: string, out: NodeJS.WriteStream = process.stdout): string {
  return out.isTTY === true ? text : stripVTControlCharacters(text);
}
