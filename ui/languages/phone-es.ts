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
  'Leak or hydraulics': 'Fuga o hidráulica',
  'Lights or electrics': 'Luces o electricidad',
  Loading: 'Cargando',
  'Report a fault': 'Avisar de una falla',
  'Report another fault': 'Avisar de otra falla',
  'Say what is wrong': 'Diga qué falla',
  'Send the report': 'Enviar el aviso',
  'Smoke or fire': 'Humo o fuego',
  'Something else': 'Otra cosa',
  'Tell us more': 'Cuente más',
  'Tell us more (optional)': 'Cuente más (opcional)',
  'Thank you. The workshop has your report.': 'Gracias. El taller tiene su aviso.',
  'This address is not complete. Scan the QR code on the machine again.':
    'Esta dirección no está completa. Escanee otra vez el código QR de la máquina.',
  'This QR code is not valid any more. Tell your supervisor about the fault, and that this machine needs a new QR code.':
    'Este código QR ya no es válido. Avise de la falla a su supervisor y dígale que esta máquina necesita un código QR nuevo.',
  'Too many faults were reported with this QR code in the last hour. Tell your supervisor about this one.':
    'En la última hora se avisaron demasiadas fallas con este código QR. Avise de esta a su supervisor.',
  'Try again': 'Intentar de nuevo',
  'Type your name': 'Escriba su nombre',
  'Tyres or tracks': 'Neumáticos u orugas',
  'What is wrong?': '¿Qué falla?',
  'Your name': 'Su nombre',
  'The gateway does not answer. Stay in the wireless network of the site and try again.':
    'El gateway no responde. Quédese en la red Wi-Fi de la faena e inténtelo de nuevo.',
  'The gateway did not take this report': 'El gateway no aceptó este aviso',
  'Tell your supervisor about the fault.': 'Avise de la falla a su supervisor.',
  'Delete it here': 'Borrarlo aquí',
  'Saved on this phone': 'Guardado en este teléfono',
  'It sends by itself when the gateway answers. You may close this page; open it again to send.':
    'Se envía automáticamente cuando el gateway responde. Puede cerrar esta página; ábrala de nuevo para enviar.',
  Saved: 'Guardado',
  Saving: 'Guardando',
  '{time}, on this phone': '{time}, en este teléfono',
  'Sent to the gateway': 'Enviado al gateway',
  'it has the report': 'tiene el aviso',
  'no Wi-Fi right now': 'ahora no hay Wi-Fi',
  'waiting for the answer': 'espera la respuesta',
  'On the list of repairs': 'En la lista de reparaciones',
  'The machine cannot work': 'La máquina no puede trabajar',
  'ticket {number}': 'orden {number}',
  'you will see the ticket here': 'aquí verá la orden',
  '{n} report is saved on this phone.|{n} reports are saved on this phone.':
    '{n} aviso está guardado en este teléfono.|{n} avisos están guardados en este teléfono.',
  'Sending now.': 'Enviando ahora.',
  'They send by themselves when the gateway answers.': 'Se envían automáticamente cuando el gateway responde.',
  'This device keeps 1,000 changes that are not sent yet, and cannot keep more. Bring it into the Wi-Fi of the site first.':
    'Este dispositivo guarda 1.000 cambios sin enviar y no puede guardar más. Llévelo primero al Wi-Fi de la faena.',
  'This device keeps 60 MB of photos that are not sent yet, and cannot keep more. Bring it into the Wi-Fi of the site first.':
    'Este dispositivo guarda 60 MB de fotos sin enviar y no puede guardar más. Llévelo primero al Wi-Fi de la faena.',
  'This report is more than 45 days old. The gateway does not take it any more.':
    'Este aviso tiene más de 45 días. El gateway ya no lo acepta.',
  'This form was saved before with other content, and the gateway may have it. Look at what you saved. Press again to save this as a new one.':
    'Este formulario ya se guardó con otro contenido, y puede que el gateway lo tenga. Mire lo que guardó. Presione otra vez para guardar esto como un aviso nuevo.',
};
