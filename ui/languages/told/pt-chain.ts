/** Texts of the gateway in Brazilian Portuguese: the diagnosis of a device, from its connection to its values. `docs/languages.md` has the glossary. */
import type { ChainTold } from './es-chain.ts';

export const CHAIN_PT: Readonly<Record<ChainTold, string>> = {
  '{days} days behind': '{days} dias atrasado',
  '{days} days ahead of': '{days} dias adiantado',
  '{seconds} s behind': '{seconds} s atrasado',
  '{seconds} s ahead of': '{seconds} s adiantado',
  'The clock of the logger was {ahead} GNSS time.': 'O relógio do registrador estava {ahead} em relação à hora GNSS.',
  'The clock of the logger was {ahead} the time of a control unit (J1939 PGN 65254).':
    'O relógio do registrador estava {ahead} em relação à hora de uma unidade de controle (J1939 PGN 65254).',
  'The time was corrected by {by} s; the corrected time is at most {most} s from that clock.':
    'A hora foi corrigida em {by} s; a hora corrigida está no máximo a {most} s desse relógio.',
  'Its clock is {ahead} GNSS time. Live values keep the time of the device; log files are corrected.':
    'O relógio está {ahead} em relação à hora GNSS. Valores ao vivo mantêm a hora do dispositivo; arquivos de registro são corrigidos.',
  'Its newest data is {seconds} s old on arrival: its clock is behind by up to this time, or its messages are delayed.':
    'Os dados mais novos têm {seconds} s ao chegar: o relógio está atrasado até esse tempo, ou as mensagens demoram.',
  '{count} request to its address was refused besides, the last from {address}.|{count} requests to its address were refused besides, the last from {address}.':
    'Além disso, {count} pedido ao endereço dele foi recusado, o último de {address}.|Além disso, {count} pedidos ao endereço dele foram recusados, o último de {address}.',
  '{count} login under its name was refused besides, the last from {address}.|{count} logins under its name were refused besides, the last from {address}.':
    'Além disso, {count} entrada com o nome dele foi recusada, a última de {address}.|Além disso, {count} entradas com o nome dele foram recusadas, a última de {address}.',
  '{count} request to its address was refused, the last from {address}: {why}.|{count} requests to its address were refused, the last from {address}: {why}.':
    '{count} pedido ao endereço dele foi recusado, o último de {address}: {why}.|{count} pedidos ao endereço dele foram recusados, o último de {address}: {why}.',
  '{count} login under its name was refused, the last from {address}: {why}.|{count} logins under its name were refused, the last from {address}: {why}.':
    '{count} entrada com o nome dele foi recusada, a última de {address}: {why}.|{count} entradas com o nome dele foram recusadas, a última de {address}: {why}.',
  'the key is wrong': 'a chave está errada',
  'it had no header "Authorization: Bearer" with a key': 'não tinha o cabeçalho "Authorization: Bearer" com uma chave',
  key: 'chave',
  'key pair': 'par de chaves',
  'A lost key is replaced: provision the device again.':
    'Uma chave perdida é substituída: prepare o dispositivo de novo.',
  'A lost key is replaced: provision the device again with the serial {serial}.':
    'Uma chave perdida é substituída: prepare o dispositivo de novo com o número de série {serial}.',
  'User name and client id are both {name}.': 'O nome de usuário e o identificador do cliente são {name}.',
  'The device must send the key in the header "Authorization: Bearer", after the word Bearer.':
    'O dispositivo deve enviar a chave no cabeçalho "Authorization: Bearer", depois da palavra Bearer.',
  'Put the {own} of this device into it.': 'Ponha neste dispositivo: {own}.',
  'The device has no {own} yet.': 'O dispositivo ainda não tem {own}.',
  'Provision the device with the serial {serial}, and put the key into it.':
    'Prepare o dispositivo com o número de série {serial}, e ponha a chave nele.',
  'The {own} of the device has expired.': 'Expirou: {own} do dispositivo.',
  'Provision the device again and put the new {own} into it.': 'Prepare o dispositivo de novo e atualize nele: {own}.',
  'The {own} of the device has not been used yet.': 'Ainda sem uso: {own} do dispositivo.',
  'Put the {own} into the device.': 'Ponha no dispositivo: {own}.',
  'The device is authenticated.': 'O dispositivo está identificado.',
  'The device is authenticated with its {own}.': 'O dispositivo está identificado com: {own}.',
  'The device needs no key: this gateway itself reads its bus or replays its recording.':
    'O dispositivo não precisa de chave: este gateway mesmo lê o barramento ou reproduz a gravação.',
  'The keys of the device were revoked.': 'As chaves do dispositivo foram revogadas.',
  'Provision the device, and put the key into it.': 'Prepare o dispositivo, e ponha a chave nele.',
  'A person noted: {reason}.': 'Uma pessoa anotou: {reason}.',
  'it was taken out of use': 'foi tirado de uso',
  'it has no power': 'está sem energia',
  'it has no network': 'está sem rede',
  'it was replaced': 'foi substituído',
  'it is being serviced': 'está em manutenção',
  'the reason is not known': 'o motivo não é conhecido',
  'Let the device connect to {address} over MQTT, with user name and client id {name}.':
    'Faça o dispositivo se conectar a {address} por MQTT, com {name} como nome de usuário e identificador do cliente.',
  'Let the device post to {address} with the header "Authorization: Bearer" and its key.':
    'Faça o dispositivo enviar a {address} com o cabeçalho "Authorization: Bearer" e sua chave.',
  'Let the logger upload to {address}, with the key pair from this page.':
    'Faça o registrador enviar para {address}, com o par de chaves desta página.',
  'The device has an open session from {ip}.': 'O dispositivo tem uma sessão aberta de {ip}.',
  'A device at {address} reaches this gateway.': 'Um dispositivo em {address} alcança este gateway.',
  'The device has stopped sending.': 'O dispositivo parou de enviar.',
  'Check the power and the network of the device.': 'Verifique a energia e a rede do dispositivo.',
  'Let it publish frames to {frames}, or values to {values}.':
    'Faça-o publicar quadros em {frames}, ou valores em {values}.',
  'Let it upload into {folder}.': 'Faça-o enviar para {folder}.',
  'The device uploads into {folder}.': 'O dispositivo envia para {folder}.',
  'The device publishes to {topic}.': 'O dispositivo publica em {topic}.',
  'The device posts to {address}.': 'O dispositivo envia a {address}.',
  'Send frames as candump prints them, one frame a line: {example} ; docs/mqtt.md has the other forms.':
    'Envie quadros como o candump os imprime, um por linha: {example} ; docs/mqtt.md tem as outras formas.',
  '{name} was read.': '{name} foi lido.',
  '{name} could not be decoded.': '{name} não pôde ser decodificado.',
  '{name} is being decoded.': '{name} está sendo decodificado.',
  'The gateway cannot decode what the device sends: {reason}. {count} part so far.|The gateway cannot decode what the device sends: {reason}. {count} parts so far.':
    'O gateway não consegue decodificar o que o dispositivo envia: {reason}. {count} parte até agora.|O gateway não consegue decodificar o que o dispositivo envia: {reason}. {count} partes até agora.',
  '{count} part is unreadable, the last: {reason}.|{count} parts are unreadable, the last: {reason}.':
    '{count} parte é ilegível, a última: {reason}.|{count} partes são ilegíveis, a última: {reason}.',
  'The device is connected but has stopped sending data: {found} so far.':
    'O dispositivo está conectado mas parou de enviar dados: {found} até agora.',
  'The device has stopped sending data: {found} so far.': 'O dispositivo parou de enviar dados: {found} até agora.',
  '{found} so far.': '{found} até agora.',
  'The device is linked to {machine}.': 'O dispositivo está vinculado a {machine}.',
  'The device is linked to {machine}, which is decommissioned and shown on no board.':
    'O dispositivo está vinculado a {machine}, que foi baixada e não aparece em nenhum painel.',
  'The device is linked to the location {location}.': 'O dispositivo está vinculado ao local {location}.',
  '{found}, but the gateway could decode no value from them; {unknown} are of unknown groups.':
    '{found}, mas o gateway não conseguiu decodificar nenhum valor; {unknown} são de grupos desconhecidos.',
  'Its clock is {time} ahead, so its data does not count as live.':
    'O relógio está {time} adiantado, por isso os dados não contam como ao vivo.',
  'Set the clock of the device; {topic} has the time.': 'Ajuste o relógio do dispositivo; {topic} tem a hora.',
  '{values}, which belong to no machine.': '{values}, que não pertencem a nenhuma máquina.',
  '{values} on {machine}.': '{values} em {machine}.',
  '{values} on {machine}, as of {day}: the data is a recording, or the clock of the device is behind. It does not count as live.':
    '{values} em {machine}, de {day}: os dados são uma gravação, ou o relógio do dispositivo está atrasado. Não contam como ao vivo.',
  'To replay a recording with current times: {command}. Otherwise set the clock of the device.':
    'Para reproduzir uma gravação com a hora atual: {command}. Senão, ajuste o relógio do dispositivo.',
  '{count} frame|{count} frames': '{count} quadro|{count} quadros',
  '{count} message|{count} messages': '{count} mensagem|{count} mensagens',
  '{count} value|{count} values': '{count} valor|{count} valores',
  'Everything works: its pictures arrive.': 'Tudo funciona: as imagens chegam.',
  'Everything works: its data arrives and is decoded.': 'Tudo funciona: os dados chegam e são decodificados.',
  'the control unit (address {address})': 'a unidade de controle (endereço {address})',
  '{name} (address {address})': '{name} (endereço {address})',
  'No frames from {name} any more.': 'Não chegam mais quadros de {name}.',
  '{name} still sends.': '{name} ainda envia.',
  'Check the plug and the power of {name}.': 'Verifique o conector e a energia de {name}.',
  'Check the sensor of {label} and its cable.': 'Verifique o sensor de {label} e o cabo.',
  '{name} still sends, but not {frames}, which contains {label}.':
    '{name} ainda envia, mas não {frames}, que contém {label}.',
  '{frames} arrives, but {name} sends no valid value of {label} in it.':
    '{frames} chega, mas {name} não envia nele um valor válido de {label}.',
  'The machine sends other values, but never sent {label}.':
    'A máquina envia outros valores, mas nunca enviou {label}.',
  'The device still sends, but not {label}.': 'O dispositivo ainda envia, mas não {label}.',
  'Check that the device is set to send {label}.': 'Verifique se o dispositivo está configurado para enviar {label}.',
  'If a manufacturer frame has this value, it needs a DBC file: see the page DBC files.':
    'Se um quadro do fabricante tem este valor, ele precisa de um arquivo DBC: veja a página Arquivos DBC.',
  'Not known before these frames arrive again.': 'Não se sabe antes que estes quadros cheguem de novo.',
  'Connect a logger on the page of the machine.': 'Conecte um registrador na página da máquina.',
  'No device is linked to this machine.': 'Nenhum dispositivo está vinculado a esta máquina.',
  'The device has an open session.': 'O dispositivo tem uma sessão aberta.',
  'No device can connect with this name before it has a key.':
    'Nenhum dispositivo pode se conectar com este nome antes de o nome ter uma chave.',
  'Nothing has come from this device yet.': 'Ainda não chegou nada deste dispositivo.',
  'The device has uploaded before; it is offline between two uploads.':
    'O dispositivo já enviou antes; está sem conexão entre dois envios.',
  'The device has sent data. It has no connection between two messages.':
    'O dispositivo enviou dados. Ele não tem conexão entre duas mensagens.',
  'The device sends over HTTP.': 'O dispositivo envia por HTTP.',
  'The device uploads files.': 'O dispositivo envia arquivos.',
  'The device publishes to a topic that does not belong to it: {place}':
    'O dispositivo publica em um tópico que não é dele: {place}',
  'The device posts to an address that does not belong to it: {place}':
    'O dispositivo envia a um endereço que não é dele: {place}',
  'The device uploads to a name that does not belong to it: {place}':
    'O dispositivo envia com um nome que não é dele: {place}',
  'Unknown until the device uploads a file.': 'Não se sabe até o dispositivo enviar um arquivo.',
  'Unknown until the device connects.': 'Não se sabe até o dispositivo se conectar.',
  'The device has sent before, but the gateway did not record to which address.':
    'O dispositivo já enviou, mas o gateway não anotou para qual endereço.',
  'The device has sent status messages but no data.': 'O dispositivo enviou mensagens de estado, mas não dados.',
  'The device has sent nothing yet.': 'O dispositivo ainda não enviou nada.',
  'Send values as {"values": {"engine.hours": 1234.5}}; docs/mqtt.md has the names.':
    'Envie valores assim: {"values": {"engine.hours": 1234.5}}; docs/mqtt.md tem os nomes.',
  'The device has uploaded no log yet.': 'O dispositivo ainda não enviou um registro.',
  'Check that the logger records: check its memory card and its configuration.':
    'Verifique se o registrador grava: verifique o cartão de memória e a configuração.',
  'Pictures of the device arrive.': 'Chegam imagens do dispositivo.',
  'Unknown until the device sends something.': 'Não se sabe até o dispositivo enviar algo.',
  'The device has sent no picture yet.': 'O dispositivo ainda não enviou uma imagem.',
  'Post frames as JPEG, PNG, WebP, AVIF or GIF.': 'Envie imagens como JPEG, PNG, WebP, AVIF ou GIF.',
  'The device itself reports a fault.': 'O próprio dispositivo informa uma falha.',
  'See the reported state on the page of the device.': 'Veja o estado informado na página do dispositivo.',
  'The gateway cannot decode most of what the device sends.':
    'O gateway não consegue decodificar a maior parte do que o dispositivo envia.',
  'Its messages are over 256 KiB.': 'As mensagens passam de 256 KiB.',
  'Send fewer frames in a message.': 'Envie menos quadros em uma mensagem.',
  'Unknown until the device sends data.': 'Não se sabe até o dispositivo enviar dados.',
  'Check the ignition, the CAN wiring and the bit rate.': 'Verifique a ignição, a fiação CAN e a taxa de bits.',
  'Link the device to another machine, or set this machine to available on its page.':
    'Vincule o dispositivo a outra máquina, ou ponha esta máquina como disponível na página dela.',
  'The device is linked to no machine: its data is stored but belongs to no machine.':
    'O dispositivo não está vinculado a nenhuma máquina: os dados são guardados mas não pertencem a nenhuma.',
  'Choose its machine in the list on the Devices page.': 'Escolha a máquina na lista da página Dispositivos.',
  'Unknown until a picture arrives.': 'Não se sabe até chegar uma imagem.',
  'Screens show pictures directly, without decoding.': 'As telas mostram as imagens diretamente, sem decodificar.',
  'The device sends values, but this gateway knows the name of none of them.':
    'O dispositivo envia valores, mas este gateway não conhece o nome de nenhum.',
  'Unknown until the device sends frames.': 'Não se sabe até o dispositivo enviar quadros.',
  'Check that the device is on the right bus. Proprietary frames of a manufacturer need a DBC file: see the page DBC files.':
    'Verifique se o dispositivo está no barramento certo. Quadros próprios de um fabricante precisam de um arquivo DBC: veja a página Arquivos DBC.',
  Connection: 'Conexão',
  Topic: 'Tópico',
  Frames: 'Quadros',
  Decoded: 'Decodificado',
  Requests: 'Pedidos',
  Uploads: 'Envios',
  'Key pair': 'Par de chaves',
  Folder: 'Pasta',
  'Log files': 'Arquivos de registro',
  Pictures: 'Imagens',
  Shown: 'Mostrado',
  Place: 'Local',
  Values: 'Valores',
  Address: 'Endereço',
  Key: 'Chave',
  Machine: 'Máquina',
};
