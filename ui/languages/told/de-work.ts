/** Texts of the gateway in German: what is wrong with a value, and refusals about machines, work, boards and files. `docs/languages.md` has the glossary. */
import type { WorkTold } from './es-work.ts';

export const WORK_DE: Readonly<Record<WorkTold, string>> = {
  '`{param}`: must be {expected}, not {found}.': '`{param}`: muss {expected} sein, nicht {found}.',
  '`{param}`: must be {values}.': '`{param}`: muss {values} sein.',
  '`{param}`: must be one of {values}.': '`{param}`: muss eines davon sein: {values}.',
  '`{param}`: must be a multiple of {divisor}.': '`{param}`: muss ein Vielfaches von {divisor} sein.',
  '`{param}`: has fields that are not allowed: {keys}.': '`{param}`: hat Felder, die nicht erlaubt sind: {keys}.',
  '`{param}`: has a name that is not allowed.': '`{param}`: hat einen Namen, der nicht erlaubt ist.',
  '`{param}`: has a value that is not allowed.': '`{param}`: hat einen Wert, der nicht erlaubt ist.',
  null: 'null',
  '`{param}`: must not be empty.': '`{param}`: darf nicht leer sein.',
  '`{param}`: must begin with "{text}".': '`{param}`: muss mit "{text}" beginnen.',
  '`{param}`: must end with "{text}".': '`{param}`: muss mit "{text}" enden.',
  '`{param}`: must contain "{text}".': '`{param}`: muss "{text}" enthalten.',
  '`{param}`: must be a valid {format}.': '`{param}`: muss ein gültiges {format} sein.',
  '`{param}`: must match {pattern}.': '`{param}`: muss zu {pattern} passen.',
  '`{param}`: must be a time with its zone, such as 2026-11-21T06:00:00Z.':
    '`{param}`: muss eine Zeit mit ihrer Zone sein, wie 2026-11-21T06:00:00Z.',
  '`{param}`: must be a day, such as 2026-11-21.': '`{param}`: muss ein Tag sein, wie 2026-11-21.',
  '`{param}`: must be a URL, such as https://host/path.': '`{param}`: muss eine URL sein, wie https://host/path.',
  '`{param}`: must be base64.': '`{param}`: muss base64 sein.',
  '`{param}`: must have at most {limit} characters.': '`{param}`: darf höchstens {limit} Zeichen haben.',
  '`{param}`: must have at most {limit} items.': '`{param}`: darf höchstens {limit} Elemente haben.',
  '`{param}`: must have at most {limit} entries.': '`{param}`: darf höchstens {limit} Einträge haben.',
  '`{param}`: must be less than {limit}.': '`{param}`: muss kleiner als {limit} sein.',
  '`{param}`: must be at most {limit}.': '`{param}`: darf höchstens {limit} sein.',
  '`{param}`: must have at least {limit} characters.': '`{param}`: muss mindestens {limit} Zeichen haben.',
  '`{param}`: must have at least {limit} items.': '`{param}`: muss mindestens {limit} Elemente haben.',
  '`{param}`: must have at least {limit} entries.': '`{param}`: muss mindestens {limit} Einträge haben.',
  '`{param}`: must be more than {limit}.': '`{param}`: muss größer als {limit} sein.',
  '`{param}`: must be at least {limit}.': '`{param}`: muss mindestens {limit} sein.',
  '`{param}`: has none of the allowed forms.': '`{param}`: hat keine der erlaubten Formen.',
  'The gateway at {base} does not answer.': 'Das Gateway unter {base} antwortet nicht.',
  'this address': 'dieser Adresse',
  'The server at {base} is not a Headframe gateway (status {status}).':
    'Der Server unter {base} ist kein Headframe-Gateway (Status {status}).',
  'a text': 'ein Text',
  'a number': 'eine Zahl',
  'a number with decimals': 'eine Zahl mit Nachkommastellen',
  'a whole number': 'eine ganze Zahl',
  'true or false': 'wahr oder falsch',
  'a list': 'eine Liste',
  'an object': 'ein Objekt',
  nothing: 'nichts',
  none: 'keine',
  'The {object} {name} is inactive; activate it first.':
    '{object}: {name} ist inaktiv; aktivieren Sie den Eintrag zuerst.',
  'This key is restricted to some projects. To read the audit log of the gateway, use a key for all projects.':
    'Dieser Schlüssel ist auf einige Projekte beschränkt. Um das Prüfprotokoll des Gateways zu lesen, nehmen Sie einen Schlüssel für alle Projekte.',
  'There is no {what} {id}, or this key has no access to it.':
    'Nicht gefunden: {what} {id}, oder dieser Schlüssel hat keinen Zugriff darauf.',
  'There is no {what}, or this key has no access to it.':
    'Nicht gefunden: {what}, oder dieser Schlüssel hat keinen Zugriff darauf.',
  'There is no {what} {id}, or this key has no access to it; its id begins with `{prefix}_`.':
    'Nicht gefunden: {what} {id}, oder dieser Schlüssel hat keinen Zugriff darauf; die Kennung beginnt mit `{prefix}_`.',
  'There is no {what}, or this key has no access to it; its id begins with `{prefix}_`.':
    'Nicht gefunden: {what}, oder dieser Schlüssel hat keinen Zugriff darauf; die Kennung beginnt mit `{prefix}_`.',
  'The object has changed: it is at revision {revision}. Read it again, then repeat the change.':
    'Der Eintrag hat sich geändert: Er ist bei Revision {revision}. Lesen Sie ihn neu, dann wiederholen Sie die Änderung.',
  '{word} {name} belongs to {holder}.': '{word} {name} gehört zu {holder}.',
  'Unit number': 'Maschinennummer',
  Serial: 'Seriennummer',
  Code: 'Code',
  'Employee number': 'Personalnummer',
  Badge: 'Ausweis',
  'The shift': 'Die Schicht',
  'The name': 'Der Name',
  operator: 'Fahrer',
  mechanic: 'Mechaniker',
  location: 'Ort',
  person: 'Person',
  equipment: 'Maschine',
  ticket: 'Auftrag',
  board: 'Tafel',
  playlist: 'Abspielliste',
  file: 'Datei',
  rule: 'Regel',
  'maintenance plan': 'Wartungsplan',
  checklist: 'Checkliste',
  'DBC file': 'DBC-Datei',
  delivery: 'Zustellung',
  device: 'Gerät',
  project: 'Projekt',
  task: 'Aufgabe',
  run: 'Lauf',
  alert: 'Alarm',
  event: 'Protokolleintrag',
  inspection: 'Kontrolle',
  user: 'Benutzer',
  tablet: 'Tablet',
  'The body is larger than {most} bytes, the limit of this operation.':
    'Der Inhalt ist größer als {most} Byte, die Grenze dieser Operation.',
  'This gateway no longer has the content of this file.': 'Dieses Gateway hat den Inhalt dieser Datei nicht mehr.',
  'You have {each} {what} open, which is the limit of one caller. Wait until one of them ends.':
    'Sie haben {each} {what} offen, die Grenze für einen Aufrufer. Warten Sie, bis eines endet.',
  '{taken} {what} are open, which is the limit of this gateway. Try again in a moment.':
    '{taken} {what} sind offen, die Grenze dieses Gateways. Versuchen Sie es gleich noch einmal.',
  screens: 'Bildschirme',
  exports: 'Exporte',
  uploads: 'Uploads',
  frames: 'Frames',
  'large bodies': 'große Inhalte',
  'task streams': 'Aufgaben-Streams',
  'Too many calls of this caller are waiting. Send fewer at once.':
    'Zu viele Ihrer Anfragen warten. Senden Sie weniger auf einmal.',
  'More than {limit} requests in a minute. Wait {retry_after_s} s.':
    'Mehr als {limit} Anfragen in einer Minute. Warten Sie {retry_after_s} s.',
  'Too many bytes of JSON bodies in a minute. Wait {retry_after_s} s.':
    'Zu viele Byte JSON in einer Minute. Warten Sie {retry_after_s} s.',
  'This node does not run the service that this operation needs.':
    'Dieser Knoten hat den Dienst nicht, den diese Operation braucht.',
  'There is no such device, or this key has no access to it.':
    'Dieses Gerät gibt es nicht, oder dieser Schlüssel hat keinen Zugriff darauf.',
  '`{param}` is required.': '`{param}` ist erforderlich.',
  '`{field}` is read-only here; it is written by {owner}.':
    '`{field}` ist hier nur lesbar; geschrieben wird es von {owner}.',
  'The role {role} may not set `{field}` with this operation.': 'Die Rolle {role} darf `{field}` hier nicht setzen.',
  'The role {role} may set `{field}` only to: {values}.': 'Die Rolle {role} darf `{field}` nur setzen auf: {values}.',
  'The gateway failed. Its log has the cause under {request}.':
    'Im Gateway ist ein Fehler aufgetreten. Sein Protokoll hat die Ursache unter {request}.',
  'Other callers kept changing the same object. Read the object again and repeat the call.':
    'Andere haben denselben Eintrag immer wieder geändert. Lesen Sie ihn neu und wiederholen Sie die Änderung.',
  'The database of the gateway is damaged. The gateway starts again and repairs it. Repeat the call in a minute.':
    'Die Datenbank des Gateways ist beschädigt. Das Gateway startet neu und repariert sie. Wiederholen Sie es in einer Minute.',
  'The disk of the gateway cannot be written now. Reads still work.':
    'Auf den Datenträger des Gateways kann jetzt nicht geschrieben werden. Lesen geht weiter.',
  'The disk of the gateway is too full to accept this write.':
    'Der Datenträger des Gateways ist zu voll, um das anzunehmen.',
  'An earlier call with this Idempotency-Key is still running. Before you send the call with a new key, read the resource.':
    'Eine frühere Anfrage mit diesem Idempotenz-Schlüssel läuft noch. Bevor Sie sie mit einem neuen Schlüssel senden, lesen Sie den Eintrag.',
  'The cursor has expired. Start again without `cursor`.': 'Die Liste ist zu lange offen. Beginnen Sie neu.',
  'The gateway keeps so many late writes of this person that it cannot take more now. Keep this one. It is sent again later.':
    'Das Gateway hat so viele späte Änderungen dieser Person, dass es jetzt keine weiteren annehmen kann. Behalten Sie diese. Sie wird später noch einmal gesendet.',
  'The gateway keeps so many late writes that it cannot take more now. Keep this one. It is sent again later.':
    'Das Gateway hat so viele späte Änderungen, dass es jetzt keine weiteren annehmen kann. Behalten Sie diese. Sie wird später noch einmal gesendet.',
  '{queue} requests for DBC files are waiting; try again in a moment.':
    '{queue} Anfragen für DBC-Dateien warten; versuchen Sie es gleich noch einmal.',
  'Two tests of DBC files are running; try again in a moment.':
    'Zwei Erprobungen von DBC-Dateien laufen; versuchen Sie es gleich noch einmal.',
  ended: 'ist beendet',
  'took more than {seconds} s': 'hat länger als {seconds} s gebraucht',
  'The thread that reads DBC files {what}; nothing was changed.':
    'Das Lesen der DBC-Dateien {what}; nichts wurde geändert.',
  '{what} was deleted because its retention time has passed: the gateway keeps the newest {most} decode tasks, for {days} days, and tasks that failed or have gaps for {longer} days. The file and its decoded values are still stored. Decode the file again to create a new task.':
    '{what} wurde gelöscht, weil die Aufbewahrungszeit vorbei ist: Das Gateway behält die neuesten {most} Dekodieraufgaben, für {days} Tage, und Aufgaben, die fehlschlugen oder Lücken haben, für {longer} Tage. Die Datei und ihre dekodierten Werte sind noch gespeichert. Dekodieren Sie die Datei noch einmal, um eine neue Aufgabe zu erstellen.',
  'The task of this file': 'Die Aufgabe dieser Datei',
  'A run with this id': 'Ein Lauf mit dieser Kennung',
  'The location {name} has no geofence: give it one first.':
    'Der Ort {name} hat keinen Geozaun: Geben Sie ihm zuerst einen.',
  'A project can have at most {most_rules} alert rules.': 'Ein Projekt kann höchstens {most_rules} Alarmregeln haben.',
  'The project has no location with this id.': 'Das Projekt hat keinen Ort mit dieser Kennung.',
  'The project has no maintenance plan with this id.': 'Das Projekt hat keinen Wartungsplan mit dieser Kennung.',
  '{machines} machines and this range are {days} days; one call tries at most {max_test_machine_days}. Shorten the range or name fewer machines.':
    '{machines} Maschinen und dieser Zeitraum sind {days} Tage; eine Erprobung nimmt höchstens {max_test_machine_days}. Verkürzen Sie den Zeitraum oder nennen Sie weniger Maschinen.',
  'A project can have at most {max_endpoints} webhook endpoints.':
    'Ein Projekt kann höchstens {max_endpoints} Webhooks haben.',
  'Only an owner can allow addresses of the local network.':
    'Nur ein Inhaber kann Adressen des lokalen Netzes erlauben.',
  'The address contains a user name or password; leave them out.':
    'Die Adresse enthält einen Benutzernamen oder ein Passwort; lassen Sie sie weg.',
  'The address has a fragment (#...), which is never sent; leave it out.':
    'Die Adresse hat ein Fragment (#...), das nie gesendet wird; lassen Sie es weg.',
  'This address is that of the gateway itself, or one that webhooks must not use.':
    'Diese Adresse ist die des Gateways selbst oder eine, die Webhooks nicht benutzen dürfen.',
  'A public address must use https.': 'Eine öffentliche Adresse muss https benutzen.',
  'Widgets {before} and {i} overlap on the grid of 12 by 6.':
    'Die Kacheln {before} und {i} überlappen sich im Raster von 12 mal 6.',
  'The group of screens {group} has no playlist.': 'Die Bildschirmgruppe {group} hat keine Abspielliste.',
  'Too many wrong codes; wait ten minutes.': 'Zu viele falsche Codes; warten Sie zehn Minuten.',
  'Too many screens wait to be paired; try again in some minutes.':
    'Zu viele Bildschirme warten auf die Kopplung; versuchen Sie es in einigen Minuten noch einmal.',
  'This pairing has expired or was replaced; begin a new one.':
    'Diese Kopplung ist abgelaufen oder ersetzt; beginnen Sie eine neue.',
  'No screen shows this code. A code is valid once, for ten minutes.':
    'Kein Bildschirm zeigt diesen Code. Ein Code gilt einmal, zehn Minuten lang.',
  'The project has no shift {missing}; it has {names}.': 'Das Projekt hat keine Schicht {missing}; es hat {names}.',
  'A screen cannot show {id}: it is {content_type}.': 'Ein Bildschirm kann {id} nicht zeigen: Es ist {content_type}.',
  'These screens have a playlist already: {name}.': 'Diese Bildschirme haben schon eine Abspielliste: {name}.',
  'The gateway was restored without its key and cannot decrypt the secret of this key pair. Enter the recovery code (`headframe recovery-code --enter`), or roll the key pair.':
    'Das Gateway wurde ohne seinen Schlüssel wiederhergestellt und kann das Geheimnis dieses Schlüsselpaars nicht entschlüsseln. Geben Sie den Wiederherstellungscode ein (`headframe recovery-code --enter`), oder erneuern Sie das Schlüsselpaar.',
  'There is no configuration file for this device. Store its configuration first.':
    'Für dieses Gerät gibt es keine Konfigurationsdatei. Speichern Sie zuerst seine Konfiguration.',
  'The device has no configuration yet.': 'Das Gerät hat noch keine Konfiguration.',
  'This file is not firmware of a CANedge logger. Use the firmware file that the maker of the logger provides.':
    'Diese Datei ist keine Firmware eines CANedge-Loggers. Nehmen Sie die Firmware-Datei vom Hersteller des Loggers.',
  'There is no machine {equipment_id} in this project.': 'Es gibt keine Maschine {equipment_id} in diesem Projekt.',
  'The machine {unit_number} is decommissioned, so no device can be linked to it.':
    'Die Maschine {unit_number} ist ausgemustert, deshalb kann kein Gerät mit ihr verknüpft werden.',
  'There is no device {serial} in this project.': 'Es gibt kein Gerät {serial} in diesem Projekt.',
  'device_id {wanted} belongs to {device}.': 'Der Name {wanted} gehört zu {device}.',
  'This claim does not exist, has expired or was already used. Request a new one.':
    'Diese Anforderung existiert nicht, ist abgelaufen oder wurde schon benutzt. Fordern Sie neu an.',
  '{most} logs of this device wait to be decoded. Send the next log after some of them are decoded.':
    '{most} Logs dieses Geräts warten auf das Dekodieren. Senden Sie das nächste, wenn einige dekodiert sind.',
  'The device already has {most} open uploads. Finish one, or wait until one expires.':
    'Das Gerät hat schon {most} offene Uploads. Beenden Sie einen, oder warten Sie, bis einer abläuft.',
  'Images must be posted with the key of the device.': 'Bilder müssen mit dem Schlüssel des Geräts gesendet werden.',
  'A project can have at most {files} versions of DBC files.':
    'Ein Projekt kann höchstens {files} Versionen von DBC-Dateien haben.',
  'At most {active} DBC files can be active.': 'Höchstens {active} DBC-Dateien können aktiv sein.',
  'This version has been active, so its mapping cannot change. Import the file again for another mapping.':
    'Diese Version war schon aktiv, deshalb kann sich ihre Zuordnung nicht ändern. Importieren Sie die Datei noch einmal für eine andere Zuordnung.',
  'This version is active; deactivate it first.': 'Diese Version ist aktiv; deaktivieren Sie sie zuerst.',
  'A decode run of this log is already queued or running; follow its task.':
    'Eine Dekodierung dieses Logs wartet oder läuft schon; verfolgen Sie ihre Aufgabe.',
  'A report can have at most {n} photos.': 'Eine Meldung kann höchstens {n} Fotos haben.',
  'This repair has {n} photos already, and can have no more.':
    'Dieser Auftrag hat schon {n} Fotos und kann keine weiteren haben.',
  '{most_waiting_photos} photos of this machine are in no inspection yet. Send the inspections, or wait until the photos are deleted.':
    '{most_waiting_photos} Fotos dieser Maschine sind noch in keiner Kontrolle. Senden Sie die Kontrollen, oder warten Sie, bis die Fotos gelöscht sind.',
  'The photo must be a JPEG, PNG, WebP, GIF or AVIF image.':
    'Das Foto muss ein JPEG-, PNG-, WebP-, GIF- oder AVIF-Bild sein.',
  '{by} took this machine at {at}, after this was written.':
    '{by} hat diese Maschine um {at} übernommen, nachdem das geschrieben war.',
  '{by} is on this machine. Only this person, a supervisor or an admin can end that. To be on it yourself, take it.':
    '{by} kümmert sich um diese Maschine. Nur diese Person, ein Vorgesetzter oder ein Administrator kann das beenden. Um sich selbst darum zu kümmern, übernehmen Sie sie.',
  'The status of a decommissioned machine can only change to available.':
    'Der Status einer ausgemusterten Maschine kann nur zu verfügbar wechseln.',
  'Only an owner or admin can bring back a decommissioned machine.':
    'Nur ein Inhaber oder Administrator kann eine ausgemusterte Maschine zurückholen.',
  'A project can have at most {most_intervals} set intervals. Set intervals for kinds instead of machines, or remove some.':
    'Ein Projekt kann höchstens {most_intervals} festgelegte Abstände haben. Legen Sie Abstände für Arten statt für Maschinen fest, oder entfernen Sie einige.',
  'Locations can be nested at most {most_levels} levels deep.': 'Orte können höchstens {most_levels} Ebenen haben.',
  'A branch of more than {most_moved} locations must be moved in parts.':
    'Ein Zweig mit mehr als {most_moved} Orten muss in Teilen verschoben werden.',
  'A location cannot be inside itself or inside one of its own parts.':
    'Ein Ort kann nicht in sich selbst oder in einem seiner Teile liegen.',
  'The machine sent a newer reading at {observed_at}. Give a reading from that time or later.':
    'Die Maschine hat um {observed_at} einen neueren Stand gesendet. Geben Sie einen Stand von dieser Zeit oder später an.',
  '`status_since` is in the future.': '`status_since` liegt in der Zukunft.',
  '`status_since` is more than 366 days ago.': '`status_since` liegt mehr als 366 Tage zurück.',
  'The machine has this status since {since}. Give an earlier time.':
    'Die Maschine hat diesen Zustand seit {since}. Geben Sie eine frühere Zeit an.',
  'People set another status at {at}. Give that time or a later one.':
    'Jemand hat um {at} einen anderen Zustand gesetzt. Geben Sie diese Zeit oder eine spätere an.',
  'There is no meter of the kind {kind}.': 'Es gibt keinen Zähler der Art {kind}.',
  '{label}: a reading is between 0 and {max} {unit}.': '{label}: Ein Stand liegt zwischen 0 und {max} {unit}.',
  'The time of the reading is in the future.': 'Die Zeit des Stands liegt in der Zukunft.',
  'The plan has more than {max_stored_plan} characters. Apply it in several parts, for example the machines of one area each.':
    'Der Plan hat mehr als {max_stored_plan} Zeichen. Wenden Sie ihn in Teilen an, zum Beispiel die Maschinen eines Bereichs.',
  'The project has {limit} active learnings already. End one that is no longer true.':
    'Das Projekt hat schon {limit} aktive Erkenntnisse. Beenden Sie eine, die nicht mehr stimmt.',
  'The learning was changed since.': 'Die Erkenntnis wurde seither geändert.',
  '{most_waiting} runs of this project wait already. Wait until some have ended, or cancel them.':
    '{most_waiting} Läufe dieses Projekts warten schon. Warten Sie, bis einige enden, oder brechen Sie sie ab.',
  'Make a new task here.': 'Erstellen Sie hier eine neue Aufgabe.',
  'Only owners, admins and the approvers of the review configuration may approve. A key of an agent may never approve.':
    'Nur Inhaber, Administratoren und die in der Konfiguration genannten Personen dürfen freigeben. Ein Schlüssel eines Agenten darf nie freigeben.',
  'A run of this task waits or works. Wait until it ends, or cancel it.':
    'Ein Lauf dieser Aufgabe wartet oder arbeitet. Warten Sie, bis er endet, oder brechen Sie ihn ab.',
  'The latest run of this task does not wait for an approval.':
    'Der letzte Lauf dieser Aufgabe wartet nicht auf eine Freigabe.',
  'What this task had written was taken back, so its run cannot go on. Start the task again.':
    'Was diese Aufgabe geschrieben hatte, wurde zurückgenommen, deshalb kann ihr Lauf nicht weitergehen. Starten Sie die Aufgabe neu.',
  'There is no such project, or this key has no access to it.':
    'Dieses Projekt gibt es nicht, oder dieser Schlüssel hat keinen Zugriff darauf.',
  'The address may have only a scheme, a host, a port and a path.':
    'Die Adresse darf nur Schema, Host, Port und Pfad haben.',
  'An address outside the local network must use https.':
    'Eine Adresse außerhalb des lokalen Netzes muss https benutzen.',
  'No model server can have this address.': 'Kein Modellserver kann diese Adresse haben.',
  'It cannot be canceled here.': 'Sie kann hier nicht abgebrochen werden.',
  'This task has no active run.': 'Diese Aufgabe hat keinen aktiven Lauf.',
  'Live decoding cannot be canceled. It ends when the key of the device is revoked.':
    'Die Live-Dekodierung kann nicht abgebrochen werden. Sie endet, wenn der Schlüssel des Geräts widerrufen wird.',
  'Head office or another gateway made this task, and only that one carries out its runs.':
    'Die Zentrale oder ein anderes Gateway hat diese Aufgabe erstellt, und nur dieses führt sie aus.',
  'Waits for the device.': 'Wartet auf das Gerät.',
  'Take it back there.': 'Nehmen Sie sie dort zurück.',
  'Only prompts, custom actions and setups can be taken back.':
    'Nur Anweisungen, eigene Aktionen und Einrichtungen können zurückgenommen werden.',
  'The task has a newer run. Look at the plan again.':
    'Die Aufgabe hat einen neueren Lauf. Sehen Sie sich den Plan noch einmal an.',
  'The run waits or works. Wait until it ends, or cancel it.':
    'Der Lauf wartet oder arbeitet. Warten Sie, bis er endet, oder brechen Sie ihn ab.',
  'An undo of this task waits or works. Wait until it ends.':
    'Diese Aufgabe wird schon zurückgenommen. Warten Sie, bis das endet.',
  'This report is more than {days} days old, or of another machine. Tell your supervisor about the fault.':
    'Diese Meldung ist mehr als {days} Tage alt oder von einer anderen Maschine. Melden Sie die Störung Ihrem Vorgesetzten.',
  'A decommissioned machine gets no QR code.': 'Eine ausgemusterte Maschine bekommt keinen QR-Code.',
  'A project can have at most {most_checklists} checklists.':
    'Ein Projekt kann höchstens {most_checklists} Checklisten haben.',
  'The inspection has {media} files. It can have at most {most_inspection_media}.':
    'Die Kontrolle hat {media} Dateien. Sie kann höchstens {most_inspection_media} haben.',
  'This checklist is for another kind of machines.': 'Diese Checkliste ist für eine andere Art von Maschinen.',
  'A story has at most {story_days} days. Ask for a shorter time.':
    'Eine Chronik hat höchstens {story_days} Tage. Wählen Sie eine kürzere Zeit.',
  'The story must end after it begins, and begin before now.':
    'Die Chronik muss nach ihrem Anfang enden und vor jetzt beginnen.',
  'A project can have at most {most_plans} maintenance plans.':
    'Ein Projekt kann höchstens {most_plans} Wartungspläne haben.',
  'The machine reported {reading} {by} at {observed_at}, so it cannot have had {given}. Check the reading.':
    'Die Maschine meldete {reading} {by} um {observed_at}, also kann sie nicht {given} gehabt haben. Prüfen Sie den Stand.',
  'The service was done more than an hour ago: give the {by} of the machine at that time in `{field}`.':
    'Die Wartung wurde vor mehr als einer Stunde gemacht: Geben Sie in `{field}` den Stand der Maschine zu dieser Zeit an ({by}).',
  'This plan is not for this machine, or the machine is decommissioned.':
    'Dieser Plan ist nicht für diese Maschine, oder die Maschine ist ausgemustert.',
  'The ticket is about another machine.': 'Der Auftrag betrifft eine andere Maschine.',
  'A newer version gave this ticket the status {from}, which this version does not know. Change the status at the end with the newer version, or update this one.':
    'Eine neuere Version hat diesem Auftrag den Status {from} gegeben, den diese Version nicht kennt. Ändern Sie den Status dort, wo die neuere Version läuft, oder aktualisieren Sie Headframe hier.',
  'The status {from} can only change to {allowed}.': 'Der Status {from} kann nur zu {allowed} wechseln.',
  'A {from} ticket cannot be changed. Create a new one and name this one in `related_to`; comments can still be added to its events.':
    'Ein Auftrag mit dem Status {from} kann nicht geändert werden. Erstellen Sie einen neuen und nennen Sie diesen in `related_to`; Kommentare sind noch möglich.',
  'The project has no shift {name}.': 'Das Projekt hat keine Schicht {name}.',
  'This shift has not begun; it begins at {starts_at}.':
    'Diese Schicht hat nicht begonnen; sie beginnt um {starts_at}.',
  'In {timezone} the shift begins on {day}.': 'In {timezone} beginnt die Schicht am {day}.',
  'The minutes add up to {sum}; the shift has {length}. The rest is unknown.':
    'Die Minuten ergeben {sum}; die Schicht hat {length}. Der Rest ist unbekannt.',
  'The stoppages of category {category} last {lasts} minutes; time_usage has {minutes} for this machine.':
    'Die Stillstände der Kategorie {category} dauern {lasts} Minuten; für diese Maschine sind {minutes} eingetragen.',
  'Only these roles can amend a report: {writers}.': 'Nur diese Rollen dürfen einen Bericht berichtigen: {writers}.',
  'A shift begins and ends on a whole minute.': 'Eine Schicht beginnt und endet auf eine volle Minute.',
  'The shift ends before it begins.': 'Die Schicht endet, bevor sie beginnt.',
  'A shift lasts at most 36 hours.': 'Eine Schicht dauert höchstens 36 Stunden.',
  'This shift has not begun.': 'Diese Schicht hat nicht begonnen.',
  '{max_waiting_reads} reads of stored telemetry wait already; try again in a few seconds.':
    '{max_waiting_reads} Abfragen gespeicherter Daten warten schon; versuchen Sie es in einigen Sekunden noch einmal.',
  "The logger's schema cannot be used to check a configuration: {why}.":
    'Das Schema des Loggers kann nicht benutzt werden, um eine Konfiguration zu prüfen: {why}.',
  'This gateway is opening your previews of unsaved boards, at most {most_drafts_each} at once; wait a second.':
    'Dieses Gateway öffnet Ihre Vorschauen ungespeicherter Tafeln, höchstens {most_drafts_each} auf einmal; warten Sie eine Sekunde.',
  'This gateway previews {most_drafts} unsaved boards at once; close one.':
    'Dieses Gateway zeigt {most_drafts} ungespeicherte Tafeln auf einmal; schließen Sie eine.',
  'This gateway composes {most_feeds} boards at once; close a page.':
    'Dieses Gateway stellt {most_feeds} Tafeln auf einmal zusammen; schließen Sie eine Seite.',
  'The mute ends before it begins.': 'Die Stummschaltung endet, bevor sie beginnt.',
  'The run lasts as long as the device sends data. A new version of the decoder starts a new run.':
    'Der Lauf dauert, solange das Gerät Daten sendet. Eine neue Version des Dekodierers beginnt einen neuen Lauf.',
  'The run waits in the queue.': 'Der Lauf wartet in der Warteschlange.',
  'The run works.': 'Der Lauf arbeitet.',
  'The stoppage ends before it begins.': 'Der Stillstand endet, bevor er beginnt.',
  'The stoppage is outside the shift; give only the part inside.':
    'Der Stillstand liegt außerhalb der Schicht; geben Sie nur den Teil darin an.',
  'The machine is listed twice.': 'Die Maschine steht zweimal in der Liste.',
  'Two stoppages of one machine overlap.': 'Zwei Stillstände einer Maschine überlappen sich.',
  flagged: 'gemeldet',
  in_progress: 'in Arbeit',
  on_hold: 'wartet',
  fixed: 'behoben',
  canceled: 'storniert',
  'engine hours': 'Betriebsstunden',
  km: 'km',
  'Link the device to a machine first. Bus requests are allowed for one machine.':
    'Verknüpfen Sie das Gerät zuerst mit einer Maschine. Bus-Anfragen werden für eine Maschine erlaubt.',
  'The text is not a valid DBC file: line {line}, column {column}: {what}.':
    'Der Text ist keine gültige DBC-Datei: Zeile {line}, Spalte {column}: {what}.',
  'the byte order must be 0 or 1': 'die Bytereihenfolge muss 0 oder 1 sein',
  'the file defines no message': 'die Datei definiert keine Nachricht',
};
