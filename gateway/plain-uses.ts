/** Remembers who used a listener without TLS from another computer, also over a restart. The file is small and is not in backups. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LISTENERS, type ListenerName, PLAIN_DAYS, PlainUse, type PlainUser } from '#contract/site/listener.ts';
import { writeDurably } from '#store/base/durable.ts';

const DAY_MS = 86_400_000;
const WRITE_MS = 60_000;
/** Most clients of one listener. The gateway forgets the one that was last used the longest time ago. */
const MOST = 1_000;

export interface PlainUses extends Disposable {
  /** Records a use at the present time. */
  note(listener: ListenerName, user: PlainUser, address: string): void;
  /** The clients of a listener in the last days, the newest first. */
  list(listener: ListenerName): PlainUse[];
}

type Log = (level: 'warn', message: string, data: object) => void;

export function openPlainUses(options: { folder: string; clock: () => number; log: Log }): PlainUses {
  const { clock, log } = options;
  const path = join(options.folder, 'plain-uses.json');
  const uses = new Map<ListenerName, Map<string, PlainUse>>(LISTENERS.map((name) => [name, read(path, name)]));
  let changed = false;

  function write(): void {
    if (!changed) return;
    changed = false;
    try {
      writeDurably(path, JSON.stringify(Object.fromEntries([...uses].map(([name, map]) => [name, [...map.values()]]))));
    } catch (error) {
      log('warn', 'the list of clients without TLS could not be written', { error: String(error) });
    }
  }
  const timer = setInterval(write, WRITE_MS);
  timer.unref();

  return {
    note(listener, user, address) {
      const map = uses.get(listener) as Map<string, PlainUse>;
      const key = `${user.kind} ${user.id}`;
      // Insert it again at the end, so that the first entry is the oldest.
      map.delete(key);
      if (map.size >= MOST) map.delete(map.keys().next().value as string);
      const last_used_at = new Date(clock()).toISOString();
      map.set(key, { ...user, address: address.replace(/^::ffff:/, ''), last_used_at, is_connected: false });
      changed = true;
    },
    list(listener) {
      const from = clock() - PLAIN_DAYS * DAY_MS;
      return [...(uses.get(listener) as Map<string, PlainUse>).values()]
        .filter(({ last_used_at }) => Date.parse(last_used_at) >= from)
        .reverse();
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      write();
    },
  };
}

/** Reads the file. A file that is absent or damaged counts as empty, because the list fills again by itself. */
function read(path: string, name: ListenerName): Map<string, PlainUse> {
  try {
    const stored = (JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>)[name];
    const valid = PlainUse.array().max(MOST).parse(stored);
    return new Map(valid.map((one) => [`${one.kind} ${one.id}`, one]));
  } catch {
    return new Map();
  }
}
