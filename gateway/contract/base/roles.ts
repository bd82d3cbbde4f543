/** Who may call: each key has one of these roles. */

export const ROLES = [
  'owner',
  'admin',
  'supervisor',
  'mechanic',
  'operator',
  'viewer',
  'agent',
  'device',
  'display',
] as const;
export type Role = (typeof ROLES)[number];
