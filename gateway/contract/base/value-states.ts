/**
 * The states that a control unit may send instead of a value (SAE J1939-71). History stores the index of a state in this list, so add new
 * states only at the end.
 */
export const STORED_STATES = ['unavailable', 'error', 'specific', 'reserved'] as const;
export type StoredState = (typeof STORED_STATES)[number];
