/** The texts of the pages of devices, in Spanish. `docs/languages.md` has the glossary. */
export const DEVICES_ES = {
  works: 'funciona',
  'does not work': 'no funciona',
  'not checked yet': 'aún sin comprobar',
  'Data stops at this step: {title}.': 'Los datos se detienen en este paso: {title}.',
  'What to do: {remedy}': 'Qué hacer: {remedy}',
  'Data path': 'Camino de los datos',
  'No connection': 'Sin conexión',
  'Not transmitting yet': 'Aún no transmite',
  'Login refused': 'Acceso rechazado',
  'Wrong topic': 'Topic equivocado',
  'Sends no data yet': 'Aún no envía datos',
  'Unreadable data': 'Datos ilegibles',
  'Sends no data now': 'Ahora no envía datos',
  'Not linked': 'Sin vincular',
  'No usable values': 'Sin valores útiles',
  'No live values yet': 'Aún sin valores en vivo',
  'Show all steps of the device': 'Mostrar todos los pasos del dispositivo',
  'never used': 'nunca usado',
  'last used {age} ago': 'usado por última vez hace {age}',
  'The logger cannot upload: the old key pair has expired, and the logger does not use the new one. Copy the configuration with the new key pair to the SD card of the logger.':
    'El registrador no puede enviar archivos: el par de claves anterior venció y el registrador no usa el nuevo. Copie la configuración con el par nuevo a la tarjeta SD del registrador.',
  'The logger uses the new key pair. The old pair expires in {left}.':
    'El registrador usa el par de claves nuevo. El anterior vence en {left}.',
  'The new key pair is in the configuration of the logger, which checks every ten minutes. The old pair expires in {left}. Replace the pair again to extend this time.':
    'El par de claves nuevo está en la configuración del registrador, que la consulta cada diez minutos. El par anterior vence en {left}. Reemplace el par de nuevo para extender este tiempo.',
  'Save the configuration of the logger here, or copy the new key pair to the logger. The old pair expires in {left}.':
    'Guarde aquí la configuración del registrador, o copie el par nuevo al registrador. El par anterior vence en {left}.',
  'Replace the key pair': 'Reemplazar el par de claves',
  'The logger gets the new pair with its configuration. The old pair works until the logger reports that it uses the new one.':
    'El registrador recibe el par nuevo con su configuración. El par anterior funciona hasta que el registrador informe que usa el nuevo.',
  'The gateway has no configuration for this logger, so it cannot send the new pair. Save the configuration first, or copy the new pair to the logger.':
    'El gateway no tiene configuración de este registrador, así que no puede enviarle el par nuevo. Guarde primero la configuración, o copie el par nuevo al registrador.',
  'Keep the old pair valid for': 'El par anterior sigue válido durante',
  'Select a time longer than the logger may be without a connection.':
    'Elija un tiempo mayor que el que el registrador pueda estar sin conexión.',
  Replacing: 'Reemplazando',
  'Bucket key': 'Clave de envío',
  'This logger has no key pair. Replace the key pair to create one and add it to the configuration.':
    'Este registrador no tiene par de claves. Reemplace el par de claves para crear uno y agregarlo a la configuración.',
  'Old pair {key}': 'Par anterior {key}',
  'expired {age} ago': 'vencido hace {age}',
  'There is no configuration file for this logger yet. Save the configuration to create it.':
    'Aún no hay archivo de configuración para este registrador. Guarde la configuración para crearlo.',
  'The gateway does not know the firmware of this logger yet.':
    'El gateway aún no conoce el firmware de este registrador.',
  'This logger has not sent data yet.': 'Este registrador aún no ha enviado datos.',
  'To create the configuration file for its SD card, enter the firmware version and save.':
    'Para crear el archivo de configuración de su tarjeta SD, ingrese la versión del firmware y guarde.',
  'Checked against the schema of the logger': 'Comprobada con el esquema del registrador',
  'Not checked: the logger has not uploaded its schema yet':
    'Sin comprobar: el registrador aún no ha enviado su esquema',
  'Passwords are encrypted: only this logger can read them':
    'Las contraseñas están cifradas: solo este registrador puede leerlas',
  'Passwords are not encrypted: the logger has not sent its public key yet':
    'Las contraseñas no están cifradas: el registrador aún no ha enviado su clave pública',
  'The logger uses this configuration': 'El registrador usa esta configuración',
  'The logger does not use this configuration yet. It checks for a new one every ten minutes.':
    'El registrador aún no usa esta configuración. Busca una nueva cada diez minutos.',
  'The text is not valid JSON: {problem}': 'El texto no es JSON válido: {problem}',
  Configuration: 'Configuración',
  'Download for the SD card': 'Descargar para la tarjeta SD',
  'The settings of this logger, in the format of its manufacturer. Passwords show as ********; leave them so to keep them. The gateway fills in its own address and keys.':
    'Los ajustes de este registrador, en el formato de su fabricante. Las contraseñas se muestran como ********; déjelas así para conservarlas. El gateway completa su propia dirección y sus claves.',
  Firmware: 'Firmware',
  'From the file name on the SD card: for config-01.09.json enter 01.09':
    'Del nombre del archivo en la tarjeta SD: para config-01.09.json ingrese 01.09',
  'Configuration as JSON': 'Configuración como JSON',
  Files: 'Archivos',
  'No files yet': 'Aún sin archivos',
  'This list shows logs that the device uploads and pictures of a camera.':
    'Esta lista muestra los registros que el dispositivo envía y las imágenes de una cámara.',
  'This page shows the 20 newest files. Use the API to list all.':
    'Esta página muestra los 20 archivos más nuevos. Use la API para verlos todos.',
  'Encrypted log files': 'Archivos de registro cifrados',
  'Files with names that end in MFE or MFM are encrypted. The gateway stores the password encrypted and never shows it. After you save the password, decode the file again.':
    'Los archivos cuyo nombre termina en MFE o MFM están cifrados. El gateway guarda la contraseña cifrada y nunca la muestra. Después de guardar la contraseña, decodifique el archivo de nuevo.',
  'Save password': 'Guardar la contraseña',
  'Password of the log files': 'Contraseña de los archivos de registro',
  'Saved. The gateway tries {n} stored password.|Saved. The gateway tries {n} stored passwords.':
    'Guardada. El gateway prueba {n} contraseña guardada.|Guardada. El gateway prueba {n} contraseñas guardadas.',
  'The gateway did not accept the upload. Try again.': 'El gateway no aceptó el envío. Inténtelo de nuevo.',
  'The upload failed with status {status}. Try again.': 'El envío falló con el estado {status}. Inténtelo de nuevo.',
  'The logger runs {version}, the offered version.': 'El registrador usa {version}, la versión ofrecida.',
  'The logger runs {version}.': 'El registrador usa {version}.',
  '{model} firmware {version} ({size}) is ready for the logger.':
    'El firmware {version} de {model} ({size}) está listo para el registrador.',
  '{model} firmware {version} ({size}) is ready for the logger, which runs {running}.':
    'El firmware {version} de {model} ({size}) está listo para el registrador, que usa {running}.',
  'Its configuration is {file}.': 'Su configuración es {file}.',
  Uploading: 'Enviando',
  'Offer a firmware file': 'Ofrecer un archivo de firmware',
  'Withdraw the offer': 'Retirar la oferta',
  'Serial number {serial}': 'Número de serie {serial}',
  'Machine {unit}': 'Máquina {unit}',
  Label: 'Etiqueta',
  'Print label': 'Imprimir la etiqueta',
  'Reported by the device': 'Informado por el dispositivo',
  'All devices': 'Todos los dispositivos',
  'The device has not sent data yet.': 'El dispositivo aún no ha enviado datos.',
  'Last data {age} ago.': 'Últimos datos hace {age}.',
  'The diagnosis, the key, the configuration and the firmware of this device':
    'El diagnóstico, la clave, la configuración y el firmware de este dispositivo',
  'ID for the API': 'ID para la API',
  'Machine of {device}': 'Máquina de {device}',
  'Provision a device': 'Preparar un dispositivo',
  'New devices and their links to machines': 'Los dispositivos nuevos y su vínculo con las máquinas',
  devices: 'dispositivos',
  'No devices yet': 'Aún sin dispositivos',
  'Provision the logger of a machine. The gateway shows its key only once.':
    'Prepare el registrador de una máquina. El gateway muestra su clave una sola vez.',
  'An admin provisions the loggers of the machines.': 'Un administrador prepara los registradores de las máquinas.',
  Progress: 'Avance',
  'Last seen': 'Visto por última vez',
  Messages: 'Mensajes',
  Errors: 'Errores',
  'Delete the data of this device': 'Borrar los datos de este dispositivo',
  'The gateway deletes the log entries that this device caused, and its files. You cannot undo this. Notes of people stay.':
    'El gateway borra las entradas del registro que causó este dispositivo, y sus archivos. No se puede deshacer. Las notas de las personas quedan.',
  'Also delete the history of its machine since the device was linked':
    'Borrar también el historial de su máquina desde que se vinculó el dispositivo',
  Deleting: 'Borrando',
  'Deleted so far: {events} log entries, {files} files, {segments} history segments. {size} of disk space is free again.':
    'Borrado hasta ahora: {events} entradas del registro, {files} archivos, {segments} tramos de historial. Quedan libres otra vez {size} de disco.',
  'Deleted: {events} log entries, {files} files, {segments} history segments. {size} of disk space is free again.':
    'Borrado: {events} entradas del registro, {files} archivos, {segments} tramos de historial. Quedan libres otra vez {size} de disco.',
  'Storage and quarantine': 'Almacenamiento y cuarentena',
  '{device} stored {today} today and {total} in total.': '{device} guardó {today} hoy y {total} en total.',
  'The gateway did not store {n} item: the device exceeded its budget.|The gateway did not store {n} items: the device exceeded its budget.':
    'El gateway no guardó {n} elemento: el dispositivo superó su cuota.|El gateway no guardó {n} elementos: el dispositivo superó su cuota.',
  'Quarantine closes the connections of the device and refuses its keys. Its data stays.':
    'La cuarentena cierra las conexiones del dispositivo y rechaza sus claves. Sus datos quedan.',
  'Quarantined by {name}. The gateway refuses its keys.':
    'Puesto en cuarentena por {name}. El gateway rechaza sus claves.',
  'Quarantined by {name}: {reason}. The gateway refuses its keys.':
    'Puesto en cuarentena por {name}: {reason}. El gateway rechaza sus claves.',
  Quarantine: 'Poner en cuarentena',
  'End quarantine': 'Terminar la cuarentena',
} as const;

export type DevicesText = keyof typeof DEVICES_ES;
