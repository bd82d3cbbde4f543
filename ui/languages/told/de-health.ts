/** Texts of the gateway in German: problems of the gateway. `docs/languages.md` has the glossary. */
import type { HealthTold } from './es-health.ts';

export const HEALTH_DE: Readonly<Record<HealthTold, string>> = {
  '{n} alert waits to be sent to devices, because the broker does not take the message (device {device}: {error}). The gateway tries again for seven days.|{n} alerts wait to be sent to devices, because the broker does not take the message (device {device}: {error}). The gateway tries again for seven days.':
    '{n} Alarm wartet auf das Senden an Geräte, weil der Broker die Nachricht nicht annimmt (Gerät {device}: {error}). Das Gateway versucht es sieben Tage lang.|{n} Alarme warten auf das Senden an Geräte, weil der Broker die Nachricht nicht annimmt (Gerät {device}: {error}). Das Gateway versucht es sieben Tage lang.',
  'Connect the light or horn, so that it takes its waiting messages, or delete the device.':
    'Verbinden Sie die Leuchte oder Hupe, damit sie ihre Nachrichten annimmt, oder löschen Sie das Gerät.',
  'The disk is mounted read-only and refuses writes. Operating systems do that after disk errors.':
    'Der Datenträger ist schreibgeschützt eingehängt und lehnt das Schreiben ab. Betriebssysteme tun das nach Fehlern des Datenträgers.',
  'The gateway stores nothing. It acknowledges no messages, so devices keep them. Pages, lists and screens can still be read.':
    'Das Gateway speichert nichts. Es bestätigt keine Nachrichten, also behalten die Geräte sie. Seiten, Listen und Bildschirme sind noch lesbar.',
  'Check the disk, then mount it for writing again. The gateway resumes without a restart.':
    'Prüfen Sie den Datenträger und hängen Sie ihn wieder zum Schreiben ein. Das Gateway macht ohne Neustart weiter.',
  'The disk is full.': 'Der Datenträger ist voll.',
  'Delete files that are not needed, or move them to another disk. The gateway resumes without a restart.':
    'Löschen Sie nicht benötigte Dateien, oder verschieben Sie sie auf einen anderen Datenträger. Das Gateway macht ohne Neustart weiter.',
  'The disk has almost no room left (under 2 %).': 'Der Datenträger hat fast keinen Platz mehr (unter 2 %).',
  'The gateway does not accept measurements; devices keep them and send them later, as far as they can. Alerts, events and changes by people are stored.':
    'Das Gateway nimmt keine Messwerte an; Geräte behalten sie und senden sie später, soweit sie können. Alarme, Ereignisse und Änderungen von Personen werden gespeichert.',
  'Delete files that are not needed, or move them to another disk. The gateway accepts measurements again once there is space.':
    'Löschen Sie nicht benötigte Dateien, oder verschieben Sie sie auf einen anderen Datenträger. Das Gateway nimmt wieder Messwerte an, sobald Platz ist.',
  'The disk has little room left (under 5 %).': 'Der Datenträger hat wenig Platz (unter 5 %).',
  'The gateway stores no history: live values continue, but trends have a gap. Raw messages are kept only until they are processed.':
    'Das Gateway speichert keinen Verlauf: Live-Werte gehen weiter, aber Trends haben eine Lücke. Rohdaten werden nur bis zur Verarbeitung behalten.',
  'Delete files that are not needed, or move them to another disk. The gateway stores history again once there is space.':
    'Löschen Sie nicht benötigte Dateien, oder verschieben Sie sie auf einen anderen Datenträger. Das Gateway speichert wieder einen Verlauf, sobald Platz ist.',
  'The disk is getting full (under 10 %).': 'Der Datenträger wird voll (unter 10 %).',
  'The gateway deletes the oldest raw messages early; values decoded from them can no longer be traced to their frames. It does not accept files from cameras and loggers; devices that can keep their files send them later.':
    'Das Gateway löscht die ältesten Rohdaten früher; daraus dekodierte Werte lassen sich nicht mehr bis zu ihren Frames verfolgen. Es nimmt keine Dateien von Kameras und Loggern an; Geräte, die ihre Dateien behalten können, senden sie später.',
  'Delete files that are not needed, or move them to another disk.':
    'Löschen Sie nicht benötigte Dateien, oder verschieben Sie sie auf einen anderen Datenträger.',
  'The disk is slow: a write takes more than a fifth of a second.':
    'Der Datenträger ist langsam: Ein Schreibvorgang dauert mehr als eine Fünftelsekunde.',
  'Nothing. Devices wait longer for acknowledgements, and values arrive later.':
    'Nichts. Geräte warten länger auf Bestätigungen, und Werte kommen später an.',
  'Check which other programs use the disk. A worn SD card or a failing disk also becomes slow: plan to replace it.':
    'Prüfen Sie, welche anderen Programme den Datenträger benutzen. Auch eine abgenutzte SD-Karte oder ein defekter Datenträger wird langsam: Planen Sie den Ersatz.',
  'Memory is almost used up (over 90 %).': 'Der Speicher ist fast aufgebraucht (über 90 %).',
  'The gateway refuses new connections and does not accept measurements; devices keep them and send them later.':
    'Das Gateway lehnt neue Verbindungen ab und nimmt keine Messwerte an; Geräte behalten sie und senden sie später.',
  'Close other programs on this computer, or add memory. If the gateway stops, it restarts automatically.':
    'Schließen Sie andere Programme auf diesem Computer, oder fügen Sie Speicher hinzu. Wenn das Gateway anhält, startet es von selbst neu.',
  'Memory is getting short (over 80 %).': 'Der Speicher wird knapp (über 80 %).',
  'The gateway refuses new connections. Open connections continue.':
    'Das Gateway lehnt neue Verbindungen ab. Offene Verbindungen gehen weiter.',
  'Close other programs on this computer, or add memory.':
    'Schließen Sie andere Programme auf diesem Computer, oder fügen Sie Speicher hinzu.',
  'The gateway cannot open more files and connections, because it has reached the limit of the operating system.':
    'Das Gateway kann keine weiteren Dateien und Verbindungen öffnen, weil es die Grenze des Betriebssystems erreicht hat.',
  'Raise the limit of open files (LimitNOFILE of the service, or `ulimit -n`) and start the gateway again.':
    'Erhöhen Sie die Grenze offener Dateien (LimitNOFILE des Dienstes, oder `ulimit -n`) und starten Sie das Gateway neu.',
  'Devices wait for acknowledgements of messages that the gateway has not accepted.':
    'Geräte warten auf Bestätigungen von Nachrichten, die das Gateway nicht angenommen hat.',
  'Nothing. The devices keep these messages; the gateway reconnects a few devices at a time so that they send them again.':
    'Nichts. Die Geräte behalten diese Nachrichten; das Gateway verbindet immer nur wenige Geräte auf einmal neu, damit sie die Nachrichten noch einmal senden.',
  'Nothing to do. It ends within a minute after the disk or memory shortage ends.':
    'Nichts zu tun. Es endet innerhalb einer Minute, nachdem der Mangel an Platz oder Speicher endet.',
  'The clock of this computer is not set: it shows a time before the last run of this gateway.':
    'Die Uhr dieses Computers ist nicht gestellt: Sie zeigt eine Zeit vor dem letzten Lauf dieses Gateways.',
  'The gateway continues from the time of its last run, so all times are too early. It deletes nothing because of age.':
    'Das Gateway macht ab der Zeit seines letzten Laufs weiter, also sind alle Zeiten zu früh. Es löscht nichts wegen des Alters.',
  'Connect to a time server or set the clock; the gateway follows at once. If the clock is right and was wrong in an earlier run, stop the gateway, delete clock.json in its data folder, and start it again.':
    'Verbinden Sie sich mit einem Zeitserver, oder stellen Sie die Uhr; das Gateway folgt sofort. Wenn die Uhr stimmt und früher falsch war, stoppen Sie das Gateway, löschen Sie clock.json im Datenordner, und starten Sie es neu.',
  'The clock of this computer jumped by more than a day.':
    'Die Uhr dieses Computers ist um mehr als einen Tag gesprungen.',
  'The gateway continues with its own time. It deletes nothing because of age.':
    'Das Gateway macht mit seiner eigenen Zeit weiter. Es löscht nichts wegen des Alters.',
  'Correct the clock. If the new time is right, restart the gateway.':
    'Stellen Sie die Uhr richtig. Wenn die neue Zeit stimmt, starten Sie das Gateway neu.',
  'The clock of this computer is more than a year ahead of the last run of this gateway.':
    'Die Uhr dieses Computers ist mehr als ein Jahr vor dem letzten Lauf dieses Gateways.',
  'For a week the gateway deletes nothing because of age. After that it accepts the time.':
    'Eine Woche lang löscht das Gateway nichts wegen des Alters. Danach nimmt es die Zeit an.',
  'Correct the clock if it is wrong. If it is right, delete clock.json in the data folder and restart the gateway.':
    'Stellen Sie die Uhr richtig, wenn sie falsch ist. Wenn sie stimmt, löschen Sie clock.json im Datenordner und starten Sie das Gateway neu.',
  'The device {device} stored the most data: {today} today, {total} in total.':
    'Das Gerät {device} hat die meisten Daten gespeichert: {today} heute, {total} insgesamt.',
  'If that is too much, open the page of the device: quarantine the device there and purge its stored data.':
    'Wenn das zu viel ist, öffnen Sie die Seite des Geräts: Setzen Sie es dort in Quarantäne und löschen Sie seine Daten.',
  'The gateway could not store values and events since {since}. The messages stay in the journal. The log of the gateway has the cause.':
    'Das Gateway konnte seit {since} keine Werte und Ereignisse speichern. Die Nachrichten bleiben im Journal. Das Protokoll des Gateways hat die Ursache.',
  'The gateway skipped {n} message because of an error in its code. The messages stay in the journal. The log of the gateway has the cause.|The gateway skipped {n} messages because of an error in its code. The messages stay in the journal. The log of the gateway has the cause.':
    'Das Gateway hat wegen eines Fehlers im Code {n} Nachricht übersprungen. Die Nachrichten bleiben im Journal. Das Protokoll des Gateways hat die Ursache.|Das Gateway hat wegen eines Fehlers im Code {n} Nachrichten übersprungen. Die Nachrichten bleiben im Journal. Das Protokoll des Gateways hat die Ursache.',
  'The store refused {n} document, and the gateway skipped it. The messages from which it was made stay in the journal. The log of the gateway has the cause.|The store refused {n} documents, and the gateway skipped them. The messages from which they were made stay in the journal. The log of the gateway has the cause.':
    'Der Speicher hat {n} Dokument abgelehnt, und das Gateway hat es übersprungen. Die Nachrichten dazu bleiben im Journal. Das Protokoll des Gateways hat die Ursache.|Der Speicher hat {n} Dokumente abgelehnt, und das Gateway hat sie übersprungen. Die Nachrichten dazu bleiben im Journal. Das Protokoll des Gateways hat die Ursache.',
  '{n} device has a clock more than five minutes ahead. The data of these devices does not change the live status of machines.|{n} devices have clocks more than five minutes ahead. The data of these devices does not change the live status of machines.':
    'Bei {n} Gerät geht die Uhr mehr als fünf Minuten vor. Seine Daten ändern den Live-Status von Maschinen nicht.|Bei {n} Geräten geht die Uhr mehr als fünf Minuten vor. Ihre Daten ändern den Live-Status von Maschinen nicht.',
  '{n} device has a clock more than five minutes behind (a device that sends an old recording looks the same). Its data counts as old and does not change the live status of machines.|{n} devices have clocks more than five minutes behind (a device that sends an old recording looks the same). Their data counts as old and does not change the live status of machines.':
    'Bei {n} Gerät geht die Uhr mehr als fünf Minuten nach (ein Gerät, das eine alte Aufzeichnung sendet, sieht gleich aus). Seine Daten zählen als alt und ändern den Live-Status von Maschinen nicht.|Bei {n} Geräten geht die Uhr mehr als fünf Minuten nach (ein Gerät, das eine alte Aufzeichnung sendet, sieht gleich aus). Ihre Daten zählen als alt und ändern den Live-Status von Maschinen nicht.',
  'The gateway cannot write its journal, so it acknowledges no more messages of devices.':
    'Das Gateway kann sein Journal nicht schreiben, deshalb bestätigt es keine Nachrichten von Geräten mehr.',
  '{n} device sends more than may be stored: {names}.|{n} devices send more than may be stored: {names}.':
    '{n} Gerät sendet mehr, als gespeichert werden darf: {names}.|{n} Geräte senden mehr, als gespeichert werden darf: {names}.',
  'Data over the daily budget is acknowledged and not stored. The log of the device has the number of lost messages.':
    'Daten über der Tagesgrenze werden bestätigt und nicht gespeichert. Das Protokoll des Geräts hat die Zahl der verlorenen Nachrichten.',
  'Open the device: quarantine it and purge its stored data, or set larger budgets in its settings.':
    'Öffnen Sie das Gerät: Setzen Sie es in Quarantäne und löschen Sie seine Daten, oder setzen Sie größere Grenzen in seinen Einstellungen.',
  'The clock of the logger {device} is {time} ahead. The bucket refuses its uploads until the clock is right.':
    'Die Uhr des Loggers {device} geht {time} vor. Seine Uploads werden abgelehnt, bis die Uhr stimmt.',
  'The clock of the logger {device} is {time} behind. The bucket refuses its uploads until the clock is right.':
    'Die Uhr des Loggers {device} geht {time} nach. Seine Uploads werden abgelehnt, bis die Uhr stimmt.',
  '{address} sent a wrong key or code {count} times since {since}; the last one was {what}. If you do not know this address, somebody may be guessing keys.':
    '{address} hat seit {since} {count}-mal einen falschen Schlüssel oder Code gesendet; zuletzt war es {what}. Wenn Sie diese Adresse nicht kennen, rät vielleicht jemand Schlüssel.',
  '{n} stored document does not fit the schema of this version, and lists leave it out: {names}. If a newer version of the gateway wrote it, install that version again.|{n} stored documents do not fit the schema of this version, and lists leave them out: {names}. If a newer version of the gateway wrote them, install that version again.':
    '{n} gespeichertes Dokument passt nicht zu dieser Version, und Listen lassen es weg: {names}. Wenn eine neuere Version des Gateways es geschrieben hat, installieren Sie diese wieder.|{n} gespeicherte Dokumente passen nicht zu dieser Version, und Listen lassen sie weg: {names}. Wenn eine neuere Version des Gateways sie geschrieben hat, installieren Sie diese wieder.',
  '{n} stored document has values that this version does not know and shows as unknown: {names}. The values are kept. Update this gateway to the version of the other end.|{n} stored documents have values that this version does not know and shows as unknown: {names}. The values are kept. Update this gateway to the version of the other end.':
    '{n} gespeichertes Dokument hat Werte, die diese Version nicht kennt und als unbekannt zeigt: {names}. Die Werte bleiben. Aktualisieren Sie dieses Gateway auf die Version der Gegenstelle.|{n} gespeicherte Dokumente haben Werte, die diese Version nicht kennt und als unbekannt zeigt: {names}. Die Werte bleiben. Aktualisieren Sie dieses Gateway auf die Version der Gegenstelle.',
  'The last backup failed ({message}).': 'Die letzte Sicherung ist fehlgeschlagen ({message}).',
  'There is no older backup.': 'Es gibt keine ältere Sicherung.',
  'The newest backup is of {since}.': 'Die neueste Sicherung ist von {since}.',
  '{what} {used}, more than the limit of {limit}. All samples older than 24 hours are already deleted.':
    '{what} {used}, mehr als die Grenze von {limit}. Alle Messwerte, die älter als 24 Stunden sind, sind schon gelöscht.',
  'The samples in the database have': 'Die Messwerte in der Datenbank belegen',
  'The database has': 'Die Datenbank belegt',
  'Nothing. The database grows further and may fill the disk.':
    'Nichts. Die Datenbank wächst weiter und kann den Datenträger füllen.',
  'Use a larger disk, raise HEADFRAME_DATABASE_GIGABYTES or HEADFRAME_HISTORY_PERCENT, or purge the devices that store the most (`writers` in health).':
    'Nehmen Sie einen größeren Datenträger, erhöhen Sie HEADFRAME_DATABASE_GIGABYTES oder HEADFRAME_HISTORY_PERCENT, oder löschen Sie die Daten der Geräte, die am meisten speichern.',
  'Stop the gateway, run `headframe recovery-code --enter`, and start it again. Without the recovery code, set these secrets again.':
    'Stoppen Sie das Gateway, führen Sie `headframe recovery-code --enter` aus, und starten Sie es neu. Ohne den Wiederherstellungscode setzen Sie diese Geheimnisse neu.',
  'A project has {most} open alerts; {refused} more were not raised.':
    'Ein Projekt hat {most} offene Alarme; {refused} weitere wurden nicht ausgelöst.',
  'new alerts of that project': 'neue Alarme jenes Projekts',
  'Find the rule that raises so many, and mute or narrow it.':
    'Suchen Sie die Regel, die so viele auslöst, und stellen Sie sie stumm, oder fassen Sie sie enger.',
  '{n} webhook endpoint does not accept deliveries.|{n} webhook endpoints do not accept deliveries.':
    '{n} Webhook nimmt keine Zustellungen an.|{n} Webhooks nehmen keine Zustellungen an.',
  'Read the last error of the endpoint. Pending deliveries are sent when it answers, for 7 days.':
    'Lesen Sie den letzten Fehler des Webhooks. Wartende Zustellungen werden gesendet, wenn er antwortet, 7 Tage lang.',
  'The gateway did not stop cleanly last time. It checks its database now, while it serves requests.':
    'Das Gateway wurde zuletzt nicht sauber beendet. Es prüft jetzt seine Datenbank, während es Anfragen beantwortet.',
};
