/** BA_DEF_, BA_DEF_DEF_ and BA_: attributes, of which two say what a message is and one what a signal is. */
import type { DbcDraft } from './draft.ts';
import { type DbcTokens, NUMBER, STRING, WORD } from './tokens.ts';

/** `BA_DEF_ BO_ "VFrameFormat" ENUM "StandardCAN","J1939PG";`: only the values of enumerated ones are kept. */
export function readAttribute(tokens: DbcTokens, { enums }: DbcDraft): void {
  if (tokens.kind === WORD) tokens.advance();
  const name = tokens.string();
  const type = tokens.name();
  if (type === 'ENUM') {
    const values: string[] = [];
    while (tokens.kind === STRING) {
      values.push(tokens.string());
      tokens.took(',');
    }
    enums.set(name, values);
  }
  tokens.skip();
}

/** `BA_DEF_DEF_ "VFrameFormat" "J1939PG";`. */
export function readDefault(tokens: DbcTokens, draft: DbcDraft): void {
  const name = tokens.string();
  if (isValue(tokens)) draft.defaults.set(name, readValue(tokens, draft, name));
  tokens.skip();
}

/** `BA_ "SPN" SG_ 2364540158 EngineSpeed 190;`, of a message, or of the whole network. */
export function readAttributeValue(tokens: DbcTokens, draft: DbcDraft): void {
  const name = tokens.string();
  if (isValue(tokens)) draft.network.set(name, readValue(tokens, draft, name));
  else {
    const of = tokens.name();
    if (of === 'BO_') {
      const message = draft.messageAt(tokens);
      const value = readValue(tokens, draft, name);
      if (message && name === 'VFrameFormat') message.format = value;
    } else if (of === 'SG_') {
      const signal = draft.signalAt(tokens);
      const value = Number(readValue(tokens, draft, name));
      if (signal && name === 'SPN' && Number.isInteger(value) && value > 0) signal.spn = value;
    }
  }
  tokens.skip();
}

function isValue({ kind }: DbcTokens): boolean {
  return kind === STRING || kind === NUMBER;
}

/** An attribute's value as text; enumerated ones are written as their place. */
function readValue(tokens: DbcTokens, { enums }: DbcDraft, name: string): string {
  const { word } = tokens;
  const isPlace = tokens.kind === NUMBER;
  tokens.advance();
  return isPlace ? (enums.get(name)?.[Number(word)] ?? word) : word;
}
