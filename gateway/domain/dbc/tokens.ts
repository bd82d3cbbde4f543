/** Splits the text of a DBC file into tokens: words, numbers, strings and marks such as `:`. */
import { type Decimal, decimalOf } from './model.ts';

/**
 * The limits of a DBC file: the largest number of characters, messages, signals and notes. If a file has more characters, messages or
 * signals, the parser throws a `DbcError`.
 */
export const DBC_LIMITS = { text: 4 * 1024 * 1024, messages: 5_000, signals: 60_000, notes: 100 } as const;

const CODES = ['dbc_syntax', 'dbc_too_large', 'dbc_empty'] as const;

/** Thrown when the parser cannot read the file. The message begins with the line and column. */
export class DbcError extends Error {
  readonly code: (typeof CODES)[number];
  readonly line: number;
  readonly column: number;
  /** The message without the place. */
  readonly what: string;

  constructor(code: (typeof CODES)[number], message: string, line: number, column: number) {
    super(`line ${line}, column ${column}: ${message}`);
    this.name = 'DbcError';
    this.code = code;
    this.what = message;
    this.line = line;
    this.column = column;
  }
}

/** Returns the text of a DBC file: UTF-8 if the bytes are valid UTF-8, otherwise Windows-1252, which older tools write. */
export function readDbcBytes(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

export const WORD = 0;
export const NUMBER = 1;
export const STRING = 2;
const MARK = 3;
export const END = 4;
type Kind = 0 | 1 | 2 | 3 | 4;

const SPACE = /[\s\ufeff]+/y;
const PLAIN: readonly (readonly [kind: Kind, shape: RegExp])[] = [
  [WORD, /[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*/y],
  [NUMBER, /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y],
];

/** Reads a DBC file token by token. Its methods throw `DbcError` if the current token is not of the expected kind. */
export class DbcTokens {
  /** The kind of the current token. */
  kind: Kind = END;
  word = '';
  /** The offset at which the current token begins. */
  at = 0;
  readonly #text: string;
  #next = 0;

  constructor(text: string) {
    this.#text = text;
    this.advance();
  }

  /** Reads the next token. */
  advance(): void {
    const text = this.#text;
    const at = this.#blank(this.#next);
    this.at = at;
    if (at >= text.length) {
      this.#set(END, 'the end of the text', at);
      return;
    }
    if (text[at] === '"') {
      let end = text.indexOf('"', at + 1);
      while (end > 0 && text[end - 1] === '\\') end = text.indexOf('"', end + 1);
      if (end < 0) this.fail('the text that begins here has no closing quote');
      this.#set(STRING, text.slice(at + 1, end).replaceAll('\\"', '"'), end + 1);
      return;
    }
    for (const [kind, shape] of PLAIN) {
      shape.lastIndex = at;
      if (!shape.test(text)) continue;
      this.#set(kind, text.slice(at, shape.lastIndex), shape.lastIndex);
      return;
    }
    this.#set(MARK, text[at] as string, at + 1);
  }

  /** Returns the offset of the next token, after spaces and after comments from `//` to the end of a line, which some tools write. */
  #blank(from: number): number {
    const text = this.#text;
    let at = from;
    for (;;) {
      SPACE.lastIndex = at;
      if (SPACE.test(text)) at = SPACE.lastIndex;
      if (!text.startsWith('//', at)) return at;
      const end = text.indexOf('\n', at);
      at = end < 0 ? text.length : end + 1;
    }
  }

  #set(kind: Kind, word: string, next: number): void {
    this.kind = kind;
    this.word = word;
    this.#next = next;
  }

  /** Throws a `DbcError` with the line and column of `at`. By default `at` is the current token. */
  fail(what: string, code: DbcError['code'] = 'dbc_syntax', at = this.at): never {
    const before = this.#text.slice(0, at);
    throw new DbcError(code, what, before.split('\n').length, at - before.lastIndexOf('\n'));
  }

  #take(kind: Kind, what: string): string {
    if (this.kind !== kind) this.fail(`${what} is expected, not ${clip(this.word)}`);
    const { word } = this;
    this.advance();
    return word;
  }

  name(): string {
    return this.#take(WORD, 'a name');
  }

  string(): string {
    return this.#take(STRING, 'a text in quotes');
  }

  decimal(): Decimal {
    const at = this.at;
    const decimal = decimalOf(this.#take(NUMBER, 'a number'));
    return Number.isFinite(decimal.value) ? decimal : this.fail('a number is too large', 'dbc_syntax', at);
  }

  /** Reads an integer from 0 to `most`. */
  count(what: string, most: number): number {
    const at = this.at;
    const value = Number(this.#take(NUMBER, what));
    if (Number.isInteger(value) && value >= 0 && value <= most) return value;
    return this.fail(`${what} must be a whole number from 0 to ${most}`, 'dbc_syntax', at);
  }

  is(mark: string): boolean {
    return this.kind === MARK && this.word === mark;
  }

  mark(mark: string): void {
    if (!this.is(mark)) this.fail(`"${mark}" is expected, not ${clip(this.word)}`);
    this.advance();
  }

  /** If the current token is the mark, reads the next token and returns true. */
  took(mark: string): boolean {
    if (!this.is(mark)) return false;
    this.advance();
    return true;
  }

  /** Skips all tokens up to and including the next semicolon. */
  skip(): void {
    while (this.kind !== END && !this.is(';')) this.advance();
    this.took(';');
  }
}

/** Returns a word, cut to 40 characters for an error message. */
export function clip(word: string): string {
  return word.length > 40 ? `${word.slice(0, 39)}…` : word;
}
