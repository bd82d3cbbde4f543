/**
 * Late writes: a browser stores what a person writes, and sends it when it reaches the gateway again. The request names the pass that the
 * browser got from the gateway before, and how long ago the person wrote. The key of the call (Idempotency-Key) is the id that the browser
 * gave the write.
 */

/** Header with the pass, which says who wrote. */
export const PASS_HEADER = 'headframe-pass';
/** Header with the time since the person wrote, in milliseconds, as the browser measured it; `unknown` if its clocks do not agree. */
export const AGO_HEADER = 'headframe-written-ago';

/** The operations that a pass may call. A pass can be read on the tablet, so it may do only what people do at machines. */
export const LATE_WRITES = [
  'equipment_append_event',
  'equipment_release',
  'equipment_take',
  'equipment_upload_photo',
  'inspections_create',
  'repair_tickets_append_event',
  'repair_tickets_create',
  'repair_tickets_update',
] as const;
export type LateWrite = (typeof LATE_WRITES)[number];

/** A time that a browser measured may be longer by this than the age of its pass. If it is longer, the clock of the browser is wrong. */
export const CLOCKS_FIT_MS = 300_000;
