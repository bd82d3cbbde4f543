/** The texts of the outbox, in Spanish. `docs/languages.md` has the glossary. */
export const OUTBOX_ES = {
  'Changes that are not sent yet': 'Cambios sin enviar',
  Outbox: 'Bandeja de salida',
  Nothing: 'Nada',
  Field: 'Campo',
  '{who} saw': '{who} vio',
  '{who} wrote': '{who} escribió',
  'Not known': 'No se sabe',
  'Show what is there now': 'Mostrar lo que hay ahora',
  'Write it anyway': 'Escribir de todos modos',
  'Keep what is there now': 'Dejar lo que hay ahora',
  'Send it again': 'Enviar de nuevo',
  'Delete it for good': 'Borrar para siempre',
  'Delete it': 'Borrar',
  'Written {time} by {who}, by the clock of this device':
    'Escrito {time} por {who}, según el reloj de este dispositivo',
  'Written {time} by {who}': 'Escrito {time} por {who}',
  'a photo of {size} kB': 'una foto de {size} kB',
  'Send now': 'Enviar ahora',
  'What people write on this device is stored here first, and then sent. It stays here until the gateway has it, also if you close this page or switch the device off.':
    'Lo que se escribe en este dispositivo se guarda primero aquí y después se envía. Se queda aquí hasta que el gateway lo tiene, también si cierra esta página o apaga el dispositivo.',
  'Room for {n} more change.|Room for {n} more changes.': 'Cabe {n} cambio más.|Caben {n} cambios más.',
  'Nothing waits': 'Nada en espera',
  'Everything that was written here is sent.': 'Todo lo que se escribió aquí está enviado.',
  'Needs you': 'Lo necesita a usted',
  'To send': 'Por enviar',
  'And {n} more to send.': 'Y {n} más por enviar.',
  'Sent last': 'Últimos enviados',
  '{n} change|{n} changes': '{n} cambio|{n} cambios',
  '{n} change needs you|{n} changes need you': '{n} cambio lo necesita|{n} cambios lo necesitan',
  'Sending {changes}': 'Enviando {changes}',
  '{changes} to send': '{changes} por enviar',
  'This device keeps {n} change, and sends it by itself.|This device keeps {n} changes, and sends them by itself.':
    'Este dispositivo guarda {n} cambio y lo envía automáticamente.|Este dispositivo guarda {n} cambios y los envía automáticamente.',
  '{n} change needs the person who wrote it: sign in and open "Outbox".|{n} changes need the person who wrote them: sign in and open "Outbox".':
    '{n} cambio necesita a quien lo escribió: entre y abra "Bandeja de salida".|{n} cambios necesitan a quien los escribió: entre y abra "Bandeja de salida".',
  Sent: 'Enviado',
  'The gateway has it.': 'El gateway lo tiene.',
  'Somebody changed this after {who} saw it.': 'Alguien lo cambió después de que {who} lo vio.',
  'Changed meanwhile': 'Cambiado mientras tanto',
  '{says} Choose what counts.': '{says} Elija qué vale.',
  Refused: 'Rechazado',
  Waiting: 'En espera',
  'An earlier change of the same record needs you first.': 'Un cambio anterior del mismo registro lo necesita primero.',
  'It is sent when somebody signs in here.': 'Se envía cuando alguien entra aquí.',
  '{message} It is sent again by itself.': '{message} Se envía de nuevo automáticamente.',
  'The gateway answers, but cannot take it now. It is sent again by itself.':
    'El gateway responde, pero ahora no puede recibirlo. Se envía de nuevo automáticamente.',
  'It is sent by itself when the gateway answers.': 'Se envía automáticamente cuando el gateway responde.',
  'Read it here. If it is still right, write it now. If not, delete it.':
    'Léalo aquí. Si todavía es correcto, escríbalo ahora. Si no, bórrelo.',
  '{who} signs in here and decides about it.': '{who} entra aquí y decide qué hacer.',
  'The gateway may have it already. Look at the record. Then send it again, or delete it here.':
    'Puede que el gateway ya lo tenga. Mire el registro. Después envíelo de nuevo o bórrelo aquí.',
  'Write it now': 'Escribirlo ahora',
  'Your role may not do this. Ask a supervisor.': 'Su rol no puede hacer esto. Pregunte a un supervisor.',
  'The gateway already has a change with this id. Look at the record. Then delete this one here.':
    'El gateway ya tiene un cambio con este id. Mire el registro. Después borre este aquí.',
  'This device works in another project now. Tell an admin.':
    'Este dispositivo trabaja ahora en otro proyecto. Avise a un administrador.',
  'The record is gone. Delete this change, or write it to another record.':
    'El registro ya no existe. Borre este cambio o escríbalo en otro registro.',
  'Send it again later.': 'Envíelo de nuevo más tarde.',
  'Send it again, or delete it and write it again.': 'Envíelo de nuevo, o bórrelo y escríbalo otra vez.',
  'This device keeps 1,000 changes that are not sent yet, and cannot keep more. Bring it into the Wi-Fi of the site first.':
    'Este dispositivo guarda 1.000 cambios sin enviar y no puede guardar más. Llévelo primero al Wi-Fi de la faena.',
  'This device keeps 60 MB of photos that are not sent yet, and cannot keep more. Bring it into the Wi-Fi of the site first.':
    'Este dispositivo guarda 60 MB de fotos sin enviar y no puede guardar más. Llévelo primero al Wi-Fi de la faena.',
  'This form was saved before with other content, and the gateway may have it. Look at what you saved. Press again to save this as a new one.':
    'Este formulario ya se guardó con otro contenido, y puede que el gateway lo tenga. Mire lo que guardó. Presione otra vez para guardar esto como un registro nuevo.',
  'The gateway has not confirmed who you are. Try again when the gateway answers.':
    'El gateway no ha confirmado quién es usted. Inténtelo de nuevo cuando el gateway responda.',
  'The gateway does not say what is there now. Try again when it answers.':
    'El gateway no dice qué hay ahora. Inténtelo de nuevo cuando responda.',
  'This write cannot be decided here. Delete it and write it again.':
    'Este cambio no se puede decidir aquí. Bórrelo y escríbalo de nuevo.',
  'This is what is there now. Look at it, then choose again.': 'Esto es lo que hay ahora. Mírelo y elija de nuevo.',
  'This device does not have a photo of this inspection any more. Remove the photos of the item and take them again.':
    'Este dispositivo ya no tiene una foto de esta inspección. Quite las fotos del punto y tómelas de nuevo.',
  'This is too long. Shorten it and try again.': 'Esto es demasiado largo. Acórtelo e inténtelo de nuevo.',
} as const;

export type OutboxText = keyof typeof OUTBOX_ES;
