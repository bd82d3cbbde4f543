/** The texts of the summary of a day in German. `docs/languages.md` has the glossary. */
import type { DayText } from './keys.ts';

export const DAY_DE: Readonly<Record<DayText, string>> = {
  'No minute of this day is counted yet.': 'Noch ist keine Minute dieses Tages gezählt.',
  'The site has no machines yet.': 'Der Betrieb hat noch keine Maschinen.',
  'The gateway did not know this site on that day.': 'Das Gateway kannte diesen Betrieb an diesem Tag nicht.',
  'It is not known how the machines spent the {hours} h of this time.':
    'Es ist nicht bekannt, wie die Maschinen die {hours} h dieser Zeit verbracht haben.',
  'Machines worked {working} of {known} h ({percent} %). Not known: {unknown} h.':
    'Maschinen arbeiteten {working} von {known} h ({percent} %). Nicht bekannt: {unknown} h.',
  'Counted are the first {counted} of {all} machines.': 'Gezählt sind die ersten {counted} von {all} Maschinen.',
  'Engines ran at least {hours} h, by the meters of {some} of {all} machines.':
    'Motoren liefen mindestens {hours} h, nach den Zählern von {some} von {all} Maschinen.',
  'Engine hours are not known: no machine sent its meter.':
    'Betriebsstunden sind nicht bekannt: Keine Maschine hat ihren Zähler gesendet.',
  'Machines used at least {fuel} {unit} of fuel, by the meters of {some} of {all} machines.':
    'Maschinen verbrauchten mindestens {fuel} {unit} Kraftstoff, nach den Zählern von {some} von {all} Maschinen.',
  'Fuel used is not known: no machine sent its meter.':
    'Der Kraftstoffverbrauch ist nicht bekannt: Keine Maschine hat ihren Zähler gesendet.',
  'Engine hours and fuel are not known: the history of {failed} of {all} machines could not be read.':
    'Betriebsstunden und Kraftstoff sind nicht bekannt: Der Verlauf von {failed} von {all} Maschinen konnte nicht gelesen werden.',
  'Alerts raised: {raised}. Still open: {open}.': 'Alarme ausgelöst: {raised}. Davon noch offen: {open}.',
  'Repairs reported: {made}, fixed: {fixed}. Open now: {open}.':
    'Reparaturen gemeldet: {made}, behoben: {fixed}. Jetzt offen: {open}.',
  'Oldest open repair: {ticket} on {machine}, {n} day old.|Oldest open repair: {ticket} on {machine}, {n} days old.':
    'Älteste offene Reparatur: {ticket} an {machine}, {n} Tag alt.|Älteste offene Reparatur: {ticket} an {machine}, {n} Tage alt.',
  'Down now: {down}. Without data now: {silent}.': 'Jetzt ausgefallen: {down}. Jetzt ohne Daten: {silent}.',
  'Services that are due now: {due}.': 'Jetzt fällige Wartungen: {due}.',
  'The summary is being made': 'Die Zusammenfassung wird erstellt',
  Today: 'Heute',
  'until {time}': 'bis {time}',
  Yesterday: 'Gestern',
};
