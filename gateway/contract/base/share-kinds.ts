/** Kinds of objects that a display link can show. */
export const SHARE_KINDS = ['playlist', 'dashboard', 'equipment', 'shift_report'] as const;
export type ShareKind = (typeof SHARE_KINDS)[number];
