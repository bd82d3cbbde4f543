/** The texts of the office in Spanish, besides those that it shares with the wall. Its keys are the texts that the pages may use. */

import { ACCESS_ES } from './access.ts';
import { ACTIONS_ES } from './actions.ts';
import { AGENT_ES } from './agent.ts';
import { ALERTS_ES } from './alerts.ts';
import { BOARDS_ES } from './boards.ts';
import { BUS_ES } from './bus.ts';
import { CONNECT_ES } from './connect.ts';
import { DBC_ES } from './dbc.ts';
import { DEVICES_ES } from './devices.ts';
import { ENTRY_ES } from './entry.ts';
import { FLEET_ES } from './fleet.ts';
import { FRAME_ES } from './frame.ts';
import { INSPECTIONS_ES } from './inspections.ts';
import { LINK_ES } from './link.ts';
import { MACHINES_ES } from './machines.ts';
import { OUTBOX_ES } from './outbox.ts';
import { PEOPLE_ES } from './people.ts';
import { RULES_ES } from './rules.ts';
import { SETUP_ES } from './setup.ts';
import { SHIFTS_ES } from './shifts.ts';
import { SITE_ES } from './site.ts';
import { SYSTEM_ES } from './system.ts';
import { TICKETS_ES } from './tickets.ts';
import { VALUES_ES } from './values.ts';

export const OFFICE_ES = {
  ...FRAME_ES,
  ...OUTBOX_ES,
  ...ENTRY_ES,
  ...VALUES_ES,
  ...MACHINES_ES,
  ...INSPECTIONS_ES,
  ...SHIFTS_ES,
  ...ALERTS_ES,
  ...TICKETS_ES,
  ...PEOPLE_ES,
  ...DEVICES_ES,
  ...RULES_ES,
  ...DBC_ES,
  ...CONNECT_ES,
  ...BUS_ES,
  ...SITE_ES,
  ...FLEET_ES,
  ...LINK_ES,
  ...SYSTEM_ES,
  ...ACCESS_ES,
  ...SETUP_ES,
  ...AGENT_ES,
  ...ACTIONS_ES,
  ...BOARDS_ES,
} as const;

export type OfficeText = keyof typeof OFFICE_ES;
