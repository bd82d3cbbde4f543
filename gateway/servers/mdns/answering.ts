/** Sends the answers to questions about the announced names. */
import type { Answer, DecodedPacket, Packet } from 'dns-packet';
import type { Link, Sender } from './link.ts';
import { responseOf } from './name-claim.ts';
import { type Answers, answersTo, type Records, wantsUnicast } from './records.ts';

/** Milliseconds of a random wait before an answer that other gateways may give too (RFC 6762 section 6). */
const SHARED_WAIT_MS = [20, 120] as const;
/** The gateway sends one record to all computers at most once in this many milliseconds (RFC 6762 section 6). */
const AGAIN_MS = 1_000;
/** Answers to single computers, in a second. */
const MOST_SINGLE = 50;
/** The longest lifetime of a record for a client that does not follow multicast DNS (RFC 6762 section 6.7). */
const LEGACY_TTL_S = 10;
/** Wait for the rest of the known answers of a long query (RFC 6762 section 7.2). */
const REST_WAIT_MS = 450;

export interface Answering extends Disposable {
  /** Answers a query with the records that the gateway has on this interface. */
  answer(query: DecodedPacket, link: Link, from: Sender, records: readonly Records[]): void;
}

const keyOf = (record: Answer) =>
  `${record.type} ${record.name} ${'data' in record ? JSON.stringify(record.data) : ''}`;

/** `port` is the port of multicast DNS, and `now` returns milliseconds that never go back. */
export function createAnswering(port: number, now: () => number): Answering {
  /** When a record was sent to all computers of an interface. It has only records of this gateway, so it stays small. */
  const sent = new WeakMap<Link, Map<string, number>>();
  /** Answers that wait, by interface. */
  const waiting = new Map<Link, { readonly answers: Map<string, Answer>; readonly timer: NodeJS.Timeout }>();
  let second = 0;
  let singles = 0;

  function sendToAll(link: Link, { answers, additionals }: Answers): void {
    const times = sent.get(link) ?? new Map<string, number>();
    sent.set(link, times);
    const at = now();
    for (const [key, time] of times) if (at - time >= AGAIN_MS) times.delete(key);
    const due = answers.filter((record) => !times.has(keyOf(record)));
    if (due.length === 0) return;
    for (const record of due) times.set(keyOf(record), at);
    void link.send(responseOf(due, additionals));
  }

  function sendToOne(link: Link, packet: Packet, to: Sender): void {
    const this_second = Math.floor(now() / 1_000);
    if (this_second !== second) [second, singles] = [this_second, 0];
    if (++singles > MOST_SINGLE) return;
    void link.send(packet, to);
  }

  function sendLater(link: Link, found: Answers, wait_ms: number): void {
    const entry = waiting.get(link);
    const answers = entry?.answers ?? new Map<string, Answer>();
    for (const record of found.answers) answers.set(keyOf(record), record);
    if (entry !== undefined) return;
    const timer = setTimeout(() => {
      waiting.delete(link);
      sendToAll(link, { answers: [...answers.values()], additionals: found.additionals });
    }, wait_ms);
    timer.unref();
    waiting.set(link, { answers, timer });
  }

  return {
    answer(query, link, from, records) {
      const found = records.map((of) => answersTo(query, of));
      const answers = found.flatMap((of) => of.answers);
      const additionals = found.flatMap((of) => of.additionals);
      if (answers.length === 0) return;
      if (from.port !== port) return sendToOne(link, legacy(query, answers, additionals), from);
      if (query.questions?.every(wantsUnicast) === true) return sendToOne(link, responseOf(answers, additionals), from);
      const [least, most] = SHARED_WAIT_MS;
      if (query.flag_tc) return sendLater(link, { answers, additionals }, REST_WAIT_MS);
      if (answers.some(({ type }) => type === 'PTR'))
        return sendLater(link, { answers, additionals }, least + Math.random() * (most - least));
      sendToAll(link, { answers, additionals });
    },
    [Symbol.dispose]() {
      for (const { timer } of waiting.values()) clearTimeout(timer);
      waiting.clear();
    },
  };
}

/** Returns the answer for a client that sends questions as to a usual DNS server. */
function legacy(query: DecodedPacket, answers: readonly Answer[], additionals: readonly Answer[]): Packet {
  const short = (record: Answer): Answer =>
    'ttl' in record ? ({ ...record, flush: false, ttl: Math.min(record.ttl ?? 0, LEGACY_TTL_S) } as Answer) : record;
  const response = responseOf(answers.map(short), additionals.map(short));
  return { ...response, ...(query.id === undefined ? {} : { id: query.id }), questions: query.questions ?? [] };
}
