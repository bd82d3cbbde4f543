/** Mutants that no test can notice or should: each with the reason. */

/** A change, named by its line and not by its place, and why it may live. */
export interface Equal {
  readonly file: string;
  readonly code: string;
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

export const EQUAL: readonly Equal[] = [
  {
    file: 'gateway/domain/machine.ts',
    code: 'if (bus !== NONE && facts.faults.buses.length > 0) hearBus(facts, arrival.device, bus, observed_us, arrival.events);',
    from: 'bus !== NONE && facts.faults.buses.length > 0',
    to: 'true',
    why: 'a shortcut: no bus has the number of none, and a list of no buses is walked in no time',
  },
  {
    file: 'gateway/domain/latest-known.ts',
    code: 'if (sources.length === 1) return 0;',
    from: 'sources.length === 1',
    to: 'false',
    why: 'a shortcut: the loop behind it finds the only source too',
  },
  {
    file: 'gateway/domain/times.ts',
    code: 'return t_us >= FIRST_DATE_US && t_us <= received_us ? t_us : received_us;',
    from: '<=',
    to: '<',
    why: 'at the bound both answers are the same number',
  },
  {
    file: 'gateway/store/find.ts',
    code: 'for (const [path, condition] of search.conditions.slice(search.searched)) {',
    from: 'search.conditions.slice(search.searched)',
    to: 'search.conditions',
    why: 'slower: what the index has found already is asked for once more, with the same answer',
  },
  {
    file: 'gateway/ingest/journal.ts',
    code: 'sync_ms: monotonic() - lastFlush > IDLE_MS ? null : file.smoothSyncMs,',
    from: '>',
    to: '>=',
    why: 'one instant of a clock that counts fractions of a millisecond',
  },
  {
    file: 'gateway/ingest/commits.ts',
    code: 'if (due && mono >= retryAt) void commit(false);',
    from: '>=',
    to: '>',
    why: 'one instant: the next tick commits',
  },
];
