/**
 * The parts of a message that differ from commit to commit, in columns of their own: bytes that do not compress, contents of documents,
 * numbers, and the values of fields. What is left of the commits of a page is nearly the same text, which compresses to almost nothing.
 *
 * In the text, a string stands for itself, unless it begins with `~`:
 *
 *   ~~text      the string ~text
 *   ~r<n>       the same string as the one n places before in the list of the latest ids and hashes
 *   ~i<prefix>  an id, such as eq_...: its time as a number, and 10 random bytes
 *   ~j<prefix>  the same with 8 random bytes, of an id that is the first one of its commit
 *   ~h<prefix>  an id that was made from a hash: 16 bytes
 *   ~x<n>       n bytes as hexadecimal digits
 *   ~b<n>       n bytes of the contents as base64
 *   ~t          a time, as the difference in milliseconds to the time of the commit
 *   ~s          the next entry of the list of values
 *
 * Text before an id, such as the collection in `records/eq_...`, stands after a `<` at the end.
 */
import { ByteReader, ByteWriter } from './byte-column.ts';
import { bytesOfId, textOfId } from './id-bytes.ts';
import { NumberReader, NumberWriter } from './numbers.ts';
import { damaged } from './wire-error.ts';

/** How deep the content of a message may be nested. */
const MOST_DEPTH = 64;
/** Ids and hashes that can be named again by their place. */
const MOST_LATEST = 128;
const HEX = /^(?:[0-9a-f]{2}){8,64}$/;
const BASE64 = /^[A-Za-z0-9+/]{100,}={0,2}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const WITH_ID = /^(.{0,80}?)([a-z]{1,10}_)([0-7][0-9a-hjkmnp-tv-z]{25})$/s;
const LARGEST_MS = 8_640_000_000_000_000;

/** The strings that both ends remember while they write or read a message, the latest first. */
class Latest {
  readonly #list: string[] = [];

  /** The place of a string, which then becomes the first one; -1 if it is not in the list, and is now. */
  find(text: string): number {
    const place = this.#list.indexOf(text);
    this.#first(text, place);
    return place;
  }

  at(place: number): string {
    const text = this.#list[place];
    if (text === undefined) throw damaged('it refers to a string that it does not have');
    this.#first(text, place);
    return text;
  }

  #first(text: string, place: number): void {
    if (place >= 0) this.#list.splice(place, 1);
    else if (this.#list.length === MOST_LATEST) this.#list.pop();
    this.#list.unshift(text);
  }
}

/** What both ends know of the times of a message so far. */
class Times {
  /** The time of the latest stamp. */
  stamp = 0;
  /** The time of the latest id of each prefix. */
  readonly #ids = new Map<string, number>();

  ofId = (prefix: string): number => this.#ids.get(prefix) ?? this.stamp;
  setId = (prefix: string, ms: number): void => void this.#ids.set(prefix, ms);
}

export class ColumnWriter {
  readonly bytes = new ByteWriter();
  readonly contents = new ByteWriter();
  readonly numbers = new NumberWriter();
  readonly values: (string | number)[] = [];
  readonly #latest = new Latest();
  readonly #times = new Times();

  /** The time of a commit or of a value, in milliseconds. */
  stamp(ms: number): void {
    this.numbers.put(ms - this.#times.stamp);
    this.#times.stamp = ms;
  }

  /** The value of a field. */
  value(v: unknown): unknown {
    if (typeof v === 'number') return this.#listed(v);
    const written = this.tree(v);
    return typeof v === 'string' && (written === v || written === `~${v}`) ? this.#listed(v) : written;
  }

  #listed(v: string | number): string {
    this.values.push(v);
    return '~s';
  }

  /** A value of JSON with all that it contains. */
  tree(v: unknown): unknown {
    if (typeof v === 'string') return this.text(v);
    if (typeof v !== 'object' || v === null) return v;
    if (Array.isArray(v)) return v.map((each) => this.tree(each));
    const members = Object.entries(v).filter(([, member]) => member !== undefined);
    return Object.fromEntries(members.map(([key, member]) => [key, this.tree(member)]));
  }

  text(text: string): string {
    if (text.length < 16) return text[0] === '~' ? `~${text}` : text;
    if (TIME.test(text) && isTime(text)) {
      this.numbers.put(Date.parse(text) - this.#times.stamp);
      return '~t';
    }
    if (HEX.test(text)) return this.#hex(text);
    const [, before = '', prefix = '', rest] = WITH_ID.exec(text) ?? [];
    if (rest !== undefined) return `${this.#id(prefix, rest)}${before === '' ? '' : `<${before}`}`;
    if (BASE64.test(text)) {
      const bytes = Buffer.from(text, 'base64');
      if (bytes.toString('base64') === text) {
        this.contents.put(bytes);
        return `~b${bytes.length}`;
      }
    }
    return text[0] === '~' ? `~${text}` : text;
  }

  #hex(text: string): string {
    const place = this.#latest.find(text);
    if (place >= 0) return `~r${place}`;
    this.bytes.putHash(text, text.length / 2);
    return `~x${text.length / 2}`;
  }

  #id(prefix: string, rest: string): string {
    const place = this.#latest.find(prefix + rest);
    if (place >= 0) return `~r${place}`;
    const { ms, random } = bytesOfId(rest);
    if (ms !== undefined) {
      this.numbers.put(ms - this.#times.ofId(prefix));
      this.#times.setId(prefix, ms);
    }
    this.bytes.put(random);
    return `~${FORMS[random.length]}${prefix}`;
  }
}

const FORMS: Readonly<Record<number, string>> = { 8: 'j', 10: 'i', 16: 'h' };
const LENGTHS: Readonly<Record<string, number>> = { j: 8, i: 10, h: 16 };

const isTime = (text: string): boolean => {
  const ms = Date.parse(text);
  return Number.isFinite(ms) && new Date(ms).toISOString() === text;
};

/** The columns of a message that was received. */
export interface Columns {
  readonly bytes: Buffer;
  readonly contents: Buffer;
  readonly numbers: string;
  readonly values: readonly unknown[];
}

export class ColumnReader {
  readonly bytes: ByteReader;
  readonly #contents: ByteReader;
  readonly #numbers: NumberReader;
  readonly #values: readonly unknown[];
  readonly #latest = new Latest();
  readonly #times = new Times();
  #used = 0;

  constructor({ bytes, contents, numbers, values }: Columns) {
    this.bytes = new ByteReader(bytes);
    this.#contents = new ByteReader(contents);
    this.#numbers = new NumberReader(numbers);
    this.#values = values;
  }

  stamp(): number {
    this.#times.stamp += this.#numbers.take();
    return this.#times.stamp;
  }

  /** A value of JSON with all that it contains. */
  tree(v: unknown, depth = MOST_DEPTH): unknown {
    if (typeof v === 'string') return v === '~s' ? this.#value() : this.text(v);
    if (typeof v !== 'object' || v === null) return v;
    if (depth === 0) throw damaged(`a value is nested deeper than ${MOST_DEPTH} levels`);
    if (Array.isArray(v)) return v.map((each) => this.tree(each, depth - 1));
    return Object.fromEntries(Object.entries(v).map(([key, member]) => [key, this.tree(member, depth - 1)]));
  }

  text(text: string): string {
    if (text[0] !== '~') return text;
    const form = text[1] ?? '';
    const rest = text.slice(2);
    if (form === '~') return text.slice(1);
    if (form === 't') return this.#time();
    if (form === 'b') return this.#contents.take(countOf(rest)).toString('base64');
    if (form === 'x') return this.#known(this.bytes.takeHash(countOf(rest)));
    const at = rest.indexOf('<');
    const [name, before] = at < 0 ? [rest, ''] : [rest.slice(0, at), rest.slice(at + 1)];
    if (form === 'r') return before + this.#latest.at(countOf(name));
    const length = LENGTHS[form];
    if (length === undefined) throw damaged('it has a string of an unknown form');
    return before + this.#known(this.#id(name, length));
  }

  #known(text: string): string {
    this.#latest.find(text);
    return text;
  }

  #id(prefix: string, length: number): string {
    if (length === LENGTHS.h) return prefix + textOfId(undefined, this.bytes.take(length));
    const ms = this.#times.ofId(prefix) + this.#numbers.take();
    this.#times.setId(prefix, ms);
    return prefix + textOfId(ms, this.bytes.take(length));
  }

  #time(): string {
    const ms = this.#times.stamp + this.#numbers.take();
    if (Math.abs(ms) > LARGEST_MS) throw damaged('a time is out of range');
    return new Date(ms).toISOString();
  }

  #value(): unknown {
    if (this.#used === this.#values.length) throw damaged('a value is missing');
    return this.#values[this.#used++];
  }

  /** Checks that the message has used all columns. */
  end(): void {
    this.bytes.end();
    this.#contents.end();
    this.#numbers.end();
    if (this.#used !== this.#values.length) throw damaged('it has values that nothing uses');
  }
}

function countOf(digits: string): number {
  if (!/^\d{1,8}$/.test(digits)) throw damaged('a length is not a number');
  return Number(digits);
}
