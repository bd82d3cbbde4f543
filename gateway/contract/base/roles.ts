/** Roles. Each key has one of them. */

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
