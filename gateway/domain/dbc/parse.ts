/**
 * Parses the text of a DBC file, in which a vendor describes the CAN messages of a machine.
 *
 *   text -> tokens (tokens.ts) -> one reader for each section -> draft, which later sections change (draft.ts) -> file (finish.ts)
 *
 * A syntax error throws `DbcError` with line and column. A part with correct syntax may still be impossible, for example a signal beyond
 * the end of its message. The parser leaves out this part and adds a note, so that the other messages of the file can be used. The parser
 * skips sections that decoding does not need.
 */
import { readAttribute, readAttributeValue, readDefault } from './attributes.ts';
import { DbcDraft } from './draft.ts';
import { finishDbc } from './finish.ts';
import { SKIPPED } from './keywords.ts';
import { readMessage } from './messages.ts';
import type { Dbc } from './model.ts';
import {
  readComment,
  readMultiplexed,
  readNodes,
  readSpeeds,
  readSymbols,
  readTable,
  readValues,
  readValueType,
} from './sections.ts';
import { clip, DBC_LIMITS, DbcError, DbcTokens, END, WORD } from './tokens.ts';

/** The functions that read the sections, by keyword. A function starts to read after the keyword. */
const SECTIONS: ReadonlyMap<string, (tokens: DbcTokens, draft: DbcDraft) => void> = new Map([
  ['VERSION', readVersion],
  ['NS_', readSymbols],
  ['BS_', readSpeeds],
  ['BU_', readNodes],
  ['VAL_TABLE_', readTable],
  ['BO_', readMessage],
  ['CM_', readComment],
  ['BA_DEF_', readAttribute],
  ['BA_DEF_DEF_', readDefault],
  ['BA_', readAttributeValue],
  ['VAL_', readValues],
  ['SIG_VALTYPE_', readValueType],
  ['SG_MUL_VAL_', readMultiplexed],
]);

/** Parses a DBC file; throws `DbcError` if the text is invalid, too large or without messages. */
export function parseDbc(text: string): Dbc {
  if (text.length > DBC_LIMITS.text)
    throw new DbcError('dbc_too_large', `a DBC has at most ${DBC_LIMITS.text} characters`, 1, 1);
  const tokens = new DbcTokens(text);
  const draft = new DbcDraft();
  while (tokens.kind !== END) readSection(tokens, draft);
  if (draft.messages.length === 0) throw new DbcError('dbc_empty', 'the file defines no message', 1, 1);
  return finishDbc(draft);
}

function readSection(tokens: DbcTokens, draft: DbcDraft): void {
  if (tokens.kind !== WORD) tokens.fail('a section is expected here');
  const { word } = tokens;
  const read = SECTIONS.get(word);
  if (read === undefined) {
    if (!SKIPPED.has(word)) draft.note(`section ${clip(word)} is unknown and was skipped`);
    tokens.skip();
    return;
  }
  tokens.advance();
  read(tokens, draft);
}

function readVersion(tokens: DbcTokens, draft: DbcDraft): void {
  draft.version = tokens.string();
}
