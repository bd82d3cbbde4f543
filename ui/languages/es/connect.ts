/** The texts of the page Connect, and of the provisioning of a device, in Spanish. `docs/languages.md` has the glossary. */
export const CONNECT_ES = {
  'Gateway with several buses': 'Gateway con varios buses',
  'Other device that sends values': 'Otro dispositivo que envía valores',
  'YOUR-KEY': 'SU-CLAVE',
  'Send one test picture': 'Enviar una imagen de prueba',
  'Send one test value over MQTT': 'Enviar un valor de prueba por MQTT',
  'Send one test value over HTTP': 'Enviar un valor de prueba por HTTP',
  'Send one test frame': 'Enviar una trama de prueba',
  'Send all frames of {bus}': 'Enviar todas las tramas de {bus}',
  'Device {device}': 'Dispositivo {device}',
  'The gateway shows this key only once. Put it into the device, or store it in a safe place.':
    'El gateway muestra esta clave una sola vez. Póngala en el dispositivo o guárdela en un lugar seguro.',
  'The gateway already showed this key. Provision the device again to get a new key.':
    'El gateway ya mostró esta clave. Prepare el dispositivo de nuevo para obtener otra.',
  'Device key': 'Clave del dispositivo',
  Broker: 'Broker',
  'MQTT topic': 'Topic MQTT',
  'User name and client ID': 'Usuario e ID de cliente',
  'I saved it': 'La guardé',
  Provision: 'Preparar',
  'Serial number': 'Número de serie',
  'Printed on the device': 'Impreso en el dispositivo',
  'Device name': 'Nombre del dispositivo',
  'Link later': 'Vincular después',
  'Connect a logger to {unit}': 'Conectar un registrador a {unit}',
  'API key': 'Clave de API',
  'Create a separate key for each agent and program, so that you can revoke one without the others.':
    'Cree una clave para cada agente y programa, para poder revocar una sin las otras.',
  'Create key': 'Crear la clave',
  'Key name': 'Nombre de la clave',
  'New key, shown only once; the examples below contain it':
    'Clave nueva, se muestra una sola vez; los ejemplos de abajo la contienen',
  'AI agents (MCP)': 'Agentes de IA (MCP)',
  'Clients that start a command (needs a Headframe checkout on that computer)':
    'Clientes que inician un comando (requiere una copia de Headframe en ese computador)',
  'Programs (REST)': 'Programas (REST)',
  'Machines of this site': 'Máquinas de esta faena',
  'API reference': 'Referencia de la API',
  'OpenAPI document': 'Documento OpenAPI',
  Limits: 'Límites',
  'To get a list as CSV, send the header {header}.': 'Para obtener una lista como CSV, envíe la cabecera {header}.',
  'Fleet software (ISO 15143-3, AEMP 2.0)': 'Software de flota (ISO 15143-3, AEMP 2.0)',
  'User name: any. Password: a key for this site only.':
    'Usuario: cualquiera. Contraseña: una clave solo para esta faena.',
  Address: 'Dirección',
} as const;

export type ConnectText = keyof typeof CONNECT_ES;
