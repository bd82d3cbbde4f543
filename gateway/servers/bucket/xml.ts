/** XML of the bucket: what it writes, and the little that it reads. No declarations, no entities but the five, bounded depth. */
import { BucketError } from './errors.ts';

/** An element: text, elements, or a list of equal ones. */
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

/** XML knows no other control characters, not even escaped (XML 1.0 2.2). */
const escapeXml = (text: string) =>
  text
    .toWellFormed()
    .replace(/[&<>"\r]/g, (char) => ESCAPES[char] as string)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what XML cannot hold is exactly these
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

/** A document with this root. */
export function writeXml(root: string, node: XmlNode): string {
  return `${HEAD}${writeElement(root, node)}`;
}

/** The same without the first line. */
export function writeElement(root: string, node: XmlNode): string {
  const inner = Object.entries(node).map(([name, value]) => element(name, value));
  return root === 'Error'
    ? `<${root}>${inner.join('')}</${root}>`
    : `<${root} xmlns="${NAMESPACE}">${inner.join('')}</${root}>`;
}

/** The first line of a document. */
export const XML_HEAD = HEAD;

/** An element that was read. */
export interface XmlElement {
  readonly name: string;
  /** Its own text, without that of its elements. */
  text: string;
  readonly children: XmlElement[];
}

const MOST_DEPTH = 8;
const MOST_ELEMENTS = 100_000;
/** Characters of an entity. */
const MOST_ENTITY = 11;
/** Characters between two tags: a key has 1,024 bytes, at most ten characters of XML each. */
const MOST_TEXT = 16_384;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const TOKEN = /<([^>]*)>|([^<]+)/gy;

const malformed = () => new BucketError('MalformedXML');

/** Text of an element with its entities read, one by one: a replacement over all of them would first collect every one. */
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

/** The root of a document; throws `MalformedXML`. */
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

/** The text of the first element of this name. */
export function textOf(of: XmlElement, name: string): string | undefined {
  return of.children.find((one) => one.name === name)?.text;
}
