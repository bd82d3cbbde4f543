/** Kinds of objects that a display link (a link that shows boards on a screen without a login) can show. */
export const SHARE_KINDS = ['playlist', 'dashboard', 'equipment', 'shift_report'] as const;
export type ShareKind = (typeof SHARE_KINDS)[number];
