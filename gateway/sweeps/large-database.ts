/** The problem of a database that is larger than its limit although old samples are deleted. */
import { messageOf, part, say } from '#contract/base/told.ts';
import type { Problem } from '#contract/site/node.ts';

export interface LargeDatabase {
  readonly since: string;
  readonly what: 'The samples in the database have' | 'The database has';
  readonly used: number;
  readonly limit: number;
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;

export function largeDatabase({ since, what, used, limit }: LargeDatabase): Problem {
  return {
    code: 'database_large',
    ...messageOf(
      say('{what} {used}, more than the limit of {limit}. All samples older than 24 hours are already deleted.', {
        what: part(what),
        used: gigabytes(used),
        limit: gigabytes(limit),
      }),
    ),
    since,
    given_up: 'Nothing. The database grows further and may fill the disk.',
    remedy:
      'Use a larger disk, raise HEADFRAME_DATABASE_GIGABYTES or HEADFRAME_HISTORY_PERCENT, or purge the devices that store the most (`writers` in health).',
  };
}
