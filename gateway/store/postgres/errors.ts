/** Which errors of PostgreSQL a transaction survives. */

/** The server accepts no connection now. */
export const NOT_NOW = '57P03';
export const SERIALIZATION = '40001';
/** The transaction ran into another one. It is run again. */
const CONFLICTS: ReadonlySet<string> = new Set([SERIALIZATION, '40P01', '55P03', 'CR000']);
/** The server ends the connection or accepts none: it stops, starts, or another server takes its place. */
const AWAY =
  /^(?:08...|57P0[1-5]|53300|25006|ECONN.*|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)$/;

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** True if the transaction did nothing and can be run again at once. */
export const isConflict = (error: unknown): boolean => CONFLICTS.has(codeOf(error));

/** True if the connection to the server is gone. A COMMIT that was sent before may have succeeded. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (AWAY.test(codeOf(error))) return true;
  return codeOf(error) === '' && /connection (?:terminated|ended|closed)|timeout|not queryable/i.test(error.message);
}

/** True if the server does not know whether the COMMIT succeeded. */
export const isUnknown = (error: unknown): boolean => codeOf(error) === '40003' || isAway(error);

/** True if the user, the password or the name of the database is wrong. */
export const isRefused = (error: unknown): boolean => /^(?:28...|3D000|42501)$/.test(codeOf(error));
