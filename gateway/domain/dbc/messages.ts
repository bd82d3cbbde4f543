/**
 * BO_ and SG_: messages and their signals. Some messages and signals have correct syntax but cannot exist in a frame, for example a message
 * with an identifier of more than 29 bits. The parser leaves them out and adds a note.
 */
import type { DbcDraft, OpenMessage, OpenSignal } from './draft.ts';
import { isSection } from './keywords.ts';
import { type Decimal, lastByte } from './model.ts';
import { clip, DBC_LIMITS, type DbcTokens, NUMBER, WORD } from './tokens.ts';

/**
 * The greatest length of a message in bytes, which is the length of the largest message of the J1939 transport protocol (J1939-21 5.10).
 */
const LONGEST = 1_785;
/** The identifier of the pseudo message in which some editors store signals that belong to no message. */
const INDEPENDENT = 0xc0000000;

/** Reads `BO_ 2364540158 EEC1: 8 Engine` and the signals that follow. */
export function readMessage(tokens: DbcTokens, draft: DbcDraft): void {
  const id = tokens.count('the identifier of a message', 0xffffffff);
  const name = tokens.name();
  tokens.mark(':');
  const length = tokens.count('the length of a message', 65_535);
  const sender = tokens.kind === WORD && tokens.word !== 'SG_' ? tokens.name() : '';
  const extended = id > 0x7fffffff;
  const message: OpenMessage = {
    id: extended ? id - 0x80000000 : id,
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
  const fault = faultOf(id, message) ?? (draft.byId.has(id) ? 'has the identifier of an earlier one' : undefined);
  if (fault !== undefined) draft.note(`message ${clip(name)} ${fault} and was left out`);
  else {
    if (draft.messages.length === DBC_LIMITS.messages)
      tokens.fail(`a DBC has at most ${DBC_LIMITS.messages} messages`, 'dbc_too_large');
    draft.messages.push(message);
  }
  if (!draft.byId.has(id)) draft.byId.set(id, fault === undefined ? message : null);
  while (tokens.kind === WORD && tokens.word === 'SG_') {
    const signal = readSignal(tokens);
    if (fault === undefined) addSignal(tokens, draft, message, signal);
  }
}

function faultOf(id: number, { id: plain, extended, length }: OpenMessage): string | undefined {
  if (id === INDEPENDENT) return 'carries signals that are on no bus';
  if (plain > (extended ? 0x1fffffff : 0x7ff)) return 'has an identifier that no frame can have';
  return length > LONGEST ? `is longer than ${LONGEST} bytes` : undefined;
}

/** Reads `SG_ EngineSpeed m1 : 24|16@1+ (0.125,0) [0|8031.875] "rpm" Vector__XXX`. */
function readSignal(tokens: DbcTokens): OpenSignal {
  tokens.advance();
  const name = tokens.name();
  const mark = readMark(tokens);
  tokens.mark(':');
  const start = tokens.count('the first bit', 65_535);
  tokens.mark('|');
  const bits = tokens.count('the number of bits', 65_535);
  tokens.mark('@');
  const motorola = readOrder(tokens);
  const signed = readSign(tokens);
  const [factor, offset] = readPair(tokens, '(', ',', ')');
  const [{ value: min }, { value: max }] = readPair(tokens, '[', '|', ']');
  const unit = tokens.string();
  while (tokens.kind === WORD && !isSection(tokens.word)) {
    tokens.advance();
    tokens.took(',');
  }
  return {
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
}

function addSignal(tokens: DbcTokens, draft: DbcDraft, message: OpenMessage, signal: OpenSignal): void {
  const { name, start, bits, motorola } = signal;
  const fault =
    bits < 1 || bits > 64
      ? `has ${bits} bits`
      : lastByte(start, bits, motorola) >= message.length
        ? 'ends after its message'
        : message.byName.has(name)
          ? 'has the name of an earlier one'
          : undefined;
  if (fault !== undefined) {
    draft.note(`signal ${clip(name)} of ${clip(message.name)} ${fault} and was left out`);
    return;
  }
  if (++draft.signals > DBC_LIMITS.signals)
    tokens.fail(`a DBC has at most ${DBC_LIMITS.signals} signals`, 'dbc_too_large');
  message.signals.push(signal);
  message.byName.set(name, signal);
}

function readMark(tokens: DbcTokens): string {
  const { at } = tokens;
  const mark = tokens.kind === WORD ? tokens.name() : '';
  if (!/^(?:|M|m\d{1,9}M?)$/.test(mark))
    tokens.fail(`${clip(mark)} is not a multiplexing mark such as M, m1 or m1M`, 'dbc_syntax', at);
  return mark;
}

/** Reads the byte order, 1 for Intel or 0 for Motorola; returns true for Motorola. */
function readOrder(tokens: DbcTokens): boolean {
  const order = tokens.word;
  // The tokenizer reads "@1+ (" as the number 1 and the mark "+", because a sign belongs to a number only if a digit follows.
  if (tokens.kind !== NUMBER || (order !== '0' && order !== '1')) tokens.fail('the byte order must be 0 or 1');
  tokens.advance();
  return order === '0';
}

function readSign(tokens: DbcTokens): boolean {
  if (tokens.took('+')) return false;
  if (tokens.took('-')) return true;
  return tokens.fail('"+" or "-" is expected after the byte order');
}

function readPair(tokens: DbcTokens, open: string, between: string, close: string): [Decimal, Decimal] {
  tokens.mark(open);
  const first = tokens.decimal();
  tokens.mark(between);
  const second = tokens.decimal();
  tokens.mark(close);
  return [first, second];
}
