/** The small sections of a DBC: names, comments, names of values, and what makes a signal a float or a multiplexed one. */
import type { DbcDraft } from './draft.ts';
import { isSection } from './keywords.ts';
import { clip, type DbcTokens, NUMBER, WORD } from './tokens.ts';

/** NS_ lists keywords, each followed by another or by what ends the list. */
export function readSymbols(tokens: DbcTokens): void {
  tokens.took(':');
  while (tokens.kind === WORD && tokens.word !== 'BS_' && tokens.word !== 'BU_') tokens.advance();
}

/** BS_: bit rates, which nobody writes any more. */
export function readSpeeds(tokens: DbcTokens): void {
  tokens.took(':');
  while (tokens.kind === NUMBER || tokens.is(':') || tokens.is(',')) tokens.advance();
  tokens.took(';');
}

/** `BU_: Engine Dash`. */
export function readNodes(tokens: DbcTokens, { nodes }: DbcDraft): void {
  tokens.took(':');
  // A file without any node goes on with the next section; those end in an underscore, and so does no node by custom.
  while (tokens.kind === WORD && !isSection(tokens.word)) {
    nodes.push(tokens.name());
    tokens.took(',');
  }
  tokens.took(';');
}

/** `VAL_TABLE_ OnOff 1 "On" 0 "Off";`. */
export function readTable(tokens: DbcTokens, { tables }: DbcDraft): void {
  const labels = new Map<number, string>();
  tables.set(tokens.name(), labels);
  readLabels(tokens, labels);
}

/** `VAL_ 2364540158 Switch 1 "On" 0 "Off";`, or the name of a table; without an identifier these are an environment variable's. */
export function readValues(tokens: DbcTokens, draft: DbcDraft): void {
  if (tokens.kind !== NUMBER) {
    tokens.skip();
    return;
  }
  const signal = draft.signalAt(tokens);
  const table = readTableName(tokens, draft);
  const labels = table ?? new Map<number, string>();
  if (table === undefined) readLabels(tokens, labels);
  if (signal) signal.labels = labels;
}

/** The table that stands here by its name instead of its values; an unknown one is empty. */
function readTableName(tokens: DbcTokens, { tables }: DbcDraft): Map<number, string> | undefined {
  if (tokens.kind !== WORD) return undefined;
  const table = tables.get(tokens.word) ?? new Map<number, string>();
  tokens.skip();
  return table;
}

/** Pairs of a number and what it is called, up to the semicolon. */
function readLabels(tokens: DbcTokens, into: Map<number, string>): void {
  while (tokens.kind === NUMBER) {
    const value = Number(tokens.word);
    tokens.advance();
    into.set(value, tokens.string());
  }
  tokens.took(';');
}

/** `CM_ SG_ 2364540158 EngineSpeed "text";`. */
export function readComment(tokens: DbcTokens, draft: DbcDraft): void {
  if (tokens.kind === WORD) {
    const of = tokens.name();
    const about = of === 'BO_' ? draft.messageAt(tokens) : of === 'SG_' ? draft.signalAt(tokens) : undefined;
    const text = of === 'BO_' || of === 'SG_' ? tokens.string() : '';
    if (about) about.comment = text;
  }
  tokens.skip();
}

/** `SIG_VALTYPE_ 2364540158 Load : 1;`: 1 is a float of 32 bits, 2 one of 64. */
export function readValueType(tokens: DbcTokens, draft: DbcDraft): void {
  const message = draft.messageAt(tokens);
  const name = tokens.name();
  tokens.took(':');
  const type = tokens.count('the type of a value', 3);
  const signal = message?.byName.get(name);
  if (message && signal && type > 0) {
    if ((type === 1 && signal.bits === 32) || (type === 2 && signal.bits === 64)) signal.float = true;
    else {
      draft.note(`signal ${clip(name)} of ${clip(message.name)} is no float of ${signal.bits} bits and was left out`);
      message.byName.delete(name);
      signal.dropped = true;
    }
  }
  tokens.skip();
}

/** `SG_MUL_VAL_ 2364540158 Pressure Mode 1-1, 3-5;`. */
export function readMultiplexed(tokens: DbcTokens, draft: DbcDraft): void {
  const signal = draft.signalAt(tokens);
  const by = tokens.name();
  const ranges: [number, number][] = [];
  do {
    const from = tokens.count('the value of a multiplexor', 0xffffffff);
    // "1-5" reads as 1 and -5.
    tokens.took('-');
    const to = Math.abs(tokens.decimal().value);
    ranges.push([from, to]);
  } while (tokens.took(','));
  tokens.took(';');
  if (signal) signal.selector = { by, ranges };
}
