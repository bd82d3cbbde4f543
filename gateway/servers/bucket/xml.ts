/**
 * Writes the XML answers of the bucket, and reads the XML bodies of its requests. The reader refuses document type declarations, and
 * entities other than the five of XML and character references. It also limits the depth and size of a document.
 */
import { BucketError } from './errors.ts';

/** The content of an element: text, child elements, or a list for an element that is repeated. */
export type XmlValue = string | number | boolean | XmlNode | readonly XmlValue[] | null | undefined;
export interface XmlNode {
  readonly [name: string]: XmlValue;
}

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

/** Escapes text for XML, and replaces characters that XML does not allow even when escaped (XML 1.0 2.2). */
const escapeXml = (text: string) =>
  text
    .toWellFormed()
    .replace(/[&<>"\r]/g, (char) => ESCAPES[char] as string)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML does not allow exactly these characters
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');

function element(name: string, value: XmlValue): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map((one: XmlValue) => element(name, one)).join('');
  if (typeof value === 'object')
    return `<${name}>${Object.entries(value as XmlNode)
      .map(([inner, one]) => element(inner, one))
      .join('')}</${name}>`;
  return `<${name}>${escapeXml(String(value))}</${name}>`;
}

/** Returns an XML document with the given root element. */
export function writeXml(root: string, node: XmlNode): string {
  return `${HEAD}${writeElement(root, node)}`;
}

/**
 * Returns the root element without the `<?xml ...?>` line. The element has the XML namespace of S3, except the element `Error`, which has
 * none.
 */
export function writeElement(root: string, node: XmlNode): string {
  const inner = Object.entries(node).map(([name, value]) => element(name, value));
  return root === 'Error'
    ? `<${root}>${inner.join('')}</${root}>`
    : `<${root} xmlns="${NAMESPACE}">${inner.join('')}</${root}>`;
}

/** The `<?xml ...?>` line of a document. */
export const XML_HEAD = HEAD;

/** An element of an XML document that `readXml` has parsed. */
export interface XmlElement {
  readonly name: string;
  /** Text of this element, without the text of its children. */
  text: string;
  readonly children: XmlElement[];
}

const MOST_DEPTH = 8;
const MOST_ELEMENTS = 100_000;
/** Largest number of characters of an XML entity, such as `&amp;`. */
const MOST_ENTITY = 11;
/**
 * Largest number of characters between two tags. The longest text is an object key of 1,024 bytes. Each byte may be written with up to 10
 * characters, 10,240 in all.
 */
const MOST_TEXT = 16_384;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const TOKEN = /<([^>]*)>|([^<]+)/gy;

const malformed = () => new BucketError('MalformedXML');

/**
 * Replaces the entities of a text one after the other. `String.replace` would first collect all matches in memory, which may be very many.
 */
function readText(text: string): string {
  let made = '';
  let from = 0;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', from)) {
    const end = text.indexOf(';', at);
    if (end < 0 || end - at > MOST_ENTITY) throw malformed();
    made += text.slice(from, at) + readEntity(text.slice(at + 1, end));
    from = end + 1;
  }
  return made + text.slice(from);
}

function readEntity(name: string): string {
  const known = Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined;
  if (known !== undefined) return known;
  const [, hex, decimal] = /^#(?:x([0-9A-Fa-f]{1,6})|(\d{1,7}))$/.exec(name) ?? [];
  const code = hex !== undefined ? Number.parseInt(hex, 16) : Number(decimal ?? Number.NaN);
  if (!(code <= 0x10ffff)) throw malformed();
  return String.fromCodePoint(code);
}

/** Parses a document and returns its root element; throws `MalformedXML`. */
export function readXml(text: string): XmlElement {
  const open: XmlElement[] = [];
  let root: XmlElement | undefined;
  let count = 0;
  let at = 0;
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
    at = TOKEN.lastIndex;
    const [, tag, words] = token;
    const inside = open.at(-1);
    if (words !== undefined) {
      if (words.length > MOST_TEXT) throw malformed();
      if (inside !== undefined) inside.text += readText(words);
      else if (words.replace(/^\ufeff/, '').trim() !== '') throw malformed();
      continue;
    }
    if (tag === undefined) throw malformed();
    if (tag.startsWith('?') && root === undefined) continue;
    const [, closing, name, alone] = /^(\/?)([A-Za-z_][\w.:-]{0,63})(?:\s[^<]*?)?(\/?)$/s.exec(tag) ?? [];
    if (name === undefined) throw malformed();
    if (closing === '/') {
      if (inside?.name !== localName(name)) throw malformed();
      open.pop();
      continue;
    }
    if (root !== undefined && inside === undefined) throw malformed();
    if (++count > MOST_ELEMENTS || open.length === MOST_DEPTH) throw malformed();
    const made: XmlElement = { name: localName(name), text: '', children: [] };
    if (inside === undefined) root = made;
    else inside.children.push(made);
    if (alone !== '/') open.push(made);
  }
  if (root === undefined || open.length > 0 || at !== text.length) throw malformed();
  return root;
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1);

/** Returns the text of the first child element with this name; undefined if there is none. */
export function textOf(of: XmlElement, name: string): string | undefined {
  return of.children.find((one) => one.name === name)?.text;
}
