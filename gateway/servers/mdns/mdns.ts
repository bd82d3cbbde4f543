/** Announces the names and the listeners of this gateway in the local network with multicast DNS (RFC 6762, RFC 6763). */
import type { DecodedPacket } from 'dns-packet';
import { type Answering, createAnswering } from './answering.ts';
import { type Interface, type Link, MDNS_PORT, openLink, type Sender } from './link.ts';
import { createNameClaim, type NameClaim } from './name-claim.ts';
import type { Service } from './records.ts';

/** The gateway looks for changed interfaces, and for changed names and ports, after this many milliseconds. */
const LOOK_MS = 5_000;
/** A socket that did not work is opened again after this many milliseconds, because another program may have ended. */
const RETRY_MS = 60_000;
/** The most interfaces on which the gateway announces its names. */
const MOST_LINKS = 16;

type Log = (level: 'debug' | 'info' | 'warn' | 'error', message: string, data?: object) => void;

/** A name that the gateway wants. */
export interface Wanted {
  /** The first part of the name, for example `headframe`. */
  readonly base: string;
  /** Number of the first name to try; 1 is the name without a suffix. */
  readonly first: number;
  /** The listeners that have this name. */
  readonly services: readonly Service[];
}

export interface MdnsOptions {
  /** Returns the names that the gateway wants now. */
  readonly wanted: () => readonly Wanted[];
  /** Returns the interfaces of this computer on which the gateway listens. */
  readonly interfaces: () => readonly Interface[];
  /** Returns all addresses of this computer. */
  readonly addresses: () => readonly string[];
  /** Called when the announced names have changed, and with the number of the name that the gateway got for a base. */
  readonly changed: (names: readonly string[]) => void;
  readonly got: (base: string, n: number) => void;
  readonly log: Log;
  /** Another port than 5353, for tests. */
  readonly port?: number;
}

export interface Mdns extends AsyncDisposable {
  /** Names that are announced now, such as `headframe.local`. */
  readonly names: readonly string[];
  problems(): { readonly code: string; readonly message: string }[];
}

/** Starts to announce. It never throws: `problems` says what does not work. */
export function startMdns(options: MdnsOptions): Mdns {
  const mdns = new Announcer(options);
  mdns.look();
  return mdns;
}

const keyOf = ({ name, addresses }: Interface): string =>
  `${name} ${addresses.map(({ address, prefix }) => `${address}/${prefix}`).join(' ')}`;

class Announcer implements Mdns {
  names: readonly string[] = [];
  private readonly options: MdnsOptions;
  private readonly port: number;
  private readonly answering: Answering;
  private readonly links = new Map<string, Link>();
  /** Interfaces whose socket had a problem, and when the gateway opens the socket again. */
  private readonly failed = new Map<string, number>();
  private readonly claims = new Map<string, { readonly claim: NameClaim; wanted: Wanted }>();
  private readonly timer: NodeJS.Timeout;
  private addresses: ReadonlySet<string> = new Set();
  private reported = '';

  constructor(options: MdnsOptions) {
    this.options = options;
    this.port = options.port ?? MDNS_PORT;
    this.answering = createAnswering(this.port, () => performance.now());
    this.timer = setInterval(() => this.look(), LOOK_MS);
    this.timer.unref();
  }

  /** Follows the interfaces of the computer, and the names and listeners of the gateway. */
  look(): void {
    this.addresses = new Set(this.options.addresses());
    const moved = this.followLinks();
    const claims = this.followClaims();
    if (moved === 'new') for (const claim of claims) claim.probe();
    if (moved === 'again') for (const claim of claims) claim.announce();
    this.report();
  }

  problems(): ReturnType<Mdns['problems']> {
    const links = [...this.links.values()];
    const failed = links.filter(({ problem }) => problem !== null);
    const [one] = failed;
    const problems = [];
    // A failed interface is no problem if people reach the gateway by its name on another one.
    if (one !== undefined && failed.length === links.length)
      problems.push({
        code: 'name_not_announced',
        message: `The gateway cannot announce its name in the network (${one.problem} on ${one.interface.name}). Use its address, or let no other program keep UDP port 5353 for itself. HEADFRAME_MDNS=off switches the name off.`,
      });
    if ([...this.claims.values()].some(({ claim }) => claim.resting))
      problems.push({
        code: 'name_taken',
        message:
          'Other computers in the network have all names that the gateway tried. Use its address, or set HEADFRAME_MDNS to another name.',
      });
    return problems;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.timer);
    this.answering[Symbol.dispose]();
    await Promise.all([...this.claims.values()].map(({ claim }) => claim.end()));
    await Promise.all([...this.links.values()].map((link) => link[Symbol.asyncDispose]()));
  }

  /**
   * Opens and closes sockets. Returns `new` if an interface is new, has other addresses, or is the first that works, and `again` if only the
   * socket of an interface was opened again.
   */
  private followLinks(): 'new' | 'again' | null {
    const found = new Map(this.options.interfaces().map((one) => [keyOf(one), one]));
    const now = performance.now();
    const noneWorked = this.working().length === 0;
    for (const [key, link] of this.links) {
      if (link.problem === null) this.failed.delete(key);
      else if (!this.failed.has(key)) this.failed.set(key, now + RETRY_MS);
      const isDue = link.problem !== null && now >= (this.failed.get(key) ?? 0);
      if (found.has(key) && !isDue) link.join();
      else {
        this.links.delete(key);
        void link[Symbol.asyncDispose]();
      }
    }
    let moved: 'new' | 'again' | null = null;
    for (const [key, one] of found) {
      if (this.links.has(key) || this.links.size >= MOST_LINKS) continue;
      this.links.set(key, openLink(one, { port: this.port, onPacket: (...packet) => this.take(...packet) }));
      if (!this.failed.delete(key) || noneWorked) moved = 'new';
      else moved ??= 'again';
    }
    for (const key of this.failed.keys()) if (!found.has(key)) this.failed.delete(key);
    return moved;
  }

  private working(): Link[] {
    return [...this.links.values()].filter(({ problem }) => problem === null);
  }

  /** Begins, changes and ends claims. Returns the claims that were there before. */
  private followClaims(): NameClaim[] {
    const wanted = new Map(this.options.wanted().map((one) => [one.base, one]));
    const before: NameClaim[] = [];
    for (const [base, entry] of this.claims) {
      const now = wanted.get(base);
      if (now === undefined) {
        this.claims.delete(base);
        void entry.claim.end();
        continue;
      }
      const isSame = JSON.stringify(now.services) === JSON.stringify(entry.wanted.services);
      entry.wanted = now;
      if (!isSame) entry.claim.announce();
      before.push(entry.claim);
    }
    for (const [base, one] of wanted) if (!this.claims.has(base)) this.begin(base, one);
    return before;
  }

  private begin(base: string, wanted: Wanted): void {
    const claim = createNameClaim({
      base,
      first: wanted.first,
      services: () => this.claims.get(base)?.wanted.services ?? [],
      links: () => [...this.links.values()],
      addresses: () => this.addresses,
      changed: (n) => {
        if (claim.held !== null) this.options.got(base, n);
        this.report();
      },
    });
    this.claims.set(base, { claim, wanted });
    claim.probe();
  }

  private take(link: Link, packet: DecodedPacket, from: Sender): void {
    const claims = [...this.claims.values()].map(({ claim }) => claim);
    for (const claim of claims) claim.take(packet, link);
    if (packet.type !== 'query') return;
    const held = claims.filter((claim) => claim.held !== null);
    this.answering.answer(
      packet,
      link,
      from,
      held.map((claim) => claim.records(link.interface)),
    );
  }

  /** Tells and logs the announced names, if they have changed. */
  private report(): void {
    const works = this.working();
    const claims = works.length === 0 ? [] : [...this.claims.values()].map(({ claim }) => claim);
    const names = claims.flatMap(({ held }) => held ?? []);
    const [main] = claims;
    // While the gateway asks for its main name, nothing is known yet.
    const isAsking = main !== undefined && main.held === null && !main.resting;
    const addresses = works.flatMap((link) => link.interface.addresses.map(({ address }) => address));
    const problem = this.problems()[0]?.message;
    const state = JSON.stringify([names, addresses, problem ?? null]);
    if (isAsking || state === this.reported) return;
    this.reported = state;
    this.names = names;
    this.options.changed(names);
    if (problem !== undefined) this.options.log('warn', problem);
    if (names.length > 0) this.options.log('info', 'names are announced in the network', { names, addresses });
  }
}
