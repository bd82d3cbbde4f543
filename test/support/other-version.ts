/**
 * Makes a process run another version of the program: `NODE_OPTIONS=--import=.../other-version.ts TEST_VERSION=newer`. It changes the source
 * of some modules while they are loaded.
 *
 *   newer   machines have a field `tint` and may be `parked`; places may be a `helipad`, and people `on_leave`; tickets may be `waiting`, of
 *           the type `warranty` and the priority `urgent`; rules may be an `emergency` and watch `dtc.new`; plans may `email`; boards may have
 *           a `gauge`, playlists `wipe`, and actions may be for a `crew`
 *   older   playlists are not known, and documents have at most 3,000 characters
 *   unordered  an earlier version: lists of names and most lists of entries have no order that is copied
 *   hasty   an end looks at the orders of lists at each exchange, and not each hour
 *   small   documents have at most 3,000 characters, and the quarantine keeps 2 commits
 *   stuck   a comparison of more than 128 documents makes no progress
 */
import { registerHooks } from 'node:module';

type Change = readonly [file: string, from: string, to: string];

/** An end that takes no longer texts. */
const SHORT_TEXTS = [
  '/store/sync/sync-env.ts',
  'const MOST_CHARACTERS = 1_000_000;',
  'const MOST_CHARACTERS = 3_000;',
] as const;

const VERSIONS: Readonly<Record<string, readonly Change[]>> = {
  newer: [
    ['/contract/fleet/equipment.ts', "'maintenance', 'down',", "'maintenance', 'parked', 'down',"],
    ['/contract/fleet/equipment.ts', 'const optional = {', 'const optional = { tint: z.string().max(20).optional(),'],
    [
      '/contract/fleet/equipment.ts',
      '  taken: Taken.nullable()',
      '  tint: z.string().optional(), taken: Taken.nullable()',
    ],
    ['/contract/fleet/location.ts', "  'site',\n", "  'site',\n  'helipad',\n"],
    ['/contract/work/people.ts', "['active', ", "['active', 'on_leave', "],
    ['/contract/ownership/fleet.ts', '    year: PEOPLE,', '    year: PEOPLE, tint: PEOPLE,'],
    ['/handlers/fleet/equipment.ts', '    year: data.year,', '    year: data.year, tint: data.tint,'],
    ['/contract/work/repair-ticket.ts', "'on_hold', 'fixed', 'closed'", "'on_hold', 'waiting', 'fixed', 'closed'"],
    [
      '/contract/work/repair-ticket.ts',
      "  in_progress: ['on_hold',",
      "  waiting: ['in_progress'],\n  in_progress: ['waiting', 'on_hold',",
    ],
    ['/contract/work/repair-ticket.ts', "'high', 'critical'] as const", "'high', 'critical', 'urgent'] as const"],
    [
      '/contract/work/repair-ticket.ts',
      "'inspection', 'damage'] as const",
      "'inspection', 'damage', 'warranty'] as const",
    ],
    [
      '/contract/work/alert.ts',
      "['info', 'warning', 'critical'] as const",
      "['info', 'warning', 'critical', 'emergency'] as const",
    ],
    ['/contract/work/alert.ts', "'dtc.active'] as const", "'dtc.active', 'dtc.new'] as const"],
    ['/contract/work/maintenance.ts', "z.enum(['none', 'ticket'])", "z.enum(['none', 'ticket', 'email'])"],
    [
      '/contract/work/custom-action.ts',
      "['project', 'equipment', 'location']",
      "['project', 'equipment', 'location', 'crew']",
    ],
    ['/contract/site/widget.ts', "  kpi: 'one value',", "  kpi: 'one value',\n  gauge: 'one value as a dial',"],
    ['/contract/site/board.ts', "z.enum(['none', 'fade'])", "z.enum(['none', 'fade', 'wipe'])"],
    ['/sync/wire/messages.ts', 'const DATA_VERSION = 1;', 'const DATA_VERSION = 2;'],
  ],
  older: [
    [
      '/contract/ownership/table.ts',
      'createOwnership(OWNERSHIP_ROWS)',
      "createOwnership(OWNERSHIP_ROWS.filter(({ object }) => object !== 'playlist'))",
    ],
    SHORT_TEXTS,
  ],
  hasty: [['/store/sync/replica.ts', 'const LOOK_MS = 3_600_000;', 'const LOOK_MS = 1;']],
  unordered: [
    [
      '/domain/sync/registers/paths.ts',
      "return merge === 'set' || merge === 'ids' || merge === 'codes' ?",
      'return false ?',
    ],
    ['/store/sync/projects.ts', 'isCounted: false, isOrdered: true }', 'isCounted: false }'],
    ['/store/sync/counting.ts', 'if (isLooked) return false;', 'return false;'],
  ],
  small: [SHORT_TEXTS, ['/domain/sync/rules.ts', '{ commits: 1_000, keys', '{ commits: 2, keys']],
  stuck: [
    [
      '/domain/sync/digest.ts',
      'if (own.n > MOST_ITEMS) return { split: splitRange(tx, scope, own) };',
      'if (theirs.n > MOST_ITEMS) return { split: [own] };',
    ],
  ],
};

const changes = VERSIONS[process.env.TEST_VERSION ?? ''] ?? [];

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const own = changes.filter(([file]) => url.endsWith(`/gateway${file}`));
    if (own.length === 0) return loaded;
    let source = String(loaded.source);
    for (const [file, from, to] of own) {
      if (!source.includes(from)) throw new Error(`${file} has no text ${from}`);
      source = source.replace(from, to);
    }
    return { ...loaded, source };
  },
});
