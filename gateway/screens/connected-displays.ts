import { type DisplayHeard, type DisplayReader, type DisplayReport, NAMED_S } from '#contract/site/display.ts';
import type { FeedListener } from '#contract/site/live.ts';

/** Each display has a document of its own, and the gateway has its exact time in memory, so it writes the time seldom. */
const SEEN_MS = 600_000;
const SHARED_SEEN_MS = 60_000;

interface Connection {
  readonly token_hash: string;
  readonly listener: FeedListener;
}

/**
 * The paired displays that are connected to this process, and what each display reported since the process started. Everything is in
 * memory. An unpaired display is forgotten, so the limit of paired displays also limits this memory.
 */
export class ConnectedDisplays implements DisplayReader {
  /** Milliseconds between two writes of `last_seen_at` of a connected display. */
  readonly seenEveryMs: number;
  private readonly clock: () => number;
  private readonly known = new Map<string, DisplayHeard>();
  private readonly connections = new Map<string, Set<Connection>>();

  /**
   * `clock` returns milliseconds since 1970. `sharesStore`: other processes use the same database. They know a display only by its document,
   * so this process writes `last_seen_at` more often.
   */
  constructor(clock: () => number, sharesStore = false) {
    this.clock = clock;
    this.seenEveryMs = sharesStore ? SHARED_SEEN_MS : SEEN_MS;
  }

  /** Notes that the gateway has heard a display now. */
  seen(id: string): void {
    this.known.set(id, { shown: this.known.get(id)?.shown ?? null, seen_ms: this.clock() });
  }

  /** Drops the report of a display, because the display shows something else from now on. */
  dropReport(id: string): void {
    const before = this.known.get(id);
    if (before !== undefined) this.known.set(id, { ...before, shown: null });
  }

  /** Adds a connection of a display; returns the function that removes it. */
  connect(id: string, token_hash: string, listener: FeedListener): () => void {
    const connection = { token_hash, listener };
    const all = this.connections.get(id) ?? new Set();
    this.connections.set(id, all.add(connection));
    return () => {
      all.delete(connection);
      if (all.size === 0 && this.connections.get(id) === all) this.connections.delete(id);
    };
  }

  /** Forgets a display that was unpaired. */
  forget(id: string): void {
    this.known.delete(id);
  }

  heard(id: string): DisplayHeard | undefined {
    return this.known.get(id);
  }

  report(token_hash: string, shown: DisplayReport): boolean {
    for (const [id, all] of this.connections)
      for (const one of all)
        if (one.token_hash === token_hash) {
          this.known.set(id, { shown, seen_ms: this.clock() });
          return true;
        }
    return false;
  }

  identify(id: string, name: string): boolean {
    const all = this.connections.get(id);
    for (const { listener } of all ?? []) listener({ name: 'identify', data: { name, seconds: NAMED_S } });
    return all !== undefined;
  }
}
