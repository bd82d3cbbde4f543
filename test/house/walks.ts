/** The walks of docs/architecture.md, and whether the code still takes them. */
import { parseSync } from 'vite';
import type { Room } from '../../rooms.ts';
import { roomOf, targetOf } from './judge.ts';
import { type Node, nodes, parseSource, type Source } from './source.ts';

/** A row of a walk. `call` and `through` are undefined where the walk returns, crosses the network or ends. */
export interface Step {
  readonly file: string;
  readonly name: string;
  readonly call: string | undefined;
  readonly through: string | undefined;
}

/** The steps of the walks of a page, by name. */
export function walksOf(page: string): Map<string, Step[]> {
  const walks = new Map<string, Step[]>();
  for (const [, name = '', table = ''] of page.matchAll(/<!-- walk: (\w+) -->([\s\S]*?)<!-- end of walk -->/g)) {
    const rows = [...table.matchAll(/^\| `([^`]+)` \| `([^`]+)` \|.*\| ([^|]+) \|$/gm)];
    const steps = rows.map(([, file = '', named = '', next = '']) => {
      const [call, through] = [...next.matchAll(/`([^`]+)`/g)].map(([, text]) => text);
      return { file, name: named, call, through };
    });
    walks.set(name, steps);
  }
  return walks;
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
const keyName = (node: unknown): string => (node as { name?: string } | null)?.name ?? '';

/** The names of functions that a file declares, methods and constants with functions included, and of those that it calls. */
function functionsOf({ path, text }: Source): { declares: Set<string>; calls: Set<string> } {
  const declares = new Set<string>();
  const calls = new Set<string>();
  for (const node of nodes(parseSync(path, text).program as unknown as Node)) {
    if (FUNCTIONS.has(node.type)) declares.add(keyName(node.id));
    const value = (node.init ?? node.value) as Node | null | undefined;
    if (value && FUNCTIONS.has(value.type)) declares.add(keyName(node.id ?? node.key));
    if (node.type === 'CallExpression') {
      const callee = node.callee as Node;
      calls.add(keyName(callee.type === 'MemberExpression' ? callee.property : callee));
    }
    if (node.type === 'JSXOpeningElement') calls.add(keyName(node.name));
  }
  return { declares, calls };
}

/** True when a file reaches another by its imports, over any number of files. */
function reaches(graph: ReadonlyMap<string, readonly string[]>, from: string, to: string): boolean {
  const seen = new Set([from]);
  const open = [from];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (file === to) return true;
    for (const next of graph.get(file) ?? [])
      if (!seen.has(next)) {
        seen.add(next);
        open.push(next);
      }
  }
  return false;
}

/** What is stale in a walk: a file or function that is gone, a call that is not made, an import that does not lead on. */
export function staleSteps(steps: readonly Step[], sources: readonly Source[], rooms: readonly Room[]): string[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const graph = new Map(
    sources.map((source) => [
      source.path,
      parseSource(source).imports.flatMap(({ from }) => targetOf(from, source.path, rooms) ?? []),
    ]),
  );
  const found: string[] = [];
  for (const [i, { file, name, call, through }] of steps.entries()) {
    const where = `step ${i + 1}, ${file}`;
    const source = byPath.get(file);
    if (source === undefined) {
      found.push(`${where}: no such file`);
      continue;
    }
    const { declares, calls } = functionsOf(source);
    if (!declares.has(name)) found.push(`${where}: declares no function ${name}`);
    if (call === undefined) continue;
    if (!calls.has(call)) found.push(`${where}: does not call ${call}`);
    const next = steps[i + 1]?.file ?? '';
    if (through === undefined) {
      if (next !== file && !graph.get(file)?.includes(next)) found.push(`${where}: does not import ${next}`);
    } else {
      const isConnected = reaches(graph, through, file) || graph.get(file)?.includes(through);
      if (!isConnected || !reaches(graph, through, next))
        found.push(`${where}: ${through} does not connect it to ${next}`);
    }
  }
  return found;
}

/** How often a walk enters each room. */
export function entriesOf(steps: readonly Step[], rooms: readonly Room[]): Map<string, number> {
  const entries = new Map<string, number>();
  let last: string | undefined;
  for (const { file } of steps) {
    const room = roomOf(file, rooms)?.name ?? file;
    if (room !== last) entries.set(room, (entries.get(room) ?? 0) + 1);
    last = room;
  }
  return entries;
}
