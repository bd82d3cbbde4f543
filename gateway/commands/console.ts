/** Output of a command: text for a person at a terminal, JSON lines for anything else. */
import { stripVTControlCharacters } from 'node:util';

export interface Console {
  /** True when the output is a terminal. */
  readonly person: boolean;
  /** Reports an event: prints `text` on a terminal (nothing without `text`), otherwise a JSON line with `name` and `data`. */
  event(name: string, data: object, text?: string): void;
  /** Reports an event only to a program that started this command with an IPC channel, such as the desktop app. */
  tell(name: string, data: object): void;
}

/** Creates a console that writes to `out`. */
export function createConsole(out: NodeJS.WriteStream = process.stdout): Console {
  const person = out.isTTY === true;
  const line = (event: string, data: object) => {
    out.write(`${JSON.stringify({ level: 'info', time: new Date().toISOString(), event, ...data })}\n`);
  };
  const tell = (name: string, data: object) => {
    // If the channel is closed, the program has ended, and `disconnect` ends this command.
    process.send?.({ event: name, ...data }, undefined, undefined, () => {});
  };
  return {
    person,
    tell,
    event(name, data, text) {
      tell(name, data);
      if (!person) line(name, data);
      else if (text !== undefined) out.write(`${text}\n`);
    },
  };
}

/** Removes the colour codes from a text when the stream is not a terminal. */
export function plain(text: string, out: NodeJS.WriteStream = process.stdout): string {
  return out.isTTY === true ? text : stripVTControlCharacters(text);
}
