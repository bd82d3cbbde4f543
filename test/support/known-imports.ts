/**
 * Where the imports of the gateway lead, found once for all processes of a run of the tests. To find them takes a quarter of the processor
 * time in which a process loads the gateway. `npm test` loads this file into each process: `known-imports.ts?FILE`. If there is no such
 * file, this process writes what it finds to it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { flushCompileCache, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

interface Found {
  readonly url: string;
  readonly format?: string | null;
}

/** `of`: for each module, its imports. The key is `import` or `require` and the specifier; the value is the index of the result in `found`. */
interface Known {
  readonly found: readonly Found[];
  readonly of: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** Time from the start of a process until it has loaded its modules. */
const LOADED_MS = 2_000;

const file = new URL(import.meta.url).search.slice(1);
if (file !== '') {
  const path = fileURLToPath(file);
  if (existsSync(path)) use(JSON.parse(readFileSync(path, 'utf8')));
  else record(path);
  // Node writes the compiled code of new modules when a process ends. A process that a test kills would never write it, so that each process
  // of this kind compiles its modules again.
  if (isMainThread) setTimeout(flushCompileCache, LOADED_MS).unref();
}

function nameOf(specifier: string, conditions: readonly string[]): string {
  return `${conditions.includes('require') ? 'require' : 'import'} ${specifier}`;
}

/** An import that is not in the list, such as one of a test, is found as always. */
function use({ found, of }: Known): void {
  const answers = found.map((one) => ({ ...one, shortCircuit: true }));
  registerHooks({
    resolve(specifier, context, next) {
      const place = of[context.parentURL ?? '']?.[nameOf(specifier, context.conditions)];
      return (place === undefined ? undefined : answers[place]) ?? next(specifier, context);
    },
  });
}

function record(path: string): void {
  const found = new Map<string, { readonly place: number; readonly one: Found }>();
  const of: Record<string, Record<string, number>> = {};
  registerHooks({
    resolve(specifier, context, next) {
      const answer = next(specifier, context);
      const { parentURL = '', conditions } = context;
      // What Node itself brings is found without the disk.
      if (!parentURL.startsWith('file:') || !answer.url.startsWith('file:')) return answer;
      const { url, format } = answer;
      const one = { url, ...(format !== undefined && { format }) };
      const key = JSON.stringify(one);
      const entry = found.get(key) ?? { place: found.size, one };
      found.set(key, entry);
      of[parentURL] ??= {};
      of[parentURL][nameOf(specifier, conditions)] = entry.place;
      return answer;
    },
  });
  process.on('exit', () =>
    writeFileSync(path, JSON.stringify({ found: [...found.values()].map(({ one }) => one), of })),
  );
}
