/**
 * The tables of the replication to head office. Documents stay in the tables of their collections; these tables have what the replication
 * knows about them. Each row belongs to one project (`p`).
 *
 *   sync_projects   a project that takes part: the life of this node in it, the head of its log, its channel to head office
 *   sync_words      numbers of texts that many rows have: lives, and scopes of digests
 *   sync_docs       a document: the time and the life of its values, its registers that the data does not imply, its digest items
 *   sync_leaves     sums of digest items, by leaf
 *   sync_held       sums of the digest items of facts that this node made, by life
 *   sync_log        the commits, in their order
 *   sync_state      small values, by kind and name: channels, lives, ledgers, gap records, quarantine, what is owed
 *   sync_claims     claims of unique names
 */

export const TABLES: readonly string[] = [
  'CREATE TABLE IF NOT EXISTS sync_projects (no INTEGER PRIMARY KEY, project TEXT NOT NULL UNIQUE, node TEXT NOT NULL, n INTEGER NOT NULL, chain TEXT NOT NULL, site TEXT NOT NULL, work TEXT NOT NULL)',
  'CREATE TABLE IF NOT EXISTS sync_words (no INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE)',
  `CREATE TABLE IF NOT EXISTS sync_docs (p INTEGER NOT NULL, key TEXT NOT NULL, life INTEGER NOT NULL, hlc TEXT NOT NULL, state TEXT, n INTEGER,
   leaf INTEGER NOT NULL, scope INTEGER, hash BLOB, machine INTEGER, machine_hash BLOB, dead INTEGER, PRIMARY KEY (p, key)) WITHOUT ROWID`,
  'CREATE INDEX IF NOT EXISTS sync_docs_scope ON sync_docs (p, scope, leaf) WHERE scope IS NOT NULL',
  'CREATE INDEX IF NOT EXISTS sync_docs_machine ON sync_docs (p, machine, leaf) WHERE machine IS NOT NULL',
  'CREATE INDEX IF NOT EXISTS sync_docs_dead ON sync_docs (p, key) WHERE dead=1',
  'CREATE TABLE IF NOT EXISTS sync_held (p INTEGER NOT NULL, life INTEGER NOT NULL, n INTEGER NOT NULL, sum BLOB NOT NULL, PRIMARY KEY (p, life)) WITHOUT ROWID',
  'CREATE TABLE IF NOT EXISTS sync_leaves (p INTEGER NOT NULL, scope INTEGER NOT NULL, leaf INTEGER NOT NULL, n INTEGER NOT NULL, sum BLOB NOT NULL, PRIMARY KEY (p, scope, leaf)) WITHOUT ROWID',
  `CREATE TABLE IF NOT EXISTS sync_log (p INTEGER NOT NULL, n INTEGER NOT NULL, key ANY NOT NULL, chain BLOB NOT NULL, life INTEGER NOT NULL, hlc TEXT NOT NULL,
   lane INTEGER NOT NULL, giver INTEGER NOT NULL, members TEXT NOT NULL, PRIMARY KEY (p, n)) WITHOUT ROWID`,
  'CREATE INDEX IF NOT EXISTS sync_log_key ON sync_log (p, key)',
  'CREATE INDEX IF NOT EXISTS sync_log_lane ON sync_log (p, lane, n)',
  'CREATE TABLE IF NOT EXISTS sync_state (p INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (p, kind, name))',
  'CREATE TABLE IF NOT EXISTS sync_claims (p INTEGER NOT NULL, name TEXT NOT NULL, hlc TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (p, name, id)) WITHOUT ROWID',
];
