/** What people and machinery write in a simulated history: fields, labels, entries, moves of tickets, deletions, facts. */
import { hash } from 'node:crypto';
import { hashId, makeId } from '#contract/base/ids.ts';
import { IDS, type KindRule, kind, PEOPLE } from '#contract/ownership/rule.ts';
import { createOwnership, OWNERSHIP_ROWS, type Ownership } from '#contract/ownership/table.ts';
import { TICKET_STEPS, type TicketStatus } from '#contract/work/repair-ticket.ts';
import { kindOf, type SyncEnv } from '#domain/sync/env.ts';
import type { LocalWrite } from '#domain/sync/node.ts';
import type { Doc } from '#domain/sync/registers/documents.ts';
import { assemble, type Data } from '#domain/sync/registers/paths.ts';
import { hasConflict, isPeoples } from '#domain/sync/registers/registers.ts';
import type { Random } from '#test/sim/random.ts';

type Entry = Record<string, unknown>;

/** The table of a newer version: one kind more, and two fields more of a machine. */
const NEWER_ROWS: readonly KindRule[] = OWNERSHIP_ROWS.map((row) =>
  row.collection === 'records' && row.object === 'equipment'
    ? { ...row, fields: { ...row.fields, x_note: PEOPLE, x_list: IDS } }
    : row,
);
export const NEWER: Ownership = createOwnership([
  ...NEWER_ROWS,
  ...kind<{ a: string; list: unknown }>('records', 'gadget', 'edit_wins', { a: PEOPLE, list: IDS }),
]);

const KINDS = ['equipment', 'location', 'repair_ticket', 'dashboard', 'operator', 'device', 'preference'] as const;
const PREFIX = { equipment: 'equipment', location: 'location', repair_ticket: 'repair_ticket' } as const;
const STATUS = ['available', 'in_use', 'maintenance', 'down', 'decommissioned'] as const;

/** What facts say: most are the work of people, some are alerts, few are of safety. */
const FACTS = [
  ['note', {}],
  ['note', {}],
  ['note', {}],
  ['alert_raised', {}],
  ['alert_raised', { safety_critical: true }],
] as const;

/** Makes writes. The content of each value is new, so that a history never writes one value twice by accident. */
export class People {
  readonly #random: Random;
  #serial = 0;
  /** The keys of facts that may be made more than once. */
  readonly given = new Set<string>();

  constructor(random: Random) {
    this.#random = random;
  }

  text(): string {
    return `v${++this.#serial}`;
  }

  id(prefix: keyof typeof PREFIX | 'event' | 'dashboard' | 'item', now: number): string {
    return makeId(prefix, now, this.#random.bytes(10));
  }

  /** A new document. */
  create(now: number, machines: readonly string[], newer: boolean): LocalWrite {
    const object = newer && this.#random.chance(0.2) ? 'gadget' : this.#random.pick(KINDS);
    const prefix = object in PREFIX ? (object as keyof typeof PREFIX) : 'dashboard';
    return { collection: 'records', id: this.id(prefix, now), object, data: this.#fresh(object, now, machines) };
  }

  #fresh(object: string, now: number, machines: readonly string[]): Data {
    const name = this.text();
    const number = `N${this.#random.int(6)}`;
    const labels = { crew: name };
    switch (object) {
      case 'equipment':
        return {
          name,
          unit_number: number,
          aliases: this.#random.pick([[], ['N5', 'N1']]),
          status: 'available',
          operator_id: null,
          operator_since: null,
          labels,
        };
      case 'location':
        return { name, code: number, parent_id: null, active: true, labels };
      case 'repair_ticket':
        return {
          ...{
            number: this.text(),
            title: name,
            status: 'flagged',
            hold_reason: null,
            started_at: null,
            priority: 'low',
          },
          ...{ equipment_id: machines[0] ?? null, labor: [], parts: [], labels, assigned_mechanic_ids: [] },
        };
      case 'dashboard':
        return { name, widgets: [{ id: this.id('item', now), title: name }], theme: 'tv-dark' };
      case 'operator':
        return { name, badge_id: number, certifications: [{ code: 'a', expires_on: null }], labels };
      case 'preference':
        return { notifications: { read: { a: name }, cleared: {}, read_before: null } };
      case 'gadget':
        return { a: name, list: [{ id: this.id('item', now), text: name }] };
      default:
        return { name, labels, equipment_id: null, linked_at: null };
    }
  }

  /** An edit of a document by a person who sees it as `doc`; undefined if there is nothing to edit. */
  edit(env: SyncEnv, doc: Doc, now: number, newer: boolean, others: readonly string[]): LocalWrite | undefined {
    const kindRule = kindOf(env, doc.collection, doc.object);
    const { collection, id, object } = doc;
    if (kindRule.object === '') return undefined;
    const deletable = kindRule.deletion === 'edit_wins';
    if (deletable && !doc.dead && this.#random.chance(0.2)) return { collection, id, object };
    const data = structuredClone(assemble(kindRule, doc.registers)) as Entry;
    const conflicts = [...doc.registers].filter(([path, register]) => isPeoples(path) && hasConflict(register));
    if (conflicts.length > 0 && this.#random.chance(0.3)) {
      const chosen = conflicts.map(([path]) => path).filter((path) => path !== '_deleted');
      return { collection, id, object, data, chosen };
    }
    this.#change(object, data, now, newer, others);
    return { collection, id, object, data };
  }

  #change(object: string, data: Entry, now: number, newer: boolean, others: readonly string[]): void {
    const random = this.#random;
    const text = this.text();
    const fields: (() => void)[] = [
      () => {
        data[object === 'gadget' ? 'a' : object === 'repair_ticket' ? 'title' : 'name'] = text;
      },
    ];
    const add = (change: () => void): number => fields.push(change);
    if ('labels' in data)
      add(() => {
        const labels = data.labels as Entry;
        const key = random.pick(['crew', 'pit', 'x']);
        if (random.chance(0.3)) delete labels[key];
        else labels[key] = text;
      });
    for (const list of ['labor', 'parts', 'widgets', 'list', 'x_list'])
      if (list in data || (newer && list === 'x_list' && object === 'equipment'))
        add(() => {
          data[list] = this.#changeList((data[list] ?? []) as Entry[], text, now);
        });
    if (object === 'equipment') {
      add(() => {
        data.status = random.pick(STATUS);
      });
      add(() => Object.assign(data, { operator_id: text, operator_since: String(now) }));
      add(() => {
        data.unit_number = `N${random.int(6)}`;
      });
      add(() => {
        data.aliases = this.#changeNames(data.aliases as string[]);
      });
      if (newer)
        add(() => {
          data.x_note = text;
        });
    }
    if (object === 'location')
      add(() => {
        data.parent_id = random.pick([null, ...others]);
      });
    if (object === 'device')
      add(() => Object.assign(data, { equipment_id: random.pick([null, ...others]), linked_at: text }));
    if (object === 'preference')
      add(() => {
        const { read, ...rest } = data.notifications as { read: Entry };
        data.notifications = { ...rest, read: { ...read, [random.pick(['a', 'b', 'c'])]: String(now) } };
      });
    if (object === 'repair_ticket') {
      add(() => {
        data.assigned_mechanic_ids = this.#changeNames(data.assigned_mechanic_ids as string[]);
      });
      add(() => {
        const next = TICKET_STEPS[data.status as TicketStatus];
        if (next.length === 0) return;
        data.status = random.pick(next);
        if (data.status === 'in_progress') data.started_at = text;
      });
    }
    random.pick(fields)();
  }

  /** A name more, one less, or another one first. */
  #changeNames(names: readonly string[]): string[] {
    const random = this.#random;
    const name = names.length > 0 && random.chance(0.5) ? random.pick(names) : `N${random.int(6)}`;
    const others = names.filter((one) => one !== name);
    const dice = random.next();
    return dice < 0.3 ? others : dice < 0.6 ? [name, ...others] : [...others, name];
  }

  #changeList(list: Entry[], text: string, now: number): Entry[] {
    const random = this.#random;
    const at = random.int(list.length);
    if (list.length > 0 && random.chance(0.3)) return list.filter((_, i) => i !== at);
    if (list.length > 1 && random.chance(0.2)) return [...list.slice(at), ...list.slice(0, at)];
    if (list.length > 0 && random.chance(0.5))
      return list.map((entry, i) => (i === at ? { ...entry, title: text } : entry));
    return [...list, { id: this.id('item', now), title: text }];
  }

  /**
   * The history of a day. Its id is computed from its content, so a box that was put back, or a copy of it, makes it again. What a box says
   * about earlier history of the day is not in the id.
   */
  rollup(slot: string, rows: number, replaces: readonly string[]): LocalWrite {
    const data = { slot, rows, seal: { generation: replaces.length + 1, replaces } };
    const id = hashId('rollup', hash('sha256', `${slot} ${rows}`, 'hex'));
    return { collection: 'telemetry', id, object: 'rollup', data };
  }

  /** A fact that another system sends with an id of its own, perhaps again. */
  imported(source: string): LocalWrite {
    const data = { type: 'note', subject: { object: 'any', id: 'nothing' }, data: { text: source } };
    const id = hashId('event', hash('sha256', source, 'hex'));
    this.given.add(`events/${id}`);
    return { collection: 'events', id, object: 'event', data };
  }

  /** A fact about a record that the same commit writes. */
  event(now: number, subject: string): LocalWrite {
    const [type, more] = this.#random.pick(FACTS);
    const data = { type, subject: { object: 'any', id: subject }, data: { text: this.text(), ...more } };
    return { collection: 'events', id: this.id('event', now), object: 'event', data };
  }
}
