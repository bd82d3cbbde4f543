/** What the house does not allow: folders without a row, imports through walls, cycles, and what is too long to be read. */
import type { Room } from '../../rooms.ts';
import { parseSource, type Source } from './source.ts';

/** Lines of a function and of a file, and files of a folder. Tests are not bounded. */
export const BOUNDS = { function: 120, file: 400, folder: 30 } as const;
export type Bound = keyof typeof BOUNDS;

/** What was over a bound when the bound was drawn: it may shrink, not grow. `place` is a file, `file:function`, or a folder. */
export type Known = Readonly<Record<Bound, Readonly<Record<string, number>>>>;

/** A sentence that names the place and what to do. */
export type Violation = string;

const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** The room of a file. */
export function roomOf(path: string, rooms: readonly Room[]): Room | undefined {
  const folder = folderOf(path);
  return rooms
    .filter((room) => room.path === folder || (room.below === true && `${folder}/`.startsWith(`${room.path}/`)))
    .toSorted((a, b) => b.path.length - a.path.length)[0];
}

/** The file that an import names; undefined for a package. */
export function targetOf(from: string, importer: string, rooms: readonly Room[]): string | undefined {
  if (from.startsWith('./')) return `${folderOf(importer)}/${from.slice(2)}`;
  if (!from.startsWith('#')) return undefined;
  const owner = rooms
    .filter(({ name }) => from.startsWith(`${name}/`))
    .toSorted((a, b) => b.name.length - a.name.length)[0];
  return owner === undefined ? from : `${owner.path}/${from.slice(owner.name.length + 1)}`;
}

/** True when a row's `may` lets an import pass. */
function passes(from: string, target: string | undefined, may: readonly string[], rooms: readonly Room[]): boolean {
  if (may.includes('*')) return true;
  if (target === undefined)
    return may.some((one) => (one === 'node:' ? from.startsWith('node:') : from === one || from.startsWith(`${one}/`)));
  const name = roomOf(target, rooms)?.name;
  return may.some((one) => one === from || one === name || (one.endsWith('/*') && name?.startsWith(one.slice(0, -1))));
}

function walls(
  sources: readonly Source[],
  rooms: readonly Room[],
): { found: Violation[]; graph: Map<string, string[]> } {
  const found = new Set<Violation>();
  const graph = new Map<string, string[]>();
  /** What each room imports, as its row may name it. */
  const used = new Map<Room, Set<string>>();
  for (const source of sources) {
    const { path } = source;
    const room = roomOf(path, rooms);
    if (room === undefined) {
      found.add(`${folderOf(path) || path}: no row in rooms.ts says what this folder knows and may import`);
      continue;
    }
    const targets: string[] = [];
    const names = used.get(room) ?? new Set();
    used.set(room, names);
    for (const { from, line } of parseSource(source).imports) {
      const target = targetOf(from, path, rooms);
      if (target !== undefined) targets.push(target);
      names.add(from).add((target === undefined ? undefined : roomOf(target, rooms)?.name) ?? from);
      if (from.startsWith('../')) {
        if (room.name !== '#test' || !from.endsWith('/rooms.ts'))
          found.add(`${path}:${line}: imports ${from}; between rooms import by #name, inside a room by ./near.ts`);
      } else if (from.startsWith('./') && target !== undefined && roomOf(target, rooms) !== room)
        found.add(`${path}:${line}: imports ${from} of another room; write its #name`);
      else if (from.startsWith('#') && target !== undefined && folderOf(target) === folderOf(path))
        found.add(`${path}:${line}: imports ${from} of its own room; write ./${target.split('/').at(-1)}`);
      else if (!from.startsWith('./') && !passes(from, target, room.may, rooms))
        found.add(`${path}:${line}: ${room.name} may not import ${from}; rooms.ts says what it may`);
    }
    graph.set(path, targets);
  }
  for (const [{ name, may }, names] of used)
    for (const one of may) {
      const begins = one === 'node:' ? one : one.endsWith('/*') ? one.slice(0, -1) : `${one}/`;
      if (one !== '*' && !names.has(one) && ![...names].some((imported) => imported.startsWith(begins)))
        found.add(`rooms.ts: ${name} may import ${one} and does not; take it out`);
    }
  return { found: [...found], graph };
}

/** One cycle for each group of files that reach each other. Tarjan, SIAM J. Comput. 1(2), 1972. */
export function cycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const seen = new Map<string, { index: number; low: number; open: boolean }>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (path: string): { index: number; low: number; open: boolean } => {
    const own = { index: seen.size, low: seen.size, open: true };
    seen.set(path, own);
    stack.push(path);
    for (const next of graph.get(path) ?? []) {
      if (!graph.has(next)) continue;
      const known = seen.get(next);
      if (known === undefined) own.low = Math.min(own.low, visit(next).low);
      else if (known.open) own.low = Math.min(own.low, known.index);
    }
    if (own.low === own.index) {
      const group = stack.splice(stack.indexOf(path));
      for (const one of group) (seen.get(one) as { open: boolean }).open = false;
      if (group.length > 1 || (graph.get(path) ?? []).includes(path)) found.push(group);
    }
    return own;
  };
  for (const path of graph.keys()) if (!seen.has(path)) visit(path);
  return found;
}

/** Which room imports which other, by name; tests may import anything. */
function roomGraph(graph: ReadonlyMap<string, readonly string[]>, rooms: readonly Room[]): Map<string, string[]> {
  const names = new Map(rooms.filter(({ may }) => !may.includes('*')).map(({ name }) => [name, new Set<string>()]));
  for (const [path, targets] of graph) {
    const from = roomOf(path, rooms)?.name ?? '';
    for (const target of targets) {
      const to = roomOf(target, rooms)?.name;
      if (to !== undefined && to !== from) names.get(from)?.add(to);
    }
  }
  return new Map([...names].map(([name, others]) => [name, [...others]]));
}

/** Length of everything that is over its bound. */
export function overBounds(sources: readonly Source[]): Record<Bound, Record<string, number>> {
  const over: Record<Bound, Record<string, number>> = { function: {}, file: {}, folder: {} };
  const folders = new Map<string, number>();
  for (const source of sources) {
    const { path, text } = source;
    if (path.startsWith('test/')) continue;
    folders.set(folderOf(path), (folders.get(folderOf(path)) ?? 0) + 1);
    const lines = text.split('\n').length - 1;
    if (lines > BOUNDS.file) over.file[path] = lines;
    for (const one of parseSource(source).functions)
      if (one.lines > BOUNDS.function) over.function[`${path}:${one.name}`] = one.lines;
  }
  for (const [folder, files] of folders) if (files > BOUNDS.folder) over.folder[folder] = files;
  return over;
}

function lengths(sources: readonly Source[], known: Known): Violation[] {
  const over = overBounds(sources);
  const found: Violation[] = [];
  for (const bound of Object.keys(BOUNDS) as Bound[]) {
    for (const [place, length] of Object.entries(over[bound])) {
      const allowed = known[bound][place] ?? BOUNDS[bound];
      if (length > allowed)
        found.push(
          `${place}: ${length} ${bound === 'folder' ? 'files' : 'lines'}, of which a ${bound} has at most ${allowed}; divide it`,
        );
    }
    for (const place of Object.keys(known[bound]))
      if (over[bound][place] === undefined)
        found.push(`${place}: within its bound now; take it out of test/house/known.json with npm run rooms`);
  }
  return found;
}

/** Everything that is wrong with the house. */
export function judge(sources: readonly Source[], rooms: readonly Room[], known: Known): Violation[] {
  const { found, graph } = walls(sources, rooms);
  for (const { path } of rooms)
    if (!sources.some((source) => source.path.startsWith(`${path}/`)))
      found.push(`rooms.ts: ${path} is empty; take out its row`);
  for (const group of cycles(graph)) found.push(`these files import each other: ${group.toSorted().join(', ')}`);
  for (const group of cycles(roomGraph(graph, rooms)))
    found.push(`these rooms import each other: ${group.toSorted().join(', ')}`);
  return [...found, ...lengths(sources, known)];
}
