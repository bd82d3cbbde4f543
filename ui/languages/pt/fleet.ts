/** The texts of the pages of head office about its sites, and of conflicts, in Brazilian Portuguese. `docs/languages.md` has the glossary. */
import type { FleetText } from '#ui/languages/es/fleet.ts';

export const FLEET_PT: Readonly<Record<FleetText, string>> = {
  'head office': 'escritório central',
  'this site': 'esta mina',
  'a site': 'uma mina',
  '3 days': '3 dias',
  '1 month, for a box that travels': '1 mês, para um equipamento que viaja',
  'Last heard': 'Último contato',
  'Health then': 'Estado então',
  Waits: 'Espera',
  'Connect {name}': 'Conectar {name}',
  'Replace the box of {name}': 'Substituir o equipamento de {name}',
  '{name} is connected. Its machines and boards appear here as they arrive.':
    '{name} está conectada. Suas máquinas e painéis aparecem aqui à medida que chegam.',
  'The new box has the place of the old one, which head office refuses from now on. It gets the data of {name} back. Its page {page} says how far it is, and what did not come back.':
    'O equipamento novo tem o lugar do antigo, que o escritório central recusa a partir de agora. Ele recebe de volta os dados de {name}. A página {page} dele diz quanto já voltou e o que não voltou.',
  'At the site, sign in as owner or admin and open the page {page}.':
    'Na mina, entre como proprietário ou administrador e abra a página {page}.',
  'Start Headframe on the new box with an empty data folder, and claim it. Where it asks to create a site, select {link}.':
    'Inicie o Headframe no equipamento novo com uma pasta de dados vazia e assuma-o. Onde ele pede para criar uma mina, escolha {link}.',
  'Type the address of this head office.': 'Digite o endereço deste escritório central.',
  'Type the code. It is valid once, until {time}, and shown only now.':
    'Digite o código. Vale uma só vez, até {time}, e só é mostrado agora.',
  'You opened this page without https. A site takes such an address only within its own network. For sites elsewhere, give head office a name and a certificate, and open this page there.':
    'Você abriu esta página sem https. Uma mina aceita um endereço assim só dentro da própria rede. Para minas em outros lugares, dê ao escritório central um nome e um certificado, e abra esta página lá.',
  'This page waits for the site and says when it is connected.':
    'Esta página espera a mina e avisa quando ela está conectada.',
  'Add a site': 'Adicionar uma mina',
  'Make a code': 'Criar um código',
  'Name of the site': 'Nome da mina',
  'Such as Quarry North.': 'Por exemplo, Pedreira Norte.',
  'The code is valid for': 'O código vale por',
  'Not used yet': 'Ainda não usado',
  'Codes that wait': 'Códigos em espera',
  'for a box that replaces the one of this site': 'para um equipamento que substitui o desta mina',
  'valid until {time}': 'válido até {time}',
  Withdraw: 'Anular',
  'the code for {name}': 'o código para {name}',
  'No problem': 'Sem problemas',
  '{n} problem|{n} problems': '{n} problema|{n} problemas',
  '{count} at the site': '{count} na mina',
  'at least 1,000 here': 'pelo menos 1.000 aqui',
  '{files} to move at the last contact.': '{files} por transferir no último contato.',
  'of {name}': 'de {name}',
  'Revoke {name} now': 'Revogar {name} agora',
  'Open {name}': 'Abrir {name}',
  'No site is connected yet': 'Ainda não há minas conectadas',
  'Make a code for the first site below, and type it at the site.':
    'Crie abaixo um código para a primeira mina e digite-o na mina.',
  'An owner or admin of head office connects the sites.':
    'Um proprietário ou administrador do escritório central conecta as minas.',
  codes: 'códigos',
  'Head office has no way to a machine: keys, configuration, firmware, bus requests and arming are only at the site itself, so a stranger in head office can move nothing.':
    'O escritório central não tem acesso às máquinas: chaves, configuração, firmware, pedidos ao barramento e habilitação estão só na mina, então um estranho no escritório central não pode mover nada.',
  'Keep the box {mark}': 'Manter o equipamento {mark}',
  'Keep the box {mark}?': 'Manter o equipamento {mark}?',
  'This box ({host}) becomes the site {site} when it calls next, mostly within a minute. It sends what it recorded alone: {changes} at its last contact.':
    'Este equipamento ({host}) passa a ser a mina {site} no próximo contato, quase sempre em menos de um minuto. Ele envia o que registrou sozinho: {changes} no último contato.',
  'Every other box with this identity is fenced: it works on alone, and head office takes nothing from it. What it has not sent stays on its disk.':
    'Todo outro equipamento com esta identidade fica isolado: continua trabalhando sozinho, e o escritório central não aceita nada dele. O que ele não enviou fica no disco dele.',
  'To get what the other box has not sent, keep the other box on this page until it is in step, and then keep this one again. Do not delete the data folder of a box before.':
    'Para obter o que o outro equipamento não enviou, mantenha o outro nesta página até que ele esteja em dia, e depois mantenha este de novo. Não apague antes a pasta de dados de nenhum equipamento.',
  'Keep this one': 'Manter este',
  Mark: 'Marca de identificação',
  'Host name': 'Nome do equipamento',
  'One of its addresses': 'Um dos seus endereços',
  'Newest data, by its clock': 'Dados mais novos, pelo relógio dele',
  'Not sent': 'Não enviado',
  'Fenced, by its clock': 'Isolado, pelo relógio dele',
  'Box {mark} is fenced': 'O equipamento {mark} está isolado',
  'Box {mark} is the site': 'O equipamento {mark} é a mina',
  'It was chosen. It becomes the site when it calls next.': 'Foi escolhido. Passa a ser a mina no próximo contato.',
  'with the mark {mark}': 'com a marca {mark}',
  'Boxes of {name}': 'Equipamentos de {name}',
  'Several boxes use the identity of {name}': 'Vários equipamentos usam a identidade de {name}',
  'They have one identity, such as a computer and a copy of its disk. Head office takes the data of one of them; the others are fenced and work on alone. Each box shows its mark on its page {page}. Stop the box that is too many.':
    'Eles têm uma mesma identidade, como um computador e uma cópia do disco dele. O escritório central aceita os dados de um; os outros ficam isolados e continuam sozinhos. Cada equipamento mostra a sua marca na página {page}. Pare o equipamento que sobra.',
  'Each of these boxes is fenced in some of its projects. Keep one of them.':
    'Cada um destes equipamentos está isolado em alguns dos seus projetos. Mantenha um deles.',
  'The box that is the site now has not told its mark. It may have an earlier version.':
    'O equipamento que agora é a mina não informou a sua marca. Ele pode ter uma versão anterior.',
  'Two people gave different values while there was no connection. The first one is shown now.':
    'Duas pessoas deram valores diferentes enquanto não havia conexão. Agora é mostrado o primeiro.',
  'One person deleted it, and another one edited it without knowing. It stays until you decide.':
    'Uma pessoa o apagou, e outra o editou sem saber. Ele fica até você decidir.',
  'While there was no connection, people at two ends made records that contradict each other. Choose what to change.':
    'Enquanto não havia conexão, pessoas em duas pontas criaram registros que se contradizem. Escolha o que mudar.',
  'This move was made while there was no connection, and did not fit any more. It had no effect.':
    'Este passo foi feito enquanto não havia conexão e já não era possível. Não teve efeito.',
  'As it is now': 'Como está agora',
  '{who}, at {place}': '{who}, em: {place}',
  'Shown now': 'Mostrado agora',
  'Use this': 'Usar este',
  'Do this': 'Fazer isto',
  '{who} at {place} chose {value}, {time}.': '{who} ({place}) escolheu {value}, {time}.',
  '{who} at {place} went back to {value}, {time}.': '{who} ({place}) voltou a {value}, {time}.',
  'Not chosen: {values}': 'Não escolhido: {values}',
  'This choice was undone.': 'Esta escolha foi desfeita.',
  'Undo this choice': 'Desfazer esta escolha',
  'the choice of {value} for {name}': 'a escolha de {value} para {name}',
  'Nothing to decide': 'Nada a decidir',
  'If people at the site and at head office give different values to one field while there is no connection, both values are kept, and this page asks which one counts.':
    'Se pessoas na mina e no escritório central dão valores diferentes a um campo enquanto não há conexão, os dois valores são guardados, e esta página pergunta qual vale.',
  Decided: 'Decidido',
  Ran: 'Estava ligada',
  Idled: 'Estava em marcha lenta',
  'Was off': 'Estava desligada',
  'Made at head office': 'Criada no escritório central',
  '{n} more.': 'Mais {n}.',
  'Data {age} old': 'Dados de {age} atrás',
  'Unit number or name': 'Número ou nome',
  'In trouble': 'Com problemas',
  'No machine of this list is in trouble, as its site was last heard.':
    'Nenhuma máquina desta lista tem problemas, segundo o último contato com a mina dela.',
  'This page shows the {n} most urgent machines. More are in trouble.':
    'Esta página mostra as {n} máquinas mais urgentes. Há mais com problemas.',
  '{n} site has more than 1,000 active alerts or open repairs. Only the newest 1,000 count in this list, so machines of this site may be missing.|{n} sites have more than 1,000 active alerts or open repairs. Only the newest 1,000 count in this list, so machines of these sites may be missing.':
    '{n} mina tem mais de 1.000 alertas ativos ou reparos abertos. Nesta lista contam só os 1.000 mais novos, então podem faltar máquinas desta mina.|{n} minas têm mais de 1.000 alertas ativos ou reparos abertos. Nesta lista contam só os 1.000 mais novos, então podem faltar máquinas destas minas.',
  'No machines': 'Sem máquinas',
  'No site has brought a machine yet.': 'Nenhuma mina trouxe uma máquina ainda.',
  'No unit number and no name has "{text}" in it.': 'Nenhum número nem nome contém "{text}".',
  'Show more machines': 'Mostrar mais máquinas',
  'Show more repairs': 'Mostrar mais reparos',
  'Show more alerts': 'Mostrar mais alertas',
  'Not known here yet': 'Ainda não conhecida aqui',
  'Nobody is assigned': 'Sem responsável',
  '{n} assigned': 'Responsáveis: {n}',
  'Overdue since {time}': 'Vencida desde {time}',
  'Due {time}': 'Vence {time}',
  'Head office knows of no open repair ticket.': 'O escritório central não conhece nenhuma ordem de reparo aberta.',
  'Its data was old when it arrived': 'Os dados eram antigos quando chegaram',
  'By nobody': 'Por ninguém',
  'Acknowledged {time}': 'Confirmado {time}',
  'Head office knows of no active alert.': 'O escritório central não conhece nenhum alerta ativo.',
};
