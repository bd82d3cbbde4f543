/** Data folders of layout 1, for tests of their migration. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const TABLES = ['records_0', 'live_0', 'events_0', 'telemetry_0', 'local_0'];

/** Runs SQL on the database of a stopped store. */
export function change(folder: string, sql: string): void {
  using raw = new DatabaseSync(join(folder, 'store/headframe.db'));
  raw.exec(sql);
}

/** Takes a folder back to the layout before rows had checksums. */
export function makeOld(folder: string): void {
  const drops = TABLES.map((name) => `ALTER TABLE ${name} DROP COLUMN sum;`).join('');
  change(
    folder,
    `${drops} ALTER TABLE "_rxdb_internal_0" DROP COLUMN sum; DELETE FROM rx_meta WHERE key='schema' OR key GLOB 'sums *'; ALTER TABLE rx_meta DROP COLUMN sum`,
  );
  writeFileSync(join(folder, 'store/format.json'), '{"format":1}\n');
}

/** Returns the number of rows without a checksum, by table. */
export function rowsWithoutChecksum(folder: string): number[] {
  using raw = new DatabaseSync(join(folder, 'store/headframe.db'));
  const hasSum = (name: string) => raw.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name='sum'").get(name);
  return TABLES.map((name) => {
    const where = hasSum(name) === undefined ? '' : ' WHERE sum IS NULL';
    return Number(raw.prepare(`SELECT count(*) AS n FROM ${name}${where}`).get()?.n);
  });
}
