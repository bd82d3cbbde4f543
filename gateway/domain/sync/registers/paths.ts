/**
 * Divides the data of a document into registers, and puts it together again, by the ownership table.
 *
 *   name           a field                       labels/crew    a key of an object
 *   labor/<id>     an entry of a list            widgets#order  the ids of a list in their order
 *   operator       a group of fields             steps/<time>   a move of a ticket (ticket-steps.ts)
 *   ^parts#order   the names of a list in their order, where it is not the order of the names
 */
import { canonicalJson } from '#contract/base/canonical-json.ts';
import type { FieldRule, KindRule } from '#contract/ownership/rule.ts';
import { isMachinerys, type Register, type Registers, shownOf } from './registers.ts';
import { FIRST_STEP, foldSteps, STEPS_PATH } from './ticket-steps.ts';

export type Data = Readonly<Record<string, unknown>>;
type Entry = Readonly<Record<string, unknown>>;

/** The path of the only register of a kind that has one rule for the whole document. */
const wholePath = (rule: FieldRule): string => (rule.owner === 'machinery' ? '!' : '=');

const sigilOf = ({ owner, merge }: FieldRule): string => {
  if (merge === 'later') return '^';
  return owner === 'machinery' ? '!' : owner === 'fact' ? '=' : '';
};

/** The path of a field, or the beginning of its paths. */
const rootOf = (field: string, rule: FieldRule): string => `${sigilOf(rule)}${rule.group ?? field}`;

/** The name by which an entry of a list is known. */
function entryName(merge: string, entry: unknown): string {
  if (merge === 'set') return String(entry);
  const { id, code } = entry as Entry;
  return String((merge === 'codes' ? code : id) ?? canonicalJson(entry));
}

/** The path of the order of a list; undefined for what is no list, or has no order. */
function orderPath(field: string, { merge }: FieldRule): string | undefined {
  if (merge === 'ordered') return `${field}#order`;
  return merge === 'set' || merge === 'ids' || merge === 'codes' ? `^${field}#order` : undefined;
}

/**
 * The orders that the lists of the data have and that the registers do not give: the names of the entries of a list, or none if they are in
 * the order of their names. Lists whose order is a field of people are left out.
 */
export function ordersOf(
  kind: KindRule,
  data: Data,
  registers: Registers,
): (readonly [path: string, names: readonly string[]])[] {
  const orders: (readonly [string, readonly string[]])[] = [];
  for (const [field, rule] of Object.entries(kind.fields ?? {})) {
    const path = orderPath(field, rule);
    const list = data[field];
    if (path === undefined || rule.merge === 'ordered' || !Array.isArray(list) || list.length < 2) continue;
    const names = [...new Set(list.map((entry) => entryName(rule.merge, entry)))];
    const sorted = names.toSorted();
    if (!isSameList(names, names.toSorted(orderOf(registers.get(path)))))
      orders.push([path, isSameList(names, sorted) ? [] : names]);
  }
  return orders;
}

const isSameList = (a: readonly string[], b: readonly string[]): boolean => a.every((name, i) => name === b[i]);

/** Returns the value of each path of the data, without the orders of `ordersOf`. Fields of the node itself are left out. A field without a rule is a value of people. */
export function decompose(kind: KindRule, data: Data): Map<string, unknown> {
  const paths = new Map<string, unknown>();
  if (kind.whole !== undefined) return paths.set(wholePath(kind.whole), data);
  const groups = new Map<string, Record<string, unknown>>();
  for (const [field, value] of Object.entries(data)) {
    const rule = kind.fields?.[field];
    if (value === undefined || rule?.owner === 'node') continue;
    if (rule === undefined) paths.set(field, value);
    else if (rule.group === undefined) setPaths(paths, rootOf(field, rule), rule, value);
    else {
      const root = rule.merge === 'steps' ? FIRST_STEP : rootOf(field, rule);
      const group = groups.get(root) ?? {};
      group[field] = value;
      groups.set(root, group);
    }
  }
  for (const [root, group] of groups) paths.set(root, group);
  return paths;
}

function setPaths(paths: Map<string, unknown>, root: string, { merge }: FieldRule, value: unknown): void {
  if (merge === 'value') paths.set(root, value);
  else if (Array.isArray(value)) {
    for (const entry of value) paths.set(`${root}/${entryName(merge, entry)}`, merge === 'set' ? true : entry);
    if (merge === 'ordered')
      paths.set(
        `${root}#order`,
        value.map((entry) => entryName(merge, entry)),
      );
  } else if (merge === 'later') setLater(paths, root, value as Entry);
  else for (const [key, member] of Object.entries((value ?? {}) as Entry)) paths.set(`${root}/${key}`, member);
}

/** Two levels of keys: `^notifications/read/<id>`. */
function setLater(paths: Map<string, unknown>, root: string, value: Entry): void {
  for (const [name, times] of Object.entries(value)) {
    if (typeof times === 'object' && times !== null)
      for (const [key, time] of Object.entries(times)) paths.set(`${root}/${name}/${key}`, time);
    else if (times !== null) paths.set(`${root}/${name}`, times);
  }
}

/** Puts the data of a document together from the shown values of its registers. Paths that this version cannot place are left out. */
export function assemble(kind: KindRule, registers: Registers): Data {
  if (kind.whole !== undefined) return (registers.get(wholePath(kind.whole))?.[0]?.v ?? {}) as Data;
  const data: Record<string, unknown> = {};
  for (const [path, register] of registers) {
    if (path.startsWith('_') || kind.fields?.[path] !== undefined || /[/#!=^]/.test(path)) continue;
    if (!isGroup(kind, path)) data[path] = shownOf(register).v;
  }
  const lists = listsOf(registers);
  for (const [field, rule] of Object.entries(kind.fields ?? {})) {
    if (rule.owner === 'node') continue;
    const value = fieldOf(field, rule, registers, lists);
    if (value !== undefined) data[field] = value;
  }
  return data;
}

const isGroup = ({ fields }: KindRule, path: string): boolean =>
  fields !== undefined && Object.values(fields).some(({ group }) => group === path);

/** The registers of entries and keys by the part of their path before the first `/`. */
function listsOf(registers: Registers): Map<string, [string, Register][]> {
  const lists = new Map<string, [string, Register][]>();
  for (const [path, register] of registers) {
    const slash = path.indexOf('/');
    if (slash < 0) continue;
    const root = path.slice(0, slash);
    const list = lists.get(root);
    const entry: [string, Register] = [path.slice(slash + 1), register];
    if (list === undefined) lists.set(root, [entry]);
    else list.push(entry);
  }
  return lists;
}

function fieldOf(
  field: string,
  rule: FieldRule,
  registers: Registers,
  lists: ReadonlyMap<string, [string, Register][]>,
): unknown {
  const root = rootOf(field, rule);
  if (rule.merge === 'steps') return foldSteps(lists.get(STEPS_PATH) ?? []).state[field];
  if (rule.merge === 'value') {
    const register = registers.get(root);
    if (register === undefined) return undefined;
    const { v } = shownOf(register, rule.rank);
    return rule.group === undefined ? v : (v as Entry | null)?.[field];
  }
  const entries = (lists.get(root) ?? []).flatMap(([name, register]) => {
    const { v } = shownOf(register);
    return v === null ? [] : [[name, v] as const];
  });
  if (rule.optional === true && !lists.has(root)) return undefined;
  if (rule.merge === 'later') return laterOf(entries);
  const path = orderPath(field, rule);
  const compare = orderOf(path === undefined ? undefined : registers.get(path));
  entries.sort(([a], [b]) => compare(a, b));
  if (rule.merge === 'keys') return Object.fromEntries(entries);
  return entries.map(([name, v]) => (rule.merge === 'set' ? name : v));
}

/** Compares names by the order that people gave. The names that it does not have are last, sorted. */
function orderOf(order: Register | undefined): (a: string, b: string) => number {
  const names = (order === undefined ? [] : (shownOf(order).v ?? [])) as readonly string[];
  const places = new Map(names.map((name, i) => [name, i]));
  const placeOf = (name: string): number => places.get(name) ?? names.length;
  return (a, b) => placeOf(a) - placeOf(b) || (a < b ? -1 : a > b ? 1 : 0);
}

function laterOf(entries: readonly (readonly [string, unknown])[]): unknown {
  const value: Record<string, unknown> = { read: {}, cleared: {}, read_before: null };
  for (const [name, time] of entries) {
    const slash = name.indexOf('/');
    if (slash < 0) value[name] = time;
    else {
      const outer = name.slice(0, slash);
      value[outer] = { ...(value[outer] as Entry | undefined), [name.slice(slash + 1)]: time };
    }
  }
  return value;
}

/** The rule of a path; undefined if this version does not know its field. */
export function ruleOfPath(kind: KindRule, path: string): FieldRule | undefined {
  if (kind.whole !== undefined) return kind.whole;
  const root = path.replace(/^[!=^]/, '').replace(/[/#].*$/, '');
  const direct = kind.fields?.[root];
  if (direct !== undefined && direct.group === undefined) return direct;
  return Object.values(kind.fields ?? {}).find(({ group }) => group === root);
}

/** True if no value of this path is ever taken from above. */
export function isNeverDown(kind: KindRule | undefined, path: string): boolean {
  return kind !== undefined && isMachinerys(path) && ruleOfPath(kind, path)?.never_down === true;
}
