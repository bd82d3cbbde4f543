/**
 * One name that the gateway wants in the network. The gateway asks three times whether another computer has it, then announces it. If the
 * name is taken, the gateway asks for the next one: `headframe`, `headframe-2`, ... (RFC 6762 sections 8 and 9).
 */
import { type Answer, AUTHORITATIVE_ANSWER, type DecodedPacket, type Packet } from 'dns-packet';
import { isTaken, losesTie } from './conflicts.ts';
import type { Interface, Link } from './link.ts';
import { goodbyeOf, labelOf, probeOf, type Records, recordsOf, type Service } from './records.ts';

/** Milliseconds between two questions, and after the last one. */
const PROBE_MS = 250;
const PROBES = 3;
/** Milliseconds until a computer that lost a tie asks again. */
const LOST_MS = 1_000;
/** Milliseconds between the first and the second announcement. */
const ANNOUNCE_MS = 1_000;
/** After this many names in a row were taken, the gateway waits before each further try. */
const QUICK_TRIES = 15;
const SLOW_MS = 5_000;
/** The most names that the gateway tries. Then it rests, and begins again with the first name. */
const MOST_TRIES = 50;
const REST_MS = 600_000;

export interface NameClaim {
  /** The name, for example `headframe-2.local`, if it is announced at the moment; else null. */
  readonly held: string | null;
  /** True if all names were taken. */
  readonly resting: boolean;
  /** Begins to ask for the name, or asks again after the network changed. */
  probe(): void;
  /** Announces the records again, because a value has changed. */
  announce(): void;
  /** Handles a packet of another computer; `records` are of the interface on which it arrived. */
  take(packet: DecodedPacket, link: Link): void;
  /** Returns the records of the name on an interface. */
  records(of: Interface): Records;
  /** Gives the name up: tells all computers to forget it. */
  end(): Promise<void>;
}

/** Returns a response of an authority for the records, as RFC 6762 section 18.4 requires. */
export const responseOf = (answers: readonly Answer[], additionals: readonly Answer[] = []): Packet => ({
  type: 'response',
  flags: AUTHORITATIVE_ANSWER,
  answers: [...answers],
  additionals: [...additionals],
});

export function createNameClaim(options: {
  readonly base: string;
  /** Number of the first name to try; 1 is the name without a suffix. */
  readonly first: number;
  readonly services: () => readonly Service[];
  readonly links: () => readonly Link[];
  /** Returns all addresses of this computer. */
  readonly addresses: () => ReadonlySet<string>;
  /** Called when `held` or `resting` has changed. */
  readonly changed: (n: number) => void;
}): NameClaim {
  const { base, services, links, addresses } = options;
  let n = options.first;
  let asked = 0;
  let tries = 0;
  let state: 'idle' | 'probing' | 'held' | 'resting' | 'ended' = 'idle';
  let timer: NodeJS.Timeout | undefined;

  const records = (of: Interface): Records =>
    recordsOf(
      labelOf(base, n),
      services(),
      of.addresses.map(({ address }) => address),
    );

  function later(ms: number, then: () => void): void {
    clearTimeout(timer);
    timer = setTimeout(then, ms);
    timer.unref();
  }

  function enter(next: typeof state): void {
    const before = state;
    state = next;
    if (before !== next && (before === 'held' || next === 'held' || next === 'resting')) options.changed(n);
  }

  function toAll(packet: (of: Interface) => Packet): Promise<unknown> {
    return Promise.all(links().map((link) => link.send(packet(link.interface))));
  }

  function ask(): void {
    if (asked >= PROBES) {
      tries = 0;
      enter('held');
      announce();
      return;
    }
    asked++;
    void toAll((of) => probeOf(records(of)));
    later(PROBE_MS, ask);
  }

  function begin(wait_ms: number): void {
    asked = 0;
    enter('probing');
    later(wait_ms, ask);
  }

  function announce(): void {
    const say = () =>
      void toAll((of) => {
        const { unique, shared } = records(of);
        return responseOf([...unique, ...shared]);
      });
    say();
    later(ANNOUNCE_MS, say);
  }

  /** Another computer has the name: tries the next one. */
  function giveWay(): void {
    n++;
    tries++;
    if (tries < MOST_TRIES) begin(tries < QUICK_TRIES ? 0 : SLOW_MS);
    else {
      n = 1;
      tries = 0;
      enter('resting');
      later(REST_MS, () => begin(0));
    }
  }

  return {
    get held() {
      return state === 'held' ? `${labelOf(base, n)}.local` : null;
    },
    get resting() {
      return state === 'resting';
    },
    // Wait a random time, because after a power cut all gateways of a site start at once.
    probe: () => begin(Math.random() * PROBE_MS),
    announce() {
      if (state === 'held') announce();
    },
    take(packet, link) {
      const own = records(link.interface);
      const said = [...(packet.answers ?? []), ...(packet.additionals ?? [])];
      if (state === 'probing' && packet.type === 'query') {
        if (losesTie(packet.authorities ?? [], own, addresses())) begin(LOST_MS);
      } else if (packet.type === 'response' && isTaken(said, own, addresses())) {
        // A computer that announces the same name may be wrong. So ask for the name again; the answer decides.
        if (state === 'held') begin(0);
        else if (state === 'probing') giveWay();
      }
    },
    records,
    async end() {
      clearTimeout(timer);
      const wasHeld = state === 'held';
      enter('ended');
      if (wasHeld) await toAll((of) => responseOf(goodbyeOf(records(of))));
    },
  };
}
