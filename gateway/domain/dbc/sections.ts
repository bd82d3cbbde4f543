/** The readers of small sections: nodes, comments, value names, and sections that make a signal a float or a multiplexed signal. */
import type { DbcDraft } from './draft.ts';
import { isSection } from './keywords.ts';
import { clip, type DbcTokens, NUMBER, WORD } from './tokens.ts';

/** Skips NS_, a list of keywords. BS_ or BU_ ends the list. */
export function readSymbols(tokens: DbcTokens): void {
  tokens.took(':');
  while (tokens.kind === WORD && tokens.word !== 'BS_' && tokens.word !== 'BU_') tokens.advance();
}

/** Skips BS_, the bit rates of the bus; the section is obsolete and usually empty. */
export function readSpeeds(tokens: DbcTokens): void {
  tokens.took(':');
  while (tokens.kind === NUMBER || tokens.is(':') || tokens.is(',')) tokens.advance();
  tokens.took(';');
}

/** Reads the node names: `BU_: Engine Dash`. */
export function readNodes(tokens: DbcTokens, { nodes }: DbcDraft): void {
  tokens.took(':');
  // The list has no end mark: it ends at the keyword of the next section.
  while (tokens.kind === WORD && !isSection(tokens.word)) {
    nodes.push(tokens.name());
    tokens.took(',');
  }
  tokens.took(';');
}

/** Reads a table of value names: `VAL_TABLE_ OnOff 1 "On" 0 "Off";`. */
export function readTable(tokens: DbcTokens, { tables }: DbcDraft): void {
  const labels = new Map<number, string>();
  tables.set(tokens.name(), labels);
  readLabels(tokens, labels);
}

/**
 * Reads the value names of a signal: `VAL_ 2364540158 Switch 1 "On" 0 "Off";`. Instead of the list, a section may have the name of a value
 * table. A section without a message identifier belongs to an environment variable and is skipped.
 */
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

/** If the next token is the name of a value table, reads it and returns the table; an unknown name gives an empty table. */
function readTableName(tokens: DbcTokens, { tables }: DbcDraft): Map<number, string> | undefined {
  if (tokens.kind !== WORD) return undefined;
  const table = tables.get(tokens.word) ?? new Map<number, string>();
  tokens.skip();
  return table;
}

/** Reads pairs of a raw value and its name up to the semicolon. */
function readLabels(tokens: DbcTokens, into: Map<number, string>): void {
  while (tokens.kind === NUMBER) {
    const value = Number(tokens.word);
    tokens.advance();
    into.set(value, tokens.string());
  }
  tokens.took(';');
}

/** Reads the comment of a message or signal: `CM_ SG_ 2364540158 EngineSpeed "text";`. */
export function readComment(tokens: DbcTokens, draft: DbcDraft): void {
  if (tokens.kind === WORD) {
    const of = tokens.name();
    const about = of === 'BO_' ? draft.messageAt(tokens) : of === 'SG_' ? draft.signalAt(tokens) : undefined;
    const text = of === 'BO_' || of === 'SG_' ? tokens.string() : '';
    if (about) about.comment = text;
  }
  tokens.skip();
}

/** Reads `SIG_VALTYPE_ 2364540158 Load : 1;`. Type 1 is a float of 32 bits, type 2 a float of 64 bits. */
export function readValueType(tokens: DbcTokens, draft: DbcDraft): void {
  const message = draft.messageAt(tokens);
  const name = tokens.name();
  tokens.took(':');
  const type = tokens.count('the type of a value', 3);
  const signal = message?.byName.get(name);
  if (message && signal && type > 0) {
    if ((type === 1 && signal.bits === 32) || (type === 2 && signal.bits === 64)) signal.float = true;
    else {
      draft.note(
        `signal ${clip(name)} of ${clip(message.name)} has a float type that does not fit ${signal.bits} bits and was left out`,
      );
      message.byName.delete(name);
      signal.dropped = true;
    }
  }
  tokens.skip();
}

/** Reads the multiplexor of a signal, and the values for which it selects the signal: `SG_MUL_VAL_ 2364540158 Pressure Mode 1-1, 3-5;`. */
export function readMultiplexed(tokens: DbcTokens, draft: DbcDraft): void {
  const signal = draft.signalAt(tokens);
  const by = tokens.name();
  const ranges: [number, number][] = [];
  do {
    const from = tokens.count('the value of a multiplexor', 0xffffffff);
    // The tokenizer reads "1-5" as the numbers 1 and -5.
    tokens.took('-');
    const to = Math.abs(tokens.decimal().value);
    ranges.push([from, to]);
  } while (tokens.took(','));
  tokens.took(';');
  if (signal) signal.selector = { by, ranges };
}
