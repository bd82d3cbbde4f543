/** The messages between a site and the cloud. The site asks, the cloud answers. */

import type { Part } from '#domain/sync/registers/documents.ts';
import type { Range, RangeAnswer } from './digest.ts';
import type { BackedUp, Commit, Life, Position, Taken } from './store.ts';

interface Asked {
  readonly gateway: string;
  readonly life: Life;
}

export interface Hello extends Asked {
  readonly type: 'hello';
  /** The life has not been confirmed yet. */
  readonly fresh: boolean;
  readonly cloud?: Life | undefined;
  readonly last?: string | undefined;
  /** The end of a repair, or pages, that were not answered. */
  readonly pending: readonly string[];
  /** What is pending is the end of a repair. */
  readonly ends: boolean;
  readonly pulled: Position;
  /** The courier bundle that the cloud took last, as far as the site knows. */
  readonly bundle?: Taken | undefined;
  /** A check found a difference. */
  readonly repair: boolean;
}

/**
 * ok: go on. arrived: the end of a repair arrived, go on. All others need a repair, but `fenced`.
 * site_behind: the site was put back. cloud_behind: the cloud was put back. forked: both. site_new_life: the site knows that it was put back.
 */
export type Verdict =
  | 'ok'
  | 'arrived'
  | 'first'
  | 'asked'
  | 'site_new_life'
  | 'site_behind'
  | 'cloud_behind'
  | 'cloud_new_life'
  | 'forked'
  | 'fenced';

export interface HelloAnswer {
  readonly type: 'hello';
  readonly verdict: Verdict;
  /** How many documents this gateway owes the cloud: the cloud noted only their keys. Absent: none. */
  readonly owed?: number | undefined;
  readonly cloud: { readonly id: string; readonly life: Life };
  /** The number of the life of this gateway that the cloud knows. */
  readonly known: number;
  readonly last?: string | undefined;
  /** The pending tokens that the cloud has. */
  readonly arrived: readonly Placed[];
  /** The last token and bundle that all backups of the cloud have. */
  readonly backed_up?: BackedUp | undefined;
  /** How many bundles the cloud began for this gateway. */
  readonly answers?: number | undefined;
  /** What this gateway sent: the last token, and the repair that is not ended. */
  readonly received: readonly string[];
  /** The courier bundles of this gateway that the cloud took last, as a whole or in part. */
  readonly bundles?: readonly string[] | undefined;
}

/** A token, and its place in the order in which the cloud took the tokens of a channel. */
export interface Placed {
  readonly token: string;
  readonly place: number;
}

/**
 * Several pages may be on their way at the same time, and arrive in any order. `after` is the newest token that the site knows to be at the
 * cloud: a cloud that does not have it was put back.
 */
export interface Push extends Asked {
  readonly type: 'push';
  readonly after?: string | undefined;
  /** `<session>.<number>` */
  readonly token: string;
  readonly commits: readonly Commit[];
  /** The site keeps what the cloud only notes. A site of an earlier version does not say so. */
  readonly owes?: boolean | undefined;
}

export interface Pull extends Asked {
  readonly type: 'pull';
  readonly after: Position;
  /** The most commits, and the most bytes of text unless one commit has more. */
  readonly limit: number;
  readonly bytes: number;
  /** Documents that the site needs as a whole. */
  readonly whole: readonly string[];
}

export interface Pulled {
  readonly type: 'pull';
  readonly to: Position;
  readonly commits: readonly Commit[];
  readonly more: boolean;
}

/** Begins a repair. `step` marks it at the cloud, so that a cloud that is put back in between does not confirm it. */
export interface Begin extends Asked {
  readonly type: 'begin';
  readonly fresh: boolean;
  readonly step: string;
}

export interface Begun {
  readonly type: 'begin';
  readonly head: Position;
  readonly life: Life;
  readonly floors: Readonly<Record<string, number>>;
  /** For a box that has nothing yet: how many documents of its site the cloud has. */
  readonly documents?: number | undefined;
}

export interface Digest extends Asked {
  readonly type: 'digest';
  readonly scope: string;
  readonly ranges: readonly Range[];
}

/** Gives whole documents that differ, and asks for those of the cloud. */
export interface Give extends Asked {
  readonly type: 'give';
  readonly step: string;
  readonly next: string;
  /** The head of the cloud at the begin: what came later is pulled and not given. */
  readonly head: number;
  readonly parts: readonly Part[];
  readonly want: readonly string[];
  readonly owes?: boolean | undefined;
}

export interface Given {
  readonly type: 'give';
  readonly parts: readonly Part[];
}

export interface End extends Asked {
  readonly type: 'end';
  readonly step: string;
  readonly token: string;
  readonly head: Position;
  /** The life of the cloud at the begin. */
  readonly cloud: Life;
  /** The largest number of a life of the cloud that the site knows. */
  readonly known: number;
  readonly verdict: Verdict;
}

/**
 * Brings new alerts and facts of safety while both ends compare all documents. It has no token, and the site sends these commits again in a
 * page after the repair, so nothing depends on it. `step`: the repair that is under way.
 */
export interface Early extends Asked {
  readonly type: 'early';
  readonly step: string;
  readonly commits: readonly Commit[];
}

/** Asks whether the cloud has these values: itself, or one that replaced it. */
export interface Holds extends Asked {
  readonly type: 'holds';
  readonly parts: readonly Part[];
}

export interface Held {
  readonly type: 'holds';
  readonly missing: readonly string[];
  readonly quarantined: readonly string[];
  readonly owed?: number | undefined;
  readonly head: Position;
}

export interface Ok {
  readonly type: 'ok';
  readonly place: number;
  readonly quarantined: readonly string[];
  readonly owed?: number | undefined;
  readonly life?: Life;
}

export interface Refused {
  readonly type: 'refused';
  readonly code: 'session_changed' | 'fenced' | 'need';
  readonly need?: readonly string[];
}

export interface DigestAnswer {
  readonly type: 'digest';
  readonly answers: readonly RangeAnswer[];
}

export type Request = Hello | Push | Pull | Begin | Digest | Give | End | Early | Holds;
export type Answer = HelloAnswer | Ok | Pulled | Begun | DigestAnswer | Given | Held | Refused;
