/** The files in which a silent fault costs data or truth, and the tests that answer for each of them. */

const BROKER = [
  'servers/broker',
  'servers/broker-room',
  'servers/mqtt-between',
  'servers/mqtt-bounds',
  'servers/mqtt-persistence',
  'servers/mqtt-sessions',
];
const CALLS = ['servers/invoke', 'servers/http', 'handlers/isolation', 'handlers/lists'];
const KEYS = ['servers/auth', 'handlers/keys', 'handlers/device-keys', 'servers/http'];
const INGEST = [
  'ingest/ingest',
  'ingest/truth',
  'ingest/parts',
  'ingest/loop-parts',
  'ingest/recovery',
  'ingest/degrade',
  'ingest/docs',
  'ingest/bus',
  'ingest/dbc',
  'ingest/credentials',
  'ingest/journal',
  'runs/decode',
  'sim/sim',
];
const FACTS = [
  'domain/machine',
  'domain/live-status',
  'domain/fault-table',
  'domain/addresses',
  'domain/recording',
  'domain/second-column',
];
const FRAMES = ['domain/decode', 'domain/transport', 'domain/encode', 'domain/bus-census', 'domain/site'];
const STORE = [
  'store/commit',
  'store/view',
  'store/mango',
  'store/storage',
  'store/turns',
  'store/feed',
  'store/walk',
  'store/open',
  'store/purge',
  'store/connection',
  'store/fault',
  'store/lock',
  'store/crash',
  'store/recover',
  'store/rot',
];
const LOGS = ['codec/candump', 'codec/payload', 'codec/asc', 'bridge/candump-source', 'bridge/log-file'];

/** By file: the test files that answer for it, by their paths under `test/` without the ending. */
export const CORE: Readonly<Record<string, readonly string[]>> = {
  'gateway/servers/broker.ts': [...BROKER, 'bridge/publisher'],
  'gateway/servers/mqtt-guard.ts': BROKER,
  'gateway/servers/mqtt-sessions.ts': BROKER,
  'gateway/servers/mqtt-session-state.ts': BROKER,
  'gateway/servers/mqtt-log.ts': BROKER,
  'gateway/servers/auth.ts': KEYS,
  'gateway/servers/receipts.ts': CALLS,
  'gateway/servers/invoke.ts': CALLS,
  'gateway/ingest/journal.ts': INGEST,
  'gateway/ingest/dedupe.ts': INGEST,
  'gateway/ingest/fold.ts': INGEST,
  'gateway/ingest/fold-values.ts': INGEST,
  'gateway/ingest/commits.ts': INGEST,
  'gateway/ingest/store-writer.ts': INGEST,
  'gateway/domain/machine.ts': FACTS,
  'gateway/domain/latest-known.ts': FACTS,
  'gateway/domain/live-status.ts': FACTS,
  'gateway/domain/fault-table.ts': FACTS,
  'gateway/domain/times.ts': FACTS,
  'gateway/domain/j1939-transport.ts': FRAMES,
  'gateway/domain/j1939-decode.ts': FRAMES,
  'gateway/domain/segment.ts': ['domain/segment', 'ingest/parts', 'ingest/ingest'],
  'gateway/store/commit.ts': STORE,
  'gateway/store/find.ts': STORE,
  'gateway/store/hlc.ts': STORE,
  'gateway/store/sqlite/connection.ts': STORE,
  'gateway/store/sqlite/instance.ts': STORE,
  'gateway/store/sqlite/table.ts': STORE,
  'firmware-bridge/codec/mdf4-records.ts': ['codec/mdf4', 'bridge/mf4'],
  'firmware-bridge/codec/candump.ts': LOGS,
  'firmware-bridge/codec/slcan.ts': ['codec/slcan', 'bridge/serial'],
  'ui/tv/ageing.ts': ['ui/truth'],
};
