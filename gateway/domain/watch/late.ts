/** The age from which data counts as late. */

import { LIVE_RULES } from '#domain/machine/live-status.ts';

/**
 * A value is late if it was more than this many microseconds old when it arrived. If two values are further apart than this, the second
 * value begins a new run (`runs.ts`) or a new count (`fence.ts`).
 */
export const LATE_US = LIVE_RULES.stale_s * 1_000_000;
