/**
 * Lists in records of a history: people at both ends add entries, move them, and remove entries that they saw, also beside values that the other end does
 * not know. Each entry that nobody removed must be there at the end.
 */
import { type Client, ClientError } from '#contract/client.ts';
import type { Random } from '#test/sim/random.ts';
import { until } from '#test/support/until.ts';
import { type Held, Kept } from './sync-kept.ts';
import type { Box } from './sync-truth.ts';

type Answer = Readonly<Record<string, unknown>>;
type CallName = Parameters<Client['call']>[0];

/** Calls an operation with values that this version of the contract may not have. */
const call = (client: Client, name: CallName, input: object, more = {}): Promise<Answer> =>
  client.call(name, input as never, more) as unknown as Promise<Answer>;

/** A record with a list. */
interface ListKind {
  readonly object: 'equipment' | 'mechanics' | 'operators' | 'playlists' | 'dashboards' | 'repair_tickets';
  readonly field: string;
  /** An entry with a number. `board` is the id of a board, and `newer` is true at an end that knows more values. */
  entry(n: number, board: string, newer: boolean): unknown;
  /** The name of an entry, and what it says. */
  read(entry: Answer & string): readonly [key: string, content: unknown];
  /** A value beside the list that only a newer version knows. */
  readonly unknown?: Answer;
}

/** Places of tiles. Only in a long history have two tiles the same place. */
const placeOf = (n: number) => ({ x: n % 12, y: Math.floor(n / 12) % 6, w: 1, h: 1 });
const KINDS: readonly ListKind[] = [
  {
    ...{ object: 'equipment', field: 'aliases', unknown: { status: 'parked' } },
    entry: (n) => `alias ${n}`,
    read: (text) => [text, null],
  },
  {
    ...{ object: 'mechanics', field: 'trades', unknown: { status: 'on_leave' } },
    entry: (n) => `trade ${n}`,
    read: (text) => [text, null],
  },
  {
    ...{ object: 'operators', field: 'certifications', unknown: { status: 'on_leave' } },
    entry: (n) => ({ code: `C${n}`, expires_on: '2031-01-31' }),
    read: ({ code, expires_on }) => [String(code), expires_on],
  },
  {
    ...{ object: 'playlists', field: 'items', unknown: { transition: 'wipe' } },
    entry: (n, dashboard_id) => ({ id: `item-${n}`, dashboard_id }),
    read: ({ id, dashboard_id }) => [String(id), dashboard_id],
  },
  {
    ...{ object: 'dashboards', field: 'widgets' },
    entry: (n, _, newer) => ({
      ...{ id: `tile-${n}`, type: newer ? 'gauge' : 'text', position: placeOf(n), params: { text: `tile ${n}` } },
    }),
    read: ({ id, params }) => [String(id), (params as Answer).text],
  },
  {
    ...{ object: 'repair_tickets', field: 'parts', unknown: { priority: 'urgent' } },
    entry: (n) => ({ id: `part-${n}`, name: `part ${n}` }),
    read: ({ id, name }) => [String(id), name],
  },
];
/** Fewer entries than any of the lists may have. */
const MOST_ENTRIES = 15;
/** The name of the records with lists. No other step deletes or closes one of them. */
export const OF_LISTS = 'with a list';

/** All lists of the API with records that people write. */
const PAGES: readonly CallName[] = [
  'equipment_list',
  'repair_tickets_list',
  'dashboards_list',
  'playlists_list',
  'operators_list',
  'mechanics_list',
  'locations_list',
  'tasks_list',
  'alert_rules_list',
  'custom_actions_list',
];

interface Entry extends Held {
  readonly at: Box;
  readonly kind: ListKind;
  readonly key: string;
  readonly content: unknown;
  /** Somebody removed it. The removal may be lost with a disk. */
  mayLack: boolean;
}

export class Lists extends Kept<Entry> {
  /** The id of the record of each kind. */
  readonly #ids = new Map<ListKind, string>();
  #board = '';

  /** Writes of values beside a list that only a newer version knows. */
  unknown = 0;

  /** Makes the records at a site, each with two entries, so that a list which becomes blank is seen. */
  async begin(at: Box, client: Client, machine: string): Promise<void> {
    const made = {
      equipment: machine,
      mechanics: (await client.call('mechanics_create', { name: OF_LISTS })).id,
      operators: (await client.call('operators_create', { name: OF_LISTS })).id,
      playlists: (await client.call('playlists_create', { name: OF_LISTS })).id,
      dashboards: (await client.call('dashboards_create', { name: OF_LISTS })).id,
      repair_tickets: (await client.call('repair_tickets_create', { equipment_id: machine, title: OF_LISTS })).id,
    };
    for (const kind of KINDS) this.#ids.set(kind, made[kind.object]);
    this.#board = made.dashboards;
    for (const kind of KINDS) for (const n of [2, 1]) await this.#add(at, client, kind, n, false);
  }

  /** A person adds an entry as the last one. */
  async #add(at: Box, client: Client, kind: ListKind, n: number, isNewer: boolean): Promise<void> {
    const { revision: if_match, list } = await this.#read(client, kind);
    const entry = kind.entry(n, this.#board, isNewer);
    const changes = { id: this.#ids.get(kind), [kind.field]: [...list, entry] };
    await call(client, `${kind.object}_update`, changes, { if_match });
    const [key, content] = kind.read(entry as Answer & string);
    this.all.push({ at, kind, key, content, held: new Set([at]), mayLack: false });
  }

  async #read(client: Client, kind: ListKind): Promise<{ revision: unknown; list: (Answer & string)[] }> {
    const record = await call(client, `${kind.object}_get`, { id: this.#ids.get(kind) });
    return { revision: record.revision, list: record[kind.field] as (Answer & string)[] };
  }

  /** A person changes a list. If the gateway refuses it, because two tiles have one place, the person leaves it. */
  async change(random: Random, at: Box, client: Client, n: number, isNewer: boolean): Promise<void> {
    await this.#change(random, at, client, n, isNewer).catch((error: unknown) => {
      if (!(error instanceof ClientError) || !/^Widgets \d+ and \d+ overlap/.test(error.message)) throw error;
    });
  }

  /** A person adds an entry, removes one, or gives a value beside the list. `isNewer` is true at an end with a newer version. */
  async #change(random: Random, at: Box, client: Client, n: number, isNewer: boolean): Promise<void> {
    const kind = random.pick(KINDS);
    const { revision: if_match, list } = await this.#read(client, kind);
    const write = (fields: object) =>
      call(client, `${kind.object}_update`, { id: this.#ids.get(kind), ...fields }, { if_match });
    // An end sends no tile back that it shows as unknown.
    const isKnown = !list.some(({ type }) => type === 'unknown');
    if (!isKnown || (isNewer && kind.unknown !== undefined && random.chance(0.5))) {
      await write(isNewer ? (kind.unknown ?? {}) : { name: OF_LISTS });
      if (isNewer) this.unknown++;
      return;
    }
    if (list.length > 1 && random.chance(0.15)) {
      const [first, ...others] = list;
      await write({ [kind.field]: [...others, first] });
      return;
    }
    const keys = new Set(list.map((one) => kind.read(one)[0]));
    const known = this.all.filter((one) => one.kind === kind && keys.has(one.key));
    if (known.length > 0 && (list.length >= MOST_ENTRIES || random.chance(0.2))) {
      const gone = random.pick(known);
      gone.mayLack = true;
      await write({ [kind.field]: list.filter((one) => kind.read(one)[0] !== gone.key) });
      return;
    }
    await this.#add(at, client, kind, n, isNewer);
  }

  /** A person at an end with a newer version gives each record the value that only this version knows. */
  async giveUnknown(client: Client): Promise<void> {
    for (const kind of KINDS) {
      if (kind.unknown === undefined) continue;
      await until(
        async () => {
          const { revision: if_match } = await this.#read(client, kind);
          try {
            await call(client, `${kind.object}_update`, { id: this.#ids.get(kind), ...kind.unknown }, { if_match });
            return true;
          } catch (error) {
            // A change of the other end arrived after the read.
            if (error instanceof ClientError && error.error?.code === 'revision_mismatch') return false;
            throw error;
          }
        },
        `the newer value of ${kind.object} is written`,
        500,
      );
      this.unknown++;
    }
  }

  /** Returns the lists that an end shows without entries that nobody removed, and the records that it cannot show. */
  async missingAt(client: Client): Promise<string[]> {
    const missing: string[] = [];
    for (const kind of KINDS) {
      const { list } = await this.#read(client, kind);
      const found = new Map(list.map((one) => kind.read(one)));
      const wanted = this.all.filter((one) => one.kind === kind && !one.mayLack);
      const what = `${kind.object}.${kind.field}`;
      if (list.length === 0 && wanted.length > 0) missing.push(`${what} is blank and had ${wanted.length} entries`);
      for (const { key, content, at } of wanted)
        if (!found.has(key)) missing.push(`${what} lacks ${key} of ${at.name}`);
        else if (found.get(key) !== content) missing.push(`${what}: ${key} of ${at.name} says ${found.get(key)}`);
    }
    for (const page of PAGES) {
      const { warnings = [] } = (await call(client, page, { limit: 200 })) as {
        warnings?: { code: string; id?: string }[];
      };
      for (const { code, id } of warnings) if (code === 'document_unreadable') missing.push(`${page} leaves out ${id}`);
    }
    return missing;
  }
}
