/** A site or the cloud of a simulated world. */
import { OWNERSHIP } from '#contract/ownership/table.ts';
import type { Answer, Request } from '#domain/sync/messages.ts';
import { SiteLink } from '#domain/sync/site.ts';
import { NEWER } from './people.ts';
import type { Twin } from './twin.ts';

export interface Backup {
  readonly restore: () => void;
  readonly made: ReadonlySet<string>;
}

/** A site or the cloud. */
export class End {
  readonly name: string;
  readonly role: 'site' | 'cloud';
  twin: Twin;
  link = new SiteLink({ page: 6, bytes: 2_000, give: 4, flight: 3, urgent: { page: 3, bytes: 800 } });
  skew = 0;
  #newer = false;
  /** Facts that this box made and that its disk should have. */
  made = new Set<string>();
  /** Facts that a restore took from its disk. */
  lost = new Set<string>();
  /** Facts that vanished without a record. */
  vanished = new Set<string>();
  purged = new Set<string>();
  /** Facts that it removed before a backup of the cloud had them, because of a bound. */
  forced = new Set<string>();
  backups: Backup[] = [];
  checked = new Set<string>();
  /** Answers of earlier contacts that the network has not delivered yet. */
  stale: Sent[] = [];

  constructor(name: string, role: 'site' | 'cloud', twin: Twin) {
    this.name = name;
    this.role = role;
    this.twin = twin;
  }

  /** True if the box runs a newer version of the program. */
  get newer(): boolean {
    return this.#newer;
  }

  set newer(newer: boolean) {
    this.#newer = newer;
    this.twin.ownership = newer ? NEWER : OWNERSHIP;
  }

  get gateway(): string {
    return this.twin.tx.node().id;
  }
}

/** A request on its way, and its answer when the cloud has given it. */
export interface Sent {
  readonly request: Request;
  answer: Answer | undefined;
}
