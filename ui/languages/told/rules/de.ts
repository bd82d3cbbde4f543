/** Texts of the gateway in German: answers of rules, where a project has no model. `docs/languages.md` has the glossary. */
import type { RulesTold } from './es.ts';

export const RULES_DE: Readonly<Record<RulesTold, string>> = {
  'No model is set for this project, so rules answered.':
    'Für dieses Projekt ist kein Modell gesetzt, deshalb haben Regeln geantwortet.',
  'Answers by rules, without a model.': 'Antwortet nach Regeln, ohne Modell.',
  'Alert "{rule}" ({severity}), since {at}.': 'Alarm „{rule}“ ({severity}), seit {at}.',
  '{unit} has {n} more active code.|{unit} has {n} more active codes.':
    '{unit} hat {n} weiteren aktiven Code.|{unit} hat {n} weitere aktive Codes.',
  'No repair of {unit} is open.': 'Für {unit} ist keine Reparatur offen.',
  'The red stop lamp of {unit} is on. Stop the machine now.':
    'Die rote Stopplampe von {unit} leuchtet. Halten Sie die Maschine jetzt an.',
  'The protect lamp of {unit} is on.': 'Die Schutzlampe von {unit} leuchtet.',
  'The amber warning lamp of {unit} is on.': 'Die gelbe Warnlampe von {unit} leuchtet.',
  '{unit} is number {place} of {count} machines that need a person.':
    '{unit} ist Nummer {place} von {count} Maschinen, die jemanden brauchen.',
  '{unit} never reported its trouble codes, so it is not known whether it has any.':
    '{unit} hat nie Fehlercodes gemeldet, deshalb ist nicht bekannt, ob es welche gibt.',
  '{unit} has no active trouble code.': '{unit} hat keinen aktiven Fehlercode.',
  '{code}: no words are known for this code. Active since {at}.':
    '{code}: Die Bedeutung dieses Codes ist nicht bekannt. Aktiv seit {at}.',
  '{code}: {meaning}. Active since {at}.': '{code}: {meaning}. Aktiv seit {at}.',
  'The control unit has counted {n} occurrence.|The control unit has counted {n} occurrences.':
    'Das Steuergerät hat ihn {n}-mal gezählt.|Das Steuergerät hat ihn {n}-mal gezählt.',
  'No values of that moment are stored.': 'Von diesem Moment sind keine Werte gespeichert.',
  'At that moment: {values}.': 'In diesem Moment: {values}.',
  'The log has at least {n} starts of {code} in the last {days} days.':
    'Das Protokoll hat mindestens {n} Anfänge von {code} in den letzten {days} Tagen.',
  'The log has {n} start of {code} in the last {days} days.|The log has {n} starts of {code} in the last {days} days.':
    'Das Protokoll hat {n} Anfang von {code} in den letzten {days} Tagen.|Das Protokoll hat {n} Anfänge von {code} in den letzten {days} Tagen.',
  'Open repair {number} ({status}): {title}': 'Offene Reparatur {number} ({status}): {title}',
  'The devices could not be compared with the machines.':
    'Die Geräte konnten nicht mit den Maschinen verglichen werden.',
  'Each device has a machine.': 'Jedes Gerät hat eine Maschine.',
  'Device {device}: no machine fits.': 'Gerät {device}: Keine Maschine passt.',
  'Device {device}: {unit} fits with {percent} %: {why}': 'Gerät {device}: {unit} passt zu {percent} %: {why}',
  '{n} more device has no machine.|{n} more devices have no machine.':
    '{n} weiteres Gerät hat keine Maschine.|{n} weitere Geräte haben keine Maschine.',
  'Nothing was linked.': 'Nichts wurde verknüpft.',
  'Check each pair, and link it on the page Devices.':
    'Prüfen Sie jedes Paar, und verknüpfen Sie es auf der Seite Geräte.',
  'The request names no machine of this site.': 'Der Auftrag nennt keine Maschine dieses Betriebs.',
  'Start the action on a machine, or write its unit number into the request.':
    'Starten Sie die Aktion an einer Maschine, oder schreiben Sie ihre Nummer in den Auftrag.',
  'The request names {all} machines. The answer is about the first {first}.':
    'Der Auftrag nennt {all} Maschinen. Die Antwort handelt von den ersten {first}.',
  'The request does not say for which location the shift is.':
    'Der Auftrag sagt nicht, für welchen Ort die Schicht ist.',
  'Start the action on a location, or write the name of one location into the request.':
    'Starten Sie die Aktion an einem Ort, oder schreiben Sie den Namen eines Orts in den Auftrag.',
  '{unit}: working {working} min, idle {idle} min, off {off} min, down {down} min, standby {standby} min, unknown {unknown} min.':
    '{unit}: Arbeit {working} min, Leerlauf {idle} min, aus {off} min, Ausfall {down} min, Bereitschaft {standby} min, unbekannt {unknown} min.',
  '{n} more machine is in the draft.|{n} more machines are in the draft.':
    '{n} weitere Maschine ist im Entwurf.|{n} weitere Maschinen sind im Entwurf.',
  '{unit} stopped at {at} for {minutes} min. No reason is stored.':
    '{unit} stand ab {at} {minutes} min lang. Es ist kein Grund gespeichert.',
  '{unit} stopped at {at} for {minutes} min: {why}': '{unit} stand ab {at} {minutes} min lang: {why}',
  'The draft has no stoppage.': 'Der Entwurf hat keinen Stillstand.',
  '{n} more stoppage is in the draft.|{n} more stoppages are in the draft.':
    '{n} weiterer Stillstand ist im Entwurf.|{n} weitere Stillstände sind im Entwurf.',
  'Active alert "{rule}" ({severity}).': 'Aktiver Alarm „{rule}“ ({severity}).',
  'No shift of the request has ended in the last {days} days.':
    'Keine Schicht des Auftrags endete in den letzten {days} Tagen.',
  'Write the name of a shift and its date, such as: day 2026-11-21.':
    'Schreiben Sie den Namen einer Schicht und ihr Datum, zum Beispiel: day 2026-11-21.',
  'The draft of the shift could not be read.': 'Der Entwurf der Schicht konnte nicht gelesen werden.',
  'Shift {shift} of {date}:': 'Schicht {shift} vom {date}:',
  'Shift {shift} of {date}, not over yet:': 'Schicht {shift} vom {date}, noch nicht zu Ende:',
  'No machine is at this location.': 'An diesem Ort ist keine Maschine.',
  'Yesterday:': 'Gestern:',
  'Today until {at}:': 'Heute bis {at}:',
  'The summary of the day could not be read.': 'Die Zusammenfassung des Tages konnte nicht gelesen werden.',
  'No report was submitted, because a report cannot be changed.':
    'Es wurde kein Bericht eingereicht, weil sich ein Bericht nicht ändern lässt.',
  'Add crew, loads, safety and weather on the page Shifts, and submit it there.':
    'Ergänzen Sie Mannschaft, Ladungen, Sicherheit und Wetter auf der Seite Schichten, und reichen Sie ihn dort ein.',
  'No ticket was made for {unit}, because there is no code to make it from.':
    'Für {unit} wurde keine Reparatur angelegt, weil es keinen Code dafür gibt.',
  'No ticket was made for {unit}, because the code of the request is not active.':
    'Für {unit} wurde keine Reparatur angelegt, weil der Code des Auftrags nicht aktiv ist.',
  'No ticket was made for {unit}, because its open repairs could not be read.':
    'Für {unit} wurde keine Reparatur angelegt, weil die offenen Reparaturen nicht gelesen werden konnten.',
  'No ticket was made: repair {number} of this code is open: {title}':
    'Es wurde keine Reparatur angelegt: Reparatur {number} zu diesem Code ist offen: {title}',
  'This ticket would be made for {unit}: {title}': 'Diese Reparatur würde für {unit} angelegt: {title}',
  'Ticket {number} was made for {unit}: {title}': 'Reparatur {number} wurde für {unit} angelegt: {title}',
  'Logger {name}: each step works, from the connection to decoded values.':
    'Logger {name}: Jeder Schritt funktioniert, von der Verbindung bis zu dekodierten Werten.',
  'Logger {name}: the data stops at the step "{title}".': 'Logger {name}: Die Daten enden beim Schritt „{title}“.',
  'Logger {name}: the data stops at the step "{title}", since {at}.':
    'Logger {name}: Die Daten enden beim Schritt „{title}“, seit {at}.',
  '{unit} never sent live data.': '{unit} hat nie Daten gesendet.',
  '{unit} is silent. Its last live data came at {at}.': '{unit} ist stumm. Die letzten Daten kamen am {at}.',
  '{unit} is not silent. Its last live data came at {at}.': '{unit} ist nicht stumm. Die letzten Daten kamen am {at}.',
  'No device is linked to {unit}, so no data of it can arrive.':
    'Mit {unit} ist kein Gerät verknüpft, deshalb können keine Daten ankommen.',
  'Link its logger to it on the page Devices.': 'Verknüpfen Sie den Logger auf der Seite Geräte.',
  'Remove the cause, and start the work again.': 'Beseitigen Sie die Ursache, und starten Sie die Arbeit noch einmal.',
};
