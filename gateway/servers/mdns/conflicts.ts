/** Decides whether another computer in the network has a name that this gateway announces or wants. Pure. */
import { type Answer, encode } from 'dns-packet';
import { type Records, sameName } from './records.ts';

/** Positions in a packet with one record whose name is the root: kind and class of the record, and its value. */
const KIND_AT = 13;
const CLASS_AT = 15;
const VALUE_AT = 23;

/** Returns true if a record has a value of this computer. `addresses` are all addresses of this computer. */
function isOwn(record: Answer, { unique }: Records, addresses: ReadonlySet<string>): boolean {
  // Another program of this computer, such as Avahi, or another interface of it, may announce the same name.
  if (record.type === 'A' || record.type === 'AAAA') return addresses.has(record.data);
  if (record.type !== 'SRV') return true;
  return unique.some(
    (own) =>
      own.type === 'SRV' &&
      sameName(own.name, record.name) &&
      own.data.port === record.data.port &&
      sameName(own.data.target, record.data.target),
  );
}

/** Returns the records that have one of the unique names, and a value that is not of this computer. */
function foreign(theirs: readonly Answer[], own: Records, addresses: ReadonlySet<string>): Answer[] {
  return theirs.filter(
    (record) => own.unique.some(({ name }) => sameName(name, record.name)) && !isOwn(record, own, addresses),
  );
}

/** Returns true if an answer of another computer shows that it has one of the names. */
export function isTaken(theirs: readonly Answer[], own: Records, addresses: ReadonlySet<string>): boolean {
  // A lifetime of 0 means that the other computer gives up the name.
  return foreign(theirs, own, addresses).some((record) => !('ttl' in record) || record.ttl !== 0);
}

/**
 * Decides which of two computers gets a name if both ask for it at the same time (RFC 6762 section 8.2). Both compare the same bytes, so
 * both come to the same result. Returns true if this computer loses.
 */
export function losesTie(theirs: readonly Answer[], own: Records, addresses: ReadonlySet<string>): boolean {
  // The first name decides for all names of the gateway. If each name decided for itself, both computers could lose.
  const others = foreign(theirs, own, addresses);
  const tied = own.unique.find(({ name }) => others.some((record) => sameName(record.name, name)));
  if (tied === undefined) return false;
  const named = (records: readonly Answer[]) =>
    records
      .filter((record) => record.type !== 'TXT' && sameName(record.name, tied.name))
      .map(bytesOf)
      .sort(Buffer.compare);
  const mine = named(own.unique);
  for (const [i, bytes] of named(theirs).entries()) {
    const order = Buffer.compare(bytes, mine[i] ?? Buffer.alloc(0));
    if (order !== 0) return order > 0;
  }
  return false;
}

/** Returns class, kind and value of a record, in the order in which they are compared. */
function bytesOf(record: Answer): Buffer {
  const packet = encode({ type: 'response', answers: [{ ...record, name: '.', ttl: 0, flush: false } as Answer] });
  return Buffer.concat([
    packet.subarray(CLASS_AT, CLASS_AT + 2),
    packet.subarray(KIND_AT, CLASS_AT),
    packet.subarray(VALUE_AT),
  ]);
}
