/** The texts of the bus monitor, in Portuguese. `docs/languages.md` has the glossary. */
import type { BusText } from '#ui/languages/es/bus.ts';

export const BUS_PT: Readonly<Record<BusText, string>> = {
  '{rate}, estimated': '{rate}, estimado',
  'Bit rate': 'Taxa de bits',
  'Frames per second': 'Quadros por segundo',
  Frames: 'Quadros',
  '11-bit, not J1939': '11 bits, não J1939',
  Remote: 'Remotos',
  'Load of {bus}': 'Carga de {bus}',
  'Select the bit rate to see the load': 'Escolha a taxa de bits para ver a carga',
  'No traffic': 'Sem tráfego',
  Load: 'Carga',
  'Error frames': 'Quadros de erro',
  'Code format of {unit} (ask the manufacturer)': 'Formato dos códigos de {unit} (pergunte ao fabricante)',
  'Version {n}': 'Versão {n}',
  active: 'ativo',
  'was active': 'esteve ativo',
  'Control unit': 'Unidade de controle',
  Times: 'Vezes',
  'SPN unknown ({raw})': 'SPN desconhecido ({raw})',
  Decoded: 'Decodificados',
  'Not decoded': 'Não decodificados',
  'Parameter groups': 'Grupos de parâmetros',
  'The gateway decodes all groups on this bus.': 'O gateway decodifica todos os grupos deste barramento.',
  'No groups yet.': 'Ainda sem grupos.',
  Group: 'Grupo',
  Groups: 'Grupos',
  'Sent by': 'Enviado por',
  'Per second': 'Por segundo',
  'not decoded': 'não decodificado',
  'This list does not show {n} more group, which has fewer frames.|This list does not show {n} more groups, which have fewer frames.':
    'Esta lista não mostra mais {n} grupo, que tem menos quadros.|Esta lista não mostra mais {n} grupos, que têm menos quadros.',
  '{n} multi-packet message was incomplete. Complete: {complete}.|{n} multi-packet messages were incomplete. Complete: {complete}.':
    '{n} mensagem de vários pacotes chegou incompleta. Completas: {complete}.|{n} mensagens de vários pacotes chegaram incompletas. Completas: {complete}.',
  '{n} frame belongs to a message over 1,785 bytes (extended transport). The gateway does not decode it.|{n} frames belong to messages over 1,785 bytes (extended transport). The gateway does not decode them.':
    '{n} quadro é de uma mensagem com mais de 1.785 bytes (transporte estendido). O gateway não o decodifica.|{n} quadros são de mensagens com mais de 1.785 bytes (transporte estendido). O gateway não os decodifica.',
  '{n} frame is not counted because these tables are full.|{n} frames are not counted because these tables are full.':
    '{n} quadro não é contado porque estas tabelas estão cheias.|{n} quadros não são contados porque estas tabelas estão cheias.',
  'manufacturer {code}': 'fabricante {code}',
  'Unknown unit': 'Unidade desconhecida',
  'Function {n}': 'Função {n}',
  'serial {serial}': 'série {serial}',
  '{unit}, no address': '{unit}, sem endereço',
  '{unit}, address {address}': '{unit}, endereço {address}',
  '{lamp}, unknown flash code': '{lamp}, código de piscada desconhecido',
  '{lamp} flashes fast': '{lamp} pisca rápido',
  '{lamp} flashes slowly': '{lamp} pisca devagar',
  'none active': 'nenhum ativo',
  '{n} active|{n} active': '{n} ativo|{n} ativos',
  Identification: 'Identificação',
  'no address': 'sem endereço',
  'was {address}': 'antes {address}',
  'No frames yet': 'Ainda sem quadros',
  'The device has not sent anything. Put its key and the broker address into the device. The Devices page shows both when you provision a device.':
    'O dispositivo não enviou nada. Ponha a chave e o endereço do broker no dispositivo. A página Dispositivos mostra os dois quando você prepara um dispositivo.',
  'The device sends data, but no CAN frames. Check that the machine is on, the wiring of CAN high and CAN low, and the bit rate of the logger (250 or 500 kbit/s).':
    'O dispositivo envia dados, mas nenhum quadro CAN. Verifique se a máquina está ligada, a fiação de CAN high e CAN low, e a taxa de bits do registrador (250 ou 500 kbit/s).',
  'No frames for {age}. This page shows older data.': 'Sem quadros há {age}. Esta página mostra dados mais antigos.',
  'Newest frame {age} ago. Rates and load cover the last ten seconds.':
    'Quadro mais novo há {age}. As taxas e a carga são dos últimos dez segundos.',
  'Control units': 'Unidades de controle',
  'Bus monitor': 'Monitor do barramento',
  'Provision the logger of a machine on the page {link}. This page then shows its buses.':
    'Prepare o registrador de uma máquina na página {link}. Depois esta página mostra seus barramentos.',
};
