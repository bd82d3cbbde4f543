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
  'It is ticket {number}.': 'É a ordem {number}.',
  'Leak or hydraulics': 'Vazamento ou hidráulica',
  'Lights or electrics': 'Luzes ou elétrica',
  Loading: 'Carregando',
  'Report a fault': 'Avisar uma falha',
  'Report another fault': 'Avisar outra falha',
  'Say what is wrong': 'Diga o que está errado',
  'Send the report': 'Enviar o aviso',
  Sending: 'Enviando',
  'Smoke or fire': 'Fumaça ou fogo',
  'Something else': 'Outra coisa',
  'Tell us more': 'Conte mais',
  'Tell us more (optional)': 'Conte mais (opcional)',
  'Thank you. The workshop has your report.': 'Obrigado. A oficina recebeu o seu aviso.',
  'The gateway does not answer. Stay in the wireless network of the site and try again. Your text is kept here.':
    'O gateway não responde. Fique na rede sem fio da mina e tente de novo. O seu texto fica guardado aqui.',
  'This address is not complete. Scan the QR code on the machine again.':
    'Este endereço não está completo. Leia de novo o código QR da máquina.',
  'This fault was reported before. Your report was added to ticket {number}.':
    'Esta falha já foi avisada. O seu aviso foi somado à ordem {number}.',
  'This QR code is not valid any more. Tell your supervisor about the fault, and that this machine needs a new QR code.':
    'Este código QR não vale mais. Avise a falha ao seu supervisor, e que esta máquina precisa de um novo código QR.',
  'Too many faults were reported with this QR code in the last hour. Tell your supervisor about this one.':
    'Na última hora foram avisadas falhas demais com este código QR. Avise esta ao seu supervisor.',
  'Try again': 'Tentar de novo',
  'Type your name': 'Digite o seu nome',
  'Tyres or tracks': 'Pneus ou esteiras',
  'What is wrong?': 'O que está errado?',
  'Your name': 'O seu nome',
};
