/**
 * Reads properties of the logger and the buses from the comments of an MDF 4.1 file. A comment is XML text. The functions search this text
 * for single elements and do not parse the whole XML.
 */
import type { LogBus, LogInfo } from '#codec/log-types.ts';
import { type Mdf4Bytes, type Mdf4Group, type Mdf4Header, orElse } from './blocks.ts';

const LONGEST_WORD = 1_000;
/**
 * The reader reads the comments of groups until it has read this many different ones. This number is enough, because most groups of a
 * logger share one comment.
 */
const MOST_COMMENTS = 64;

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Decodes the XML escapes in the text of an element and trims the text. */
const plain = (text: string) =>
  text
    .replace(/&#(\d{1,7});/g, (_, code: string) => String.fromCodePoint(Math.min(Number(code), 0x10ffff)))
    .replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] as string)
    .trim()
    .slice(0, LONGEST_WORD);

/** Returns the properties in a comment (`<e name="...">...</e>`) by name. If a name occurs twice, the first value is used. */
function properties(xml: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name = '', value = ''] of xml.matchAll(/<e\s+name="([^"<>]{1,100})"[^<>]{0,200}>([^<]*)<\/e>/g)) {
    const key = plain(name).toLowerCase();
    if (!found.has(key)) found.set(key, plain(value));
  }
  return found;
}

const RATE = /^can\s?(\d{1,3})\s+(.{0,20}?)bit-?\s?rate$/;

/** Reads the comments of the file and of the sources of its groups. */
export function readMdf4Comments(
  bytes: Mdf4Bytes,
  header: Mdf4Header,
  groups: readonly Mdf4Group[],
): { readonly info: Partial<LogInfo>; readonly buses: readonly LogBus[] } {
  const file = properties(header.comment);
  const texts = new Map<string, ReadonlyMap<string, string>>();
  for (const { source } of groups) {
    if (source === 0 || texts.size >= MOST_COMMENTS) continue;
    const xml = orElse('', () => bytes.text(bytes.link(bytes.block(source, '##SI'), 2)));
    if (!texts.has(xml)) texts.set(xml, properties(xml));
  }
  const sources = [...texts.values()];
  const rates = new Map<number, { bit_rate: number | null; fd_bit_rate: number | null }>();
  for (const source of sources)
    for (const [name, value] of source) {
      const [, bus, kind = ''] = RATE.exec(name) ?? [];
      const rate = Number(value);
      if (bus === undefined || !(rate > 0)) continue;
      const known = rates.get(Number(bus)) ?? { bit_rate: null, fd_bit_rate: null };
      if (/fd|data|2/.test(kind)) known.fd_bit_rate ??= rate;
      else known.bit_rate ??= rate;
      rates.set(Number(bus), known);
    }
  const property = (name: string, ofSource = name) =>
    file.get(name) || sources.map((source) => source.get(ofSource)).find(Boolean) || null;
  const whole = (name: string) => {
    const text = file.get(name) ?? '';
    return /^\d{1,15}$/.test(text) ? Number(text) : null;
  };
  return {
    info: {
      comment: file.get('comment') || plain(/<TX>([^<]{1,2000})<\/TX>/.exec(header.comment)?.[1] ?? '') || null,
      device_type: property('device type'),
      serial_number: property('serial number'),
      firmware: property('firmware version', 'software configuration'),
      session: whole('session'),
      split: whole('split'),
    },
    buses: [...rates].sort(([a], [b]) => a - b).map(([bus, rate]) => ({ bus, name: `CAN${bus}`, ...rate })),
  };
}
