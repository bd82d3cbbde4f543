/** The names of the gateway in the local network: which it wants, and which it has. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '#settings/config.ts';
import { writeDurably } from '#store/base/durable.ts';

/** File in the data folder with the numbers of the names that the gateway got, so that a restart does not change its name. */
const FILE = 'local-names.json';
/** The most names in the file. */
const MOST_KEPT = 20;

export interface LocalNames {
  /** The first part of the main name; null if the gateway announces no name. */
  readonly base: string | null;
  /** Names that are announced at the moment. */
  readonly announced: readonly string[];
  /** The announced names, and the name that the gateway wants. The certificate contains them, and requests may use them. */
  all(): readonly string[];
  /** Number of the name to try first: 1 is the name without a suffix. */
  first(base: string): number;
  /** Stores the number of the name that the gateway got. */
  got(base: string, n: number): void;
  /** Sets the announced names. */
  set(names: readonly string[]): void;
  /** Calls the listener with the announced names, now and after each change. */
  watch(listener: (names: readonly string[]) => void): void;
}

/** Reads the numbers of the names from the file; empty if there is no file, or a damaged one. */
function readKept(file: string): Map<string, number> {
  try {
    const entries = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as object);
    return new Map(entries.filter(([, n]) => Number.isInteger(n) && n > 1 && n < 100).slice(-MOST_KEPT));
  } catch {
    return new Map();
  }
}

export function createLocalNames(
  { data, localName }: Pick<Config, 'data' | 'localName'>,
  log: (level: 'warn', message: string, data: object) => void,
): LocalNames {
  const file = join(data, FILE);
  const kept = readKept(file);
  const listeners = new Set<(names: readonly string[]) => void>();
  let announced: readonly string[] = [];
  return {
    base: localName?.base ?? null,
    get announced() {
      return announced;
    },
    all: () => [...new Set([...(localName === null ? [] : [`${localName.base}.local`]), ...announced])],
    // A person who chose the name wants this name as soon as it is free.
    first: (base) => (localName?.isChosen === true && base === localName.base ? 1 : (kept.get(base) ?? 1)),
    got(base, n) {
      if ((kept.get(base) ?? 1) === n) return;
      kept.delete(base);
      if (n > 1) kept.set(base, n);
      try {
        writeDurably(file, `${JSON.stringify(Object.fromEntries([...kept].slice(-MOST_KEPT)))}\n`);
      } catch (error) {
        log('warn', 'the name of the gateway in the network could not be stored', { error: String(error) });
      }
    },
    set(names) {
      announced = names;
      for (const listener of listeners) listener(names);
    },
    watch(listener) {
      listeners.add(listener);
      listener(announced);
    },
  };
}
