/** The texts of the office in French, besides those that it shares with the wall. */

import type { OfficeText } from '#ui/languages/es/office.ts';
import { ACCESS_FR } from './access.ts';
import { ACTIONS_FR } from './actions.ts';
import { AGENT_FR } from './agent.ts';
import { ALERTS_FR } from './alerts.ts';
import { BOARDS_FR } from './boards.ts';
import { BUS_FR } from './bus.ts';
import { CONNECT_FR } from './connect.ts';
import { DBC_FR } from './dbc.ts';
import { DEVICES_FR } from './devices.ts';
import { ENTRY_FR } from './entry.ts';
import { FLEET_FR } from './fleet.ts';
import { FRAME_FR } from './frame.ts';
import { INSPECTIONS_FR } from './inspections.ts';
import { LINK_FR } from './link.ts';
import { MACHINES_FR } from './machines.ts';
import { OUTBOX_FR } from './outbox.ts';
import { PEOPLE_FR } from './people.ts';
import { RULES_FR } from './rules.ts';
import { SETUP_FR } from './setup.ts';
import { SHIFTS_FR } from './shifts.ts';
import { SITE_FR } from './site.ts';
import { SYSTEM_FR } from './system.ts';
import { TICKETS_FR } from './tickets.ts';
import { VALUES_FR } from './values.ts';

export const OFFICE_FR: Readonly<Record<OfficeText, string>> = {
  ...FRAME_FR,
  ...OUTBOX_FR,
  ...ENTRY_FR,
  ...VALUES_FR,
  ...MACHINES_FR,
  ...INSPECTIONS_FR,
  ...SHIFTS_FR,
  ...ALERTS_FR,
  ...TICKETS_FR,
  ...PEOPLE_FR,
  ...DEVICES_FR,
  ...RULES_FR,
  ...DBC_FR,
  ...CONNECT_FR,
  ...BUS_FR,
  ...SITE_FR,
  ...FLEET_FR,
  ...LINK_FR,
  ...SYSTEM_FR,
  ...ACCESS_FR,
  ...SETUP_FR,
  ...AGENT_FR,
  ...ACTIONS_FR,
  ...BOARDS_FR,
};
