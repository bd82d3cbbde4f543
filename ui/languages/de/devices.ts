/** The texts of the pages of devices, in German. `docs/languages.md` has the glossary. */
import type { DevicesText } from '#ui/languages/es/devices.ts';

export const DEVICES_DE: Readonly<Record<DevicesText, string>> = {
  works: 'funktioniert',
  'does not work': 'funktioniert nicht',
  'not checked yet': 'noch nicht geprüft',
  'Data stops at this step: {title}.': 'Die Daten enden bei diesem Schritt: {title}.',
  'What to do: {remedy}': 'Was zu tun ist: {remedy}',
  'Data path': 'Datenweg',
  'No connection': 'Keine Verbindung',
  'Not transmitting yet': 'Sendet noch nicht',
  'Login refused': 'Anmeldung abgelehnt',
  'Wrong topic': 'Falsches Topic',
  'Sends no data yet': 'Sendet noch keine Daten',
  'Unreadable data': 'Unlesbare Daten',
  'Sends no data now': 'Sendet jetzt keine Daten',
  'Not linked': 'Nicht verknüpft',
  'No usable values': 'Keine brauchbaren Werte',
  'No live values yet': 'Noch keine Live-Werte',
  'Show all steps of the device': 'Alle Schritte des Geräts zeigen',
};
