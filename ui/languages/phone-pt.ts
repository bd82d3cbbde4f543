/** The texts of the page on which anybody reports a fault, in Portuguese. `docs/languages.md` has the glossary. */
import type { PhoneText } from './keys.ts';

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
  'Report another fault': 'Comunicar outra falha',
  'Say what is wrong': 'Diga o que está errado',
  'Send the report': 'Enviar o aviso',
  'Smoke or fire': 'Fumaça ou fogo',
  'Something else': 'Outra coisa',
  'Tell us more': 'Conte mais',
  'Tell us more (optional)': 'Conte mais (opcional)',
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
  'it has the report': 'o gateway tem o aviso',
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
};
