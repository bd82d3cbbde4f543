/** Kinds of objects that a display link (a link that shows boards on a screen without a login) can show. */
export const SHARE_KINDS = ['playlist', 'dashboard', 'equipment', 'shift_report'] as const;
export type ShareKind = (typeof SHARE_KINDS)[number];

/** Matches our keys and link tokens. A widget must not contain one, because every reader of the widget could use it. */
export const SECRET = /(?:wk|pat|dk|dsp|scr|flt|gw|ctl)_[A-Za-z0-9_-]{20,}/;
