/** The texts of the bus monitor, in French. `docs/languages.md` has the glossary. */
import type { BusText } from '#ui/languages/es/bus.ts';

export const BUS_FR: Readonly<Record<BusText, string>> = {
  '{rate}, estimated': '{rate}, estimé',
  'Bit rate': 'Débit binaire',
  'Frames per second': 'Trames par seconde',
  Frames: 'Trames',
  '11-bit, not J1939': '11 bits, pas J1939',
  Remote: 'Requêtes (RTR)',
  'Load of {bus}': 'Charge de {bus}',
  'Select the bit rate to see the load': 'Choisissez le débit binaire pour voir la charge',
  'No traffic': 'Aucun trafic',
  Load: 'Charge',
  'Error frames': "Trames d'erreur",
  'Code format of {unit} (ask the manufacturer)': 'Format des codes de {unit} (demandez au fabricant)',
  'Version {n}': 'Version {n}',
  active: 'actif',
  'was active': 'a été actif',
  'Control unit': 'Calculateur',
  Times: 'Occurrences',
  'SPN unknown ({raw})': 'SPN inconnu ({raw})',
  Decoded: 'Décodés',
  'Not decoded': 'Non décodés',
  'Parameter groups': 'Groupes de paramètres',
  'The gateway decodes all groups on this bus.': 'Le gateway décode tous les groupes de ce bus.',
  'No groups yet.': 'Pas encore de groupes.',
  Group: 'Groupe',
  Groups: 'Groupes',
  'Sent by': 'Envoyé par',
  'Per second': 'Par seconde',
  'not decoded': 'non décodé',
  'This list does not show {n} more group, which has fewer frames.|This list does not show {n} more groups, which have fewer frames.':
    'Cette liste ne montre pas {n} autre groupe, qui a moins de trames.|Cette liste ne montre pas {n} autres groupes, qui ont moins de trames.',
  '{n} multi-packet message was incomplete. Complete: {complete}.|{n} multi-packet messages were incomplete. Complete: {complete}.':
    '{n} message à plusieurs paquets était incomplet. Complets : {complete}.|{n} messages à plusieurs paquets étaient incomplets. Complets : {complete}.',
  '{n} frame belongs to a message over 1,785 bytes (extended transport). The gateway does not decode it.|{n} frames belong to messages over 1,785 bytes (extended transport). The gateway does not decode them.':
    '{n} trame appartient à un message de plus de 1 785 octets (transport étendu). Le gateway ne la décode pas.|{n} trames appartiennent à des messages de plus de 1 785 octets (transport étendu). Le gateway ne les décode pas.',
  '{n} frame is not counted because these tables are full.|{n} frames are not counted because these tables are full.':
    "{n} trame n'est pas comptée, car ces tableaux sont pleins.|{n} trames ne sont pas comptées, car ces tableaux sont pleins.",
  'manufacturer {code}': 'fabricant {code}',
  'Unknown unit': 'Calculateur inconnu',
  'Function {n}': 'Fonction {n}',
  'serial {serial}': 'n° de série {serial}',
  '{unit}, no address': '{unit}, sans adresse',
  '{unit}, address {address}': '{unit}, adresse {address}',
  '{lamp}, unknown flash code': '{lamp}, code de clignotement inconnu',
  '{lamp} flashes fast': '{lamp} clignote vite',
  '{lamp} flashes slowly': '{lamp} clignote lentement',
  'none active': 'aucun actif',
  '{n} active|{n} active': '{n} actif|{n} actifs',
  Identification: 'Identification',
  'no address': 'sans adresse',
  'was {address}': 'avant {address}',
  'No frames yet': 'Pas encore de trames',
  'The device has not sent anything. Put its key and the broker address into the device. The Devices page shows both when you provision a device.':
    "L'appareil n'a rien envoyé. Mettez sa clé et l'adresse du broker dans l'appareil. La page Appareils montre les deux quand vous préparez un appareil.",
  'The device sends data, but no CAN frames. Check that the machine is on, the wiring of CAN high and CAN low, and the bit rate of the logger (250 or 500 kbit/s).':
    "L'appareil envoie des données, mais aucune trame CAN. Vérifiez que l'engin est allumé, le câblage de CAN high et CAN low, et le débit binaire de l'enregistreur (250 ou 500 kbit/s).",
  'No frames for {age}. This page shows older data.':
    'Pas de trames depuis {age}. Cette page montre des données plus anciennes.',
  'Newest frame {age} ago. Rates and load cover the last ten seconds.':
    'Dernière trame il y a {age}. Les fréquences et la charge portent sur les dix dernières secondes.',
  'Control units': 'Calculateurs',
  'Bus monitor': 'Moniteur de bus',
  'Provision the logger of a machine on the page {link}. This page then shows its buses.':
    "Préparez l'enregistreur d'un engin sur la page {link}. Cette page montre ensuite ses bus.",
};
