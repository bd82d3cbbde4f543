/** The names of roles in the lists of the office page. */
import type { Role } from '#contract/base/roles.ts';

export const ROLE_WORDS: Readonly<Record<Role, string>> = {
  owner: 'Owner',
  admin: 'Admin',
  supervisor: 'Supervisor',
  mechanic: 'Mechanic',
  operator: 'Operator',
  viewer: 'Viewer',
  agent: 'Agent',
  device: 'Device',
  display: 'Display',
  tablet: 'Tablet',
  gateway: 'Gateway',
};
