/** The texts of the page on which anybody reports a fault, in Spanish. `docs/languages.md` has the glossary. */
import type { PhoneText } from './keys.ts';

export const PHONE_ES: Readonly<Record<PhoneText, string>> = {
  'An unknown error occurred. Try again.': 'Ocurrió un error desconocido. Intente de nuevo.',
  'Brakes or steering': 'Frenos o dirección',
  'Bucket, body or blade': 'Balde, tolva u hoja',
  'Cab, seat or belt': 'Cabina, asiento o cinturón',
  'Choose what is wrong': 'Elija qué falla',
  'Damage from outside': 'Daño externo',
  Engine: 'Motor',
  'If the machine is not safe, do not operate it, and tell your supervisor now.':
    'Si la máquina no es segura, no la opere y avise ahora a su supervisor.',
  'It is ticket {number}.': 'Es la orden {number}.',
  'Leak or hydraulics': 'Fuga o hidráulica',
  'Lights or electrics': 'Luces o electricidad',
  Loading: 'Cargando',
  'Report a fault': 'Avisar de una falla',
  'Report another fault': 'Avisar de otra falla',
  'Say what is wrong': 'Diga qué falla',
  'Send the report': 'Enviar el aviso',
  Sending: 'Enviando',
  'Smoke or fire': 'Humo o fuego',
  'Something else': 'Otra cosa',
  'Tell us more': 'Cuente más',
  'Tell us more (optional)': 'Cuente más (opcional)',
  'Thank you. The workshop has your report.': 'Gracias. El taller tiene su aviso.',
  'The gateway does not answer. Stay in the wireless network of the site and try again. Your text is kept here.':
    'El gateway no responde. Quédese en la red inalámbrica de la faena e intente de nuevo. Su texto se conserva aquí.',
  'This address is not complete. Scan the QR code on the machine again.':
    'Esta dirección no está completa. Escanee otra vez el código QR de la máquina.',
  'This fault was reported before. Your report was added to ticket {number}.':
    'Esta falla ya estaba avisada. Su aviso se añadió a la orden {number}.',
  'This QR code is not valid any more. Tell your supervisor about the fault, and that this machine needs a new QR code.':
    'Este código QR ya no es válido. Avise de la falla a su supervisor, y de que esta máquina necesita un código QR nuevo.',
  'Too many faults were reported with this QR code in the last hour. Tell your supervisor about this one.':
    'En la última hora se avisaron demasiadas fallas con este código QR. Avise de esta a su supervisor.',
  'Try again': 'Intentar de nuevo',
  'Type your name': 'Escriba su nombre',
  'Tyres or tracks': 'Neumáticos u orugas',
  'What is wrong?': '¿Qué falla?',
  'Your name': 'Su nombre',
};
