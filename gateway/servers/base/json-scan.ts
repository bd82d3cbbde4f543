/**
 * Scans the text of a JSON body before it is parsed. It counts values, names and levels, and refuses a name that occurs twice in one
 * object, because RFC 8259 4 does not define which of the two values a parser uses.
 *
 * The scan is not a parser: text that is not JSON may pass, and `JSON.parse` refuses it afterwards. For valid JSON the counts are exact,
 * so that `JSON.parse` and the schemas never process more values than the operation allows. The scan works in steps, so that a long
 * text does not block the event loop.
 */
import { OperationError } from '#contract/base/errors.ts';
import { FORBIDDEN_NAMES } from '#contract/base/json.ts';
import { LIMITS } from '#contract/base/limits.ts';

/** Limits for the JSON of one body, besides the limit for its bytes. */
export interface JsonBounds {
  /** Limit for the number of values of all kinds, including objects and arrays. */
  readonly values: number;
}

/**
 * The byte positions of a long array in the outermost object, and of the commas between its items at which the parser may divide the array.
 */
export interface LongArray {
  /** Position of the name of the array, including the quotes. */
  readonly name: readonly [from: number, to: number];
  /** Position of the first byte after `[`. */
  readonly from: number;
  /** Position of the `]` that ends the array. */
  to: number;
  /** Positions of the commas at which the array is divided, at least `PIECE` bytes apart. */
  readonly cuts: number[];
}

export interface JsonScan {
  /** Arrays that are long enough to be parsed in pieces. */
  readonly long: readonly LongArray[];
  /** Scans the next bytes; returns true at the end of the text. Throws `body_malformed` or `payload_too_large`. */
  step(bytes: number): boolean;
}

/** Arrays longer than this are parsed in pieces of about this many bytes. */
export const PIECE = 65_536;
const MOST_NAMES = LIMITS.json_names.value;
const DEPTH = LIMITS.depth.value;
const NAME_BYTES = LIMITS.json_name.value;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

const refuse = (why: string) => new OperationError('body_malformed', `The body is not accepted: ${why}.`);

/** Starts a scan of the UTF-8 bytes of a JSON text. */
export function scanJson(bytes: Buffer, bounds: JsonBounds): JsonScan {
  /** For each open object, by level, the names found so far; undefined for an open array. */
  const levels: (Set<string> | undefined)[] = [];
  /** One set of names for each level. All objects of a level use the same set, which saves allocations. */
  const spare: Set<string>[] = [];
  const long: LongArray[] = [];
  let array: LongArray | undefined;
  /** Position of the last name found in the outermost object. */
  let outerName: readonly [from: number, to: number] = [0, 0];
  let names: Set<string> | undefined;
  let depth = 0;
  let values = 1;
  let at = 0;
  /** Position of the last string. If a colon follows, this string is a name. */
  let textFrom = -1;
  let textTo = 0;
  let escaped = false;

  function more(): void {
    if (++values > bounds.values)
      throw new OperationError('payload_too_large', `The body has more than ${bounds.values} values.`);
  }

  function open(isObject: boolean): void {
    more();
    if (depth >= DEPTH) throw refuse(`it has more than ${DEPTH} levels`);
    if (isObject) {
      names = spare[depth] ??= new Set();
      names.clear();
    } else names = undefined;
    levels[depth++] = names;
    if (depth === 2 && !isObject && levels[0] !== undefined)
      array = { name: outerName, from: at + 1, to: at + 1, cuts: [] };
  }

  function close(): void {
    if (depth === 0) return;
    if (depth === 2 && array !== undefined) {
      array.to = at;
      if (array.cuts.length > 0) long.push(array);
      array = undefined;
    }
    depth--;
    names = depth === 0 ? undefined : levels[depth - 1];
  }

  function comma(): void {
    more();
    if (depth === 2 && array !== undefined && at - (array.cuts.at(-1) ?? array.from) >= PIECE) array.cuts.push(at);
  }

  function name(): void {
    if (names === undefined) return;
    if (textTo - textFrom > NAME_BYTES) throw refuse(`a name is longer than ${NAME_BYTES} bytes`);
    let text = bytes.toString('latin1', textFrom, textTo);
    if (escaped) text = plainName(bytes, textFrom, textTo) ?? text;
    if (names.has(text)) throw refuse(`an object has the name \`${shown(text)}\` twice`);
    if (FORBIDDEN_NAMES.has(text)) throw refuse(`the name \`${text}\` is not allowed`);
    if (names.size >= MOST_NAMES)
      throw new OperationError('payload_too_large', `An object of the body has more than ${MOST_NAMES} names.`);
    names.add(text);
    if (depth === 1) outerName = [textFrom - 1, textTo + 1];
  }

  /** Skips to the end of the string that begins here. */
  function string(): void {
    const { length } = bytes;
    escaped = false;
    let i = at + 1;
    for (; i < length; i++) {
      const byte = bytes[i];
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) {
        escaped = true;
        i++;
      }
    }
    textFrom = at + 1;
    textTo = Math.min(i, length);
    at = i;
  }

  return {
    long,
    step(most) {
      const end = Math.min(bytes.length, at + most);
      for (; at < end; at++) {
        const byte = bytes[at] as number;
        if (byte === QUOTE) string();
        else if (byte === COLON) name();
        else if (byte === COMMA) comma();
        // 0x7b and 0x7d are braces, 0x5b and 0x5d brackets. They differ in the bit 0x20.
        else if ((byte | 0x20) === 0x7b) open(byte === 0x7b);
        else if ((byte | 0x20) === 0x7d) close();
      }
      return at >= bytes.length;
    },
  };
}

/**
 * Decodes the escapes in a name. Returns the name as Latin-1 text, the form of all names in this scan; undefined if the name is not a JSON
 * string.
 */
function plainName(bytes: Buffer, from: number, to: number): string | undefined {
  try {
    return Buffer.from(JSON.parse(`"${bytes.toString('utf8', from, to)}"`)).toString('latin1');
  } catch {
    return undefined;
  }
}

/** Returns a name for an error message, shortened to 80 characters. */
function shown(name: string): string {
  return Buffer.from(name, 'latin1').toString('utf8').slice(0, 80);
}
