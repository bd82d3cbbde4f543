/** Texts of the gateway in Brazilian Portuguese: what is wrong with a value, and refusals about machines, work, boards and files. `docs/languages.md` has the glossary. */
import type { WorkTold } from './es-work.ts';

export const WORK_PT: Readonly<Record<WorkTold, string>> = {
  '`{param}`: must be {expected}, not {found}.': '`{param}`: deve ser {expected}, não {found}.',
  '`{param}`: must be {values}.': '`{param}`: deve ser {values}.',
  '`{param}`: must be one of {values}.': '`{param}`: deve ser um de {values}.',
  '`{param}`: must be a multiple of {divisor}.': '`{param}`: deve ser um múltiplo de {divisor}.',
  '`{param}`: has fields that are not allowed: {keys}.': '`{param}`: tem campos não permitidos: {keys}.',
  '`{param}`: has a name that is not allowed.': '`{param}`: tem um nome não permitido.',
  '`{param}`: has a value that is not allowed.': '`{param}`: tem um valor não permitido.',
  null: 'nulo',
  '`{param}`: must not be empty.': '`{param}`: não deve estar vazio.',
  '`{param}`: must begin with "{text}".': '`{param}`: deve começar com "{text}".',
  '`{param}`: must end with "{text}".': '`{param}`: deve terminar com "{text}".',
  '`{param}`: must contain "{text}".': '`{param}`: deve conter "{text}".',
  '`{param}`: must be a valid {format}.': '`{param}`: deve ser um {format} válido.',
  '`{param}`: must match {pattern}.': '`{param}`: deve corresponder a {pattern}.',
  '`{param}`: must be a time with its zone, such as 2026-11-21T06:00:00Z.':
    '`{param}`: deve ser um horário com seu fuso, como 2026-11-21T06:00:00Z.',
  '`{param}`: must be a day, such as 2026-11-21.': '`{param}`: deve ser um dia, como 2026-11-21.',
  '`{param}`: must be a URL, such as https://host/path.': '`{param}`: deve ser uma URL, como https://host/path.',
  '`{param}`: must be base64.': '`{param}`: deve ser base64.',
  '`{param}`: must have at most {limit} characters.': '`{param}`: deve ter no máximo {limit} caracteres.',
  '`{param}`: must have at most {limit} items.': '`{param}`: deve ter no máximo {limit} itens.',
  '`{param}`: must have at most {limit} entries.': '`{param}`: deve ter no máximo {limit} entradas.',
  '`{param}`: must be less than {limit}.': '`{param}`: deve ser menor que {limit}.',
  '`{param}`: must be at most {limit}.': '`{param}`: deve ser no máximo {limit}.',
  '`{param}`: must have at least {limit} characters.': '`{param}`: deve ter pelo menos {limit} caracteres.',
  '`{param}`: must have at least {limit} items.': '`{param}`: deve ter pelo menos {limit} itens.',
  '`{param}`: must have at least {limit} entries.': '`{param}`: deve ter pelo menos {limit} entradas.',
  '`{param}`: must be more than {limit}.': '`{param}`: deve ser maior que {limit}.',
  '`{param}`: must be at least {limit}.': '`{param}`: deve ser pelo menos {limit}.',
  '`{param}`: has none of the allowed forms.': '`{param}`: não tem nenhuma das formas permitidas.',
  'The gateway at {base} does not answer.': 'O gateway em {base} não responde.',
  'this address': 'este endereço',
  'The server at {base} is not a Headframe gateway (status {status}).':
    'O servidor em {base} não é um gateway do Headframe (status {status}).',
  'a text': 'um texto',
  'a number': 'um número',
  'a number with decimals': 'um número com decimais',
  'a whole number': 'um número inteiro',
  'true or false': 'verdadeiro ou falso',
  'a list': 'uma lista',
  'an object': 'um objeto',
  nothing: 'nada',
  none: 'nenhum',
  'The {object} {name} is inactive; activate it first.': '{object}: {name} está inativo; ative-o primeiro.',
  'This key is restricted to some projects. To read the audit log of the gateway, use a key for all projects.':
    'Esta chave é restrita a alguns projetos. Para ler o registro de auditoria do gateway, use uma chave para todos os projetos.',
  'There is no {what} {id}, or this key has no access to it.': 'Não há {what} {id}, ou esta chave não tem acesso.',
  'There is no {what}, or this key has no access to it.': 'Não há tal registro ({what}), ou esta chave não tem acesso.',
  'There is no {what} {id}, or this key has no access to it; its id begins with `{prefix}_`.':
    'Não há {what} {id}, ou esta chave não tem acesso; o identificador começa com `{prefix}_`.',
  'There is no {what}, or this key has no access to it; its id begins with `{prefix}_`.':
    'Não há tal registro ({what}), ou esta chave não tem acesso; o identificador começa com `{prefix}_`.',
  'The object has changed: it is at revision {revision}. Read it again, then repeat the change.':
    'O registro mudou: está na revisão {revision}. Leia-o de novo e repita a mudança.',
  '{word} {name} belongs to {holder}.': '{word} {name} pertence a {holder}.',
  'Unit number': 'Número da máquina',
  Serial: 'Número de série',
  Code: 'Código',
  'Employee number': 'Matrícula',
  Badge: 'Crachá',
  'The shift': 'O turno',
  'The name': 'O nome',
  operator: 'operador',
  mechanic: 'mecânico',
  location: 'local',
  person: 'pessoa',
  equipment: 'máquina',
  ticket: 'ordem',
  board: 'painel',
  playlist: 'lista de painéis',
  file: 'arquivo',
  rule: 'regra',
  'maintenance plan': 'plano de manutenção',
  checklist: 'checklist',
  'DBC file': 'arquivo DBC',
  delivery: 'entrega',
  device: 'dispositivo',
  project: 'projeto',
  task: 'tarefa',
  run: 'execução',
  alert: 'alerta',
  event: 'entrada do registro',
  inspection: 'inspeção',
  user: 'usuário',
  tablet: 'tablet',
  'The body is larger than {most} bytes, the limit of this operation.':
    'O conteúdo passa de {most} bytes, o limite desta operação.',
  'This gateway no longer has the content of this file.': 'Este gateway não tem mais o conteúdo deste arquivo.',
  'You have {each} {what} open, which is the limit of one caller. Wait until one of them ends.':
    'Você já tem aberto o máximo permitido: {each} ({what}). Espere até que algum termine.',
  '{taken} {what} are open, which is the limit of this gateway. Try again in a moment.':
    'Já está aberto o máximo deste gateway: {taken} ({what}). Tente de novo em um momento.',
  screens: 'telas',
  exports: 'exportações',
  uploads: 'envios',
  frames: 'quadros',
  'large bodies': 'conteúdos grandes',
  'task streams': 'fluxos de tarefas',
  'Too many calls of this caller are waiting. Send fewer at once.':
    'Pedidos seus demais estão esperando. Envie menos de uma vez.',
  'More than {limit} requests in a minute. Wait {retry_after_s} s.':
    'Mais de {limit} pedidos em um minuto. Espere {retry_after_s} s.',
  'Too many bytes of JSON bodies in a minute. Wait {retry_after_s} s.':
    'Bytes de JSON demais em um minuto. Espere {retry_after_s} s.',
  'This node does not run the service that this operation needs.':
    'Este nó não tem o serviço de que esta operação precisa.',
  'There is no such device, or this key has no access to it.':
    'Não há tal dispositivo, ou esta chave não tem acesso a ele.',
  '`{param}` is required.': '`{param}` é obrigatório.',
  '`{field}` is read-only here; it is written by {owner}.': '`{field}` é só de leitura aqui; quem escreve é {owner}.',
  'The role {role} may not set `{field}` with this operation.': 'A função {role} não pode mudar `{field}` aqui.',
  'The role {role} may set `{field}` only to: {values}.': 'A função {role} pode definir `{field}` só como: {values}.',
  'The gateway failed. Its log has the cause under {request}.':
    'O gateway falhou. O registro dele tem a causa com o número {request}.',
  'Other callers kept changing the same object. Read the object again and repeat the call.':
    'Outros mudaram o mesmo registro várias vezes. Leia-o de novo e repita a mudança.',
  'The database of the gateway is damaged. The gateway starts again and repairs it. Repeat the call in a minute.':
    'O banco de dados do gateway está danificado. O gateway reinicia e o repara. Repita em um minuto.',
  'The disk of the gateway cannot be written now. Reads still work.':
    'Agora não é possível gravar no disco do gateway. A leitura continua funcionando.',
  'The disk of the gateway is too full to accept this write.':
    'O disco do gateway está cheio demais para aceitar isto.',
  'An earlier call with this Idempotency-Key is still running. Before you send the call with a new key, read the resource.':
    'Um pedido anterior com esta chave de idempotência ainda está em execução. Antes de enviá-lo com uma chave nova, leia o registro.',
  'The cursor has expired. Start again without `cursor`.': 'A lista mudou desde que foi aberta. Comece de novo.',
  'The gateway keeps so many late writes of this person that it cannot take more now. Keep this one. It is sent again later.':
    'O gateway guarda tantas mudanças atrasadas desta pessoa que agora não pode receber mais. Guarde esta. Ela é enviada de novo mais tarde.',
  'The gateway keeps so many late writes that it cannot take more now. Keep this one. It is sent again later.':
    'O gateway guarda tantas mudanças atrasadas que agora não pode receber mais. Guarde esta. Ela é enviada de novo mais tarde.',
  '{queue} requests for DBC files are waiting; try again in a moment.':
    '{queue} pedidos de arquivos DBC estão esperando; tente de novo em um momento.',
  'Two tests of DBC files are running; try again in a moment.':
    'Dois testes de arquivos DBC estão em execução; tente de novo em um momento.',
  ended: 'terminou',
  'took more than {seconds} s': 'levou mais de {seconds} s',
  'The thread that reads DBC files {what}; nothing was changed.': 'A leitura de arquivos DBC {what}; nada foi mudado.',
  '{what} was deleted because its retention time has passed: the gateway keeps the newest {most} decode tasks, for {days} days, and tasks that failed or have gaps for {longer} days. The file and its decoded values are still stored. Decode the file again to create a new task.':
    '{what} foi apagada porque passou seu tempo de retenção: o gateway guarda as {most} tarefas de decodificação mais novas, por {days} dias, e as tarefas que falharam ou têm lacunas por {longer} dias. O arquivo e seus valores decodificados continuam guardados. Decodifique o arquivo de novo para criar uma tarefa nova.',
  'The task of this file': 'A tarefa deste arquivo',
  'A run with this id': 'Uma execução com este identificador',
  'The location {name} has no geofence: give it one first.': 'O local {name} não tem cerca virtual: dê uma primeiro.',
  'A project can have at most {most_rules} alert rules.':
    'Um projeto pode ter no máximo {most_rules} regras de alerta.',
  'The project has no location with this id.': 'O projeto não tem um local com este identificador.',
  'The project has no maintenance plan with this id.':
    'O projeto não tem um plano de manutenção com este identificador.',
  '{machines} machines and this range are {days} days; one call tries at most {max_test_machine_days}. Shorten the range or name fewer machines.':
    '{machines} máquinas e este período são {days} dias; um teste aceita no máximo {max_test_machine_days}. Encurte o período ou indique menos máquinas.',
  'A project can have at most {max_endpoints} webhook endpoints.':
    'Um projeto pode ter no máximo {max_endpoints} webhooks.',
  'Only an owner can allow addresses of the local network.':
    'Só um proprietário pode permitir endereços da rede local.',
  'The address contains a user name or password; leave them out.':
    'O endereço tem um nome de usuário ou uma senha; retire-os.',
  'The address has a fragment (#...), which is never sent; leave it out.':
    'O endereço tem um fragmento (#...), que nunca é enviado; retire-o.',
  'This address is that of the gateway itself, or one that webhooks must not use.':
    'Este endereço é o do próprio gateway, ou um que os webhooks não devem usar.',
  'A public address must use https.': 'Um endereço público deve usar https.',
  'Widgets {before} and {i} overlap on the grid of 12 by 6.':
    'Os blocos {before} e {i} se sobrepõem na grade de 12 por 6.',
  'The group of screens {group} has no playlist.': 'O grupo de telas {group} não tem lista de painéis.',
  'Too many wrong codes; wait ten minutes.': 'Códigos errados demais; espere dez minutos.',
  'Too many screens wait to be paired; try again in some minutes.':
    'Telas demais esperam o pareamento; tente de novo em alguns minutos.',
  'This pairing has expired or was replaced; begin a new one.':
    'Este pareamento expirou ou foi substituído; comece um novo.',
  'No screen shows this code. A code is valid once, for ten minutes.':
    'Nenhuma tela mostra este código. Um código vale uma vez, por dez minutos.',
  'The project has no shift {missing}; it has {names}.': 'O projeto não tem o turno {missing}; tem {names}.',
  'A screen cannot show {id}: it is {content_type}.': 'Uma tela não pode mostrar {id}: é {content_type}.',
  'These screens have a playlist already: {name}.': 'Estas telas já têm uma lista de painéis: {name}.',
  'The gateway was restored without its key and cannot decrypt the secret of this key pair. Enter the recovery code (`headframe recovery-code --enter`), or roll the key pair.':
    'O gateway foi restaurado sem sua chave e não consegue descriptografar o segredo deste par de chaves. Digite o código de recuperação (`headframe recovery-code --enter`), ou renove o par de chaves.',
  'There is no configuration file for this device. Store its configuration first.':
    'Não há arquivo de configuração para este dispositivo. Salve primeiro a configuração.',
  'The device has no configuration yet.': 'O dispositivo ainda não tem configuração.',
  'This file is not firmware of a CANedge logger. Use the firmware file that the maker of the logger provides.':
    'Este arquivo não é firmware de um registrador CANedge. Use o arquivo de firmware do fabricante do registrador.',
  'There is no machine {equipment_id} in this project.': 'Não há máquina {equipment_id} neste projeto.',
  'The machine {unit_number} is decommissioned, so no device can be linked to it.':
    'A máquina {unit_number} foi baixada, por isso nenhum dispositivo pode ser vinculado a ela.',
  'There is no device {serial} in this project.': 'Não há dispositivo {serial} neste projeto.',
  'device_id {wanted} belongs to {device}.': 'O nome {wanted} pertence a {device}.',
  'This claim does not exist, has expired or was already used. Request a new one.':
    'Esta autorização não existe, expirou ou já foi usada. Peça uma nova.',
  '{most} logs of this device wait to be decoded. Send the next log after some of them are decoded.':
    '{most} registros deste dispositivo esperam a decodificação. Envie o próximo quando alguns estiverem decodificados.',
  'The device already has {most} open uploads. Finish one, or wait until one expires.':
    'O dispositivo já tem {most} envios abertos. Termine um, ou espere até que um expire.',
  'Images must be posted with the key of the device.': 'As imagens devem ser enviadas com a chave do dispositivo.',
  'A project can have at most {files} versions of DBC files.':
    'Um projeto pode ter no máximo {files} versões de arquivos DBC.',
  'At most {active} DBC files can be active.': 'No máximo {active} arquivos DBC podem estar ativos.',
  'This version has been active, so its mapping cannot change. Import the file again for another mapping.':
    'Esta versão já esteve ativa, por isso o mapeamento não pode mudar. Importe o arquivo de novo para outro mapeamento.',
  'This version is active; deactivate it first.': 'Esta versão está ativa; desative-a primeiro.',
  'A decode run of this log is already queued or running; follow its task.':
    'Uma decodificação deste registro já espera ou está em execução; acompanhe a tarefa.',
  'A report can have at most {n} photos.': 'Um aviso pode ter no máximo {n} fotos.',
  'This repair has {n} photos already, and can have no more.': 'Esta ordem já tem {n} fotos e não pode ter mais.',
  '{most_waiting_photos} photos of this machine are in no inspection yet. Send the inspections, or wait until the photos are deleted.':
    '{most_waiting_photos} fotos desta máquina ainda não estão em uma inspeção. Envie as inspeções, ou espere até que as fotos sejam apagadas.',
  'The photo must be a JPEG, PNG, WebP, GIF or AVIF image.': 'A foto deve ser uma imagem JPEG, PNG, WebP, GIF ou AVIF.',
  '{by} took this machine at {at}, after this was written.':
    '{by} assumiu esta máquina às {at}, depois que isto foi escrito.',
  '{by} is on this machine. Only this person, a supervisor or an admin can end that. To be on it yourself, take it.':
    '{by} está cuidando desta máquina. Só esta pessoa, um supervisor ou um administrador pode encerrar isso. Para cuidar dela você mesmo, escolha “Eu cuido”.',
  'The status of a decommissioned machine can only change to available.':
    'O estado de uma máquina baixada só pode mudar para disponível.',
  'Only an owner or admin can bring back a decommissioned machine.':
    'Só um proprietário ou administrador pode trazer de volta uma máquina baixada.',
  'A project can have at most {most_intervals} set intervals. Set intervals for kinds instead of machines, or remove some.':
    'Um projeto pode ter no máximo {most_intervals} intervalos definidos. Defina intervalos para tipos em vez de máquinas, ou remova alguns.',
  'Locations can be nested at most {most_levels} levels deep.': 'Os locais podem ter no máximo {most_levels} níveis.',
  'A branch of more than {most_moved} locations must be moved in parts.':
    'Um ramo com mais de {most_moved} locais deve ser movido em partes.',
  'A location cannot be inside itself or inside one of its own parts.':
    'Um local não pode estar dentro de si mesmo nem de uma de suas partes.',
  'The machine sent a newer reading at {observed_at}. Give a reading from that time or later.':
    'A máquina enviou uma leitura mais nova às {observed_at}. Dê uma leitura desse horário ou posterior.',
  '`status_since` is in the future.': '`status_since` está no futuro.',
  '`status_since` is more than 366 days ago.': '`status_since` é de há mais de 366 dias.',
  'The machine has this status since {since}. Give an earlier time.':
    'A máquina tem este estado desde {since}. Dê uma hora anterior.',
  'People set another status at {at}. Give that time or a later one.':
    'Alguém pôs outro estado às {at}. Dê essa hora ou uma posterior.',
  'There is no meter of the kind {kind}.': 'Não há medidor do tipo {kind}.',
  '{label}: a reading is between 0 and {max} {unit}.': '{label}: uma leitura fica entre 0 e {max} {unit}.',
  'The time of the reading is in the future.': 'O horário da leitura está no futuro.',
  'The plan has more than {max_stored_plan} characters. Apply it in several parts, for example the machines of one area each.':
    'O plano tem mais de {max_stored_plan} caracteres. Aplique-o em partes, por exemplo as máquinas de uma área de cada vez.',
  'The project has {limit} active learnings already. End one that is no longer true.':
    'O projeto já tem {limit} aprendizados ativos. Encerre um que já não seja verdadeiro.',
  'The learning was changed since.': 'O aprendizado mudou desde então.',
  '{most_waiting} runs of this project wait already. Wait until some have ended, or cancel them.':
    '{most_waiting} execuções deste projeto já esperam. Espere até que algumas terminem, ou cancele-as.',
  'Make a new task here.': 'Crie aqui uma tarefa nova.',
  'Only owners, admins and the approvers of the review configuration may approve. A key of an agent may never approve.':
    'Só proprietários, administradores e quem a configuração indica podem aprovar. Uma chave de agente nunca pode aprovar.',
  'A run of this task waits or works. Wait until it ends, or cancel it.':
    'Uma execução desta tarefa espera ou trabalha. Espere até terminar, ou cancele-a.',
  'The latest run of this task does not wait for an approval.':
    'A última execução desta tarefa não espera uma aprovação.',
  'What this task had written was taken back, so its run cannot go on. Start the task again.':
    'O que esta tarefa tinha escrito foi desfeito, por isso a execução não pode continuar. Comece a tarefa de novo.',
  'There is no such project, or this key has no access to it.':
    'Não há tal projeto, ou esta chave não tem acesso a ele.',
  'The address may have only a scheme, a host, a port and a path.':
    'O endereço só pode ter esquema, host, porta e caminho.',
  'An address outside the local network must use https.': 'Um endereço fora da rede local deve usar https.',
  'No model server can have this address.': 'Nenhum servidor de modelos pode ter este endereço.',
  'It cannot be canceled here.': 'Não pode ser cancelada aqui.',
  'This task has no active run.': 'Esta tarefa não tem execução ativa.',
  'Live decoding cannot be canceled. It ends when the key of the device is revoked.':
    'A decodificação ao vivo não pode ser cancelada. Ela termina quando a chave do dispositivo é revogada.',
  'Head office or another gateway made this task, and only that one carries out its runs.':
    'O escritório central ou outro gateway criou esta tarefa, e só ele a executa.',
  'Waits for the device.': 'Espera o dispositivo.',
  'Take it back there.': 'Desfaça-a lá.',
  'Only prompts, custom actions and setups can be taken back.':
    'Só instruções, ações próprias e configurações podem ser desfeitas.',
  'The task has a newer run. Look at the plan again.': 'A tarefa tem uma execução mais nova. Olhe o plano de novo.',
  'The run waits or works. Wait until it ends, or cancel it.':
    'A execução espera ou trabalha. Espere até terminar, ou cancele-a.',
  'An undo of this task waits or works. Wait until it ends.':
    'Esta tarefa já está sendo desfeita. Espere até terminar.',
  'This report is more than {days} days old, or of another machine. Tell your supervisor about the fault.':
    'Este aviso tem mais de {days} dias, ou é de outra máquina. Comunique a falha ao seu supervisor.',
  'A decommissioned machine gets no QR code.': 'Uma máquina baixada não recebe código QR.',
  'A project can have at most {most_checklists} checklists.':
    'Um projeto pode ter no máximo {most_checklists} checklists.',
  'The inspection has {media} files. It can have at most {most_inspection_media}.':
    'A inspeção tem {media} arquivos. Pode ter no máximo {most_inspection_media}.',
  'This checklist is for another kind of machines.': 'Este checklist é para outro tipo de máquinas.',
  'A story has at most {story_days} days. Ask for a shorter time.':
    'Uma história tem no máximo {story_days} dias. Peça um tempo mais curto.',
  'The story must end after it begins, and begin before now.':
    'A história deve terminar depois de começar, e começar antes de agora.',
  'A project can have at most {most_plans} maintenance plans.':
    'Um projeto pode ter no máximo {most_plans} planos de manutenção.',
  'The machine reported {reading} {by} at {observed_at}, so it cannot have had {given}. Check the reading.':
    'A máquina informou {reading} {by} às {observed_at}, então não pode ter tido {given}. Verifique a leitura.',
  'The service was done more than an hour ago: give the {by} of the machine at that time in `{field}`.':
    'A manutenção foi feita há mais de uma hora: indique {by} da máquina naquele momento em `{field}`.',
  'This plan is not for this machine, or the machine is decommissioned.':
    'Este plano não é para esta máquina, ou a máquina foi baixada.',
  'The ticket is about another machine.': 'A ordem é de outra máquina.',
  'A newer version gave this ticket the status {from}, which this version does not know. Change the status at the end with the newer version, or update this one.':
    'Uma versão mais nova deu a esta ordem o estado {from}, que esta versão não conhece. Mude o estado na ponta com a versão mais nova, ou atualize esta.',
  'The status {from} can only change to {allowed}.': 'O estado {from} só pode mudar para {allowed}.',
  'A {from} ticket cannot be changed. Create a new one and name this one in `related_to`; comments can still be added to its events.':
    'Uma ordem no estado {from} não pode ser mudada. Crie uma nova e indique esta em `related_to`; ainda é possível adicionar comentários.',
  'The project has no shift {name}.': 'O projeto não tem o turno {name}.',
  'This shift has not begun; it begins at {starts_at}.': 'Este turno não começou; começa às {starts_at}.',
  'In {timezone} the shift begins on {day}.': 'Em {timezone} o turno começa em {day}.',
  'The minutes add up to {sum}; the shift has {length}. The rest is unknown.':
    'Os minutos somam {sum}; o turno tem {length}. O resto é desconhecido.',
  'The stoppages of category {category} last {lasts} minutes; time_usage has {minutes} for this machine.':
    'As paradas da categoria {category} duram {lasts} minutos; para esta máquina estão anotados {minutes}.',
  'Only these roles can amend a report: {writers}.': 'Só estas funções podem corrigir um relatório: {writers}.',
  'A shift begins and ends on a whole minute.': 'Um turno começa e termina em um minuto inteiro.',
  'The shift ends before it begins.': 'O turno termina antes de começar.',
  'A shift lasts at most 36 hours.': 'Um turno dura no máximo 36 horas.',
  'This shift has not begun.': 'Este turno não começou.',
  '{max_waiting_reads} reads of stored telemetry wait already; try again in a few seconds.':
    '{max_waiting_reads} leituras de dados guardados já esperam; tente de novo em alguns segundos.',
  "The logger's schema cannot be used to check a configuration: {why}.":
    'O esquema do registrador não pode ser usado para verificar uma configuração: {why}.',
  'This gateway is opening your previews of unsaved boards, at most {most_drafts_each} at once; wait a second.':
    'Este gateway está abrindo suas prévias de painéis não salvos, no máximo {most_drafts_each} de uma vez; espere um segundo.',
  'This gateway previews {most_drafts} unsaved boards at once; close one.':
    'Este gateway mostra {most_drafts} painéis não salvos de uma vez; feche um.',
  'This gateway composes {most_feeds} boards at once; close a page.':
    'Este gateway compõe {most_feeds} painéis de uma vez; feche uma página.',
  'The mute ends before it begins.': 'O silêncio termina antes de começar.',
  'The run lasts as long as the device sends data. A new version of the decoder starts a new run.':
    'A execução dura enquanto o dispositivo envia dados. Uma versão nova do decodificador começa uma execução nova.',
  'The run waits in the queue.': 'A execução espera na fila.',
  'The run works.': 'A execução trabalha.',
  'The stoppage ends before it begins.': 'A parada termina antes de começar.',
  'The stoppage is outside the shift; give only the part inside.':
    'A parada está fora do turno; dê só a parte de dentro.',
  'The machine is listed twice.': 'A máquina está na lista duas vezes.',
  'Two stoppages of one machine overlap.': 'Duas paradas de uma máquina se sobrepõem.',
  flagged: 'comunicada',
  in_progress: 'em andamento',
  on_hold: 'em espera',
  fixed: 'reparada',
  canceled: 'cancelada',
  'engine hours': 'horas do motor',
  km: 'km',
  'Link the device to a machine first. Bus requests are allowed for one machine.':
    'Vincule primeiro o dispositivo a uma máquina. Pedidos ao barramento são permitidos para uma máquina.',
  'The text is not a valid DBC file: line {line}, column {column}: {what}.':
    'O texto não é um arquivo DBC válido: linha {line}, coluna {column}: {what}.',
  'the byte order must be 0 or 1': 'a ordem dos bytes deve ser 0 ou 1',
  'the file defines no message': 'o arquivo não define nenhuma mensagem',
};
