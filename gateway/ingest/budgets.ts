/**
 * Counts what each device and machine stores, and enforces the storage budgets ([I50] to [I53]). MQTT, HTTP and the bucket (the S3 service
 * for loggers) charge the same budget. The counts of one device or machine are called a ledger.
 *
 *   fold, calls, files -> spend -> within budget: stored; the count goes into the same commit
 *                               -> over budget: dropped or refused, counted, and entered in the log of the device
 *
 * The counts are stored documents, so a restart does not reset a budget.
 */
import {
  BUDGET_KINDS,
  BUDGETS,
  type Budget,
  type BudgetKind,
  budgetsOf,
  type Spender,
  type Spending,
} from '#contract/base/budget.ts';
import type { ProjectWrite } from '#contract/base/view.ts';
import type { Writer } from '#contract/site/node.ts';
import { createSpent, spend } from '#domain/device/budget.ts';
import type { EventMade } from '#ingest/fold/fold-state.ts';
import type { Store } from '#store/open-store.ts';
import { walk } from '#store/walk.ts';
import type { Headroom } from './headroom.ts';
import {
  budgetProblems,
  dueEntries,
  hasDropped,
  LEDGER,
  type Ledger,
  ledgerWrite,
  type NameOf,
  writersOf,
} from './ledger.ts';
import { ScarceShares } from './scarce-shares.ts';

/**
 * One commit writes at most this many ledgers in which only the count of samples changed. These counts change every minute, and a crash may
 * lose the newest counts without harm.
 */
const MOST_LATER = 50;

/**
 * The refusal of data from a device that an admin locked out (quarantine). The remaining bytes of an upload that began before the
 * quarantine are refused too.
 */
const QUARANTINED = { why: 'quarantine', retry_after_s: 3_600 } as const;

/** The storage budgets of all devices and machines: how many bytes each of them may store a day. */
export interface Budgets extends Spending {
  /** Applies the settings of a device: its budgets, and whether it is in quarantine. */
  settle(device: string, settings: Readonly<Record<string, unknown>> | undefined, quarantined: boolean): void;
  /** Sets the present disk space and memory. */
  setHeadroom(headroom: Headroom): void;
  /** Subtracts these bytes from the remaining disk space; returns false if too little space would remain to accept measurements. */
  hasRoomFor(bytes: number): boolean;
  /** Returns the writes that store the counts changed since the last call. After a failed commit, pass these writes to `unsaved`. */
  take(): ProjectWrite[];
  unsaved(writes: readonly ProjectWrite[]): void;
  /** Returns log entries: one when a budget is used up, and one after the end of a day on which data was dropped. */
  records(now_ms: number, newId: () => string): EventMade[];
  /**
   * Sets the total of a device to zero after its stored data was deleted. Its count of today stays, so the daily budget does not start
   * again.
   */
  purged(device: string): void;
  /** Returns the devices and machines that stored the most bytes, sorted by the bytes of today, then by the total. */
  list(now_ms: number, nameOf: NameOf): Writer[];
  problems(now_ms: number, nameOf: NameOf): ReturnType<typeof budgetProblems>;
}

/** Reads the stored counts. `clock` returns the present time; MQTT, HTTP and the bucket charge budgets at this time. */
export async function openBudgets(options: {
  readonly store: Pick<Store, 'node'>;
  readonly clock: () => number;
}): Promise<Budgets> {
  const ledgers = new Map<string, Ledger>();
  for await (const { data } of walk<Ledger>(options.store.node, 'local', { object: LEDGER }))
    ledgers.set(data.id, data);
  return new StoredBudgets(ledgers, options.clock);
}

class StoredBudgets implements Budgets {
  private readonly ledgers: Map<string, Ledger>;
  private readonly clock: () => number;
  private readonly limits = new Map<string, Readonly<Record<BudgetKind, Budget>>>();
  private readonly quarantined = new Set<string>();
  /** The ids of ledgers to write with the next commit. `later` has the ids of ledgers in which only the count of samples changed. */
  private readonly dirty = new Set<string>();
  private readonly later = new Set<string>();
  /** The ids of ledgers with dropped data that no `gap_declared` entry has reported yet. */
  private readonly over: Set<string>;
  private readonly shares: ScarceShares;

  constructor(ledgers: Map<string, Ledger>, clock: () => number) {
    this.ledgers = ledgers;
    this.clock = clock;
    this.shares = new ScarceShares(clock);
    this.over = new Set([...ledgers.values()].filter(hasDropped).map(({ id }) => id));
  }

  spend(
    spender: Spender,
    kind: BudgetKind,
    bytes: number,
    count = 1,
    now = this.clock(),
  ): ReturnType<Spending['spend']> {
    if (this.quarantined.has(spender.id)) return QUARANTINED;
    const ledger = this.ledgerOf(spender);
    const budget = (this.limits.get(spender.id) ?? BUDGETS)[kind];
    const spent = ledger.spent[kind] ?? createSpent(budget, now);
    ledger.spent[kind] = spent;
    const refused = spend(spent, budget, bytes, count, now);
    if (refused !== undefined) this.over.add(spender.id);
    (kind === 'samples' ? this.later : this.dirty).add(spender.id);
    return refused;
  }

  saved(id: string): ProjectWrite | undefined {
    const ledger = this.ledgers.get(id);
    return ledger && ledgerWrite(ledger);
  }

  admits(device: string, bytes: number): boolean {
    return this.shares.admits(device, bytes);
  }

  settle(device: string, settings: Readonly<Record<string, unknown>> | undefined, quarantined: boolean): void {
    if (quarantined) this.quarantined.add(device);
    else this.quarantined.delete(device);
    const found = budgetsOf(settings);
    if (found === BUDGETS) this.limits.delete(device);
    else this.limits.set(device, found);
  }

  setHeadroom(headroom: Headroom): void {
    this.shares.setHeadroom(headroom);
  }

  hasRoomFor(bytes: number): boolean {
    return this.shares.hasRoomFor(bytes);
  }

  take(): ProjectWrite[] {
    const { dirty, later } = this;
    const ids = [...dirty, ...[...later].filter((id) => !dirty.has(id)).slice(0, MOST_LATER)];
    dirty.clear();
    for (const id of ids) later.delete(id);
    return ids.flatMap((id) => this.saved(id) ?? []);
  }

  unsaved(writes: readonly ProjectWrite[]): void {
    for (const { data } of writes) this.dirty.add((data as unknown as Ledger).id);
  }

  records(now_ms: number, newId: () => string): EventMade[] {
    return this.overLedgers().flatMap((ledger) => {
      const { events, open, changed } = dueEntries(ledger, this.limits.get(ledger.id), now_ms, newId);
      if (changed) this.dirty.add(ledger.id);
      if (!open) this.over.delete(ledger.id);
      return events;
    });
  }

  purged(device: string): void {
    const ledger = this.ledgers.get(device);
    if (ledger === undefined) return;
    for (const kind of BUDGET_KINDS) if (ledger.spent[kind] !== undefined) ledger.spent[kind].total_bytes = 0;
    this.dirty.add(device);
  }

  list(now_ms: number, nameOf: NameOf): Writer[] {
    return writersOf(this.ledgers.values(), now_ms, nameOf);
  }

  problems(now_ms: number, nameOf: NameOf): ReturnType<typeof budgetProblems> {
    return budgetProblems(this.overLedgers(), now_ms, nameOf);
  }

  private overLedgers(): Ledger[] {
    return [...this.over].flatMap((id) => this.ledgers.get(id) ?? []);
  }

  private ledgerOf({ object, id, project_id }: Spender): Ledger {
    const known = this.ledgers.get(id);
    if (known !== undefined) return known;
    const made: Ledger = { object, id, project_id, spent: {}, told: {} };
    this.ledgers.set(id, made);
    return made;
  }
}
