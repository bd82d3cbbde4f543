/** The order of values in SQLite. */
import { DatabaseSync } from 'node:sqlite';

const database = new DatabaseSync(':memory:');
const statement = database.prepare('SELECT (a > b) - (a < b) AS sign FROM (SELECT ? AS a, ? AS b)');

/** Returns -1, 0 or 1. */
export const compareSqlite = (a: string | number, b: string | number): number => Number(statement.get(a, b)?.sign);
