/** The texts of the pages of head office about its sites, and of conflicts, in German. `docs/languages.md` has the glossary. */
import type { FleetText } from '#ui/languages/es/fleet.ts';

export const FLEET_DE: Readonly<Record<FleetText, string>> = {
  'head office': 'Zentrale',
  'this site': 'dieser Betrieb',
  'a site': 'ein Betrieb',
  '3 days': '3 Tage',
  '1 month, for a box that travels': '1 Monat, für einen Rechner, der verschickt wird',
  'Last heard': 'Letzter Kontakt',
  'Health then': 'Zustand damals',
  Waits: 'Wartet',
  'Connect {name}': '{name} verbinden',
  'Replace the box of {name}': 'Rechner von {name} ersetzen',
  '{name} is connected. Its machines and boards appear here as they arrive.':
    '{name} ist verbunden. Maschinen und Tafeln erscheinen hier, sobald sie ankommen.',
  'The new box has the place of the old one, which head office refuses from now on. It gets the data of {name} back. Its page {page} says how far it is, and what did not come back.':
    'Der neue Rechner hat den Platz des alten, den die Zentrale ab jetzt ablehnt. Er bekommt die Daten von {name} zurück. Seine Seite {page} sagt, wie weit er ist und was nicht zurückkam.',
  'At the site, sign in as owner or admin and open the page {page}.':
    'Melden Sie sich im Betrieb als Inhaber oder Administrator an, und öffnen Sie die Seite {page}.',
  'Start Headframe on the new box with an empty data folder, and claim it. Where it asks to create a site, select {link}.':
    'Starten Sie Headframe auf dem neuen Rechner mit einem leeren Datenordner, und übernehmen Sie das Gateway. Wo es nach einem neuen Betrieb fragt, wählen Sie {link}.',
  'Type the address of this head office.': 'Geben Sie die Adresse dieser Zentrale ein.',
  'Type the code. It is valid once, until {time}, and shown only now.':
    'Geben Sie den Code ein. Er gilt einmal, bis {time}, und wird nur jetzt gezeigt.',
  'You opened this page without https. A site takes such an address only within its own network. For sites elsewhere, give head office a name and a certificate, and open this page there.':
    'Sie haben diese Seite ohne https geöffnet. Ein Betrieb nimmt eine solche Adresse nur im eigenen Netz an. Geben Sie der Zentrale für andere Betriebe einen Namen und ein Zertifikat, und öffnen Sie diese Seite dort.',
  'This page waits for the site and says when it is connected.':
    'Diese Seite wartet auf den Betrieb und sagt, wann er verbunden ist.',
  'Add a site': 'Betrieb hinzufügen',
  'Make a code': 'Code erstellen',
  'Name of the site': 'Name des Betriebs',
  'Such as Quarry North.': 'Zum Beispiel Steinbruch Nord.',
  'The code is valid for': 'Der Code gilt',
  'Not used yet': 'Noch nicht benutzt',
  'Codes that wait': 'Codes, die warten',
  'for a box that replaces the one of this site': 'für einen Rechner, der den dieses Betriebs ersetzt',
  'valid until {time}': 'gültig bis {time}',
  Withdraw: 'Zurückziehen',
  'the code for {name}': 'den Code für {name}',
  'No problem': 'Kein Problem',
  '{n} problem|{n} problems': '{n} Problem|{n} Probleme',
  '{count} at the site': '{count} im Betrieb',
  'at least 1,000 here': 'mindestens 1.000 hier',
  '{files} to move at the last contact.': '{files} beim letzten Kontakt zu übertragen.',
  'of {name}': 'von {name}',
  'Revoke {name} now': '{name} jetzt widerrufen',
  'Open {name}': '{name} öffnen',
  'No site is connected yet': 'Noch ist kein Betrieb verbunden',
  'Make a code for the first site below, and type it at the site.':
    'Erstellen Sie unten einen Code für den ersten Betrieb, und geben Sie ihn dort ein.',
  'An owner or admin of head office connects the sites.':
    'Ein Inhaber oder Administrator der Zentrale verbindet die Betriebe.',
  codes: 'Codes',
  'Head office has no way to a machine: keys, configuration, firmware, bus requests and arming are only at the site itself, so a stranger in head office can move nothing.':
    'Die Zentrale hat keinen Zugriff auf Maschinen: Schlüssel, Konfiguration, Firmware, Busanfragen und Scharfschalten gibt es nur im Betrieb selbst, daher kann ein Fremder in der Zentrale nichts bewegen.',
  'Keep the box {mark}': 'Rechner {mark} behalten',
  'Keep the box {mark}?': 'Rechner {mark} behalten?',
  'This box ({host}) becomes the site {site} when it calls next, mostly within a minute. It sends what it recorded alone: {changes} at its last contact.':
    'Dieser Rechner ({host}) wird der Betrieb {site}, wenn er sich das nächste Mal meldet, meist innerhalb einer Minute. Er sendet, was er allein aufgezeichnet hat: {changes} beim letzten Kontakt.',
  'Every other box with this identity is fenced: it works on alone, and head office takes nothing from it. What it has not sent stays on its disk.':
    'Jeder andere Rechner mit dieser Identität wird ausgesperrt: Er arbeitet allein weiter, und die Zentrale nimmt nichts von ihm an. Was er nicht gesendet hat, bleibt auf seinem Datenträger.',
  'To get what the other box has not sent, keep the other box on this page until it is in step, and then keep this one again. Do not delete the data folder of a box before.':
    'Um zu erhalten, was der andere Rechner nicht gesendet hat, behalten Sie auf dieser Seite den anderen, bis er abgeglichen ist, und dann wieder diesen. Löschen Sie vorher bei keinem Rechner den Datenordner.',
  'Keep this one': 'Diesen behalten',
  Mark: 'Kennzeichen',
  'Host name': 'Hostname',
  'One of its addresses': 'Eine seiner Adressen',
  'Newest data, by its clock': 'Neueste Daten, nach seiner Uhr',
  'Not sent': 'Nicht gesendet',
  'Fenced, by its clock': 'Ausgesperrt, nach seiner Uhr',
  'Box {mark} is fenced': 'Rechner {mark} ist ausgesperrt',
  'Box {mark} is the site': 'Rechner {mark} ist der Betrieb',
  'It was chosen. It becomes the site when it calls next.':
    'Er wurde gewählt. Er wird der Betrieb, wenn er sich das nächste Mal meldet.',
  'with the mark {mark}': 'mit dem Kennzeichen {mark}',
  'Boxes of {name}': 'Rechner von {name}',
  'Several boxes use the identity of {name}': 'Mehrere Rechner benutzen die Identität von {name}',
  'They have one identity, such as a computer and a copy of its disk. Head office takes the data of one of them; the others are fenced and work on alone. Each box shows its mark on its page {page}. Stop the box that is too many.':
    'Sie haben dieselbe Identität, wie ein Rechner und eine Kopie seines Datenträgers. Die Zentrale nimmt die Daten von einem an; die anderen sind ausgesperrt und arbeiten allein weiter. Jeder Rechner zeigt sein Kennzeichen auf seiner Seite {page}. Schalten Sie den überzähligen Rechner ab.',
  'Each of these boxes is fenced in some of its projects. Keep one of them.':
    'Jeder dieser Rechner ist in einigen seiner Projekte ausgesperrt. Behalten Sie einen davon.',
  'The box that is the site now has not told its mark. It may have an earlier version.':
    'Der Rechner, der jetzt der Betrieb ist, hat sein Kennzeichen nicht mitgeteilt. Vielleicht hat er eine frühere Version.',
  'Two people gave different values while there was no connection. The first one is shown now.':
    'Zwei Personen haben ohne Verbindung verschiedene Werte angegeben. Jetzt wird der erste gezeigt.',
  'One person deleted it, and another one edited it without knowing. It stays until you decide.':
    'Eine Person hat es gelöscht, und eine andere hat es bearbeitet, ohne es zu wissen. Es bleibt, bis Sie entscheiden.',
  'While there was no connection, people at two ends made records that contradict each other. Choose what to change.':
    'Ohne Verbindung haben Personen im Betrieb und in der Zentrale Datensätze angelegt, die sich widersprechen. Wählen Sie, was geändert wird.',
  'This move was made while there was no connection, and did not fit any more. It had no effect.':
    'Dieser Schritt wurde ohne Verbindung gemacht und passte nicht mehr. Er hatte keine Wirkung.',
  'As it is now': 'Wie es jetzt ist',
  '{who}, at {place}': '{who}, Ort: {place}',
  'Shown now': 'Jetzt gezeigt',
  'Use this': 'Diesen Wert nehmen',
  'Do this': 'Das tun',
  '{who} at {place} chose {value}, {time}.': '{who} ({place}) wählte {value}, {time}.',
  '{who} at {place} went back to {value}, {time}.': '{who} ({place}) ging zurück zu {value}, {time}.',
  'Not chosen: {values}': 'Nicht gewählt: {values}',
  'This choice was undone.': 'Diese Wahl wurde rückgängig gemacht.',
  'Undo this choice': 'Diese Wahl rückgängig machen',
  'the choice of {value} for {name}': 'die Wahl von {value} für {name}',
  'Nothing to decide': 'Nichts zu entscheiden',
  'If people at the site and at head office give different values to one field while there is no connection, both values are kept, and this page asks which one counts.':
    'Wenn Personen im Betrieb und in der Zentrale einem Feld ohne Verbindung verschiedene Werte geben, bleiben beide Werte erhalten, und diese Seite fragt, welcher gilt.',
  Decided: 'Entschieden',
  Ran: 'Lief',
  Idled: 'War im Leerlauf',
  'Was off': 'War aus',
  'Made at head office': 'In der Zentrale angelegt',
  '{n} more.': '{n} weitere.',
  'Data {age} old': 'Daten {age} alt',
  'Unit number or name': 'Nummer oder Name',
  'In trouble': 'Mit Störung',
  'No machine of this list is in trouble, as its site was last heard.':
    'Keine Maschine dieser Liste hat eine Störung, nach dem letzten Kontakt mit ihrem Betrieb.',
  'This page shows the {n} most urgent machines. More are in trouble.':
    'Diese Seite zeigt die {n} dringendsten Maschinen. Weitere haben eine Störung.',
  '{n} site has more than 1,000 active alerts or open repairs. Only the newest 1,000 count in this list, so machines of this site may be missing.|{n} sites have more than 1,000 active alerts or open repairs. Only the newest 1,000 count in this list, so machines of these sites may be missing.':
    '{n} Betrieb hat mehr als 1.000 aktive Alarme oder offene Reparaturen. In dieser Liste zählen nur die neuesten 1.000, daher können Maschinen dieses Betriebs fehlen.|{n} Betriebe haben mehr als 1.000 aktive Alarme oder offene Reparaturen. In dieser Liste zählen nur die neuesten 1.000, daher können Maschinen dieser Betriebe fehlen.',
  'No machines': 'Keine Maschinen',
  'No site has brought a machine yet.': 'Noch hat kein Betrieb eine Maschine gebracht.',
  'No unit number and no name has "{text}" in it.': 'Keine Nummer und kein Name enthält „{text}“.',
  'Show more machines': 'Weitere Maschinen zeigen',
  'Show more repairs': 'Weitere Reparaturen zeigen',
  'Show more alerts': 'Weitere Alarme zeigen',
  'Not known here yet': 'Hier noch nicht bekannt',
  'Nobody is assigned': 'Niemand ist zugewiesen',
  '{n} assigned': '{n} zugewiesen',
  'Overdue since {time}': 'Überfällig seit {time}',
  'Due {time}': 'Fällig {time}',
  'Head office knows of no open repair ticket.': 'Der Zentrale ist kein offener Reparaturauftrag bekannt.',
  'Its data was old when it arrived': 'Die Daten waren bei der Ankunft alt',
  'By nobody': 'Von niemandem',
  'Acknowledged {time}': 'Bestätigt {time}',
  'Head office knows of no active alert.': 'Der Zentrale ist kein aktiver Alarm bekannt.',
};
