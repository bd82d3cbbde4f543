/** Texts of the gateway in Brazilian Portuguese: sentences about the link to head office and about files on a stick. `docs/languages.md` has the glossary. */
import type { LinkTold } from './es-link.ts';

export const LINK_PT: Readonly<Record<LinkTold, string>> = {
  'the quarantine is full: it keeps {commits} changes that this version cannot take, and the names of {keys} further records. What came now is not taken, and nothing is lost: the other end keeps it. Update this end, and start it again.':
    'a quarentena está cheia: guarda {commits} mudanças que esta versão não consegue receber, e os nomes de mais {keys} registros. O que chegou agora não é recebido, e nada se perde: a outra ponta o guarda. Atualize esta ponta e inicie-a de novo.',
  'The comparison of a project makes no progress, because head office answers a question with the same question. Update head office. The site keeps the changes of this project and tries again every hour. Its other projects go on.':
    'A comparação de um projeto não avança, porque o escritório central responde a uma pergunta com a mesma pergunta. Atualize o escritório central. A mina guarda as mudanças deste projeto e tenta de novo a cada hora. Os outros projetos continuam.',
  'The address of head office must begin with https://, such as https://head-office.example.com.':
    'O endereço do escritório central deve começar com https://, como https://head-office.example.com.',
  'The address of head office must have no user name, no ? and no #.':
    'O endereço do escritório central não deve ter nome de usuário, ? nem #.',
  'Use https:// for head office. http:// is possible only for an address of the own network.':
    'Use https:// para o escritório central. http:// só é possível para um endereço da própria rede.',
  '{n} device has no key at this box, so what it sends is refused. Give it a new key: on the page Connect, enter its serial number, and put the new key into the device.|{n} devices have no key at this box, so what they send is refused. Give each one a new key: on the page Connect, enter its serial number, and put the new key into the device.':
    '{n} dispositivo não tem chave neste equipamento, por isso o que ele envia é recusado. Dê a ele uma chave nova: na página Conectar, digite o número de série, e ponha a chave nova no dispositivo.|{n} dispositivos não têm chave neste equipamento, por isso o que eles enviam é recusado. Dê a cada um uma chave nova: na página Conectar, digite o número de série, e ponha a chave nova no dispositivo.',
  'The newest values, meters and trouble codes of machines are those that head office had, with their times. These come when the machine reports again: values of devices, previously active trouble codes (DM2), and the lamps of a control unit without an active code; if such a lamp was on, also the trouble codes of that machine. The earlier steps of a meter do not come back; its total goes on, and the events of the machine name each step.':
    'Os valores mais novos, medidores e códigos de falha das máquinas são os que o escritório central tinha, com seus horários. Estes chegam quando a máquina informa de novo: valores de dispositivos, códigos antes ativos (DM2), e as luzes de uma unidade de controle sem código ativo; se essa luz estava acesa, também os códigos de falha dessa máquina. Os passos anteriores de um medidor não voltam; o total continua, e o registro da máquina cita cada passo.',
  'Bus requests, configuration, firmware and quarantine of devices never come from head office. Set them again on the page of each device; a device that was in quarantine at that box is not in quarantine here.':
    'Pedidos ao barramento, configuração, firmware e quarentena de dispositivos nunca vêm do escritório central. Defina-os de novo na página de cada dispositivo; um dispositivo que estava em quarentena naquele equipamento não está aqui.',
  'Users, PINs, API keys, shared tablets and the links of TVs were only on that box. Invite people again, pair TVs and tablets again, and make new keys.':
    'Usuários, PINs, chaves, tablets compartilhados e os links das TVs estavam só naquele equipamento. Convide as pessoas de novo, pareie as TVs e registre os tablets de novo, e crie chaves novas.',
  'Passphrases of log files, signing keys of webhooks, keys of models and the TLS certificate were encrypted with the key of that box, which is gone. Enter them again. Screens and loggers that trust the old certificate must trust the new one.':
    'Senhas de arquivos de registro, chaves de assinatura de webhooks, chaves de modelos e o certificado TLS estavam criptografados com a chave daquele equipamento, que se perdeu. Digite-os de novo. Telas e registradores que confiam no certificado antigo devem confiar no novo.',
  'Raw messages of the last hours were only on the disk of that box.':
    'As mensagens brutas das últimas horas estavam só no disco daquele equipamento.',
  'Photos and logs are at head office. This box fetches the content of a file when somebody asks for it on its page.':
    'Fotos e registros estão no escritório central. Este equipamento busca o conteúdo de um arquivo quando alguém o pede na página dele.',
  'Head office never heard the box before, so nothing of it can come back.':
    'O escritório central nunca teve contato com o equipamento anterior, então nada dele pode voltar.',
  'The bundle is damaged: its bytes are not those that were written. Copy the file again; if that does not help, make a new bundle.':
    'O arquivo está danificado: os bytes não são os que foram escritos. Copie o arquivo de novo; se não ajudar, faça um novo.',
  'The bundle has version {version} of the form; this end knows versions {plain} and {with_files}. Update the older end, and make a new bundle.':
    'O arquivo tem a versão {version} do formato; esta ponta conhece as versões {plain} e {with_files}. Atualize a ponta mais antiga e faça um arquivo novo.',
  'The file ends before its end: it was not copied as a whole. What it has was taken. Copy it again and import it again, or make a new bundle.':
    'O arquivo termina antes do fim: não foi copiado inteiro. O que ele tem foi recebido. Copie-o e importe-o de novo, ou faça um novo.',
  'This file is not a bundle of Headframe. Choose the file that the other end made; its name ends in .hfbundle.':
    'Este arquivo não é um arquivo de dados do Headframe. Escolha o arquivo que a outra ponta fez; o nome termina em .hfbundle.',
  'Another bundle is being written or read. Try again when that has ended.':
    'Outro arquivo está sendo escrito ou lido. Tente de novo quando terminar.',
  '{n} photo or log|{n} photos and logs': '{n} foto ou registro|{n} fotos e registros',
  '{n} change and 1 photo or log|{n} changes and 1 photo or log':
    '{n} mudança e 1 foto ou registro|{n} mudanças e 1 foto ou registro',
  '{n} change and {files} photos and logs|{n} changes and {files} photos and logs':
    '{n} mudança e {files} fotos e registros|{n} mudanças e {files} fotos e registros',
  '{what} for head office. Head office has not confirmed it yet.':
    '{what} para o escritório central. O escritório central ainda não confirmou.',
  '{what} for {site}. {site} has not confirmed it yet.': '{what} para {site}. {site} ainda não confirmou.',
  '{what} for head office. It has arrived.': '{what} para o escritório central. Chegou.',
  '{what} for {site}. It has arrived.': '{what} para {site}. Chegou.',
  '{what}. All changes were taken.': '{what}. Todas as mudanças foram recebidas.',
  '{what}. Everything was taken.': '{what}. Tudo foi recebido.',
  '{what}. Everything was taken but live values. {site} must connect once over a network, because one of the two ends was put back from a backup.':
    '{what}. Tudo foi recebido menos os valores ao vivo. {site} deve se conectar uma vez por uma rede, porque uma das duas pontas foi restaurada de uma cópia.',
  '{what}. The file ended early: import it again from a whole copy.':
    '{what}. O arquivo terminou antes: importe-o de novo de uma cópia inteira.',
  'Not everything fitted: make the next file.': 'Nem tudo coube: faça o próximo arquivo.',
  'This was file {volume}; file {next} of the same export has the rest.':
    'Este foi o arquivo {volume}; o arquivo {next} da mesma exportação tem o resto.',
  '{n} change was not taken: see the page about the other end.|{n} changes were not taken: see the page about the other end.':
    '{n} mudança não foi recebida: veja a página sobre a outra ponta.|{n} mudanças não foram recebidas: veja a página sobre a outra ponta.',
  '{n} project is not in it: it needs one contact over a network first.|{n} projects are not in it: they need one contact over a network first.':
    '{n} projeto não está nele: precisa primeiro de um contato por uma rede.|{n} projetos não estão nele: precisam primeiro de um contato por uma rede.',
  '{n} photo or log for head office waits for the next file.|{n} photos and logs for head office wait for the next file.':
    '{n} foto ou registro para o escritório central espera o próximo arquivo.|{n} fotos e registros para o escritório central esperam o próximo arquivo.',
  '{n} photo or log for {site} waits for the next file.|{n} photos and logs for {site} wait for the next file.':
    '{n} foto ou registro para {site} espera o próximo arquivo.|{n} fotos e registros para {site} esperam o próximo arquivo.',
  '{n} photo or log could not be joined, because earlier parts are not here: import the files of the export in their order.|{n} photos and logs could not be joined, because earlier parts are not here: import the files of the export in their order.':
    '{n} foto ou registro não pôde ser juntado, porque faltam partes anteriores: importe os arquivos da exportação em ordem.|{n} fotos e registros não puderam ser juntados, porque faltam partes anteriores: importe os arquivos da exportação em ordem.',
  '{n} photo or log is arriving over the network now: nothing is to be done.|{n} photos and logs are arriving over the network now: nothing is to be done.':
    '{n} foto ou registro está chegando pela rede: não há nada a fazer.|{n} fotos e registros estão chegando pela rede: não há nada a fazer.',
  'The disk had no room for {n} photo or log: make room, and import the file again.|The disk had no room for {n} photos and logs: make room, and import the file again.':
    'O disco não tinha espaço para {n} foto ou registro: libere espaço e importe o arquivo de novo.|O disco não tinha espaço para {n} fotos e registros: libere espaço e importe o arquivo de novo.',
  'The disk refused {n} photo or log with an error: check the disk of this end, and import the file again.|The disk refused {n} photos and logs with an error: check the disk of this end, and import the file again.':
    'O disco recusou {n} foto ou registro com um erro: verifique o disco desta ponta e importe o arquivo de novo.|O disco recusou {n} fotos e registros com um erro: verifique o disco desta ponta e importe o arquivo de novo.',
  '{n} photo or log is damaged, on the disk of the other end or on the way: make a new file there. If the same happens again, check the disk of the other end, and store the photo or log there anew.|{n} photos and logs are damaged, on the disk of the other end or on the way: make a new file there. If the same happens again, check the disk of the other end, and store the photo or log there anew.':
    '{n} foto ou registro está danificado, no disco da outra ponta ou no caminho: faça lá um arquivo novo. Se acontecer de novo, verifique o disco da outra ponta e guarde lá de novo a foto ou o registro.|{n} fotos e registros estão danificados, no disco da outra ponta ou no caminho: faça lá um arquivo novo. Se acontecer de novo, verifique o disco da outra ponta e guarde lá de novo a foto ou o registro.',
  '{n} photo or log is not known here: import the earlier files of the export first, and then this one again.|{n} photos and logs are not known here: import the earlier files of the export first, and then this one again.':
    '{n} foto ou registro não é conhecido aqui: importe primeiro os arquivos anteriores da exportação, e depois este de novo.|{n} fotos e registros não são conhecidos aqui: importe primeiro os arquivos anteriores da exportação, e depois este de novo.',
  '{n} photo or log could not be read here, and is not in it: check the disk of this end.|{n} photos and logs could not be read here, and are not in it: check the disk of this end.':
    '{n} foto ou registro não pôde ser lido aqui, e não está no arquivo: verifique o disco desta ponta.|{n} fotos e registros não puderam ser lidos aqui, e não estão no arquivo: verifique o disco desta ponta.',
  '{where}, {message}': '{where}, {message}',
  'At head office': 'No escritório central',
  'At this site': 'Nesta mina',
  'Head office has revoked {name}, so no bundle is made for it or taken from it. To take its data, make a new code, and connect the site with it.':
    'O escritório central revogou {name}, por isso nenhum arquivo é feito para ela ou recebido dela. Para receber os dados, crie um código novo e conecte a mina com ele.',
  '{name} was never connected to this head office.': '{name} nunca esteve conectada a este escritório central.',
  'This bundle was made at head office, for {site}. Import it there, and import here the one that the site makes.':
    'Este arquivo foi feito no escritório central, para {site}. Importe-o lá, e importe aqui o que a mina fizer.',
  'This head office does not know the site {site} of this bundle. Import it at the head office to which that site is connected.':
    'Este escritório central não conhece a mina {site} deste arquivo. Importe-o no escritório central a que essa mina está conectada.',
  '{site} was connected anew since this bundle was made. Make a new bundle at the site: it has everything of this one.':
    '{site} foi conectada de novo depois que este arquivo foi feito. Faça um arquivo novo na mina: ele tem tudo deste.',
  '{site} was put back from a backup since this bundle was made, or another computer with a copy of its disk made it. If the site itself made it, import it with --earlier-life (over the API: the header Earlier-Life: take): records and events are taken, live values are not. If a copy made it, stop the copy.':
    '{site} foi restaurada de uma cópia depois que este arquivo foi feito, ou outro computador com uma cópia do disco o fez. Se a própria mina o fez, importe-o com --earlier-life (pela API: o cabeçalho Earlier-Life: take): registros e eventos são recebidos, valores ao vivo não. Se uma cópia o fez, pare a cópia.',
  'No gateway with this id is enrolled here.': 'Nenhum gateway com este identificador está inscrito aqui.',
  'Name the gateway for which the bundle is.': 'Indique o gateway para o qual é o arquivo.',
  'There is no bundle of this gateway with this id.': 'Não há arquivo deste gateway com este identificador.',
  'This bundle is for another site. Make one at head office for {name}.':
    'Este arquivo é para outra mina. Faça um no escritório central para {name}.',
  'Head office has revoked this gateway, so it takes no bundle of it. Ask head office for a new code, and connect this site with it.':
    'O escritório central revogou este gateway, por isso não recebe arquivos dele. Peça um código novo ao escritório central e conecte esta mina com ele.',
  'This bundle was made at a site, for head office. Import it at head office, and import here the one that head office makes.':
    'Este arquivo foi feito em uma mina, para o escritório central. Importe-o no escritório central, e importe aqui o que o escritório central fizer.',
  'This site was connected to head office anew since this bundle was made. Make a new one at head office.':
    'Esta mina foi conectada de novo ao escritório central depois que este arquivo foi feito. Faça um novo no escritório central.',
  'Another computer uses the identity of this gateway, such as a copy of its disk. Stop the other one, or ask head office which of the two counts; until then no bundle is made or taken here.':
    'Outro computador usa a identidade deste gateway, por exemplo uma cópia do disco. Pare o outro, ou pergunte ao escritório central qual dos dois vale; até lá nenhum arquivo é feito ou recebido aqui.',
  'Head office has a bundle that this gateway does not know, so this gateway was put back from a backup since. Connect it to head office once over a network: both then find out what is missing.':
    'O escritório central tem um arquivo que este gateway não conhece, então este gateway foi restaurado de uma cópia desde então. Conecte-o uma vez ao escritório central por uma rede: assim os dois descobrem o que falta.',
  'Changes before those of this bundle are missing here. If the export had several files, import the earlier ones first. Otherwise carry a new bundle to head office, and import the one that it then makes.':
    'Faltam aqui mudanças anteriores às deste arquivo. Se a exportação tinha vários arquivos, importe primeiro os anteriores. Senão, leve um arquivo novo ao escritório central e importe o que ele fizer então.',
  'The content of this file is lost: {at} does not have it either.':
    'O conteúdo deste arquivo se perdeu: {at} também não o tem.',
  'The content of this file ({size}, of which {received} are here) is at {at}.':
    'O conteúdo deste arquivo ({size}, dos quais {received} estão aqui) está em {at}.',
  'The content of this file ({size}) is at {at}.': 'O conteúdo deste arquivo ({size}) está em {at}.',
  'Ask for it, and it is sent first.': 'Peça-o, e ele é enviado primeiro.',
  'There has been no contact for {time}. It comes when there is a connection again.':
    'Não há contato há {time}. Chega quando houver conexão de novo.',
  'Files do not move now:': 'Os arquivos não se movem agora:',
  'It comes after more urgent data.': 'Chega depois de dados mais urgentes.',
  'It comes in about {time}.': 'Chega em cerca de {time}.',
  'Connected.': 'Conectada.',
  'Connected. The bytes of this month for the link are used up: the site sends only alerts, and it calls every {time}.':
    'Conectada. Os bytes deste mês para a conexão acabaram: a mina envia só alertas, e chama a cada {time}.',
  'Connected. The link costs money by the byte, so it calls every {time}. Alerts come at once.':
    'Conectada. A conexão custa dinheiro por byte, por isso ela chama a cada {time}. Os alertas chegam na hora.',
  'Head office takes nothing from this gateway, because an admin revoked it.':
    'O escritório central não aceita nada deste gateway, porque um administrador o revogou.',
  'This site has not sent anything yet.': 'Esta mina ainda não enviou nada.',
  'No connection for {time}. The site works on alone, and head office shows what it knew then.':
    'Sem conexão há {time}. A mina segue sozinha, e o escritório central mostra o que sabia então.',
  'At the last contact, {n} change waited at the site.|At the last contact, {n} changes waited at the site.':
    'No último contato, {n} mudança esperava na mina.|No último contato, {n} mudanças esperavam na mina.',
  '{n} change waits here for the site.|{n} changes wait here for the site.':
    '{n} mudança espera aqui pela mina.|{n} mudanças esperam aqui pela mina.',
  'Head office could not take {n} change of this site.|Head office could not take {n} changes of this site.':
    'O escritório central não conseguiu receber {n} mudança desta mina.|O escritório central não conseguiu receber {n} mudanças desta mina.',
  'Nothing waits.': 'Nada espera.',
  'No site is connected to this head office yet.': 'Ainda não há mina conectada a este escritório central.',
  'The site is connected.': 'A mina está conectada.',
  'The site has no connection now.': 'A mina não tem conexão agora.',
  'All {count} sites are connected.': 'Todas as {count} minas estão conectadas.',
  '{n} of {count} sites is connected. The others work on alone.|{n} of {count} sites are connected. The others work on alone.':
    '{n} de {count} minas está conectada. As outras seguem sozinhas.|{n} de {count} minas estão conectadas. As outras seguem sozinhas.',
  'Several boxes use the identity of this site, such as a computer and a copy of its disk. Head office takes the data of one of them.':
    'Vários equipamentos usam a identidade desta mina, por exemplo um computador e uma cópia do disco. O escritório central recebe os dados de um deles.',
  'The bytes of this link are counted. A live view uses some of them.':
    'Os bytes desta conexão são contados. Uma visão ao vivo usa alguns.',
  'Head office has asked the site for live values.': 'O escritório central pediu valores ao vivo à mina.',
  'The site sends live values every 2 s.': 'A mina envia valores ao vivo a cada 2 s.',
  'Live view is not possible: the site has no connection now.':
    'A visão ao vivo não é possível: a mina não tem conexão agora.',
  'Live view is not possible: the link of this site costs money by the byte, and the site calls seldom.':
    'A visão ao vivo não é possível: a conexão desta mina custa dinheiro por byte, e a mina chama com pouca frequência.',
  'Live view is not possible: the bytes of this month for the link of this site are used up.':
    'A visão ao vivo não é possível: os bytes deste mês para a conexão desta mina acabaram.',
  'Live view is not possible: the version of this site cannot send live values when it is asked. Update the site.':
    'A visão ao vivo não é possível: a versão desta mina não consegue enviar valores ao vivo a pedido. Atualize a mina.',
  'A fault of this gateway. Its log has the details.': 'Uma falha deste gateway. O registro dele tem os detalhes.',
  'Head office cannot be reached at {url}.': 'Não é possível alcançar o escritório central em {url}.',
  '({code})': '({code})',
  'The name in this address is not known here. Compare the address, and check that this gateway has a network connection.':
    'O nome neste endereço não é conhecido aqui. Compare o endereço, e verifique se este gateway tem conexão de rede.',
  'No answer came from this address. Compare the address, and check that a firewall lets this gateway call it.':
    'Não veio resposta deste endereço. Compare o endereço, e verifique se um firewall deixa este gateway chamar.',
  'The certificate at this address is not trusted here, so this site sends nothing to it. If head office has a certificate of your own authority, start this gateway with NODE_EXTRA_CA_CERTS=/path/of/ca.pem.':
    'O certificado neste endereço não é confiável aqui, por isso esta mina não envia nada a ele. Se o escritório central tem um certificado de autoridade própria, inicie este gateway com NODE_EXTRA_CA_CERTS=/path/of/ca.pem.',
  'Nothing answers at this address. Compare the address and its port, and check that head office runs.':
    'Nada responde neste endereço. Compare o endereço e a porta, e verifique se o escritório central está em execução.',
  'This gateway has no network connection now.': 'Este gateway não tem conexão de rede agora.',
  'The connection broke before an answer came. Try again.':
    'A conexão caiu antes de chegar uma resposta. Tente de novo.',
  'The certificate of head office has expired. The people of head office must renew it.':
    'O certificado do escritório central expirou. As pessoas do escritório central devem renová-lo.',
  'The certificate of head office is not valid yet. Check the date and the time of this gateway and of head office.':
    'O certificado do escritório central ainda não é válido. Verifique a data e a hora deste gateway e do escritório central.',
  'The certificate at this address is for another name. Use the name in the certificate, or renew the certificate.':
    'O certificado neste endereço é para outro nome. Use o nome do certificado, ou renove o certificado.',
  'The other side does not speak TLS at this address. Compare the port: https has another port than http.':
    'O outro lado não fala TLS neste endereço. Compare a porta: https tem outra porta que http.',
  'The connection failed.': 'A conexão falhou.',
  '{n} second|{n} seconds': '{n} segundo|{n} segundos',
  '{n} minute|{n} minutes': '{n} minuto|{n} minutos',
  '{n} hour|{n} hours': '{n} hora|{n} horas',
  '{n} day|{n} days': '{n} dia|{n} dias',
  '{n} change|{n} changes': '{n} mudança|{n} mudanças',
  'A new box takes the place of another one. Head office begins to give it the data of the site.':
    'Um equipamento novo toma o lugar de outro. O escritório central começa a dar a ele os dados da mina.',
  'A new box takes the place of another one. Head office has given back {documents} of about {of} records.':
    'Um equipamento novo toma o lugar de outro. O escritório central devolveu {documents} de cerca de {of} registros.',
  '{n} change waits to be sent.|{n} changes wait to be sent.':
    '{n} mudança espera o envio.|{n} mudanças esperam o envio.',
  'This site works alone. It is not connected to head office.':
    'Esta mina trabalha sozinha. Não está conectada ao escritório central.',
  'This site connects to head office.': 'Esta mina se conecta ao escritório central.',
  'Head office has everything that this site has.': 'O escritório central tem tudo o que esta mina tem.',
  'The bytes of this month for the link are used up. Only alerts are sent.':
    'Os bytes deste mês para a conexão acabaram. Só alertas são enviados.',
  'This site and head office compare and exchange data.': 'Esta mina e o escritório central comparam e trocam dados.',
  'This site sends data to head office.': 'Esta mina envia dados ao escritório central.',
  'There is no connection to head office. This site works on and sends later.':
    'Não há conexão com o escritório central. Esta mina segue trabalhando e envia depois.',
  'There is no connection to head office for {time}. This site works on and sends later.':
    'Não há conexão com o escritório central há {time}. Esta mina segue trabalhando e envia depois.',
  'Another computer uses the identity of this gateway, perhaps a copy of its disk. This one works on alone, and head office takes nothing from it. Stop one of the two. An admin of head office can choose which one is the site, by its mark, on the page Sites.':
    'Outro computador usa a identidade deste gateway, talvez uma cópia do disco. Este segue sozinho, e o escritório central não aceita nada dele. Pare um dos dois. Um administrador do escritório central pode escolher qual é a mina, pela marca, na página Minas.',
  'Head office has revoked this gateway, or does not know it any more. This site works on alone. Ask head office for a new code.':
    'O escritório central revogou este gateway, ou não o conhece mais. Esta mina segue sozinha. Peça um código novo ao escritório central.',
  'This site and head office cannot exchange data.': 'Esta mina e o escritório central não conseguem trocar dados.',
  'The content of {n} file is lost: neither end has it.|The content of {n} files is lost: neither end has it.':
    'O conteúdo de {n} arquivo se perdeu: nenhuma ponta o tem.|O conteúdo de {n} arquivos se perdeu: nenhuma ponta o tem.',
  '{n} file still waits to be sent.|{n} files still wait to be sent.':
    '{n} arquivo ainda espera o envio.|{n} arquivos ainda esperam o envio.',
  'Head office has all records that this site made and holds.':
    'O escritório central tem todos os registros que esta mina fez e guarda.',
  'Head office has everything that this site made and holds.':
    'O escritório central tem tudo o que esta mina fez e guarda.',
  'Head office has everything but what {n} gap record names.|Head office has everything but what {n} gap records name.':
    'O escritório central tem tudo menos o que {n} registro de lacuna indica.|O escritório central tem tudo menos o que {n} registros de lacunas indicam.',
  '{n} change still waits at one end, so nothing can be said yet. Compare again later.|{n} changes still wait at one end, so nothing can be said yet. Compare again later.':
    '{n} mudança ainda espera em uma ponta, então nada pode ser dito. Compare de novo mais tarde.|{n} mudanças ainda esperam em uma ponta, então nada pode ser dito. Compare de novo mais tarde.',
  'Nothing can be said yet.': 'Ainda não é possível dizer nada.',
  'Something is missing at head office: {missing} documents, {commits} commits that it could not take, and {times} times in which something vanished here without a record.':
    'Falta algo no escritório central: {missing} documentos, {commits} mudanças que ele não conseguiu receber, e {times} períodos em que algo sumiu aqui sem registro.',
  'Something else than head office answers at this address (HTTP {status}), for example a proxy or the sign-in page of a network.':
    'Neste endereço responde outra coisa que não o escritório central (HTTP {status}), por exemplo um proxy ou a página de entrada de uma rede.',
  'Something else than head office answers at this address.':
    'Neste endereço responde outra coisa que não o escritório central.',
  'Head office does not know this gateway any more, or has revoked it.':
    'O escritório central não conhece mais este gateway, ou o revogou.',
  'The disk of this gateway has no room for the next file.':
    'O disco deste gateway não tem espaço para o próximo arquivo.',
  'The disk of head office has no room for the next file.':
    'O disco do escritório central não tem espaço para o próximo arquivo.',
  'A file of head office does not have its SHA-256. It is read again.':
    'Um arquivo do escritório central não tem seu SHA-256. Ele é lido de novo.',
  'This site is not connected to head office. Connect it once with a code.':
    'Esta mina não está conectada ao escritório central. Conecte-a uma vez com um código.',
  'This site is not connected to head office.': 'Esta mina não está conectada ao escritório central.',
  'The bytes that are left of this month for the link are too few for it, so it waits for the next month.':
    'Os bytes que restam deste mês para a conexão são poucos, por isso ele espera o próximo mês.',
  'Files are sent only in the hours that were chosen for them.':
    'Os arquivos são enviados só nas horas escolhidas para eles.',
  'The link costs money, so large files wait until somebody asks for them.':
    'A conexão custa dinheiro, por isso arquivos grandes esperam até que alguém os peça.',
  'This file is here.': 'Este arquivo está aqui.',
  'The content of this file is not here, and this site is not connected to head office.':
    'O conteúdo deste arquivo não está aqui, e esta mina não está conectada ao escritório central.',
  'Find the other computer with a copy of this disk, and stop one of the two. If head office takes the data of the wrong one, choose this one there, on the page Sites.':
    'Procure o outro computador com uma cópia deste disco, e pare um dos dois. Se o escritório central recebe os dados do errado, escolha este lá, na página Minas.',
  'Ask head office for a new code, and connect this site with it.':
    'Peça um código novo ao escritório central, e conecte esta mina com ele.',
  'Read the message. If one of the two ends has an older version, update it.':
    'Leia a mensagem. Se uma das duas pontas tem uma versão mais antiga, atualize-a.',
  'Stop this box. If it is the right one, ask head office for a code that replaces the box of this site.':
    'Pare este equipamento. Se for o certo, peça ao escritório central um código que substitua o equipamento desta mina.',
  'Head office takes nothing from this box, and what it records is only here. Stop it. To use its computer for another site, install Headframe anew with an empty data folder. If this box is the right one after all, ask head office for a code that replaces the box of this site, and connect this box with it.':
    'O escritório central não aceita nada deste equipamento, e o que ele registra está só aqui. Pare-o. Para usar o computador em outra mina, instale o Headframe de novo com uma pasta de dados vazia. Se, apesar de tudo, este equipamento for o certo, peça ao escritório central um código que substitua o equipamento desta mina, e conecte este equipamento com ele.',
  'Head office could not take changes of {count} record and has no room to keep them. It noted the names, and this site keeps the records. Update head office and start it again: it then gets them by itself.|Head office could not take changes of {count} records and has no room to keep them. It noted the names, and this site keeps the records. Update head office and start it again: it then gets them by itself.':
    'O escritório central não conseguiu receber mudanças de {count} registro e não tem espaço para guardá-las. Ele anotou os nomes, e esta mina guarda os registros. Atualize o escritório central e inicie-o de novo: então ele os recebe sozinho.|O escritório central não conseguiu receber mudanças de {count} registros e não tem espaço para guardá-las. Ele anotou os nomes, e esta mina guarda os registros. Atualize o escritório central e inicie-o de novo: então ele os recebe sozinho.',
  'Head office could not take changes of {count} record and has no room to keep them. It noted the names, and the site keeps the records. Update head office and start it again: it then gets them by itself.|Head office could not take changes of {count} records and has no room to keep them. It noted the names, and the site keeps the records. Update head office and start it again: it then gets them by itself.':
    'O escritório central não conseguiu receber mudanças de {count} registro e não tem espaço para guardá-las. Ele anotou os nomes, e a mina guarda os registros. Atualize o escritório central e inicie-o de novo: então ele os recebe sozinho.|O escritório central não conseguiu receber mudanças de {count} registros e não tem espaço para guardá-las. Ele anotou os nomes, e a mina guarda os registros. Atualize o escritório central e inicie-o de novo: então ele os recebe sozinho.',
  'This site could not take changes of {count} record and has no room to keep them. It noted the names, and head office keeps the records. Update this site and start it again: it then gets them by itself.|This site could not take changes of {count} records and has no room to keep them. It noted the names, and head office keeps the records. Update this site and start it again: it then gets them by itself.':
    'Esta mina não conseguiu receber mudanças de {count} registro e não tem espaço para guardá-las. Ela anotou os nomes, e o escritório central guarda os registros. Atualize esta mina e inicie-a de novo: então ela os recebe sozinha.|Esta mina não conseguiu receber mudanças de {count} registros e não tem espaço para guardá-las. Ela anotou os nomes, e o escritório central guarda os registros. Atualize esta mina e inicie-a de novo: então ela os recebe sozinha.',
};
