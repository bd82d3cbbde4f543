/** What a person decides about a write that the gateway did not take. */
import type { GatewayClock } from './clock.ts';
import type { Make } from './drafts.ts';
import { type Item, isPassOver, NotKept } from './item.ts';
import type { Store } from './store.ts';

const NO_PASS = 'The gateway has not confirmed who you are. Try again when the gateway answers.';

export function createDecisions(options: {
  store: Store;
  clock: GatewayClock;
  readNow(item: Item): Promise<Item['now']>;
  change(seq: number, make: Make): Promise<void>;
}) {
  const { store, clock, readNow, change } = options;

  /**
   * Reads what is there now, and stores it with a write in conflict. A tablet on which nobody is signed in may send, and not read, so a
   * conflict can come without it. Throws `NotKept` if the gateway does not say what is there now.
   */
  async function look(seq: number): Promise<NonNullable<Item['now']>> {
    const item = (await store.list()).find((one) => one.seq === seq);
    const now = item === undefined ? null : await readNow(item);
    if (item === undefined || now === null || (item.request.if_match !== null && now.revision === null))
      throw new NotKept('The gateway does not say what is there now. Try again when it answers.');
    await change(seq, (one) => (one.state === 'conflict' ? { ...one, now } : one));
    return now;
  }

  const writtenNow = (who: string, pass: string) =>
    ({
      who,
      pass,
      gateway_ms: clock.now(),
      device_ms: Date.now(),
      state: 'queued',
      problem: null,
      done_ms: null,
    }) as const;

  /**
   * The person saw what is there now, and wants the own value. It is written now, in the name of the person who decides. Throws
   * `NotKept` if the person has not seen what is there now, or if the gateway has not confirmed who the person is.
   */
  async function insist(seq: number, who: string, pass: string | null): Promise<void> {
    if (pass === null) throw new NotKept(NO_PASS);
    const here = (await store.list()).find((one) => one.seq === seq);
    const saw = here?.now ?? null;
    const now = here?.read === null ? null : await look(seq);
    const isNamed = here !== undefined && here.request.if_match !== null;
    const isSeen = saw !== null && now !== null && saw.values.join('\n') === now.values.join('\n');
    if (isNamed && now === null) throw new NotKept('This write cannot be decided here. Delete it and write it again.');
    if (now !== null && !(isSeen && (!isNamed || saw.revision === now.revision)))
      throw new NotKept('This is what is there now. Look at it, then choose again.');
    await change(seq, (item) => ({
      ...item,
      ...writtenNow(who, pass),
      request: { ...item.request, if_match: isNamed ? (now?.revision ?? null) : null },
      now: null,
    }));
  }

  /**
   * The pass of a refused write counts no more, and its person has signed in, read the write and wants it. It is written now. Throws
   * `NotKept` if the gateway has not confirmed who the person is.
   */
  async function writeAgain(seq: number, pass: string | null): Promise<void> {
    if (pass === null) throw new NotKept(NO_PASS);
    await change(seq, (item) => (isPassOver(item) ? { ...item, ...writtenNow(item.who, pass) } : item));
  }

  return { look, insist, writeAgain };
}
