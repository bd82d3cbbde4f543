/** The texts of the pages of devices, in Portuguese. `docs/languages.md` has the glossary. */
import type { DevicesText } from '#ui/languages/es/devices.ts';

export const DEVICES_PT: Readonly<Record<DevicesText, string>> = {
  works: 'funciona',
  'does not work': 'não funciona',
  'not checked yet': 'ainda não verificado',
  'Data stops at this step: {title}.': 'Os dados param neste passo: {title}.',
  'What to do: {remedy}': 'O que fazer: {remedy}',
  'Data path': 'Caminho dos dados',
  'No connection': 'Sem conexão',
  'Not transmitting yet': 'Ainda não transmite',
  'Login refused': 'Acesso recusado',
  'Wrong topic': 'Tópico errado',
  'Sends no data yet': 'Ainda não envia dados',
  'Unreadable data': 'Dados ilegíveis',
  'Sends no data now': 'Agora não envia dados',
  'Not linked': 'Não vinculado',
  'No usable values': 'Sem valores úteis',
  'No live values yet': 'Ainda sem valores ao vivo',
  'Show all steps of the device': 'Mostrar todos os passos do dispositivo',
};
