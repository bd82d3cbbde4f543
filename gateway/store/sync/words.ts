/** Numbers for texts that many rows have: lives, and scopes of digests. The table only grows, by a few rows a year. */
import type { SyncDb } from './sync-db.ts';

export class Words {
  readonly #db: SyncDb;
  readonly #numbers = new Map<string, number>();
  readonly #words = new Map<number, string>();

  constructor(db: SyncDb) {
    this.#db = db;
  }

  /** Returns the number of a word; undefined if no row has it. */
  find(word: string): number | undefined {
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    const row = this.#db.peek('SELECT no FROM sync_words WHERE word=?', word);
    return row && this.#note(word, Number(row[0]));
  }

  /** Returns the number of a word, and gives it one if it has none. */
  number(word: string): number {
    const found = this.find(word);
    if (found !== undefined) return found;
    const no = this.#db.wordNumber?.(word) ?? null;
    this.#db.execute('INSERT INTO sync_words (no, word) VALUES (?, ?)', no, word);
    return no === null ? (this.find(word) as number) : this.#note(word, no);
  }

  /** Reads all words. */
  load(): void {
    for (const [no, word] of this.#db.peekAll('SELECT no, word FROM sync_words')) this.#note(String(word), Number(no));
  }

  word(number: number): string {
    const known = this.#words.get(number);
    if (known !== undefined) return known;
    const word = String(this.#db.peek('SELECT word FROM sync_words WHERE no=?', number)?.[0] ?? '');
    this.#note(word, number);
    return word;
  }

  #note(word: string, number: number): number {
    this.#numbers.set(word, number);
    this.#words.set(number, word);
    return number;
  }
}
