/** The texts of the page on which anybody reports a fault, in Portuguese. `docs/languages.md` has the glossary. */
import type { PhoneText } from './phone-keys.ts';

export const PHONE_PT: Readonly<Record<PhoneText, string>> = {
  'An unknown error occurred. Try again.': 'Ocorreu um erro desconhecido. Tente de novo.',
  'Brakes or steering': 'Freios ou direção',
  'Bucket, body or blade': 'Caçamba, báscula ou lâmina',
  'Cab, seat or belt': 'Cabine, assento ou cinto',
  'Choose what is wrong': 'Escolha o que está errado',
  'Damage from outside': 'Dano externo',
  Engine: 'Motor',
  'If the machine is not safe, do not operate it, and tell your supervisor now.':
    'Se a máquina não está segura, não a opere e avise agora o seu supervisor.',
  'Leak or hydraulics': 'Vazamento ou hidráulica',
  'Lights or electrics': 'Luzes ou elétrica',
  Loading: 'Carregando',
  'Report a fault': 'Comunicar uma falha',
  'Say what is wrong': 'Diga o que está errado',
  'Smoke or fire': 'Fumaça ou fogo',
  'Something else': 'Outra coisa',
  'Thank you. The workshop has your report.': 'Obrigado. A oficina recebeu o seu aviso.',
  'This address is not complete. Scan the QR code on the machine again.':
    'Este endereço não está completo. Leia de novo o código QR da máquina.',
  'This QR code is not valid any more. Tell your supervisor about the fault, and that this machine needs a new QR code.':
    'Este código QR não vale mais. Comunique a falha ao seu supervisor e diga que esta máquina precisa de um novo código QR.',
  'Too many faults were reported with this QR code in the last hour. Tell your supervisor about this one.':
    'Na última hora foram comunicadas falhas demais com este código QR. Comunique esta ao seu supervisor.',
  'Try again': 'Tentar de novo',
  'Type your name': 'Digite o seu nome',
  'Tyres or tracks': 'Pneus ou esteiras',
  'What is wrong?': 'O que está errado?',
  'Your name': 'O seu nome',
  'The gateway does not answer. Stay in the wireless network of the site and try again.':
    'O gateway não responde. Fique na rede Wi-Fi da mina e tente de novo.',
  'The gateway did not take this report': 'O gateway não aceitou este aviso',
  'Tell your supervisor about the fault.': 'Comunique a falha ao seu supervisor.',
  'Delete it here': 'Apagar aqui',
  'Saved on this phone': 'Salvo neste celular',
  'It sends by itself when the gateway answers. You may close this page; open it again to send.':
    'O envio é automático quando o gateway responde. Você pode fechar esta página; abra-a de novo para enviar.',
  Saved: 'Salvo',
  Saving: 'Salvando',
  '{time}, on this phone': '{time}, neste celular',
  'Sent to the gateway': 'Enviado ao gateway',
  'no Wi-Fi right now': 'sem Wi-Fi agora',
  'waiting for the answer': 'aguarda a resposta',
  'On the list of repairs': 'Na lista de reparos',
  'The machine cannot work': 'A máquina não pode trabalhar',
  'ticket {number}': 'ordem {number}',
  'you will see the ticket here': 'você verá a ordem aqui',
  '{n} report is saved on this phone.|{n} reports are saved on this phone.':
    '{n} aviso está salvo neste celular.|{n} avisos estão salvos neste celular.',
  'Sending now.': 'Enviando agora.',
  'They send by themselves when the gateway answers.': 'O envio é automático quando o gateway responde.',
  'This device keeps 1,000 changes that are not sent yet, and cannot keep more. Bring it into the Wi-Fi of the site first.':
    'Este dispositivo guarda 1.000 mudanças não enviadas e não pode guardar mais. Leve-o primeiro ao Wi-Fi da mina.',
  'This device keeps 60 MB of photos that are not sent yet, and cannot keep more. Bring it into the Wi-Fi of the site first.':
    'Este dispositivo guarda 60 MB de fotos não enviadas e não pode guardar mais. Leve-o primeiro ao Wi-Fi da mina.',
  'This report is more than 45 days old. The gateway does not take it any more.':
    'Este aviso tem mais de 45 dias. O gateway não o aceita mais.',
  'This form was saved before with other content, and the gateway may have it. Look at what you saved. Press again to save this as a new one.':
    'Este formulário já foi salvo com outro conteúdo, e talvez o gateway já o tenha. Veja o que você salvou. Pressione de novo para salvar isto como um aviso novo.',
  'This is': 'Esta é',
  'Not OK': 'Não está OK',
  'Something is wrong': 'Algo está errado',
  OK: 'OK',
  'I checked it, all fine': 'Verifiquei, tudo certo',
  'Works without Wi-Fi': 'Funciona sem Wi-Fi',
  'No Wi-Fi right now': 'Sem Wi-Fi agora',
  'Not you?': 'Não é você?',
  'Go on': 'Continuar',
  Back: 'Voltar',
  'Can it keep working?': 'Ela pode continuar trabalhando?',
  'No, stop it': 'Não, é preciso parar',
  'Every screen shows it at once': 'Todas as telas mostram na hora',
  'Yes, look at it soon': 'Sim, verificar em breve',
  Photo: 'Foto',
  'Photo, {n}': 'Foto, {n}',
  'Remove photo {n}': 'Remover a foto {n}',
  'Making the photo smaller': 'Reduzindo a foto',
  'Add words': 'Escrever algo',
  'Your words': 'As suas palavras',
  'Say if it can keep working': 'Diga se ela pode continuar',
  'Send: {machine} {problem}': 'Enviar: {machine} {problem}',
  'Send: {machine} {problem}, stop': 'Enviar: {machine} {problem}, parar',
  Done: 'Pronto',
  '{machine} is OK': '{machine} está OK',
  'Checked at {time} by {name}. Have a safe shift.': 'Verificada às {time} por {name}. Um turno seguro para você.',
  Photos: 'Fotos',
  '{n} photo|{n} photos': '{n} foto|{n} fotos',
  '{n} of {all} sent': '{n} de {all} enviadas',
  'it has it': 'já recebeu',
  'The report is saved without {n} photo.|The report is saved without {n} photos.':
    'O aviso está salvo sem {n} foto.|O aviso está salvo sem {n} fotos.',
  '{n} check is saved on this phone.|{n} checks are saved on this phone.':
    '{n} verificação está salva neste celular.|{n} verificações estão salvas neste celular.',
  '{n} photo is saved on this phone.|{n} photos are saved on this phone.':
    '{n} foto está salva neste celular.|{n} fotos estão salvas neste celular.',
  'The gateway did not take this photo': 'O gateway não aceitou esta foto',
  'The gateway did not take this check': 'O gateway não aceitou esta verificação',
  'The gateway has the report of this photo.': 'O gateway tem o aviso desta foto.',
  'This report or its repair has all the photos that it can have.':
    'Este aviso ou a sua ordem já tem todas as fotos possíveis.',
  'The gateway does not have the report of this photo.': 'O gateway não tem o aviso desta foto.',
  'The photo must be a JPEG, PNG, WebP, GIF or AVIF image.': 'A foto deve ser uma imagem JPEG, PNG, WebP, GIF ou AVIF.',
  'Too many checks were sent with this QR code in the last hour.':
    'Na última hora foram enviadas verificações demais com este código QR.',
  'Too many photos were sent with this QR code in the last hour. This photo is sent later.':
    'Na última hora foram enviadas fotos demais com este código QR. Esta foto é enviada mais tarde.',
  'Too many photos were sent with QR codes in the last day. This photo is sent later.':
    'No último dia foram enviadas fotos demais com códigos QR. Esta foto é enviada mais tarde.',
  'This browser cannot read the file as a photo. Take the photo as JPEG or PNG.':
    'Este navegador não consegue ler o arquivo como foto. Tire a foto em JPEG ou PNG.',
  'The photo is too large. Take it again with a lower resolution.':
    'A foto é grande demais. Tire de novo com resolução menor.',
};
