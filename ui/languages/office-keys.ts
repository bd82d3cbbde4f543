/** The texts of the office. The Spanish files list them, one file for each area of the office. */
import type { AlertsText } from '#ui/languages/es/alerts.ts';
import type { BusText } from '#ui/languages/es/bus.ts';
import type { ConnectText } from '#ui/languages/es/connect.ts';
import type { DbcText } from '#ui/languages/es/dbc.ts';
import type { DevicesText } from '#ui/languages/es/devices.ts';
import type { EntryText } from '#ui/languages/es/entry.ts';
import type { FrameText } from '#ui/languages/es/frame.ts';
import type { InspectionsText } from '#ui/languages/es/inspections.ts';
import type { MachinesText } from '#ui/languages/es/machines.ts';
import type { OutboxText } from '#ui/languages/es/outbox.ts';
import type { PeopleText } from '#ui/languages/es/people.ts';
import type { RulesText } from '#ui/languages/es/rules.ts';
import type { ShiftsText } from '#ui/languages/es/shifts.ts';
import type { SiteText } from '#ui/languages/es/site.ts';
import type { TicketsText } from '#ui/languages/es/tickets.ts';
import type { ValuesText } from '#ui/languages/es/values.ts';

/** Texts of the office, besides those that it shares with the wall. */
export type OfficeText =
  | AlertsText
  | DevicesText
  | RulesText
  | DbcText
  | ConnectText
  | BusText
  | EntryText
  | FrameText
  | InspectionsText
  | MachinesText
  | OutboxText
  | PeopleText
  | ShiftsText
  | SiteText
  | TicketsText
  | ValuesText;
