/** The DNS records of a name that the gateway announces, and the answers to questions about them. Pure. */
import type { Answer, Packet, Question } from 'dns-packet';

/** Seconds for which a client may use an address, and the other records (RFC 6762 section 10). */
const ADDRESS_TTL_S = 120;
const OTHER_TTL_S = 4_500;
/** The most characters in one part of a DNS name (RFC 1035 section 2.3.4). */
const MOST_LABEL = 63;
/** The part of a name that a suffix needs, such as `-99`. */
const SUFFIX_ROOM = 4;
const SITE_PREFIX = 'site-';
/** The name under which a client asks for the kinds of services in the network (RFC 6763 section 9). */
const ALL_SERVICES = '_services._dns-sd._udp.local';

/** A listener that the gateway announces. */
export interface Service {
  /** For example `_mqtt._tcp`. */
  readonly type: string;
  readonly port: number;
  readonly text: Readonly<Record<string, string>>;
}

/** The records of one name on one network interface. */
export interface Records {
  /** Records that only one computer in the network may have: the addresses of the name, and its services. */
  readonly unique: readonly Answer[];
  /** Records that lead to the services. Other gateways have the same names with other values. */
  readonly shared: readonly Answer[];
  /** Records that say which kinds of records the names do not have (RFC 6762 section 6.1). */
  readonly denials: readonly Answer[];
}

/** Returns the first part of the name with a suffix: `headframe`, `headframe-2`, ... */
export function labelOf(base: string, n: number): string {
  const short = base.slice(0, MOST_LABEL - SUFFIX_ROOM).replace(/-+$/, '');
  return n === 1 ? short : `${short}-${n}`;
}

/** Returns the first part of the name of a site, such as `site-north-quarry`; null if its name has no letter or digit of ASCII. */
export function siteLabel(name: string): string | null {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return slug === '' ? null : labelOf(`${SITE_PREFIX}${slug}`, 1);
}

/** Makes the records of the name `label`.local with these services and addresses. */
export function recordsOf(label: string, services: readonly Service[], addresses: readonly string[]): Records {
  const host = `${label}.local`;
  const address = addresses.map((data): Answer => ({ name: host, type: 'A', ttl: ADDRESS_TTL_S, flush: true, data }));
  const denial = (name: string, rrtypes: string[]): Answer => ({
    name,
    type: 'NSEC',
    ttl: ADDRESS_TTL_S,
    flush: true,
    data: { nextDomain: name, rrtypes },
  });
  const unique: Answer[] = [...address];
  const shared: Answer[] = [];
  const denials = [denial(host, ['A'])];
  for (const { type, port, text } of services) {
    const kind = `${type}.local`;
    const instance = `${label}.${kind}`;
    const data = Object.entries(text).map(([key, value]) => Buffer.from(`${key}=${value}`).subarray(0, 255));
    unique.push(
      { name: instance, type: 'SRV', ttl: ADDRESS_TTL_S, flush: true, data: { port, target: host } },
      { name: instance, type: 'TXT', ttl: OTHER_TTL_S, flush: true, data },
    );
    shared.push(
      { name: kind, type: 'PTR', ttl: OTHER_TTL_S, data: instance },
      { name: ALL_SERVICES, type: 'PTR', ttl: OTHER_TTL_S, data: kind },
    );
    denials.push(denial(instance, ['TXT', 'SRV']));
  }
  return { unique, shared, denials };
}

/** Returns the query with which the gateway asks whether another computer has the names already (RFC 6762 section 8.1). */
export function probeOf({ unique }: Records): Packet {
  const names = [...new Set(unique.map(({ name }) => name))];
  return {
    type: 'query',
    questions: names.map((name): Question => ({ name, type: 'ANY' as Question['type'] })),
    // The texts are left out, so that the packet stays short. Two gateways compare their addresses and ports.
    authorities: unique.filter(({ type }) => type !== 'TXT').map((record) => ({ ...record, flush: false }) as Answer),
  };
}

/** Returns the records with a lifetime of 0: clients forget them at once. */
export function goodbyeOf({ unique, shared }: Records): Answer[] {
  return [...unique, ...shared].map((record) => ({ ...record, ttl: 0 }) as Answer);
}

export const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Returns the value of a record as text that is equal for equal values. */
function textOf(record: Answer): string {
  if (record.type === 'SRV') return `${record.data.port} ${record.data.target.toLowerCase()}`;
  if (record.type === 'PTR') return record.data.toLowerCase();
  return 'data' in record ? JSON.stringify(record.data) : '';
}

const isSame = (a: Answer, b: Answer) => a.type === b.type && sameName(a.name, b.name) && textOf(a) === textOf(b);

/** The classes of a question: IN and ANY, and both with the bit that asks for an answer to the asking address only. */
const CLASSES: readonly string[] = ['IN', 'ANY', 'UNKNOWN_32769', 'UNKNOWN_33023'];

/** Returns true if the asking client wants the answer only for itself (RFC 6762 section 5.4). */
export const wantsUnicast = ({ class: of = 'IN' }: Question): boolean => /^UNKNOWN_3(2769|3023)$/.test(of);

/** The answers to a query. */
export interface Answers {
  readonly answers: readonly Answer[];
  readonly additionals: readonly Answer[];
}

/** Returns the answers to a query, without those that the client says it knows (RFC 6762 section 7.1). */
export function answersTo(query: Packet, { unique, shared, denials }: Records): Answers {
  const answers = new Set<Answer>();
  for (const question of query.questions ?? []) {
    if (!CLASSES.includes(question.class ?? 'IN')) continue;
    const type = String(question.type);
    const named = [...unique, ...shared].filter(({ name }) => sameName(name, question.name));
    const fitting = named.filter((record) => type === 'ANY' || type === record.type);
    for (const record of fitting) answers.add(record);
    if (fitting.length === 0)
      for (const record of denials.filter(({ name }) => sameName(name, question.name))) answers.add(record);
  }
  const known = query.answers ?? [];
  for (const record of answers)
    if (known.some((one) => isSame(one, record) && ttlOf(one) * 2 >= ttlOf(record))) answers.delete(record);
  const additionals = new Set<Answer>();
  for (const record of answers) {
    const target = record.type === 'PTR' ? record.data : record.type === 'SRV' ? record.data.target : '';
    for (const one of unique.filter(({ name }) => sameName(name, target))) {
      additionals.add(one);
      if (one.type !== 'SRV') continue;
      for (const address of unique.filter(({ type }) => type === 'A')) additionals.add(address);
    }
  }
  return { answers: [...answers], additionals: [...additionals].filter((one) => !answers.has(one)) };
}

const ttlOf = (record: Answer): number => ('ttl' in record ? (record.ttl ?? 0) : 0);
