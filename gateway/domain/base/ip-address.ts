/**
 * Computes the reach of an IP address from the special-purpose registries of IANA (RFC 6890). The reach says whether the address belongs to
 * a public host, belongs to the network of the site, or is an address to which the gateway must not connect.
 */

export type Reach = 'public' | 'private' | 'denied';

interface Range {
  readonly base: bigint;
  readonly bits: number;
  readonly reach: Reach;
}

const V4_BITS = 32;
const V6_BITS = 128;

/** Parses an IPv4 address to a number; undefined for other text. */
function parseV4(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)) return undefined;
  return parts.reduce((value, part) => value * 256n + BigInt(part), 0n);
}

/** Parses an IPv6 address (RFC 4291 2.2) to a number; undefined for other text. */
function parseV6(text: string): bigint | undefined {
  const [address = ''] = text.split('%');
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  const tail = dotted === null ? undefined : parseV4(dotted[2] ?? '');
  if (dotted !== null && tail === undefined) return undefined;
  const whole =
    tail === undefined ? address : `${dotted?.[1]}${(tail >> 16n).toString(16)}:${(tail & 0xffffn).toString(16)}`;
  const halves = whole.split('::');
  if (halves.length > 2) return undefined;
  const [head = [], back = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - head.length - back.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...Array.from({ length: halves.length === 1 ? 0 : missing }, () => '0'), ...back];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return groups.reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n);
}

function range(cidr: string, reach: Reach): Range {
  const [address = '', bits = ''] = cidr.split('/');
  const base = parseV4(address) ?? parseV6(address);
  if (base === undefined) throw new Error(`${cidr} is no range`);
  return { base, bits: Number(bits), reach };
}

/** The IPv4 ranges. The first range that contains an address decides its reach. */
const V4: readonly Range[] = [
  range('100.100.100.200/32', 'denied'), // metadata service of a cloud; inside the shared address space
  range('0.0.0.0/8', 'denied'),
  range('127.0.0.0/8', 'denied'),
  range('169.254.0.0/16', 'denied'), // link-local addresses, among them the metadata services of clouds
  range('10.0.0.0/8', 'private'),
  range('172.16.0.0/12', 'private'),
  range('192.168.0.0/16', 'private'),
  range('100.64.0.0/10', 'private'), // shared address space, RFC 6598
  range('192.0.0.0/24', 'denied'),
  range('192.0.2.0/24', 'denied'),
  range('192.88.99.0/24', 'denied'),
  range('198.18.0.0/15', 'denied'),
  range('198.51.100.0/24', 'denied'),
  range('203.0.113.0/24', 'denied'),
  range('224.0.0.0/3', 'denied'), // multicast, reserved, broadcast
];
const V6: readonly Range[] = [
  range('fd00:ec2::254/128', 'denied'), // metadata service of a cloud; inside the unique local addresses
  range('fc00::/7', 'private'),
  range('2001::/23', 'denied'), // Teredo and other protocol assignments
  range('2001:db8::/32', 'denied'),
  range('2002::/16', 'denied'), // 6to4
  range('3fff::/20', 'denied'),
  range('2000::/3', 'public'),
  range('::/0', 'denied'), // all other addresses are not global unicast addresses
];
/** IPv6 ranges whose last 32 bits are an IPv4 address: IPv4-mapped (RFC 4291 2.5.5.2) and NAT64 (RFC 6052 2.1). */
const CARRIERS: readonly Range[] = [range('::ffff:0:0/96', 'public'), range('64:ff9b::/96', 'public')];

function within(value: bigint, { base, bits }: Range, width: number): boolean {
  const shift = BigInt(width - bits);
  return value >> shift === base >> shift;
}

function reachOfV4(value: bigint): Reach {
  return V4.find((one) => within(value, one, V4_BITS))?.reach ?? 'public';
}

/** Returns the reach of an address; undefined for text that is not an IP address. */
export function reachOf(address: string): Reach | undefined {
  const v4 = parseV4(address);
  if (v4 !== undefined) return reachOfV4(v4);
  const v6 = parseV6(address.replace(/^\[(.*)\]$/, '$1'));
  if (v6 === undefined) return undefined;
  if (CARRIERS.some((one) => within(v6, one, V6_BITS))) return reachOfV4(v6 & 0xffff_ffffn);
  return V6.find((one) => within(v6, one, V6_BITS))?.reach ?? 'denied';
}
