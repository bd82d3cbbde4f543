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
  'never used': 'nie verwendet',
  'last used {age} ago': 'zuletzt vor {age} verwendet',
  'The logger cannot upload: the old key pair has expired, and the logger does not use the new one. Copy the configuration with the new key pair to the SD card of the logger.':
    'Der Logger kann nichts hochladen: Das alte Schlüsselpaar ist abgelaufen, und der Logger verwendet das neue nicht. Kopieren Sie die Konfiguration mit dem neuen Schlüsselpaar auf die SD-Karte des Loggers.',
  'The logger uses the new key pair. The old pair expires in {left}.':
    'Der Logger verwendet das neue Schlüsselpaar. Das alte läuft in {left} ab.',
  'The new key pair is in the configuration of the logger, which checks every ten minutes. The old pair expires in {left}. Replace the pair again to extend this time.':
    'Das neue Schlüsselpaar steht in der Konfiguration des Loggers, der alle zehn Minuten nachsieht. Das alte Paar läuft in {left} ab. Ersetzen Sie das Paar erneut, um diese Zeit zu verlängern.',
  'Save the configuration of the logger here, or copy the new key pair to the logger. The old pair expires in {left}.':
    'Speichern Sie hier die Konfiguration des Loggers, oder kopieren Sie das neue Schlüsselpaar auf den Logger. Das alte Paar läuft in {left} ab.',
  'Replace the key pair': 'Schlüsselpaar ersetzen',
  'The logger gets the new pair with its configuration. The old pair works until the logger reports that it uses the new one.':
    'Der Logger bekommt das neue Paar mit seiner Konfiguration. Das alte Paar gilt, bis der Logger meldet, dass er das neue verwendet.',
  'The gateway has no configuration for this logger, so it cannot send the new pair. Save the configuration first, or copy the new pair to the logger.':
    'Das Gateway hat keine Konfiguration für diesen Logger, kann das neue Paar also nicht senden. Speichern Sie zuerst die Konfiguration, oder kopieren Sie das neue Paar auf den Logger.',
  'Keep the old pair valid for': 'Altes Paar bleibt gültig für',
  'Select a time longer than the logger may be without a connection.':
    'Wählen Sie eine längere Zeit, als der Logger ohne Verbindung sein kann.',
  Replacing: 'Wird ersetzt',
  'Bucket key': 'Upload-Schlüssel',
  'This logger has no key pair. Replace the key pair to create one and add it to the configuration.':
    'Dieser Logger hat kein Schlüsselpaar. Ersetzen Sie das Schlüsselpaar, um eines zu erstellen und in die Konfiguration aufzunehmen.',
  'Old pair {key}': 'Altes Paar {key}',
  'expired {age} ago': 'vor {age} abgelaufen',
  'There is no configuration file for this logger yet. Save the configuration to create it.':
    'Für diesen Logger gibt es noch keine Konfigurationsdatei. Speichern Sie die Konfiguration, um sie zu erstellen.',
  'The gateway does not know the firmware of this logger yet.':
    'Das Gateway kennt die Firmware dieses Loggers noch nicht.',
  'This logger has not sent data yet.': 'Dieser Logger hat noch keine Daten gesendet.',
  'To create the configuration file for its SD card, enter the firmware version and save.':
    'Um die Konfigurationsdatei für seine SD-Karte zu erstellen, geben Sie die Firmware-Version ein und speichern Sie.',
  'Checked against the schema of the logger': 'Gegen das Schema des Loggers geprüft',
  'Not checked: the logger has not uploaded its schema yet':
    'Nicht geprüft: Der Logger hat sein Schema noch nicht hochgeladen',
  'Passwords are encrypted: only this logger can read them':
    'Passwörter sind verschlüsselt: Nur dieser Logger kann sie lesen',
  'Passwords are not encrypted: the logger has not sent its public key yet':
    'Passwörter sind nicht verschlüsselt: Der Logger hat seinen öffentlichen Schlüssel noch nicht gesendet',
  'The logger uses this configuration': 'Der Logger verwendet diese Konfiguration',
  'The logger does not use this configuration yet. It checks for a new one every ten minutes.':
    'Der Logger verwendet diese Konfiguration noch nicht. Er sieht alle zehn Minuten nach einer neuen.',
  'The text is not valid JSON: {problem}': 'Der Text ist kein gültiges JSON: {problem}',
  Configuration: 'Konfiguration',
  'Download for the SD card': 'Für die SD-Karte herunterladen',
  'The settings of this logger, in the format of its manufacturer. Passwords show as ********; leave them so to keep them. The gateway fills in its own address and keys.':
    'Die Einstellungen dieses Loggers, im Format seines Herstellers. Passwörter erscheinen als ********; lassen Sie sie so, um sie zu behalten. Das Gateway trägt seine eigene Adresse und seine Schlüssel ein.',
  Firmware: 'Firmware',
  'From the file name on the SD card: for config-01.09.json enter 01.09':
    'Aus dem Dateinamen auf der SD-Karte: für config-01.09.json geben Sie 01.09 ein',
  'Configuration as JSON': 'Konfiguration als JSON',
  Files: 'Dateien',
  'No files yet': 'Noch keine Dateien',
  'This list shows logs that the device uploads and pictures of a camera.':
    'Diese Liste zeigt Logs, die das Gerät hochlädt, und Bilder einer Kamera.',
  'This page shows the 20 newest files. Use the API to list all.':
    'Diese Seite zeigt die 20 neuesten Dateien. Verwenden Sie die API, um alle aufzulisten.',
  'Encrypted log files': 'Verschlüsselte Logdateien',
  'Files with names that end in MFE or MFM are encrypted. The gateway stores the password encrypted and never shows it. After you save the password, decode the file again.':
    'Dateien, deren Name auf MFE oder MFM endet, sind verschlüsselt. Das Gateway speichert das Passwort verschlüsselt und zeigt es nie. Dekodieren Sie die Datei erneut, nachdem Sie das Passwort gespeichert haben.',
  'Save password': 'Passwort speichern',
  'Password of the log files': 'Passwort der Logdateien',
  'Saved. The gateway tries {n} stored password.|Saved. The gateway tries {n} stored passwords.':
    'Gespeichert. Das Gateway versucht {n} gespeichertes Passwort.|Gespeichert. Das Gateway versucht {n} gespeicherte Passwörter.',
  'The gateway did not accept the upload. Try again.':
    'Das Gateway hat das Hochladen nicht angenommen. Versuchen Sie es erneut.',
  'The upload failed with status {status}. Try again.':
    'Das Hochladen ist mit Status {status} fehlgeschlagen. Versuchen Sie es erneut.',
  'The logger runs {version}, the offered version.': 'Auf dem Logger läuft {version}, die angebotene Version.',
  'The logger runs {version}.': 'Auf dem Logger läuft {version}.',
  '{model} firmware {version} ({size}) is ready for the logger.':
    '{model}-Firmware {version} ({size}) liegt für den Logger bereit.',
  '{model} firmware {version} ({size}) is ready for the logger, which runs {running}.':
    '{model}-Firmware {version} ({size}) liegt für den Logger bereit, auf dem {running} läuft.',
  'Its configuration is {file}.': 'Die Konfiguration dazu ist {file}.',
  Uploading: 'Wird hochgeladen',
  'Offer a firmware file': 'Firmware-Datei anbieten',
  'Withdraw the offer': 'Angebot zurückziehen',
  'Serial number {serial}': 'Seriennummer {serial}',
  'Machine {unit}': 'Maschine {unit}',
  Label: 'Etikett',
  'Print label': 'Etikett drucken',
  'Reported by the device': 'Vom Gerät gemeldet',
  'All devices': 'Alle Geräte',
  'The device has not sent data yet.': 'Das Gerät hat noch keine Daten gesendet.',
  'Last data {age} ago.': 'Letzte Daten vor {age}.',
  'The diagnosis, the key, the configuration and the firmware of this device':
    'Die Diagnose, den Schlüssel, die Konfiguration und die Firmware dieses Geräts',
  'ID for the API': 'ID für die API',
  'Machine of {device}': 'Maschine von {device}',
  'Provision a device': 'Gerät vorbereiten',
  'New devices and their links to machines': 'Neue Geräte und ihre Verknüpfung mit Maschinen',
  devices: 'Geräte',
  'No devices yet': 'Noch keine Geräte',
  'Provision the logger of a machine. The gateway shows its key only once.':
    'Bereiten Sie den Logger einer Maschine vor. Das Gateway zeigt seinen Schlüssel nur einmal.',
  'An admin provisions the loggers of the machines.': 'Ein Administrator bereitet die Logger der Maschinen vor.',
  Progress: 'Fortschritt',
  'Last seen': 'Zuletzt gesehen',
  Messages: 'Nachrichten',
  Errors: 'Fehler',
  'Delete the data of this device': 'Daten dieses Geräts löschen',
  'The gateway deletes the log entries that this device caused, and its files. You cannot undo this. Notes of people stay.':
    'Das Gateway löscht die Protokolleinträge, die dieses Gerät verursacht hat, und seine Dateien. Das lässt sich nicht rückgängig machen. Notizen von Personen bleiben.',
  'Also delete the history of its machine since the device was linked':
    'Auch den Verlauf seiner Maschine seit der Verknüpfung des Geräts löschen',
  Deleting: 'Wird gelöscht',
  'Deleted so far: {events} log entries, {files} files, {segments} history segments. {size} of disk space is free again.':
    'Bisher gelöscht: {events} Protokolleinträge, {files} Dateien, {segments} Verlaufsabschnitte. {size} Speicherplatz sind wieder frei.',
  'Deleted: {events} log entries, {files} files, {segments} history segments. {size} of disk space is free again.':
    'Gelöscht: {events} Protokolleinträge, {files} Dateien, {segments} Verlaufsabschnitte. {size} Speicherplatz sind wieder frei.',
  'Storage and quarantine': 'Speicher und Quarantäne',
  '{device} stored {today} today and {total} in total.':
    '{device} hat heute {today} und insgesamt {total} gespeichert.',
  'The gateway did not store {n} item: the device exceeded its budget.|The gateway did not store {n} items: the device exceeded its budget.':
    'Das Gateway hat {n} Eintrag nicht gespeichert: Das Gerät hat sein Kontingent überschritten.|Das Gateway hat {n} Einträge nicht gespeichert: Das Gerät hat sein Kontingent überschritten.',
  'Quarantine closes the connections of the device and refuses its keys. Its data stays.':
    'Die Quarantäne schließt die Verbindungen des Geräts und weist seine Schlüssel ab. Seine Daten bleiben.',
  'Quarantined by {name}. The gateway refuses its keys.':
    'Von {name} in Quarantäne gesetzt. Das Gateway weist seine Schlüssel ab.',
  'Quarantined by {name}: {reason}. The gateway refuses its keys.':
    'Von {name} in Quarantäne gesetzt: {reason}. Das Gateway weist seine Schlüssel ab.',
  Quarantine: 'In Quarantäne setzen',
  'End quarantine': 'Quarantäne beenden',
};
