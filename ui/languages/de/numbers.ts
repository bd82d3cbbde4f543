/** The texts of the numbers on a wall, in German. `docs/languages.md` has the glossary. */

export const NUMBERS_DE = {
  'Work in known time': 'Arbeit in bekannter Zeit',
  'Fuel this shift': 'Kraftstoff dieser Schicht',
  'Longest down this shift': 'Längster Ausfall der Schicht',
  'Oldest open repair': 'Älteste offene Reparatur',
  'Worked yesterday': 'Gestern gearbeitet',
  'of the known time': 'der bekannten Zeit',
  'target {n} %': 'Ziel {n} %',
  'no open repairs': 'keine offenen Reparaturen',
  'none down': 'keine',
  '{n} % unknown': '{n} % unbekannt',
  'of {n} in the fleet': 'von {n} in der Flotte',
  '{some} of {all} known': '{some} von {all} bekannt',
  '{some} of {all} reporting': '{some} von {all} melden sich',
  '{some} of {all} running': '{some} von {all} in Betrieb',
  'Running now': 'Jetzt in Betrieb',
} as const;
