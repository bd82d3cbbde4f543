/** A cache of the prepared statements of one SQLite connection, by SQL text. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';

const MAX_STATEMENTS = 300;

export class StatementCache {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Returns the prepared statement of an SQL text. If the cache is full, a new statement replaces the oldest statement. */
  prepare(sql: string): StatementSync {
    let found = this.#statements.get(sql);
    if (found) return found;
    found = this.#database.prepare(sql);
    if (this.#statements.size >= MAX_STATEMENTS) {
      const oldest = this.#statements.keys().next().value;
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    this.#statements.set(sql, found);
    return found;
  }
}
