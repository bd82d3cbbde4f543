/**
 * DBC text to messages and signals: what a vendor wrote down about the frames of a machine.
 *
 *   text -> words, numbers, strings, marks -> sections by keyword -> messages, with what later sections say of them
 *
 * Broken text is a `DbcError` with line and column. What is well written and cannot be (a signal past the end of its message) is left
 * out with a note, so that the rest of a file of a thousand messages serves. Sections that say nothing about decoding are passed over.
 */

import { type Dbc, type DbcMessage, type DbcSignal, lastByte } from './dbc-model.ts';
import { clip, DBC_LIMITS, DbcError, DbcTokens, END, NUMBER, STRING, WORD } from './dbc-tokens.ts';

/** The longest payload: what J1939 transport carries (J1939-21 5.10). */
const LONGEST = 1_785;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type OpenSignal = Mutable<DbcSignal> & { mark: string; dropped: boolean };
type OpenMessage = Mutable<Omit<DbcMessage, 'signals'>> & {
  signals: OpenSignal[];
  byName: Map<string, OpenSignal>;
  format: string | undefined;
};

/** Reads a DBC; throws `DbcError`. */
export function parseDbc(text: string): Dbc {
  if (text.length > DBC_LIMITS.text)
    throw new DbcError('dbc_too_large', `a DBC has at most ${DBC_LIMITS.text} characters`, 1, 1);
  return new Parser(text).read();
}

/** Sections that end with a semicolon and say nothing about decoding. */
const SKIPPED = new Set(
  'EV_ ENVVAR_DATA_ SGTYPE_ SGTYPE_VAL_ BA_SGTYPE_ BA_DEF_SGTYPE_ BA_REL_ BA_DEF_REL_ BA_DEF_DEF_REL_ BU_SG_REL_ BU_EV_REL_ BU_BO_REL_ SIG_GROUP_ SIG_TYPE_REF_ SIGTYPE_VALTYPE_ BO_TX_BU_ CAT_ CAT_DEF_ FILTER EV_DATA_ NS_DESC_'.split(
    ' ',
  ),
);

/** Carries signals that no message has; not a frame. */
const INDEPENDENT = 0xc0000000;

class Parser {
  readonly #in: DbcTokens;
  #version = '';
  #nodes: string[] = [];
  #messages: OpenMessage[] = [];
  readonly #byId = new Map<number, OpenMessage | null>();
  #signals = 0;
  readonly #notes: string[] = [];
  readonly #tables = new Map<string, Map<number, string>>();
  /** Values of an enumerated attribute, by its name. */
  readonly #enums = new Map<string, string[]>();
  readonly #defaults = new Map<string, string>();
  readonly #network = new Map<string, string>();

  constructor(text: string) {
    this.#in = new DbcTokens(text);
  }

  read(): Dbc {
    const sections: Readonly<Record<string, () => void>> = {
      VERSION: () => {
        this.#version = this.#in.string();
      },
      NS_: () => this.#symbols(),
      BS_: () => this.#speeds(),
      BU_: () => this.#readNodes(),
      VAL_TABLE_: () => this.#table(),
      BO_: () => this.#message(),
      CM_: () => this.#comment(),
      BA_DEF_: () => this.#attribute(),
      BA_DEF_DEF_: () => this.#attributeDefault(),
      BA_: () => this.#attributeValue(),
      VAL_: () => this.#values(),
      SIG_VALTYPE_: () => this.#valueType(),
      SG_MUL_VAL_: () => this.#multiplexed(),
    };
    while (this.#in.kind !== END) {
      if (this.#in.kind !== WORD) this.#in.fail('a section is expected here');
      const section = this.#in.word;
      const read = Object.hasOwn(sections, section) ? sections[section] : undefined;
      if (read === undefined) {
        if (!SKIPPED.has(section)) this.#note(`section ${clip(section)} is unknown and was passed over`);
        this.#in.skip();
      } else {
        this.#in.advance();
        read();
      }
    }
    if (this.#messages.length === 0) throw new DbcError('dbc_empty', 'there is no message in this text', 1, 1);
    return {
      version: this.#version,
      nodes: this.#nodes,
      messages: this.#messages.map((message) => this.#finish(message)),
      notes: this.#notes,
    };
  }

  #note(what: string): void {
    if (this.#notes.length < DBC_LIMITS.notes) this.#notes.push(what);
  }

  /** NS_ lists keywords, each followed by another or by what ends the list. */
  #symbols(): void {
    this.#in.took(':');
    while (this.#in.kind === WORD && this.#in.word !== 'BS_' && this.#in.word !== 'BU_') this.#in.advance();
  }

  #speeds(): void {
    this.#in.took(':');
    while (this.#in.kind === NUMBER || this.#in.is(':') || this.#in.is(',')) this.#in.advance();
    this.#in.took(';');
  }

  #readNodes(): void {
    this.#in.took(':');
    // A file without any node goes on with the next section; those end in an underscore, and so does no node by custom.
    while (this.#in.kind === WORD && !isSection(this.#in.word)) {
      this.#nodes.push(this.#in.name());
      this.#in.took(',');
    }
    this.#in.took(';');
  }

  /** Pairs of a number and what it is called, up to the semicolon. */
  #labels(into: Map<number, string>): void {
    while (this.#in.kind === NUMBER) {
      const value = Number(this.#in.word);
      this.#in.advance();
      into.set(value, this.#in.string());
    }
    this.#in.took(';');
  }

  #table(): void {
    const labels = new Map<number, string>();
    this.#tables.set(this.#in.name(), labels);
    this.#labels(labels);
  }

  #message(): void {
    const id = this.#in.count('the identifier of a message', 0xffffffff);
    const name = this.#in.name();
    this.#in.mark(':');
    const length = this.#in.count('the length of a message', 65_535);
    const sender = this.#in.kind === WORD && this.#in.word !== 'SG_' ? this.#in.name() : '';
    const extended = id > 0x7fffffff;
    const plain = extended ? id - 0x80000000 : id;
    const message: OpenMessage = {
      id: plain,
      extended,
      j1939: false,
      name,
      length,
      sender,
      comment: '',
      signals: [],
      byName: new Map(),
      format: undefined,
    };
    const fault =
      id === INDEPENDENT
        ? 'carries signals that are on no bus'
        : plain > (extended ? 0x1fffffff : 0x7ff)
          ? 'has an identifier that no frame can have'
          : length > LONGEST
            ? `is longer than ${LONGEST} bytes`
            : this.#byId.has(id)
              ? 'has the identifier of an earlier one'
              : undefined;
    if (fault !== undefined) this.#note(`message ${clip(name)} ${fault} and was left out`);
    else {
      if (this.#messages.length === DBC_LIMITS.messages)
        this.#in.fail(`a DBC has at most ${DBC_LIMITS.messages} messages`, 'dbc_too_large');
      this.#messages.push(message);
    }
    if (!this.#byId.has(id)) this.#byId.set(id, fault === undefined ? message : null);
    while (this.#in.kind === WORD && this.#in.word === 'SG_') this.#signal(message, fault === undefined);
  }

  #signal(message: OpenMessage, isKept: boolean): void {
    this.#in.advance();
    const name = this.#in.name();
    const { at } = this.#in;
    const mark = this.#in.kind === WORD ? this.#in.name() : '';
    if (!/^(?:|M|m\d{1,9}M?)$/.test(mark))
      this.#in.fail(`${clip(mark)} is no mark of multiplexing (M, m1, m1M)`, 'dbc_syntax', at);
    this.#in.mark(':');
    const start = this.#in.count('the first bit', 65_535);
    this.#in.mark('|');
    const bits = this.#in.count('the number of bits', 65_535);
    this.#in.mark('@');
    const motorola = this.#order();
    const signed = this.#sign();
    this.#in.mark('(');
    const factor = this.#in.decimal();
    this.#in.mark(',');
    const offset = this.#in.decimal();
    this.#in.mark(')');
    this.#in.mark('[');
    const min = this.#in.decimal().value;
    this.#in.mark('|');
    const max = this.#in.decimal().value;
    this.#in.mark(']');
    const unit = this.#in.string();
    while (this.#in.kind === WORD && !isSection(this.#in.word)) {
      this.#in.advance();
      this.#in.took(',');
    }
    if (!isKept) return;
    const fault =
      bits < 1 || bits > 64
        ? `has ${bits} bits`
        : lastByte(start, bits, motorola) >= message.length
          ? 'ends after its message'
          : message.byName.has(name)
            ? 'has the name of an earlier one'
            : undefined;
    if (fault !== undefined) {
      this.#note(`signal ${clip(name)} of ${clip(message.name)} ${fault} and was left out`);
      return;
    }
    if (++this.#signals > DBC_LIMITS.signals)
      this.#in.fail(`a DBC has at most ${DBC_LIMITS.signals} signals`, 'dbc_too_large');
    const signal: OpenSignal = {
      name,
      start,
      bits,
      motorola,
      signed,
      float: false,
      factor,
      offset,
      range: min < max ? { min, max } : null,
      unit,
      multiplexor: mark.endsWith('M'),
      selector: null,
      spn: null,
      labels: new Map(),
      comment: '',
      mark,
      dropped: false,
    };
    message.signals.push(signal);
    message.byName.set(name, signal);
  }

  /** 1 is Intel, 0 is Motorola. */
  #order(): boolean {
    const order = this.#in.word;
    // "@1+" may be read as the number 1 and a mark, and "@1-1" never occurs.
    if (this.#in.kind !== NUMBER || (order !== '0' && order !== '1')) this.#in.fail('the byte order is 0 or 1');
    this.#in.advance();
    return order === '0';
  }

  #sign(): boolean {
    if (this.#in.took('+')) return false;
    if (this.#in.took('-')) return true;
    return this.#in.fail('"+" or "-" is expected after the byte order');
  }

  /** A message that a later section speaks of; undefined for one that was left out or never was. */
  #messageOf(): OpenMessage | undefined {
    const id = this.#in.count('the identifier of a message', 0xffffffff);
    const message = this.#byId.get(id);
    if (message === undefined) this.#note(`something is said of message ${id}, which does not exist`);
    return message ?? undefined;
  }

  #signalOf(): OpenSignal | undefined {
    const message = this.#messageOf();
    const name = this.#in.name();
    return message?.byName.get(name);
  }

  #comment(): void {
    if (this.#in.kind === WORD) {
      const of = this.#in.name();
      if (of === 'BO_') {
        const message = this.#messageOf();
        const text = this.#in.string();
        if (message) message.comment = text;
      } else if (of === 'SG_') {
        const signal = this.#signalOf();
        const text = this.#in.string();
        if (signal) signal.comment = text;
      }
    }
    this.#in.skip();
  }

  #attribute(): void {
    if (this.#in.kind === WORD) this.#in.advance();
    const name = this.#in.string();
    const type = this.#in.name();
    if (type === 'ENUM') {
      const values: string[] = [];
      while (this.#in.kind === STRING) {
        values.push(this.#in.string());
        this.#in.took(',');
      }
      this.#enums.set(name, values);
    }
    this.#in.skip();
  }

  #attributeDefault(): void {
    const name = this.#in.string();
    if (this.#in.kind === STRING || this.#in.kind === NUMBER) this.#defaults.set(name, this.#valueOf(name));
    this.#in.skip();
  }

  /** An attribute's value as text; enumerated ones are written as their place. */
  #valueOf(name: string): string {
    const word = this.#in.word;
    const isPlace = this.#in.kind === NUMBER;
    this.#in.advance();
    return isPlace ? (this.#enums.get(name)?.[Number(word)] ?? word) : word;
  }

  #attributeValue(): void {
    const name = this.#in.string();
    if (this.#in.kind === STRING || this.#in.kind === NUMBER) this.#network.set(name, this.#valueOf(name));
    else {
      const of = this.#in.name();
      if (of === 'BO_') {
        const message = this.#messageOf();
        const value = this.#valueOf(name);
        if (message && name === 'VFrameFormat') message.format = value;
      } else if (of === 'SG_') {
        const signal = this.#signalOf();
        const value = Number(this.#valueOf(name));
        if (signal && name === 'SPN' && Number.isInteger(value) && value > 0) signal.spn = value;
      }
    }
    this.#in.skip();
  }

  #values(): void {
    // Without an identifier these are values of an environment variable.
    if (this.#in.kind !== NUMBER) {
      this.#in.skip();
      return;
    }
    const signal = this.#signalOf();
    const named = this.#tableName();
    const labels = named ?? new Map<number, string>();
    if (named === undefined) this.#labels(labels);
    if (signal) signal.labels = labels;
  }

  /** The table that stands here by its name instead of its values; an unknown one is empty. */
  #tableName(): Map<number, string> | undefined {
    if (this.#in.kind !== WORD) return undefined;
    const table = this.#tables.get(this.#in.word) ?? new Map<number, string>();
    this.#in.skip();
    return table;
  }

  #valueType(): void {
    const message = this.#messageOf();
    const name = this.#in.name();
    this.#in.took(':');
    const type = this.#in.count('the type of a value', 3);
    const signal = message?.byName.get(name);
    if (message && signal && type > 0) {
      if ((type === 1 && signal.bits === 32) || (type === 2 && signal.bits === 64)) signal.float = true;
      else {
        this.#note(`signal ${clip(name)} of ${clip(message.name)} is no float of ${signal.bits} bits and was left out`);
        message.byName.delete(name);
        signal.dropped = true;
      }
    }
    this.#in.skip();
  }

  #multiplexed(): void {
    const signal = this.#signalOf();
    const by = this.#in.name();
    const ranges: [number, number][] = [];
    do {
      const from = this.#in.count('the value of a multiplexor', 0xffffffff);
      // "1-5" reads as 1 and -5.
      this.#in.took('-');
      const to = Math.abs(this.#in.decimal().value);
      ranges.push([from, to]);
    } while (this.#in.took(','));
    this.#in.took(';');
    if (signal) signal.selector = { by, ranges };
  }

  #finish({ byName, format, signals, ...message }: OpenMessage): DbcMessage {
    const [first, ...others] = signals.filter(({ mark, dropped }) => mark === 'M' && !dropped);
    let guessed = false;
    for (const signal of signals) {
      if (!signal.mark.startsWith('m')) {
        signal.selector = null;
        continue;
      }
      if (signal.selector !== null || !first) continue;
      const value = Number.parseInt(signal.mark.slice(1), 10);
      signal.selector = { by: first.name, ranges: [[value, value]] };
      guessed ||= others.length > 0;
    }
    if (guessed)
      this.#note(`message ${clip(message.name)} has several multiplexors; the first counts where none is named`);
    for (const signal of signals) {
      if (signal.dropped || leadsToRoot(signal, byName)) continue;
      signal.dropped = true;
      this.#note(`signal ${clip(signal.name)} of ${clip(message.name)} has no multiplexor and was left out`);
    }
    return {
      ...message,
      j1939: message.extended && this.#isJ1939(format),
      signals: signals.filter(({ dropped }) => !dropped).map(({ mark: _, dropped: __, ...signal }) => signal),
    };
  }

  #isJ1939(own: string | undefined): boolean {
    const format = own ?? this.#defaults.get('VFrameFormat');
    if (format !== undefined) return format === 'J1939PG' || format === '3';
    return (this.#network.get('ProtocolType') ?? this.#defaults.get('ProtocolType')) === 'J1939';
  }
}

/** Multiplexors that stand above each other at most. */
const DEEPEST = 16;

/** True when the multiplexors above a signal end at one that is always there. */
function leadsToRoot(signal: OpenSignal, byName: ReadonlyMap<string, OpenSignal>): boolean {
  let at = signal;
  for (let depth = 0; depth < DEEPEST; depth++) {
    if (!at.mark.startsWith('m')) return true;
    const above = at.selector === null ? undefined : byName.get(at.selector.by);
    if (above === undefined || !above.multiplexor || above.float || above.bits > 32) return false;
    at = above;
  }
  return false;
}

const SECTIONS = new Set(
  'VERSION NS_ BS_ BU_ VAL_TABLE_ BO_ SG_ CM_ BA_DEF_ BA_DEF_DEF_ BA_ VAL_ SIG_VALTYPE_ SG_MUL_VAL_'.split(' '),
);

function isSection(word: string): boolean {
  return SECTIONS.has(word) || SKIPPED.has(word);
}
