/** The texts of the office in Portuguese, besides those that it shares with the wall. */

import type { OfficeText } from '#ui/languages/es/office.ts';
import { ACCESS_PT } from './access.ts';
import { ACTIONS_PT } from './actions.ts';
import { AGENT_PT } from './agent.ts';
import { ALERTS_PT } from './alerts.ts';
import { BOARDS_PT } from './boards.ts';
import { BUS_PT } from './bus.ts';
import { CONNECT_PT } from './connect.ts';
import { DBC_PT } from './dbc.ts';
import { DEVICES_PT } from './devices.ts';
import { ENTRY_PT } from './entry.ts';
import { FLEET_PT } from './fleet.ts';
import { FRAME_PT } from './frame.ts';
import { INSPECTIONS_PT } from './inspections.ts';
import { LINK_PT } from './link.ts';
import { MACHINES_PT } from './machines.ts';
import { OUTBOX_PT } from './outbox.ts';
import { PEOPLE_PT } from './people.ts';
import { RULES_PT } from './rules.ts';
import { SETUP_PT } from './setup.ts';
import { SHIFTS_PT } from './shifts.ts';
import { SITE_PT } from './site.ts';
import { SYSTEM_PT } from './system.ts';
import { TICKETS_PT } from './tickets.ts';
import { VALUES_PT } from './values.ts';

export const OFFICE_PT: Readonly<Record<OfficeText, string>> = {
  ...FRAME_PT,
  ...OUTBOX_PT,
  ...ENTRY_PT,
  ...VALUES_PT,
  ...MACHINES_PT,
  ...INSPECTIONS_PT,
  ...SHIFTS_PT,
  ...ALERTS_PT,
  ...TICKETS_PT,
  ...PEOPLE_PT,
  ...DEVICES_PT,
  ...RULES_PT,
  ...DBC_PT,
  ...CONNECT_PT,
  ...BUS_PT,
  ...SITE_PT,
  ...FLEET_PT,
  ...LINK_PT,
  ...SYSTEM_PT,
  ...ACCESS_PT,
  ...SETUP_PT,
  ...AGENT_PT,
  ...ACTIONS_PT,
  ...BOARDS_PT,
};
