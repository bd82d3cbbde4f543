/** The texts of the bus monitor, in German. `docs/languages.md` has the glossary. */
import type { BusText } from '#ui/languages/es/bus.ts';

export const BUS_DE: Readonly<Record<BusText, string>> = {
  '{rate}, estimated': '{rate}, geschätzt',
  'Bit rate': 'Bitrate',
  'Frames per second': 'Frames pro Sekunde',
  Frames: 'Frames',
  '11-bit, not J1939': '11 Bit, kein J1939',
  Remote: 'Remote',
  'Load of {bus}': 'Buslast von {bus}',
  'Select the bit rate to see the load': 'Wählen Sie die Bitrate, um die Buslast zu sehen',
  'No traffic': 'Kein Verkehr',
  Load: 'Buslast',
  'Error frames': 'Fehler-Frames',
  'Code format of {unit} (ask the manufacturer)': 'Codeformat von {unit} (fragen Sie den Hersteller)',
  'Version {n}': 'Version {n}',
  active: 'aktiv',
  'was active': 'war aktiv',
  'Control unit': 'Steuergerät',
  Times: 'Anzahl',
  'SPN unknown ({raw})': 'SPN unbekannt ({raw})',
  Decoded: 'Dekodiert',
  'Not decoded': 'Nicht dekodiert',
  'Parameter groups': 'Parametergruppen',
  'The gateway decodes all groups on this bus.': 'Das Gateway dekodiert alle Gruppen auf diesem Bus.',
  'No groups yet.': 'Noch keine Gruppen.',
  Group: 'Gruppe',
  Groups: 'Gruppen',
  'Sent by': 'Gesendet von',
  'Per second': 'Pro Sekunde',
  'not decoded': 'nicht dekodiert',
  'This list does not show {n} more group, which has fewer frames.|This list does not show {n} more groups, which have fewer frames.':
    'Diese Liste zeigt {n} weitere Gruppe nicht, die weniger Frames hat.|Diese Liste zeigt {n} weitere Gruppen nicht, die weniger Frames haben.',
  '{n} multi-packet message was incomplete. Complete: {complete}.|{n} multi-packet messages were incomplete. Complete: {complete}.':
    '{n} Mehrpaket-Nachricht war unvollständig. Vollständig: {complete}.|{n} Mehrpaket-Nachrichten waren unvollständig. Vollständig: {complete}.',
  '{n} frame belongs to a message over 1,785 bytes (extended transport). The gateway does not decode it.|{n} frames belong to messages over 1,785 bytes (extended transport). The gateway does not decode them.':
    '{n} Frame gehört zu einer Nachricht über 1.785 Byte (erweitertes Transportprotokoll). Das Gateway dekodiert ihn nicht.|{n} Frames gehören zu Nachrichten über 1.785 Byte (erweitertes Transportprotokoll). Das Gateway dekodiert sie nicht.',
  '{n} frame is not counted because these tables are full.|{n} frames are not counted because these tables are full.':
    '{n} Frame ist nicht gezählt, weil diese Tabellen voll sind.|{n} Frames sind nicht gezählt, weil diese Tabellen voll sind.',
  'manufacturer {code}': 'Hersteller {code}',
  'Unknown unit': 'Unbekanntes Steuergerät',
  'Function {n}': 'Funktion {n}',
  'serial {serial}': 'Seriennr. {serial}',
  '{unit}, no address': '{unit}, keine Adresse',
  '{unit}, address {address}': '{unit}, Adresse {address}',
  '{lamp}, unknown flash code': '{lamp}, unbekannter Blinkcode',
  '{lamp} flashes fast': '{lamp} blinkt schnell',
  '{lamp} flashes slowly': '{lamp} blinkt langsam',
  'none active': 'keiner aktiv',
  '{n} active|{n} active': '{n} aktiv|{n} aktiv',
  Identification: 'Identifikation',
  'no address': 'keine Adresse',
  'was {address}': 'vorher {address}',
  'No frames yet': 'Noch keine Frames',
  'The device has not sent anything. Put its key and the broker address into the device. The Devices page shows both when you provision a device.':
    'Das Gerät hat nichts gesendet. Tragen Sie seinen Schlüssel und die Adresse des Brokers im Gerät ein. Die Seite Geräte zeigt beide, wenn Sie ein Gerät vorbereiten.',
  'The device sends data, but no CAN frames. Check that the machine is on, the wiring of CAN high and CAN low, and the bit rate of the logger (250 or 500 kbit/s).':
    'Das Gerät sendet Daten, aber keine CAN-Frames. Prüfen Sie, ob die Maschine an ist, die Verkabelung von CAN high und CAN low und die Bitrate des Loggers (250 oder 500 kbit/s).',
  'No frames for {age}. This page shows older data.': 'Keine Frames seit {age}. Diese Seite zeigt ältere Daten.',
  'Newest frame {age} ago. Rates and load cover the last ten seconds.':
    'Neuester Frame vor {age}. Raten und Buslast gelten für die letzten zehn Sekunden.',
  'Control units': 'Steuergeräte',
  'Bus monitor': 'Busmonitor',
  'Provision the logger of a machine on the page {link}. This page then shows its buses.':
    'Bereiten Sie den Logger einer Maschine auf der Seite {link} vor. Diese Seite zeigt dann seine Busse.',
};
