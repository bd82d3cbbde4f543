/** Cursors for the pages of lists. The gateway signs each cursor, which is valid for one list and for a day. */
import { OperationError } from './errors.ts';
import { LIMITS } from './limits.ts';

/** Position of the last document of a page. Lists are ordered by (created_at, id). */
interface Position {
  readonly created_at: string;
  readonly id: string;
}

/** Makes and reads the cursors for the pages of one list. */
export interface Pager {
  /**
   * Returns the last position of the previous page; undefined without a cursor. Throws `invalid_cursor` if the cursor is damaged, has
   * expired, or belongs to another list.
   */
  after(cursor: string | undefined): Position | undefined;
  /** Returns the cursor for the page that follows the document at this position. */
  next(last: Position): string;
}

/** Computes the message authentication code of a text, as base64url. */
export type Sign = (text: string) => string;

const LIFETIME_MS = LIMITS.cursor.value * 3_600_000;
const SHAPE = /^([0-9a-z]{1,11})~([^~]{1,40})~([^~]{1,80})$/;

/** Creates the pager of one list. `list` returns the identity of the list: operation, project and filters. */
export function createPager(sign: Sign, list: () => string, nowMs: number): Pager {
  return {
    after(cursor) {
      if (cursor === undefined) return undefined;
      const [body, mac, rest] = cursor.split('.');
      const text = body === undefined || rest !== undefined ? undefined : readBase64url(body);
      if (body === undefined || mac === undefined || text === undefined || !equal(mac, sign(`${body}\n${list()}`)))
        throw new OperationError(
          'invalid_cursor',
          'The cursor is damaged or belongs to another list. Start again without `cursor`.',
          { param: 'cursor' },
        );
      const [, expires, created_at, id] = SHAPE.exec(text) ?? [];
      if (expires === undefined || created_at === undefined || id === undefined || parseInt(expires, 36) < nowMs)
        throw new OperationError('invalid_cursor', 'The cursor has expired. Start again without `cursor`.', {
          param: 'cursor',
        });
      return { created_at, id };
    },
    next(last) {
      const body = toBase64url(`${(nowMs + LIFETIME_MS).toString(36)}~${last.created_at}~${last.id}`);
      return `${body}.${sign(`${body}\n${list()}`)}`;
    },
  };
}

/** Compares two strings in constant time, so that the duration does not reveal where they differ. */
function equal(a: string, b: string): boolean {
  let different = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) different |= a.charCodeAt(i) ^ b.charCodeAt(i % b.length);
  return different === 0;
}

function toBase64url(ascii: string): string {
  return btoa(ascii).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function readBase64url(text: string): string | undefined {
  if (!/^[A-Za-z0-9_-]{1,200}$/.test(text)) return undefined;
  try {
    return atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return undefined;
  }
}
