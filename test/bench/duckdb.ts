/**
 * DuckDB over Parquet files, as the peer of the benches of history. DuckDB is not a dependency of the project. To include it in a bench,
 * install it first: `npm install --no-save @duckdb/node-api`
 */
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Samples of one signal. */
export interface PeerSeries {
  readonly signal: string;
  readonly t: readonly number[];
  readonly v: readonly number[];
}

/** Parquet files of one machine: one file for each day, sorted by signal and time, compressed with zstd. */
export interface Parquet {
  /** Writes a file with these samples. */
  write(name: string, series: readonly PeerSeries[]): Promise<void>;
  /** Computes the lowest, highest and mean value of each step, and returns the number of steps. */
  steps(signal: string, from_s: number, to_s: number, step_s: number): Promise<number>;
  /** Bytes of all files. */
  bytes(): number;
  close(): void;
}

/** The part of `@duckdb/node-api` that this file uses. */
interface DuckDb {
  readonly DuckDBInstance: { create(path: string): Promise<{ connect(): Promise<Connection> }> };
  readonly DuckDBDataChunk: { create(types: readonly unknown[]): Chunk };
  readonly VARCHAR: unknown;
  readonly BIGINT: unknown;
  readonly DOUBLE: unknown;
}
interface Chunk {
  setColumns(columns: readonly (readonly unknown[])[]): void;
}
interface Connection {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<{ getRows(): readonly unknown[] }>;
  createAppender(table: string): Promise<{ appendDataChunk(chunk: Chunk): void; closeSync(): void }>;
  closeSync(): void;
}

/** Rows of one chunk of DuckDB. */
const CHUNK = 2_048;

/** Opens a folder for Parquet files; undefined if DuckDB is not installed. */
export async function openParquet(folder: string): Promise<Parquet | undefined> {
  // A name in a variable, because the package is absent in most installations.
  const name = '@duckdb/node-api';
  const duck: DuckDb | undefined = await import(name).catch(() => undefined);
  if (duck === undefined) return undefined;
  mkdirSync(folder, { recursive: true });
  const connection = await (await duck.DuckDBInstance.create(':memory:')).connect();
  await connection.run('CREATE TABLE samples (signal VARCHAR, t BIGINT, v DOUBLE)');
  return {
    async write(file, series) {
      const appender = await connection.createAppender('samples');
      for (const { signal, t, v } of series)
        for (let at = 0; at < t.length; at += CHUNK) {
          const times = t.slice(at, at + CHUNK);
          const chunk = duck.DuckDBDataChunk.create([duck.VARCHAR, duck.BIGINT, duck.DOUBLE]);
          chunk.setColumns([times.map(() => signal), times.map(BigInt), v.slice(at, at + CHUNK)]);
          appender.appendDataChunk(chunk);
        }
      appender.closeSync();
      await connection.run(
        `COPY (SELECT * FROM samples ORDER BY signal, t) TO '${join(folder, file)}' (FORMAT parquet, COMPRESSION zstd)`,
      );
      await connection.run('TRUNCATE samples');
    },
    async steps(signal, from_s, to_s, step_s) {
      const found = await connection.runAndReadAll(
        `SELECT t // ${step_s} * ${step_s} AS step, min(v), max(v), avg(v), count(*) FROM read_parquet('${folder}/*.parquet')
         WHERE signal = '${signal}' AND t >= ${from_s} AND t < ${to_s} GROUP BY step ORDER BY step`,
      );
      return found.getRows().length;
    },
    bytes: () => readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0),
    close: () => connection.closeSync(),
  };
}
