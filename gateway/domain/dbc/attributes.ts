/**
 * BA_DEF_, BA_DEF_DEF_ and BA_: the definitions, defaults and values of attributes. The decoder uses three attributes: VFrameFormat and
 * ProtocolType decide whether a message is J1939, and SPN names the parameter of a signal.
 */
import type { DbcDraft } from './draft.ts';
import { type DbcTokens, NUMBER, STRING, WORD } from './tokens.ts';

/** Reads `BA_DEF_ BO_ "VFrameFormat" ENUM "StandardCAN","J1939PG";`. Only the value list of an ENUM attribute is stored. */
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

/** Reads the default value of an attribute: `BA_DEF_DEF_ "VFrameFormat" "J1939PG";`. */
export function readDefault(tokens: DbcTokens, draft: DbcDraft): void {
  const name = tokens.string();
  if (isValue(tokens)) draft.defaults.set(name, readValue(tokens, draft, name));
  tokens.skip();
}

/** Reads an attribute value of a signal, of a message or of the whole network: `BA_ "SPN" SG_ 2364540158 EngineSpeed 190;`. */
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

/** Reads an attribute value as text. For an ENUM value that is written as its index in the value list, it returns the listed text. */
function readValue(tokens: DbcTokens, { enums }: DbcDraft, name: string): string {
  const { word } = tokens;
  const isPlace = tokens.kind === NUMBER;
  tokens.advance();
  return isPlace ? (enums.get(name)?.[Number(word)] ?? word) : word;
}
