/** The keywords of a DBC file. A section begins with its keyword. */

/** Keywords of the sections that decoding does not need; the parser skips each one up to its semicolon. */
export const SKIPPED: ReadonlySet<string> = new Set(
  'EV_ ENVVAR_DATA_ SGTYPE_ SGTYPE_VAL_ BA_SGTYPE_ BA_DEF_SGTYPE_ BA_REL_ BA_DEF_REL_ BA_DEF_DEF_REL_ BU_SG_REL_ BU_EV_REL_ BU_BO_REL_ SIG_GROUP_ SIG_TYPE_REF_ SIGTYPE_VALTYPE_ BO_TX_BU_ CAT_ CAT_DEF_ FILTER EV_DATA_ NS_DESC_'.split(
    ' ',
  ),
);

const READ: ReadonlySet<string> = new Set(
  'VERSION NS_ BS_ BU_ VAL_TABLE_ BO_ SG_ CM_ BA_DEF_ BA_DEF_DEF_ BA_ VAL_ SIG_VALTYPE_ SG_MUL_VAL_'.split(' '),
);

/** Returns true if the word is a keyword, which cannot be a name of a message, signal or node. */
export function isSection(word: string): boolean {
  return READ.has(word) || SKIPPED.has(word);
}
