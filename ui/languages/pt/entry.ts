/** The texts of the sign-in, the shared tablet and the own account, in Portuguese. `docs/languages.md` has the glossary. */
import type { EntryText } from '#ui/languages/es/entry.ts';

export const ENTRY_PT: Readonly<Record<EntryText, string>> = {
  'Change the passphrase': 'Mudar a senha',
  Save: 'Salvar',
  'The two new passphrases differ. Type them again.': 'As duas senhas novas são diferentes. Digite de novo.',
  'Current passphrase': 'Senha atual',
  'New passphrase': 'Senha nova',
  'New passphrase again': 'Senha nova outra vez',
  'Saved. Your other browsers are signed out.': 'Salvo. As sessões nos seus outros navegadores foram encerradas.',
  'PIN for shared tablets': 'PIN para tablets compartilhados',
  'Owners and admins sign in with their passphrase only. A PIN of 6 digits is too short for their rights.':
    'Proprietários e administradores entram só com a senha. Um PIN de 6 dígitos é curto demais para suas permissões.',
  'Change the PIN for shared tablets': 'Mudar o PIN para tablets compartilhados',
  'Set a PIN for shared tablets': 'Definir um PIN para tablets compartilhados',
  'Save the PIN': 'Salvar o PIN',
  'The two new PINs differ. Type them again.': 'Os dois PINs novos são diferentes. Digite de novo.',
  'Current PIN': 'PIN atual',
  'Your passphrase': 'Sua senha',
  'New PIN': 'PIN novo',
  '6 digits that are not easy to guess, such as no sequence and no repeated digits.':
    '6 dígitos que não sejam fáceis de adivinhar, sem sequências nem dígitos repetidos.',
  'New PIN again': 'PIN novo outra vez',
  'Saved. You can sign in with this PIN on each shared tablet that lists you.':
    'Salvo. Você pode entrar com este PIN em cada tablet compartilhado que tenha você na lista.',
  'You signed in with a key. On the page {a} an owner or admin creates an account for you.':
    'Você entrou com uma chave. Na página {a} um proprietário ou administrador cria uma conta para você.',
  'Where you are signed in': 'Onde você tem sessões abertas',
  Nobody: 'Ninguém',
  '{name}, operator': '{name}, operador',
  '{name}, mechanic': '{name}, mecânico',
  'A record of another site': 'Um registro de outra mina',
  'Operator or mechanic': 'Operador ou mecânico',
  'Not signed in anywhere.': 'Sem sessões abertas.',
  '{where}, used {time}, ends {end}': '{where}, usado {time}, vence {end}',
  '{where} (shared tablet), used {time}, ends {end}': '{where} (tablet compartilhado), usado {time}, vence {end}',
  'This browser': 'Este navegador',
  End: 'Encerrar',
  'Keep me signed in on this device': 'Manter minha sessão aberta neste dispositivo',
  Passphrase: 'Senha',
  'At least 10 characters, for example four words that do not belong together.':
    'Pelo menos 10 caracteres, por exemplo quatro palavras sem relação entre si.',
  'Passphrase again': 'Senha outra vez',
  'The two passphrases differ. Type them again.': 'As duas senhas são diferentes. Digite de novo.',
  'Enter a claim code': 'Digite um código de proprietário',
  'Claim this gateway': 'Assuma este gateway',
  'Run headframe claim-code on the computer of the gateway, and enter the code that it prints. Use the name with which you signed in before: then you are the same owner. Another name makes a further owner.':
    'Execute headframe claim-code no computador do gateway e digite o código que ele mostra. Use o nome com que você entrava antes: assim você é o mesmo proprietário. Outro nome cria mais um proprietário.',
  'Nobody owns this gateway yet. Become its owner: choose the name and the passphrase with which you sign in.':
    'Este gateway ainda não tem proprietário. Torne-se o proprietário: escolha o nome e a senha com que você vai entrar.',
  'The gateway printed a claim code when it started. Enter it to prove that you run this gateway. You then sign in with your name and a passphrase.':
    'O gateway mostrou um código ao iniciar. Digite-o para provar que você opera este gateway. Depois você entra com seu nome e uma senha.',
  'Save and sign in': 'Salvar e entrar',
  Claim: 'Assumir',
  'Claim code': 'Código de proprietário',
  'Your name': 'O seu nome',
  'You sign in with this name, and the gateway shows it beside your changes.':
    'Você entra com este nome, e o gateway o mostra ao lado das suas mudanças.',
  'Code expired? Run {code} on the gateway to get a new one.':
    'O código venceu? Execute {code} no gateway para receber um novo.',
  'Your account': 'Sua conta',
  'Hello {name}. Your role is {role}. Choose a passphrase. You sign in with your name and this passphrase.':
    'Olá, {name}. Sua função é {role}. Escolha uma senha. Você entra com seu nome e esta senha.',
  'PIN for shared tablets (optional)': 'PIN para tablets compartilhados (opcional)',
  '6 digits that are not easy to guess. You can also set it later on the page My account.':
    '6 dígitos que não sejam fáceis de adivinhar. Você também pode definir depois na página Minha conta.',
  'Go to the sign-in page': 'Ir para a página de entrada',
  'Sign in': 'Entrar',
  'Your session has ended. Sign in again.': 'Sua sessão terminou. Entre de novo.',
  Name: 'Nome',
  'Forgot the passphrase? Ask an admin for an invitation. An owner can run {code} on the gateway and {a}.':
    'Esqueceu a senha? Peça um convite a um administrador. Um proprietário pode executar {code} no gateway e ir para {a}.',
  'enter the code': 'digitar o código',
  'Use a key instead': 'Usar uma chave',
  'Paste a key of this gateway. On the page Users you can then create an account for yourself.':
    'Cole uma chave deste gateway. Depois você pode criar uma conta para si na página Usuários.',
  Key: 'Chave',
  'This key is unknown, revoked or expired. Check it, or ask for a new one.':
    'Esta chave é desconhecida, foi revogada ou venceu. Confira ou peça uma nova.',
  'No key? Run {code} on the gateway and {a}.': 'Não tem chave? Execute {code} no gateway e vá para {a}.',
  'Sign in with name and passphrase': 'Entrar com nome e senha',
  'Create your site': 'Crie a sua mina',
  'Machines, people and reports belong to a site. A new site also has boards and a playlist for a TV. You can change these settings later on the Site page.':
    'Máquinas, pessoas e relatórios pertencem a uma mina. Uma mina nova também tem painéis e uma lista para uma TV. Você pode mudar tudo isto depois na página Mina.',
  'Create site': 'Criar a mina',
  'Site name': 'Nome da mina',
  'This box replaces one that broke': 'Este equipamento substitui um que quebrou',
  'In this network the gateway also has an address that is easier to remember: {addresses}':
    'Nesta rede o gateway também tem um endereço mais fácil de lembrar: {addresses}',
  'Time zone': 'Fuso horário',
  'The time there is now {time}. Shifts and reports use this time.':
    'Lá são agora {time}. Turnos e relatórios usam esta hora.',
  'Two shifts of 12 hours': 'Dois turnos de 12 horas',
  'Three shifts of 8 hours': 'Três turnos de 8 horas',
  'One day shift': 'Um turno de dia',
  'Shift name': 'Nome do turno',
  Starts: 'Começa',
  Ends: 'Termina',
  'Remove the shift {name}': 'Remover o turno {name}',
  Remove: 'Remover',
  'Own times': 'Horário próprio',
  'Shift pattern': 'Esquema de turnos',
  'shift {n}': 'turno {n}',
  'Add a shift': 'Adicionar um turno',
  'If the end is not later than the start, the shift ends on the next day.':
    'Se o fim não é depois do início, o turno termina no dia seguinte.',
  'Use this device as a shared tablet': 'Usar este dispositivo como tablet compartilhado',
  'After this step the device shows the names of the people who may use it. Each person signs in with a PIN. Nobody stays signed in.':
    'Depois deste passo o dispositivo mostra os nomes de quem pode usá-lo. Cada pessoa entra com um PIN. Ninguém fica com a sessão aberta.',
  'Do this on the tablet only, not on your own phone or computer.':
    'Faça isto só no tablet, não no seu celular nem no seu computador.',
  'Enrol this tablet': 'Registrar este tablet',
  Cancel: 'Cancelar',
  'This tablet is not enrolled': 'Este tablet não está registrado',
  'An admin opens the page Tablets of the office, makes a new QR code, and you scan it with the camera of this tablet.':
    'Um administrador abre a página Tablets do escritório, cria um código QR novo, e você o lê com a câmera deste tablet.',
  'Try again': 'Tentar de novo',
  'Use it as a normal browser': 'Usar como navegador normal',
  '{n} of {all} digits': '{n} de {all} dígitos',
  Checking: 'Verificando',
  'Back to the names': 'Voltar aos nomes',
  'Delete a digit': 'Apagar um dígito',
  'Enter your PIN.': 'Digite seu PIN.',
  'This PIN was valid once. Choose your own PIN of 6 digits.':
    'Este PIN valia uma só vez. Escolha seu próprio PIN de 6 dígitos.',
  'Enter your new PIN again.': 'Digite seu PIN novo outra vez.',
  'The two new PINs differ. Choose your own PIN again.': 'Os dois PINs novos são diferentes. Escolha seu PIN de novo.',
  'Who are you?': 'Quem é você?',
  'Find your name': 'Busque seu nome',
  'Nobody may use this tablet yet. An admin chooses the people on the page Tablets of the office.':
    'Ninguém pode usar este tablet ainda. Um administrador escolhe as pessoas na página Tablets do escritório.',
  'No name contains this text.': 'Nenhum nome contém este texto.',
  'More people may use this tablet than the list can show.':
    'Mais pessoas podem usar este tablet do que a lista consegue mostrar.',
  'Your name is missing? Ask an admin. Owners and admins do not sign in here: a PIN is too short for their rights.':
    'Falta seu nome? Peça a um administrador. Proprietários e administradores não entram aqui: um PIN é curto demais para suas permissões.',
  'Switch person': 'Trocar de pessoa',
  'Nobody touched the tablet. {name} is signed out in {seconds} s. Touch the screen to stay signed in.':
    'Ninguém tocou no tablet. A sessão de {name} termina em {seconds} s. Toque na tela para continuar.',
  'The shift ends. {name} is signed out in {seconds} s. Save your work.':
    'O turno termina. A sessão de {name} termina em {seconds} s. Salve seu trabalho.',
};
