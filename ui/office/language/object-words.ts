/** Names of the kinds of records that people and programs write. */
import { t, type Word } from '#ui/languages/texts.ts';

const OBJECTS: Readonly<Record<string, Word>> = {
  alert: 'Alert',
  alert_rule: 'Alert rule',
  artifact: 'File',
  dashboard: 'Board',
  dbc_file: 'DBC file',
  device: 'Device',
  equipment: 'Machine',
  event: 'Log entry',
  inspection: 'Inspection',
  inspection_checklist: 'Checklist',
  location: 'Location',
  maintenance_plan: 'Maintenance plan',
  maintenance_record: 'Recorded service',
  mechanic: 'Mechanic',
  operator: 'Operator',
  playlist: 'Playlist',
  project: 'Site',
  repair_ticket: 'Repair',
  shift_report: 'Shift report',
};

/** Returns the name of a kind of record in the language of the page. A kind without a name, such as that of a tool, stays as it is. */
export function objectText(object: string): string {
  const word = OBJECTS[object];
  return word === undefined ? object.replaceAll('_', ' ') : t(word);
}
