/** The roles of keys. Each key has one role, which decides the operations that it may call. A shared tablet has the role `tablet`. */

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
  'tablet',
] as const;
export type Role = (typeof ROLES)[number];
