/** Texts of the gateway in German: the diagnosis of a device, from its connection to its values. `docs/languages.md` has the glossary. */
import type { ChainTold } from './es-chain.ts';

export const CHAIN_DE: Readonly<Record<ChainTold, string>> = {
  '{days} days behind': '{days} Tage hinter',
  '{days} days ahead of': '{days} Tage vor',
  '{seconds} s behind': '{seconds} s hinter',
  '{seconds} s ahead of': '{seconds} s vor',
  'The clock of the logger was {ahead} GNSS time.': 'Die Uhr des Loggers war {ahead} der GNSS-Zeit.',
  'The clock of the logger was {ahead} the time of a control unit (J1939 PGN 65254).':
    'Die Uhr des Loggers war {ahead} der Zeit eines Steuergeräts (J1939 PGN 65254).',
  'The time was corrected by {by} s; the corrected time is at most {most} s from that clock.':
    'Die Zeit wurde um {by} s berichtigt; die berichtigte Zeit ist höchstens {most} s von jener Uhr entfernt.',
  'Its clock is {ahead} GNSS time. Live values keep the time of the device; log files are corrected.':
    'Seine Uhr ist {ahead} der GNSS-Zeit. Live-Werte behalten die Zeit des Geräts; Logdateien werden berichtigt.',
  'Its newest data is {seconds} s old on arrival: its clock is behind by up to this time, or its messages are delayed.':
    'Seine neuesten Daten sind bei der Ankunft {seconds} s alt: Seine Uhr geht höchstens um diese Zeit nach, oder seine Nachrichten sind verzögert.',
  '{count} request to its address was refused besides, the last from {address}.|{count} requests to its address were refused besides, the last from {address}.':
    'Daneben wurde {count} Anfrage an seine Adresse abgelehnt, die letzte von {address}.|Daneben wurden {count} Anfragen an seine Adresse abgelehnt, die letzte von {address}.',
  '{count} login under its name was refused besides, the last from {address}.|{count} logins under its name were refused besides, the last from {address}.':
    'Daneben wurde {count} Anmeldung unter seinem Namen abgelehnt, die letzte von {address}.|Daneben wurden {count} Anmeldungen unter seinem Namen abgelehnt, die letzte von {address}.',
  '{count} request to its address was refused, the last from {address}: {why}.|{count} requests to its address were refused, the last from {address}: {why}.':
    '{count} Anfrage an seine Adresse wurde abgelehnt, die letzte von {address}: {why}.|{count} Anfragen an seine Adresse wurden abgelehnt, die letzte von {address}: {why}.',
  '{count} login under its name was refused, the last from {address}: {why}.|{count} logins under its name were refused, the last from {address}: {why}.':
    '{count} Anmeldung unter seinem Namen wurde abgelehnt, die letzte von {address}: {why}.|{count} Anmeldungen unter seinem Namen wurden abgelehnt, die letzte von {address}: {why}.',
  'the key is wrong': 'der Schlüssel ist falsch',
  'it had no header "Authorization: Bearer" with a key':
    'der Header "Authorization: Bearer" mit einem Schlüssel fehlte',
  key: 'Schlüssel',
  'key pair': 'Schlüsselpaar',
  'A lost key is replaced: provision the device again.':
    'Ein verlorener Schlüssel wird ersetzt: Bereiten Sie das Gerät neu vor.',
  'A lost key is replaced: provision the device again with the serial {serial}.':
    'Ein verlorener Schlüssel wird ersetzt: Bereiten Sie das Gerät mit der Seriennummer {serial} neu vor.',
  'User name and client id are both {name}.': 'Benutzername und Client-Kennung sind beide {name}.',
  'The device must send the key in the header "Authorization: Bearer", after the word Bearer.':
    'Das Gerät muss den Schlüssel im Header "Authorization: Bearer" senden, nach dem Wort Bearer.',
  'Put the {own} of this device into it.': 'Setzen Sie dem Gerät dies ein, das zu ihm gehört: {own}.',
  'The device has no {own} yet.': 'Das Gerät hat noch nichts davon: {own}.',
  'Provision the device with the serial {serial}, and put the key into it.':
    'Bereiten Sie das Gerät mit der Seriennummer {serial} vor, und setzen Sie den Schlüssel ein.',
  'The {own} of the device has expired.': 'Abgelaufen beim Gerät: {own}.',
  'Provision the device again and put the new {own} into it.':
    'Bereiten Sie das Gerät neu vor und setzen Sie das Neue ein: {own}.',
  'The {own} of the device has not been used yet.': 'Beim Gerät noch nicht benutzt: {own}.',
  'Put the {own} into the device.': 'Setzen Sie dem Gerät ein: {own}.',
  'The device is authenticated.': 'Das Gerät ist authentifiziert.',
  'The device is authenticated with its {own}.': 'Das Gerät ist authentifiziert mit: {own}.',
  'The device needs no key: this gateway itself reads its bus or replays its recording.':
    'Das Gerät braucht keinen Schlüssel: Dieses Gateway liest selbst den Bus oder spielt die Aufzeichnung ab.',
  'The keys of the device were revoked.': 'Die Schlüssel des Geräts wurden widerrufen.',
  'Provision the device, and put the key into it.': 'Bereiten Sie das Gerät vor, und setzen Sie den Schlüssel ein.',
  'A person noted: {reason}.': 'Eine Person hat notiert: {reason}.',
  'it was taken out of use': 'es wurde außer Betrieb genommen',
  'it has no power': 'es hat keinen Strom',
  'it has no network': 'es hat kein Netz',
  'it was replaced': 'es wurde ersetzt',
  'it is being serviced': 'es wird gewartet',
  'the reason is not known': 'der Grund ist nicht bekannt',
  'Let the device connect to {address} over MQTT, with user name and client id {name}.':
    'Lassen Sie das Gerät sich über MQTT mit {address} verbinden, mit {name} als Benutzername und Client-Kennung.',
  'Let the device post to {address} with the header "Authorization: Bearer" and its key.':
    'Lassen Sie das Gerät an {address} senden, mit dem Header "Authorization: Bearer" und seinem Schlüssel.',
  'Let the logger upload to {address}, with the key pair from this page.':
    'Lassen Sie den Logger nach {address} hochladen, mit dem Schlüsselpaar von dieser Seite.',
  'The device has an open session from {ip}.': 'Das Gerät hat eine offene Sitzung von {ip}.',
  'A device at {address} reaches this gateway.': 'Ein Gerät unter {address} erreicht dieses Gateway.',
  'The device has stopped sending.': 'Das Gerät sendet nicht mehr.',
  'Check the power and the network of the device.': 'Prüfen Sie Strom und Netz des Geräts.',
  'Let it publish frames to {frames}, or values to {values}.':
    'Lassen Sie es Frames an {frames} oder Werte an {values} senden.',
  'Let it upload into {folder}.': 'Lassen Sie es nach {folder} hochladen.',
  'The device uploads into {folder}.': 'Das Gerät lädt nach {folder} hoch.',
  'The device publishes to {topic}.': 'Das Gerät sendet an {topic}.',
  'The device posts to {address}.': 'Das Gerät sendet an {address}.',
  'Send frames as candump prints them, one frame a line: {example} ; docs/mqtt.md has the other forms.':
    'Senden Sie Frames, wie candump sie ausgibt, einen pro Zeile: {example} ; docs/mqtt.md hat die anderen Formen.',
  '{name} was read.': '{name} wurde gelesen.',
  '{name} could not be decoded.': '{name} konnte nicht dekodiert werden.',
  '{name} is being decoded.': '{name} wird dekodiert.',
  'The gateway cannot decode what the device sends: {reason}. {count} part so far.|The gateway cannot decode what the device sends: {reason}. {count} parts so far.':
    'Das Gateway kann nicht dekodieren, was das Gerät sendet: {reason}. Bisher {count} Teil.|Das Gateway kann nicht dekodieren, was das Gerät sendet: {reason}. Bisher {count} Teile.',
  '{count} part is unreadable, the last: {reason}.|{count} parts are unreadable, the last: {reason}.':
    '{count} Teil ist unlesbar, der letzte: {reason}.|{count} Teile sind unlesbar, der letzte: {reason}.',
  'The device is connected but has stopped sending data: {found} so far.':
    'Das Gerät ist verbunden, sendet aber keine Daten mehr: bisher {found}.',
  'The device has stopped sending data: {found} so far.': 'Das Gerät sendet keine Daten mehr: bisher {found}.',
  '{found} so far.': 'Bisher {found}.',
  'The device is linked to {machine}.': 'Das Gerät ist mit {machine} verknüpft.',
  'The device is linked to {machine}, which is decommissioned and shown on no board.':
    'Das Gerät ist mit {machine} verknüpft, die ausgemustert ist und auf keiner Tafel erscheint.',
  'The device is linked to the location {location}.': 'Das Gerät ist mit dem Ort {location} verknüpft.',
  '{found}, but the gateway could decode no value from them; {unknown} are of unknown groups.':
    '{found}, aber das Gateway konnte keinen Wert daraus dekodieren; {unknown} sind von unbekannten Gruppen.',
  'Its clock is {time} ahead, so its data does not count as live.':
    'Seine Uhr geht {time} vor, deshalb zählen seine Daten nicht als live.',
  'Set the clock of the device; {topic} has the time.': 'Stellen Sie die Uhr des Geräts; {topic} hat die Zeit.',
  '{values}, which belong to no machine.': '{values}, die zu keiner Maschine gehören.',
  '{values} on {machine}.': '{values} bei {machine}.',
  '{values} on {machine}, as of {day}: the data is a recording, or the clock of the device is behind. It does not count as live.':
    '{values} bei {machine}, vom {day}: Die Daten sind eine Aufzeichnung, oder die Uhr des Geräts geht nach. Sie zählen nicht als live.',
  'To replay a recording with current times: {command}. Otherwise set the clock of the device.':
    'Um eine Aufzeichnung mit jetzigen Zeiten abzuspielen: {command}. Sonst stellen Sie die Uhr des Geräts.',
  '{count} frame|{count} frames': '{count} Frame|{count} Frames',
  '{count} message|{count} messages': '{count} Nachricht|{count} Nachrichten',
  '{count} value|{count} values': '{count} Wert|{count} Werte',
  'Everything works: its pictures arrive.': 'Alles funktioniert: Seine Bilder kommen an.',
  'Everything works: its data arrives and is decoded.':
    'Alles funktioniert: Seine Daten kommen an und werden dekodiert.',
  'the control unit (address {address})': 'das Steuergerät (Adresse {address})',
  '{name} (address {address})': '{name} (Adresse {address})',
  'No frames from {name} any more.': 'Keine Frames mehr von {name}.',
  '{name} still sends.': '{name} sendet noch.',
  'Check the plug and the power of {name}.': 'Prüfen Sie Stecker und Strom von {name}.',
  'Check the sensor of {label} and its cable.': 'Prüfen Sie den Sensor für {label} und sein Kabel.',
  '{name} still sends, but not {frames}, which contains {label}.':
    '{name} sendet noch, aber nicht {frames}, worin {label} steht.',
  '{frames} arrives, but {name} sends no valid value of {label} in it.':
    '{frames} kommt an, aber {name} sendet darin keinen gültigen Wert von {label}.',
  'The machine sends other values, but never sent {label}.':
    'Die Maschine sendet andere Werte, hat aber {label} nie gesendet.',
  'The device still sends, but not {label}.': 'Das Gerät sendet noch, aber nicht {label}.',
  'Check that the device is set to send {label}.': 'Prüfen Sie, ob das Gerät {label} senden soll.',
  'If a manufacturer frame has this value, it needs a DBC file: see the page DBC files.':
    'Wenn ein Frame des Herstellers diesen Wert hat, braucht er eine DBC-Datei: Siehe die Seite DBC-Dateien.',
  'Not known before these frames arrive again.': 'Nicht bekannt, bevor diese Frames wieder ankommen.',
  'Connect a logger on the page of the machine.': 'Verbinden Sie auf der Seite der Maschine einen Logger.',
  'No device is linked to this machine.': 'Kein Gerät ist mit dieser Maschine verknüpft.',
  'The device has an open session.': 'Das Gerät hat eine offene Sitzung.',
  'No device can connect with this name before it has a key.':
    'Kein Gerät kann sich mit diesem Namen verbinden, bevor es einen Schlüssel hat.',
  'Nothing has come from this device yet.': 'Von diesem Gerät ist noch nichts gekommen.',
  'The device has uploaded before; it is offline between two uploads.':
    'Das Gerät hat schon hochgeladen; es ist zwischen zwei Uploads offline.',
  'The device has sent data. It has no connection between two messages.':
    'Das Gerät hat Daten gesendet. Zwischen zwei Nachrichten hat es keine Verbindung.',
  'The device sends over HTTP.': 'Das Gerät sendet über HTTP.',
  'The device uploads files.': 'Das Gerät lädt Dateien hoch.',
  'The device publishes to a topic that does not belong to it: {place}':
    'Das Gerät sendet an ein Topic, das ihm nicht gehört: {place}',
  'The device posts to an address that does not belong to it: {place}':
    'Das Gerät sendet an eine Adresse, die ihm nicht gehört: {place}',
  'The device uploads to a name that does not belong to it: {place}':
    'Das Gerät lädt unter einem Namen hoch, der ihm nicht gehört: {place}',
  'Unknown until the device uploads a file.': 'Unbekannt, bis das Gerät eine Datei hochlädt.',
  'Unknown until the device connects.': 'Unbekannt, bis das Gerät sich verbindet.',
  'The device has sent before, but the gateway did not record to which address.':
    'Das Gerät hat schon gesendet, aber das Gateway hat nicht notiert, an welche Adresse.',
  'The device has sent status messages but no data.': 'Das Gerät hat Statusmeldungen gesendet, aber keine Daten.',
  'The device has sent nothing yet.': 'Das Gerät hat noch nichts gesendet.',
  'Send values as {"values": {"engine.hours": 1234.5}}; docs/mqtt.md has the names.':
    'Senden Sie Werte so: {"values": {"engine.hours": 1234.5}}; docs/mqtt.md hat die Namen.',
  'The device has uploaded no log yet.': 'Das Gerät hat noch kein Log hochgeladen.',
  'Check that the logger records: check its memory card and its configuration.':
    'Prüfen Sie, ob der Logger aufzeichnet: Prüfen Sie Speicherkarte und Konfiguration.',
  'Pictures of the device arrive.': 'Bilder des Geräts kommen an.',
  'Unknown until the device sends something.': 'Unbekannt, bis das Gerät etwas sendet.',
  'The device has sent no picture yet.': 'Das Gerät hat noch kein Bild gesendet.',
  'Post frames as JPEG, PNG, WebP, AVIF or GIF.': 'Senden Sie Bilder als JPEG, PNG, WebP, AVIF oder GIF.',
  'The device itself reports a fault.': 'Das Gerät selbst meldet einen Fehler.',
  'See the reported state on the page of the device.': 'Siehe den gemeldeten Zustand auf der Seite des Geräts.',
  'The gateway cannot decode most of what the device sends.':
    'Das Gateway kann das meiste, was das Gerät sendet, nicht dekodieren.',
  'Its messages are over 256 KiB.': 'Seine Nachrichten sind größer als 256 KiB.',
  'Send fewer frames in a message.': 'Senden Sie weniger Frames in einer Nachricht.',
  'Unknown until the device sends data.': 'Unbekannt, bis das Gerät Daten sendet.',
  'Check the ignition, the CAN wiring and the bit rate.': 'Prüfen Sie Zündung, CAN-Verkabelung und Bitrate.',
  'Link the device to another machine, or set this machine to available on its page.':
    'Verknüpfen Sie das Gerät mit einer anderen Maschine, oder setzen Sie diese Maschine auf ihrer Seite auf verfügbar.',
  'The device is linked to no machine: its data is stored but belongs to no machine.':
    'Das Gerät ist mit keiner Maschine verknüpft: Seine Daten werden gespeichert, gehören aber zu keiner.',
  'Choose its machine in the list on the Devices page.': 'Wählen Sie seine Maschine in der Liste auf der Seite Geräte.',
  'Unknown until a picture arrives.': 'Unbekannt, bis ein Bild ankommt.',
  'Screens show pictures directly, without decoding.': 'Bildschirme zeigen Bilder direkt, ohne Dekodierung.',
  'The device sends values, but this gateway knows the name of none of them.':
    'Das Gerät sendet Werte, aber dieses Gateway kennt keinen ihrer Namen.',
  'Unknown until the device sends frames.': 'Unbekannt, bis das Gerät Frames sendet.',
  'Check that the device is on the right bus. Proprietary frames of a manufacturer need a DBC file: see the page DBC files.':
    'Prüfen Sie, ob das Gerät am richtigen Bus ist. Eigene Frames eines Herstellers brauchen eine DBC-Datei: Siehe die Seite DBC-Dateien.',
  Connection: 'Verbindung',
  Topic: 'Topic',
  Frames: 'Frames',
  Decoded: 'Dekodiert',
  Requests: 'Anfragen',
  Uploads: 'Uploads',
  'Key pair': 'Schlüsselpaar',
  Folder: 'Ordner',
  'Log files': 'Logdateien',
  Pictures: 'Bilder',
  Shown: 'Gezeigt',
  Place: 'Ort',
  Values: 'Werte',
  Address: 'Adresse',
  Key: 'Schlüssel',
  Machine: 'Maschine',
};
