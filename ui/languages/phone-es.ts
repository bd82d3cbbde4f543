/** The texts of the page on which anybody reports a fault, in Spanish. `docs/languages.md` has the glossary. */
import type { PhoneText } from './phone-keys.ts';

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
  'Say what is wrong': 'Diga qué falla',
  'Smoke or fire': 'Humo o fuego',
  'Something else': 'Otra cosa',
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
  'This is': 'Esta es',
  'Not OK': 'Mal',
  'Something is wrong': 'Algo falla',
  OK: 'OK',
  'I checked it, all fine': 'La revisé, todo bien',
  'Works without Wi-Fi': 'Funciona sin Wi-Fi',
  'No Wi-Fi right now': 'Ahora no hay Wi-Fi',
  'Not you?': '¿No es usted?',
  'Go on': 'Seguir',
  Back: 'Volver',
  'Can it keep working?': '¿Puede seguir trabajando?',
  'No, stop it': 'No, hay que pararla',
  'Every screen shows it at once': 'Todas las pantallas lo muestran enseguida',
  'Yes, look at it soon': 'Sí, revisarla pronto',
  Photo: 'Foto',
  'Photo, {n}': 'Foto, {n}',
  'Remove photo {n}': 'Quitar la foto {n}',
  'Making the photo smaller': 'Reduciendo la foto',
  'Add words': 'Escribir algo',
  'Your words': 'Sus palabras',
  'Say if it can keep working': 'Diga si puede seguir trabajando',
  'Send: {machine} {problem}': 'Enviar: {machine} {problem}',
  'Send: {machine} {problem}, stop': 'Enviar: {machine} {problem}, parar',
  Done: 'Listo',
  '{machine} is OK': '{machine} está OK',
  'Checked at {time} by {name}. Have a safe shift.': 'Revisada a las {time} por {name}. Buen turno y con seguridad.',
  Photos: 'Fotos',
  '{n} photo|{n} photos': '{n} foto|{n} fotos',
  '{n} of {all} sent': '{n} de {all} enviadas',
  'it has it': 'ya lo tiene',
  'The report is saved without {n} photo.|The report is saved without {n} photos.':
    'El aviso está guardado sin {n} foto.|El aviso está guardado sin {n} fotos.',
  '{n} check is saved on this phone.|{n} checks are saved on this phone.':
    '{n} revisión está guardada en este teléfono.|{n} revisiones están guardadas en este teléfono.',
  '{n} photo is saved on this phone.|{n} photos are saved on this phone.':
    '{n} foto está guardada en este teléfono.|{n} fotos están guardadas en este teléfono.',
  'The gateway did not take this photo': 'El gateway no aceptó esta foto',
  'The gateway did not take this check': 'El gateway no aceptó esta revisión',
  'The gateway has the report of this photo.': 'El gateway tiene el aviso de esta foto.',
  'This report or its repair has all the photos that it can have.':
    'Este aviso o su orden ya tiene todas las fotos posibles.',
  'The gateway does not have the report of this photo.': 'El gateway no tiene el aviso de esta foto.',
  'The photo must be a JPEG, PNG, WebP, GIF or AVIF image.': 'La foto debe ser una imagen JPEG, PNG, WebP, GIF o AVIF.',
  'Too many checks were sent with this QR code in the last hour.':
    'En la última hora se enviaron demasiadas revisiones con este código QR.',
  'Too many photos were sent with this QR code in the last hour. This photo is sent later.':
    'En la última hora se enviaron demasiadas fotos con este código QR. Esta foto se envía más tarde.',
  'Too many photos were sent with QR codes in the last day. This photo is sent later.':
    'En el último día se enviaron demasiadas fotos con códigos QR. Esta foto se envía más tarde.',
  'This browser cannot read the file as a photo. Take the photo as JPEG or PNG.':
    'Este navegador no puede leer el archivo como foto. Tome la foto como JPEG o PNG.',
  'The photo is too large. Take it again with a lower resolution.':
    'La foto es muy grande. Tómela de nuevo con menos resolución.',
};
