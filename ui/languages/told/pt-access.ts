/** Texts of the gateway in Brazilian Portuguese: refusals about signing in, people, keys, tablets and head office. `docs/languages.md` has the glossary. */
import type { AccessTold } from './es-access.ts';

export const ACCESS_PT: Readonly<Record<AccessTold, string>> = {
  'The code is wrong or has expired. Print a new one on the gateway with `headframe claim-code`.':
    'O código está errado ou expirou. Imprima um novo no gateway com `headframe claim-code`.',
  'This gateway already has an owner. Ask the owner for a key.':
    'Este gateway já tem um proprietário. Peça uma chave ao proprietário.',
  'There is no scope with the name {unknown}.': 'Não há permissão com o nome {unknown}.',
  'Your key does not have the scope {wider}, so it cannot create a key with that scope.':
    'Sua chave não tem a permissão {wider}, por isso não pode criar uma chave com essa permissão.',
  'Your key is not valid for clients at {elsewhere}, so it cannot create a key for them.':
    'Sua chave não vale para clientes em {elsewhere}, por isso não pode criar uma chave para eles.',
  'The project {missing} does not exist, or this key has no access to it.':
    'O projeto {missing} não existe, ou esta chave não tem acesso a ele.',
  'There is no such workspace key.': 'Essa chave não existe.',
  'Only an owner can create owner keys.': 'Só um proprietário pode criar chaves de proprietário.',
  'An owner key cannot be restricted; leave out scopes and addresses.':
    'Uma chave de proprietário não pode ser restrita; deixe fora as permissões e os endereços.',
  'This key is no longer valid; create a new one.': 'Esta chave não vale mais; crie uma nova.',
  'Only an owner can roll an owner key.': 'Só um proprietário pode renovar uma chave de proprietário.',
  'This key has more access than your key, so you cannot roll it.':
    'Esta chave tem mais acesso que a sua, por isso você não pode renová-la.',
  'Only an owner can revoke an owner key.': 'Só um proprietário pode revogar uma chave de proprietário.',
  'This is the last owner; create another owner first.':
    'Este é o último proprietário; crie outro proprietário primeiro.',
  'You use the gateway without TLS. First open https://{host}:{tls_port} and repeat this there. So you know that you can get in with TLS.':
    'Você usa o gateway sem TLS. Abra primeiro https://{host}:{tls_port} e repita isto lá. Assim você sabe que consegue entrar com TLS.',
  'This key is restricted to some projects. The listeners belong to the whole gateway, so use a key for all projects.':
    'Esta chave é restrita a alguns projetos. Os serviços de rede pertencem a todo o gateway; use uma chave para todos os projetos.',
  'This gateway does not run this listener.': 'Este gateway não tem este serviço de rede.',
  'This listener has no port with TLS, so nobody could use it.':
    'Este serviço de rede não tem porta com TLS, então ninguém poderia usá-lo.',
  'The TLS certificate of the gateway is not valid now, so clients would refuse it. See the page Health.':
    'O certificado TLS do gateway não é válido agora, então os clientes o recusariam. Veja a página Saúde do sistema.',
  'The user {name} may not sign in.': 'O usuário {name} não pode entrar.',
  'The code for local sign-in is unknown, used or expired. Sign in with your name and your passphrase.':
    'O código para a entrada local é desconhecido, foi usado ou expirou. Entre com seu nome e sua senha.',
  'A user or key can have at most {most} tokens; revoke one first.':
    'Um usuário ou uma chave pode ter no máximo {most} tokens; revogue um primeiro.',
  'Only a user or a workspace key can issue personal tokens.':
    'Só um usuário ou uma chave pode emitir tokens pessoais.',
  'You signed in with a PIN on a shared tablet. To issue a token, sign in with your passphrase on another device.':
    'Você entrou com um PIN em um tablet compartilhado. Para emitir um token, entre com sua senha em outro dispositivo.',
  'Your key is not allowed to read transcripts, so it cannot issue a token for that.':
    'Sua chave não pode ler transcrições, por isso não pode emitir um token para isso.',
  'Only owners and admins can list the tokens of another key.':
    'Só proprietários e administradores podem ver os tokens de outra chave.',
  'The PIN {pin} is easy to guess: it is {why}. Choose another PIN.':
    'O PIN {pin} é fácil de adivinhar: é {why}. Escolha outro PIN.',
  '{name} has the role {role}. Owners and admins sign in with a passphrase, because a PIN of 6 digits is too short for their rights. For work on a shared tablet, create a second user with another role.':
    '{name} tem a função {role}. Proprietários e administradores entram com uma senha, porque um PIN de 6 dígitos é curto demais para suas permissões. Para trabalhar em um tablet compartilhado, crie um segundo usuário com outra função.',
  'The project does not exist, or this credential has no access to it.':
    'O projeto não existe, ou esta credencial não tem acesso a ele.',
  'This key is restricted to some projects and cannot create one.':
    'Esta chave é restrita a alguns projetos e não pode criar um.',
  'This invitation is used, replaced or expired. Ask an admin for a new one.':
    'Este convite foi usado, substituído ou expirou. Peça um novo a um administrador.',
  'The name or the passphrase is wrong, or the user may not sign in. If you forgot it, ask an admin for an invitation.':
    'O nome ou a senha está errado, ou o usuário não pode entrar. Se você a esqueceu, peça um convite a um administrador.',
  'Only owners and admins can list the sessions of another user.':
    'Só proprietários e administradores podem ver as sessões de outro usuário.',
  'Another user who is not an owner has this name. Use another name.':
    'Outro usuário, que não é proprietário, tem este nome. Use outro nome.',
  'A setup of this project runs. Wait until it ends, or cancel it.':
    'Uma configuração deste projeto está em execução. Espere até terminar, ou cancele-a.',
  'Somebody has decided this, or changed the field, in the meantime. Look at it again.':
    'Alguém já decidiu isto, ou mudou o campo, enquanto isso. Olhe de novo.',
  'This key is restricted to some projects. A bundle has all projects of a site, so use a key for all projects.':
    'Esta chave é restrita a alguns projetos. Um arquivo tem todos os projetos de uma mina; use uma chave para todos os projetos.',
  'There is no bundle with this id.': 'Não há arquivo com este identificador.',
  'Head office has at most {most_gateways} enrolments.':
    'O escritório central tem no máximo {most_gateways} inscrições.',
  'This key is restricted to some projects. A gateway brings projects of its own, so use a key for all projects.':
    'Esta chave é restrita a alguns projetos. Um gateway traz projetos próprios; use uma chave para todos os projetos.',
  'No box of this gateway has this mark now. A box that is fenced takes a new mark: read sync_status again.':
    'Nenhum equipamento deste gateway tem esta marca agora. Um equipamento isolado recebe uma marca nova: abra a página de novo.',
  'This gateway is not enrolled at this head office any more.':
    'Este gateway não está mais inscrito neste escritório central.',
  'No gateway with this id was ever connected.': 'Nenhum gateway com este identificador esteve conectado.',
  'Head office cannot enrol itself.': 'O escritório central não pode inscrever a si mesmo.',
  'Head office does not know this code. Compare it with the code on the page of head office.':
    'O escritório central não conhece este código. Compare-o com o código na página do escritório central.',
  'This code has expired. Ask head office for a new one.': 'Este código expirou. Peça um novo ao escritório central.',
  'This code was used already, and a code is valid once. Ask head office for a new one.':
    'Este código já foi usado, e um código vale uma vez. Peça um novo ao escritório central.',
  'Head office has withdrawn this code. Ask head office for a new one.':
    'O escritório central retirou este código. Peça um novo ao escritório central.',
  'This code is for a new box that takes the place of another one, and this box has a project of its own. Install Headframe on the new box with an empty data folder, and enter the code before you create a site. The code was not used up.':
    'Este código é para um equipamento novo que toma o lugar de outro, e este equipamento tem um projeto próprio. Instale o Headframe no equipamento novo com uma pasta de dados vazia, e digite o código antes de criar uma mina. O código não foi gasto.',
  'This key is restricted to some projects. The link to head office belongs to the whole gateway, so use a key for all projects.':
    'Esta chave é restrita a alguns projetos. A conexão com o escritório central pertence a todo o gateway; use uma chave para todos os projetos.',
  'The site does not exist, or this credential has no access to it.':
    'A mina não existe, ou esta credencial não tem acesso a ela.',
  'The limits can be lifted for at most 31 days.': 'Os limites podem ser suspensos por no máximo 31 dias.',
  '{name} has no PIN yet. Ask an admin for a one-time PIN, or set a PIN on the page My account.':
    '{name} ainda não tem PIN. Peça um PIN de uso único a um administrador, ou defina um PIN na página Minha conta.',
  '{name} has no valid PIN: the one-time PIN has expired. Ask an admin for a one-time PIN, or set a PIN on the page My account.':
    '{name} não tem PIN válido: o PIN de uso único expirou. Peça um PIN de uso único a um administrador, ou defina um PIN na página Minha conta.',
  'Only an enrolled tablet may call this operation.': 'Só um tablet registrado pode fazer isto.',
  'This link is used, replaced or expired. Ask an admin for a new one on the page Tablets.':
    'Este link foi usado, substituído ou expirou. Peça um novo a um administrador na página Tablets.',
  'Change your PIN on the page My account.': 'Mude seu PIN na página Minha conta.',
  'Choose your own PIN of 6 digits.': 'Escolha seu próprio PIN de 6 dígitos.',
  'There is no user {id} with access to this project.': 'Não há usuário {id} com acesso a este projeto.',
  'A gateway can have at most {most_tablets} tablets.': 'Um gateway pode ter no máximo {most_tablets} tablets.',
  'A site can have at most {most_displays} paired screens. Unpair one that is not used any more.':
    'Um local pode ter no máximo {most_displays} telas pareadas. Despareie uma que não é mais usada.',
  'Name at least one role or one user who may use the tablet.':
    'Indique pelo menos uma função ou um usuário que possa usar o tablet.',
  'The passphrase is wrong.': 'A senha está errada.',
  'You have no PIN.': 'Você não tem PIN.',
  'Only the user can do this. For another user reset the PIN.':
    'Só o usuário pode fazer isto. Para outro usuário, redefina o PIN.',
  'This user is disabled; enable the user first.': 'Este usuário está desativado; ative-o primeiro.',
  'The project {missing} does not exist, or you have no access to it.':
    'O projeto {missing} não existe, ou você não tem acesso a ele.',
  'A gateway can have at most {most_users} users.': 'Um gateway pode ter no máximo {most_users} usuários.',
  'This passphrase is easy to guess. Choose three or more words that do not belong together.':
    'Esta senha é fácil de adivinhar. Escolha três ou mais palavras que não combinem.',
  'Only an owner can create or change an owner.': 'Só um proprietário pode criar ou mudar um proprietário.',
  'There is no such person.': 'Essa pessoa não existe.',
  'There is no such user.': 'Esse usuário não existe.',
  'This is the last owner; make another owner first.':
    'Este é o último proprietário; torne outra pessoa proprietária primeiro.',
  'Only the user can do this. For another user make an invitation.':
    'Só o usuário pode fazer isto. Para outro usuário, crie um convite.',
  'The current passphrase is wrong.': 'A senha atual está errada.',
  'Only a person who is signed in gets a pass.': 'Só uma pessoa que entrou recebe um passe.',
  'Too many people sign in at the moment. Try again in some seconds.':
    'Muitas pessoas estão entrando neste momento. Tente de novo em alguns segundos.',
  'a minute': 'um minuto',
  'Too many wrong PINs of {name} on this tablet. Wait {wait}, use another tablet, or ask an admin to reset the PIN.':
    'PINs errados demais de {name} neste tablet. Espere {wait}, use outro tablet, ou peça a um administrador que redefina o PIN.',
  'Too many wrong PINs of {name} today, on all tablets together. Wait {wait}, or ask an admin to reset the PIN.':
    'PINs errados demais de {name} hoje, em todos os tablets juntos. Espere {wait}, ou peça a um administrador que redefina o PIN.',
  'The PIN of {name} is blocked after too many wrong tries. Ask an admin to reset the PIN, or sign in with the passphrase and set a new PIN.':
    'O PIN de {name} está bloqueado depois de tentativas demais. Peça a um administrador que redefina o PIN, ou entre com a senha e defina um PIN novo.',
  '{n} more try before a wait.|{n} more tries before a wait.':
    'Resta {n} tentativa antes de uma espera.|Restam {n} tentativas antes de uma espera.',
  'This PIN is wrong.': 'Este PIN está errado.',
  'The gateway has a new key file, so the PIN of {name} is no longer valid. Ask an admin to reset the PIN.':
    'O gateway tem um novo arquivo de chave, por isso o PIN de {name} não vale mais. Peça a um administrador que redefina o PIN.',
  'Another PIN of {name} is checked at the moment. Try again.':
    'Outro PIN de {name} está sendo verificado neste momento. Tente de novo.',
  'Another box has taken the place of this one at head office, at {revoked_at}, with a code for this site.':
    'Outro equipamento tomou o lugar deste no escritório central, em {revoked_at}, com um código para esta mina.',
  'This key may not be used from this address.': 'Esta chave não pode ser usada deste endereço.',
  'Nobody owns this gateway yet. Open its address in a browser and enter the claim code that it printed, or run `headframe claim-code`.':
    'Ninguém é dono deste gateway ainda. Abra o endereço dele em um navegador e digite o código que ele imprimiu, ou execute `headframe claim-code`.',
  'This key or session is unknown, revoked or expired.':
    'Esta chave ou sessão é desconhecida, foi revogada ou expirou.',
  'An admin revoked the tablet {name}. To use it again, ask an admin to enrol it with a new QR code.':
    'Um administrador revogou o tablet {name}. Para usá-lo de novo, peça a um administrador que o registre com um novo código QR.',
  'This gateway accepts requests from other computers only with TLS. Use {base}, and replace a key that you sent without TLS.':
    'Este gateway aceita pedidos de outros computadores só com TLS. Use {base}, e substitua uma chave que você enviou sem TLS.',
  'The role {role} may not call this operation. Allowed roles: {roles}.':
    'A função {role} não pode fazer isto. Funções que podem: {roles}.',
  'This key does not have the scope {scope}.': 'Esta chave não tem a permissão {scope}.',
  '{name} may not write here any more. Ask an admin.':
    '{name} não pode mais escrever aqui. Pergunte a um administrador.',
  'The access of {name} has ended. Ask an admin.': 'O acesso de {name} terminou. Pergunte a um administrador.',
  '{name} wrote this. It is sent when {name} signs in here.':
    '{name} escreveu isto. É enviado quando {name} entrar aqui.',
  '{name} may not use this tablet any more. Ask an admin.':
    '{name} não pode mais usar este tablet. Pergunte a um administrador.',
  'This was written more than {writing_pass} days ago. The gateway can no longer tell whether it has it already.':
    'Isto foi escrito há mais de {writing_pass} dias. O gateway não consegue mais saber se já o tem.',
  'The gateway does not have this write. If it is still right, sign in, open "Outbox" and write it again.':
    'O gateway não tem esta mudança. Se ainda estiver certa, entre, abra “Caixa de saída” e escreva-a de novo.',
  'After this was written, the PIN or passphrase of {name} was changed, or a session was ended.':
    'Depois que isto foi escrito, o PIN ou a senha de {name} foi mudado, ou uma sessão foi encerrada.',
  'After this was written, the tablet was removed or enrolled again.':
    'Depois que isto foi escrito, o tablet foi removido ou registrado de novo.',
  'This gateway did not make the pass of this write, or it has a new key since then.':
    'Este gateway não fez o passe desta mudança, ou tem uma chave nova desde então.',
  'Another key wrote this.': 'Outra chave escreveu isto.',
  'The person who wrote this may not write here any more. Ask an admin.':
    'A pessoa que escreveu isto não pode mais escrever aqui. Pergunte a um administrador.',
  'Too many wrong passphrases. Wait {wait_s} s, then try again. If you do not know the passphrase, ask an admin for an invitation.':
    'Senhas erradas demais. Espere {wait_s} s e tente de novo. Se você não sabe a senha, peça um convite a um administrador.',
  'Your key has only some scopes, so it cannot create a key with all of them.':
    'Sua chave tem só algumas permissões, por isso não pode criar uma chave com todas.',
  'one repeated digit': 'um só dígito repetido',
  'a rising sequence': 'uma sequência crescente',
  'a falling sequence': 'uma sequência decrescente',
  'a repeated group of digits': 'um grupo de dígitos repetido',
  'the same forwards and backwards': 'igual de trás para frente',
  'pairs or triples of digits': 'pares ou trios de dígitos',
  'only two different digits': 'só dois dígitos diferentes',
  'one of the most common PINs': 'um dos PINs mais comuns',
  owner: 'proprietário',
  admin: 'administrador',
  supervisor: 'supervisor',
  viewer: 'só leitura',
  agent: 'agente',
  'The gateway at this address does not answer.': 'O gateway neste endereço não responde.',
  'The server at this address is not a Headframe gateway (status {status}).':
    'O servidor neste endereço não é um gateway do Headframe (status {status}).',
};
