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
    file: 'gateway/domain/machine/machine.ts',
    code: 'if (bus !== NONE && facts.faults.buses.length > 0)',
    from: 'bus !== NONE && facts.faults.buses.length > 0',
    to: 'true',
    why: 'a shortcut: no bus has the number of none, and a list of no buses is walked in no time',
  },
  {
    file: 'gateway/domain/machine/live-status.ts',
    code: 'if (live.since_us !== null) live.since_us = notBeyond(live.since_us, now_us);',
    from: 'live.since_us !== null',
    to: 'true',
    why: 'for the types alone: null is beyond no time and stays null',
  },
  {
    file: 'gateway/domain/machine/latest-known.ts',
    code: 'if (sources.length === 1) return 0;',
    from: 'sources.length === 1',
    to: 'false',
    why: 'a shortcut: the loop behind it finds the only source too',
  },
  {
    file: 'gateway/domain/base/times.ts',
    code: 'return t_us >= FIRST_DATE_US && t_us <= received_us ? t_us : received_us;',
    from: '<=',
    to: '<',
    why: 'at the bound both answers are the same number',
  },
  {
    file: 'gateway/servers/invoke/admission.ts',
    code: 'if (projects.size < MAX_PROJECTS) projects.add(id);',
    from: '<',
    to: '>=',
    why: 'only a cache: without it the store is asked each time, with the same answer',
  },
  {
    file: 'gateway/servers/invoke/operation-errors.ts',
    code: "const known = typeof code === 'string' ? code : '';",
    from: "''",
    to: "'mutant'",
    why: 'neither is in a list of known codes',
  },
  {
    file: 'gateway/servers/invoke/operation-errors.ts',
    code: "const known = typeof code === 'string' ? code : '';",
    from: "typeof code === 'string'",
    to: 'true',
    why: 'what is no string is in no list of known codes either',
  },
  {
    file: 'firmware-bridge/codec/slcan.ts',
    code: 'this.takeFlags(Number.parseInt(text.slice(1), 16));',
    from: 'text.slice(1)',
    to: 'text',
    why: 'the letter F is a digit above the eight bits that are flags',
  },
  {
    file: 'firmware-bridge/codec/slcan.ts',
    code: 'const code = flags & fd ? FD_LENGTHS.findIndex((length) => length >= data.length) : data.length;',
    from: 'flags & fd',
    to: 'true',
    why: 'up to eight bytes the place in the list of lengths is the length',
  },
  {
    file: 'gateway/servers/invoke/receipts.ts',
    code: 'if (sealed_id !== null) {',
    from: 'sealed_id !== null',
    to: 'true',
    why: 'a shortcut: the store has nothing under the id null',
  },
  {
    file: 'gateway/servers/http/auth.ts',
    code: 'if (candidates.length === 0) timingSafeEqual(digest, nothing);',
    from: 'timingSafeEqual(digest, nothing);',
    to: ';',
    why: 'only the time that it takes, less than what a test can tell from chance',
  },
  {
    file: 'gateway/servers/mqtt/broker.ts',
    code: 'await closed;',
    from: 'await closed;',
    to: ';',
    why: 'the port is free at once; besides it waits for connections, and those of clients are waited for behind it',
  },
  {
    file: 'gateway/servers/mqtt/sessions/session-state.ts',
    code: "if (subscriptions.size > 0) changes.push({ do: 'subscribe', id, subscriptions: [...subscriptions.values()] });",
    from: 'push',
    to: 'unshift',
    why: 'a subscription opens its session too, and what follows sets the hour',
  },
  {
    file: 'gateway/servers/mqtt/sessions/session-store.ts',
    code: 'if (owner?.delete(id) && owner.size === 0) this.idsByOwner.delete(ownerOf(id));',
    from: 'this.idsByOwner.delete(ownerOf(id));',
    to: ';',
    why: 'only memory: a list of no sessions stays for a device',
  },
  {
    file: 'gateway/servers/invoke/receipts.ts',
    code: 'return isLarge(input)',
    from: 'isLarge(input)',
    to: 'true',
    why: 'slower: a small input gets the same fingerprint in slices',
  },
  {
    file: 'gateway/store/sqlite/instance.ts',
    code: 'if (blobs) this.#writeAttachments(written, blobs);',
    from: 'blobs',
    to: 'true',
    why: 'a table without attachments has none to write',
  },
  {
    file: 'gateway/ingest/writer/store-writer.ts',
    code: 'const wanted = events.filter((event) => event.once && event.project_id === project).map((event) => event.id);',
    from: '&&',
    to: '||',
    why: 'asks for more ids than it must: the view finds none of another project, and a new id is nowhere',
  },
  {
    file: 'gateway/store/sqlite/instance.ts',
    code: 'for (let from = 0; from < rows.length && found.length < enough; from += MAX_ROWS_PER_READ) {',
    from: '<',
    to: '<=',
    why: 'one more read, of no rows',
  },
  {
    file: 'gateway/store/sqlite/find.ts',
    code: 'for (const [path, condition] of search.conditions.slice(search.searched)) {',
    from: 'search.conditions.slice(search.searched)',
    to: 'search.conditions',
    why: 'slower: what the index has found already is asked for once more, with the same answer',
  },
  {
    file: 'gateway/ingest/fold/fold-values.ts',
    code: 'if (sent.observed_us > context.newest_us) context.newest_us = sent.observed_us;',
    from: '>',
    to: '>=',
    why: 'at the bound both answers are the same number',
  },
  {
    file: 'gateway/ingest/fold/fold-values.ts',
    code: 'const sender = key === NONE ? NONE : senderOf(key, bus, unit);',
    from: 'key === NONE',
    to: 'false',
    why: 'points have neither bus nor unit: all of them have one number either way, that of nobody else',
  },
  {
    file: 'gateway/ingest/journal/open-groups.ts',
    code: 'group.senders.push(sender);',
    from: 'push',
    to: 'unshift',
    why: 'all senders of a group hear of it in one go: their order shows nowhere',
  },
  {
    file: 'gateway/ingest/journal/journal.ts',
    code: 'sync_ms: this.options.monotonic() - this.lastWrite > IDLE_MS ? null : file.smoothSyncMs,',
    from: '>',
    to: '>=',
    why: 'one instant of a clock that counts fractions of a millisecond',
  },
];
