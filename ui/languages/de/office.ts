/** The texts of the office in German, besides those that it shares with the wall. */

import type { OfficeText } from '#ui/languages/es/office.ts';
import { ACCESS_DE } from './access.ts';
import { ACTIONS_DE } from './actions.ts';
import { AGENT_DE } from './agent.ts';
import { ALERTS_DE } from './alerts.ts';
import { BOARDS_DE } from './boards.ts';
import { BUS_DE } from './bus.ts';
import { CONNECT_DE } from './connect.ts';
import { DBC_DE } from './dbc.ts';
import { DEVICES_DE } from './devices.ts';
import { ENTRY_DE } from './entry.ts';
import { FLEET_DE } from './fleet.ts';
import { FRAME_DE } from './frame.ts';
import { INSPECTIONS_DE } from './inspections.ts';
import { LINK_DE } from './link.ts';
import { MACHINES_DE } from './machines.ts';
import { OUTBOX_DE } from './outbox.ts';
import { PEOPLE_DE } from './people.ts';
import { RULES_DE } from './rules.ts';
import { SETUP_DE } from './setup.ts';
import { SHIFTS_DE } from './shifts.ts';
import { SITE_DE } from './site.ts';
import { SYSTEM_DE } from './system.ts';
import { TICKETS_DE } from './tickets.ts';
import { VALUES_DE } from './values.ts';

export const OFFICE_DE: Readonly<Record<OfficeText, string>> = {
  ...FRAME_DE,
  ...OUTBOX_DE,
  ...ENTRY_DE,
  ...VALUES_DE,
  ...MACHINES_DE,
  ...INSPECTIONS_DE,
  ...SHIFTS_DE,
  ...ALERTS_DE,
  ...TICKETS_DE,
  ...PEOPLE_DE,
  ...DEVICES_DE,
  ...RULES_DE,
  ...DBC_DE,
  ...CONNECT_DE,
  ...BUS_DE,
  ...SITE_DE,
  ...FLEET_DE,
  ...LINK_DE,
  ...SYSTEM_DE,
  ...ACCESS_DE,
  ...SETUP_DE,
  ...AGENT_DE,
  ...ACTIONS_DE,
  ...BOARDS_DE,
};
