/** The texts of the page Connect, and of the provisioning of a device, in Portuguese. `docs/languages.md` has the glossary. */
import type { ConnectText } from '#ui/languages/es/connect.ts';

export const CONNECT_PT: Readonly<Record<ConnectText, string>> = {
  'Gateway with several buses': 'Gateway com vários barramentos',
  'Other device that sends values': 'Outro dispositivo que envia valores',
  'YOUR-KEY': 'SUA-CHAVE',
  'Send one test picture': 'Enviar uma imagem de teste',
  'Send one test value over MQTT': 'Enviar um valor de teste por MQTT',
  'Send one test value over HTTP': 'Enviar um valor de teste por HTTP',
  'Send one test frame': 'Enviar um quadro de teste',
  'Send all frames of {bus}': 'Enviar todos os quadros de {bus}',
  'Device {device}': 'Dispositivo {device}',
  'The gateway shows this key only once. Put it into the device, or store it in a safe place.':
    'O gateway mostra esta chave uma só vez. Ponha-a no dispositivo ou guarde-a em lugar seguro.',
  'The gateway already showed this key. Provision the device again to get a new key.':
    'O gateway já mostrou esta chave. Prepare o dispositivo de novo para obter outra.',
  'Device key': 'Chave do dispositivo',
  Broker: 'Broker',
  'MQTT topic': 'Tópico MQTT',
  'User name and client ID': 'Usuário e ID de cliente',
  'I saved it': 'Já salvei',
  Provision: 'Preparar',
  'Serial number': 'Número de série',
  'Printed on the device': 'Impresso no dispositivo',
  'Device name': 'Nome do dispositivo',
  'Link later': 'Vincular depois',
  'Connect a logger to {unit}': 'Conectar um registrador a {unit}',
  'API key': 'Chave de API',
  'Create a separate key for each agent and program, so that you can revoke one without the others.':
    'Crie uma chave para cada agente e programa, para poder revogar uma sem as outras.',
  'Create key': 'Criar a chave',
  'Key name': 'Nome da chave',
  'New key, shown only once; the examples below contain it':
    'Chave nova, mostrada uma só vez; os exemplos abaixo a contêm',
  'AI agents (MCP)': 'Agentes de IA (MCP)',
  'Clients that start a command (needs a Headframe checkout on that computer)':
    'Clientes que iniciam um comando (requer uma cópia do Headframe nesse computador)',
  'Programs (REST)': 'Programas (REST)',
  'Machines of this site': 'Máquinas desta mina',
  'API reference': 'Referência da API',
  'OpenAPI document': 'Documento OpenAPI',
  Limits: 'Limites',
  'To get a list as CSV, send the header {header}.': 'Para obter uma lista como CSV, envie o cabeçalho {header}.',
  'Fleet software (ISO 15143-3, AEMP 2.0)': 'Software de frota (ISO 15143-3, AEMP 2.0)',
  'User name: any. Password: a key for this site only.': 'Usuário: qualquer um. Senha: uma chave só para esta mina.',
  Address: 'Endereço',
};
