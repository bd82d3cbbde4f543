/** The texts of the page Connect, and of the provisioning of a device, in German. `docs/languages.md` has the glossary. */
import type { ConnectText } from '#ui/languages/es/connect.ts';

export const CONNECT_DE: Readonly<Record<ConnectText, string>> = {
  'Gateway with several buses': 'Gateway mit mehreren Bussen',
  'Other device that sends values': 'Anderes Gerät, das Werte sendet',
  'YOUR-KEY': 'IHR-SCHLUESSEL',
  'Send one test picture': 'Ein Testbild senden',
  'Send one test value over MQTT': 'Einen Testwert über MQTT senden',
  'Send one test value over HTTP': 'Einen Testwert über HTTP senden',
  'Send one test frame': 'Einen Test-Frame senden',
  'Send all frames of {bus}': 'Alle Frames von {bus} senden',
  'Device {device}': 'Gerät {device}',
  'The gateway shows this key only once. Put it into the device, or store it in a safe place.':
    'Das Gateway zeigt diesen Schlüssel nur einmal. Tragen Sie ihn im Gerät ein, oder bewahren Sie ihn sicher auf.',
  'The gateway already showed this key. Provision the device again to get a new key.':
    'Das Gateway hat diesen Schlüssel schon gezeigt. Bereiten Sie das Gerät erneut vor, um einen neuen zu bekommen.',
  'Device key': 'Geräteschlüssel',
  Broker: 'Broker',
  'MQTT topic': 'MQTT-Topic',
  'User name and client ID': 'Benutzername und Client-ID',
  'I saved it': 'Ich habe ihn gesichert',
  Provision: 'Vorbereiten',
  'Serial number': 'Seriennummer',
  'Printed on the device': 'Auf dem Gerät aufgedruckt',
  'Device name': 'Gerätename',
  'Link later': 'Später verknüpfen',
  'Connect a logger to {unit}': 'Logger mit {unit} verbinden',
  'API key': 'API-Schlüssel',
  'Create a separate key for each agent and program, so that you can revoke one without the others.':
    'Erstellen Sie für jeden Agenten und jedes Programm einen eigenen Schlüssel, damit Sie einen ohne die anderen widerrufen können.',
  'Create key': 'Schlüssel erstellen',
  'Key name': 'Name des Schlüssels',
  'New key, shown only once; the examples below contain it':
    'Neuer Schlüssel, nur einmal gezeigt; die Beispiele unten enthalten ihn',
  'AI agents (MCP)': 'KI-Agenten (MCP)',
  'Clients that start a command (needs a Headframe checkout on that computer)':
    'Clients, die einen Befehl starten (braucht eine Kopie von Headframe auf diesem Rechner)',
  'Programs (REST)': 'Programme (REST)',
  'Machines of this site': 'Maschinen dieses Betriebs',
  'API reference': 'API-Referenz',
  'OpenAPI document': 'OpenAPI-Dokument',
  Limits: 'Grenzen',
  'To get a list as CSV, send the header {header}.':
    'Um eine Liste als CSV zu bekommen, senden Sie den Header {header}.',
  'Fleet software (ISO 15143-3, AEMP 2.0)': 'Flottensoftware (ISO 15143-3, AEMP 2.0)',
  'User name: any. Password: a key for this site only.':
    'Benutzername: beliebig. Passwort: ein Schlüssel nur für diesen Betrieb.',
  Address: 'Adresse',
};
