/** The texts of the page Connect, and of the provisioning of a device, in French. `docs/languages.md` has the glossary. */
import type { ConnectText } from '#ui/languages/es/connect.ts';

export const CONNECT_FR: Readonly<Record<ConnectText, string>> = {
  'Gateway with several buses': 'Gateway à plusieurs bus',
  'Other device that sends values': 'Autre appareil qui envoie des valeurs',
  'YOUR-KEY': 'VOTRE-CLE',
  'Send one test picture': 'Envoyer une image de test',
  'Send one test value over MQTT': 'Envoyer une valeur de test par MQTT',
  'Send one test value over HTTP': 'Envoyer une valeur de test par HTTP',
  'Send one test frame': 'Envoyer une trame de test',
  'Send all frames of {bus}': 'Envoyer toutes les trames de {bus}',
  'Device {device}': 'Appareil {device}',
  'The gateway shows this key only once. Put it into the device, or store it in a safe place.':
    "Le gateway montre cette clé une seule fois. Mettez-la dans l'appareil, ou gardez-la en lieu sûr.",
  'The gateway already showed this key. Provision the device again to get a new key.':
    "Le gateway a déjà montré cette clé. Préparez l'appareil de nouveau pour en obtenir une autre.",
  'Device key': "Clé de l'appareil",
  Broker: 'Broker',
  'MQTT topic': 'Topic MQTT',
  'User name and client ID': "Nom d'utilisateur et ID de client",
  'I saved it': "Je l'ai conservée",
  Provision: 'Préparer',
  'Serial number': 'Numéro de série',
  'Printed on the device': "Imprimé sur l'appareil",
  'Device name': "Nom de l'appareil",
  'Link later': 'Lier plus tard',
  'Connect a logger to {unit}': 'Connecter un enregistreur à {unit}',
  'API key': "Clé d'API",
  'Create a separate key for each agent and program, so that you can revoke one without the others.':
    'Créez une clé pour chaque agent et chaque programme, afin de pouvoir en révoquer une sans les autres.',
  'Create key': 'Créer la clé',
  'Key name': 'Nom de la clé',
  'New key, shown only once; the examples below contain it':
    'Nouvelle clé, montrée une seule fois ; les exemples ci-dessous la contiennent',
  'AI agents (MCP)': 'Agents IA (MCP)',
  'Clients that start a command (needs a Headframe checkout on that computer)':
    'Clients qui lancent une commande (nécessite une copie de Headframe sur cet ordinateur)',
  'Programs (REST)': 'Programmes (REST)',
  'Machines of this site': 'Engins de ce site',
  'API reference': "Référence de l'API",
  'OpenAPI document': 'Document OpenAPI',
  Limits: 'Limites',
  'To get a list as CSV, send the header {header}.': "Pour obtenir une liste en CSV, envoyez l'en-tête {header}.",
  'Fleet software (ISO 15143-3, AEMP 2.0)': 'Logiciel de flotte (ISO 15143-3, AEMP 2.0)',
  'User name: any. Password: a key for this site only.':
    "Nom d'utilisateur : au choix. Mot de passe : une clé pour ce site seulement.",
  Address: 'Adresse',
};
