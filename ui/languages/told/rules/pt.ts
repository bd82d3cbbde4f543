/** Texts of the gateway in Portuguese: answers of rules, where a project has no model. `docs/languages.md` has the glossary. */
import type { RulesTold } from './es.ts';

export const RULES_PT: Readonly<Record<RulesTold, string>> = {
  'No model is set for this project, so rules answered.':
    'Este projeto não tem um modelo configurado, por isso regras responderam.',
  'Answers by rules, without a model.': 'Responde por regras, sem modelo.',
  'Alert "{rule}" ({severity}), since {at}.': 'Alerta "{rule}" ({severity}), desde {at}.',
  '{unit} has {n} more active code.|{unit} has {n} more active codes.':
    '{unit} tem mais {n} código ativo.|{unit} tem mais {n} códigos ativos.',
  'No repair of {unit} is open.': '{unit} não tem nenhum reparo aberto.',
  'The red stop lamp of {unit} is on. Stop the machine now.':
    'A luz de parada de {unit} está acesa. Pare a máquina agora.',
  'The protect lamp of {unit} is on.': 'A luz de proteção de {unit} está acesa.',
  'The amber warning lamp of {unit} is on.': 'A luz âmbar de {unit} está acesa.',
  '{unit} is number {place} of {count} machines that need a person.':
    '{unit} é a número {place} de {count} máquinas que precisam de uma pessoa.',
  '{unit} never reported its trouble codes, so it is not known whether it has any.':
    '{unit} nunca informou seus códigos de falha, por isso não se sabe se tem algum.',
  '{unit} has no active trouble code.': '{unit} não tem nenhum código de falha ativo.',
  '{code}: no words are known for this code. Active since {at}.':
    '{code}: não se conhece o significado deste código. Ativo desde {at}.',
  '{code}: {meaning}. Active since {at}.': '{code}: {meaning}. Ativo desde {at}.',
  'The control unit has counted {n} occurrence.|The control unit has counted {n} occurrences.':
    'A unidade de controle contou {n} vez.|A unidade de controle contou {n} vezes.',
  'No values of that moment are stored.': 'Não há valores guardados desse momento.',
  'At that moment: {values}.': 'Nesse momento: {values}.',
  'The log has at least {n} starts of {code} in the last {days} days.':
    'O registro tem pelo menos {n} inícios de {code} nos últimos {days} dias.',
  'The log has {n} start of {code} in the last {days} days.|The log has {n} starts of {code} in the last {days} days.':
    'O registro tem {n} início de {code} nos últimos {days} dias.|O registro tem {n} inícios de {code} nos últimos {days} dias.',
  'Open repair {number} ({status}): {title}': 'Reparo aberto {number} ({status}): {title}',
  'The devices could not be compared with the machines.': 'Não foi possível comparar os dispositivos com as máquinas.',
  'Each device has a machine.': 'Cada dispositivo tem uma máquina.',
  'Device {device}: no machine fits.': 'Dispositivo {device}: nenhuma máquina combina.',
  'Device {device}: {unit} fits with {percent} %: {why}': 'Dispositivo {device}: {unit} combina em {percent} %: {why}',
  '{n} more device has no machine.|{n} more devices have no machine.':
    'Mais {n} dispositivo não tem máquina.|Mais {n} dispositivos não têm máquina.',
  'Nothing was linked.': 'Nada foi vinculado.',
  'Check each pair, and link it on the page Devices.': 'Verifique cada par, e vincule-o na página Dispositivos.',
  'The request names no machine of this site.': 'O pedido não nomeia nenhuma máquina desta mina.',
  'Start the action on a machine, or write its unit number into the request.':
    'Inicie a ação em uma máquina, ou escreva seu número no pedido.',
  'The request names {all} machines. The answer is about the first {first}.':
    'O pedido nomeia {all} máquinas. A resposta trata das primeiras {first}.',
  'The request does not say for which location the shift is.': 'O pedido não diz de que local é o turno.',
  'Start the action on a location, or write the name of one location into the request.':
    'Inicie a ação em um local, ou escreva o nome de um local no pedido.',
  '{unit}: working {working} min, idle {idle} min, off {off} min, down {down} min, standby {standby} min, unknown {unknown} min.':
    '{unit}: trabalhando {working} min, marcha lenta {idle} min, desligada {off} min, quebrada {down} min, em espera {standby} min, desconhecido {unknown} min.',
  '{n} more machine is in the draft.|{n} more machines are in the draft.':
    'Mais {n} máquina está no rascunho.|Mais {n} máquinas estão no rascunho.',
  '{unit} stopped at {at} for {minutes} min. No reason is stored.':
    '{unit} parou em {at} por {minutes} min. Nenhum motivo está guardado.',
  '{unit} stopped at {at} for {minutes} min: {why}': '{unit} parou em {at} por {minutes} min: {why}',
  'The draft has no stoppage.': 'O rascunho não tem nenhuma parada.',
  '{n} more stoppage is in the draft.|{n} more stoppages are in the draft.':
    'Mais {n} parada está no rascunho.|Mais {n} paradas estão no rascunho.',
  'Active alert "{rule}" ({severity}).': 'Alerta ativo "{rule}" ({severity}).',
  'No shift of the request has ended in the last {days} days.':
    'Nenhum turno do pedido terminou nos últimos {days} dias.',
  'Write the name of a shift and its date, such as: day 2026-11-21.':
    'Escreva o nome de um turno e sua data, como: day 2026-11-21.',
  'The draft of the shift could not be read.': 'Não foi possível ler o rascunho do turno.',
  'Shift {shift} of {date}:': 'Turno {shift} de {date}:',
  'Shift {shift} of {date}, not over yet:': 'Turno {shift} de {date}, ainda não terminou:',
  'No machine is at this location.': 'Não há nenhuma máquina neste local.',
  'Yesterday:': 'Ontem:',
  'Today until {at}:': 'Hoje até {at}:',
  'The summary of the day could not be read.': 'Não foi possível ler o resumo do dia.',
  'No report was submitted, because a report cannot be changed.':
    'Nenhum relatório foi enviado, porque um relatório não pode ser alterado.',
  'Add crew, loads, safety and weather on the page Shifts, and submit it there.':
    'Adicione equipe, cargas, segurança e clima na página Turnos, e envie-o lá.',
  'No ticket was made for {unit}, because there is no code to make it from.':
    'Nenhum reparo foi criado para {unit}, porque não há um código para isso.',
  'No ticket was made for {unit}, because the code of the request is not active.':
    'Nenhum reparo foi criado para {unit}, porque o código do pedido não está ativo.',
  'No ticket was made for {unit}, because its open repairs could not be read.':
    'Nenhum reparo foi criado para {unit}, porque não foi possível ler seus reparos abertos.',
  'No ticket was made: repair {number} of this code is open: {title}':
    'Nenhum reparo foi criado: o reparo {number} deste código está aberto: {title}',
  'This ticket would be made for {unit}: {title}': 'Este reparo seria criado para {unit}: {title}',
  'Ticket {number} was made for {unit}: {title}': 'O reparo {number} foi criado para {unit}: {title}',
  'Logger {name}: each step works, from the connection to decoded values.':
    'Registrador {name}: cada etapa funciona, da conexão aos valores decodificados.',
  'Logger {name}: the data stops at the step "{title}".': 'Registrador {name}: os dados param na etapa "{title}".',
  'Logger {name}: the data stops at the step "{title}", since {at}.':
    'Registrador {name}: os dados param na etapa "{title}", desde {at}.',
  '{unit} never sent live data.': '{unit} nunca enviou dados.',
  '{unit} is silent. Its last live data came at {at}.': '{unit} está em silêncio. Seus últimos dados chegaram em {at}.',
  '{unit} is not silent. Its last live data came at {at}.':
    '{unit} não está em silêncio. Seus últimos dados chegaram em {at}.',
  'No device is linked to {unit}, so no data of it can arrive.':
    'Nenhum dispositivo está vinculado a {unit}, por isso seus dados não podem chegar.',
  'Link its logger to it on the page Devices.': 'Vincule seu registrador na página Dispositivos.',
  'Remove the cause, and start the work again.': 'Elimine a causa, e inicie o trabalho de novo.',
};
