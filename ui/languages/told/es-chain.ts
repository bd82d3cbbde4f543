/** Texts of the gateway in Spanish: the diagnosis of a device, from its connection to its values. `docs/languages.md` has the glossary. */
export const CHAIN_ES = {
  '{days} days behind': '{days} días atrasado',
  '{days} days ahead of': '{days} días adelantado',
  '{seconds} s behind': '{seconds} s atrasado',
  '{seconds} s ahead of': '{seconds} s adelantado',
  'The clock of the logger was {ahead} GNSS time.': 'El reloj del registrador estaba {ahead} respecto a la hora GNSS.',
  'The clock of the logger was {ahead} the time of a control unit (J1939 PGN 65254).':
    'El reloj del registrador estaba {ahead} respecto a la hora de una unidad de control (J1939 PGN 65254).',
  'The time was corrected by {by} s; the corrected time is at most {most} s from that clock.':
    'La hora se corrigió en {by} s; la hora corregida está como máximo a {most} s de ese reloj.',
  'Its clock is {ahead} GNSS time. Live values keep the time of the device; log files are corrected.':
    'Su reloj está {ahead} respecto a la hora GNSS. Los valores en vivo conservan la hora del dispositivo; los archivos de registro se corrigen.',
  'Its newest data is {seconds} s old on arrival: its clock is behind by up to this time, or its messages are delayed.':
    'Sus datos más nuevos tienen {seconds} s al llegar: su reloj está atrasado hasta ese tiempo, o sus mensajes se demoran.',
  '{count} request to its address was refused besides, the last from {address}.|{count} requests to its address were refused besides, the last from {address}.':
    'Además se rechazó {count} solicitud a su dirección, la última desde {address}.|Además se rechazaron {count} solicitudes a su dirección, la última desde {address}.',
  '{count} login under its name was refused besides, the last from {address}.|{count} logins under its name were refused besides, the last from {address}.':
    'Además se rechazó {count} entrada con su nombre, la última desde {address}.|Además se rechazaron {count} entradas con su nombre, la última desde {address}.',
  '{count} request to its address was refused, the last from {address}: {why}.|{count} requests to its address were refused, the last from {address}: {why}.':
    'Se rechazó {count} solicitud a su dirección, la última desde {address}: {why}.|Se rechazaron {count} solicitudes a su dirección, la última desde {address}: {why}.',
  '{count} login under its name was refused, the last from {address}: {why}.|{count} logins under its name were refused, the last from {address}: {why}.':
    'Se rechazó {count} entrada con su nombre, la última desde {address}: {why}.|Se rechazaron {count} entradas con su nombre, la última desde {address}: {why}.',
  'the key is wrong': 'la clave es incorrecta',
  'it had no header "Authorization: Bearer" with a key': 'no tenía el encabezado "Authorization: Bearer" con una clave',
  key: 'clave',
  'key pair': 'par de claves',
  'A lost key is replaced: provision the device again.':
    'Una clave perdida se reemplaza: prepare el dispositivo otra vez.',
  'A lost key is replaced: provision the device again with the serial {serial}.':
    'Una clave perdida se reemplaza: prepare el dispositivo otra vez con el número de serie {serial}.',
  'User name and client id are both {name}.': 'El nombre de usuario y el identificador del cliente son {name}.',
  'The device must send the key in the header "Authorization: Bearer", after the word Bearer.':
    'El dispositivo debe enviar la clave en el encabezado "Authorization: Bearer", después de la palabra Bearer.',
  'Put the {own} of this device into it.': 'Ponga en el dispositivo su {own}.',
  'The device has no {own} yet.': 'El dispositivo todavía no tiene {own}.',
  'Provision the device with the serial {serial}, and put the key into it.':
    'Prepare el dispositivo con el número de serie {serial}, y ponga la clave en él.',
  'The {own} of the device has expired.': 'Venció: {own} del dispositivo.',
  'Provision the device again and put the new {own} into it.':
    'Prepare el dispositivo otra vez y actualice en él su {own}.',
  'The {own} of the device has not been used yet.': 'Todavía sin usar: {own} del dispositivo.',
  'Put the {own} into the device.': 'Ponga en el dispositivo su {own}.',
  'The device is authenticated.': 'El dispositivo está identificado.',
  'The device is authenticated with its {own}.': 'El dispositivo está identificado con su {own}.',
  'The device needs no key: this gateway itself reads its bus or replays its recording.':
    'El dispositivo no necesita clave: este gateway mismo lee su bus o reproduce su grabación.',
  'The keys of the device were revoked.': 'Las claves del dispositivo se revocaron.',
  'Provision the device, and put the key into it.': 'Prepare el dispositivo, y ponga la clave en él.',
  'A person noted: {reason}.': 'Una persona anotó: {reason}.',
  'it was taken out of use': 'se sacó de uso',
  'it has no power': 'no tiene energía',
  'it has no network': 'no tiene red',
  'it was replaced': 'se reemplazó',
  'it is being serviced': 'está en mantenimiento',
  'the reason is not known': 'no se conoce la razón',
  'Let the device connect to {address} over MQTT, with user name and client id {name}.':
    'Haga que el dispositivo se conecte a {address} por MQTT, con {name} como nombre de usuario e identificador del cliente.',
  'Let the device post to {address} with the header "Authorization: Bearer" and its key.':
    'Haga que el dispositivo envíe a {address} con el encabezado "Authorization: Bearer" y su clave.',
  'Let the logger upload to {address}, with the key pair from this page.':
    'Haga que el registrador envíe archivos a {address}, con el par de claves de esta página.',
  'The device has an open session from {ip}.': 'El dispositivo tiene una sesión abierta desde {ip}.',
  'A device at {address} reaches this gateway.': 'Un dispositivo en {address} llega a este gateway.',
  'The device has stopped sending.': 'El dispositivo dejó de enviar.',
  'Check the power and the network of the device.': 'Revise la energía y la red del dispositivo.',
  'Let it publish frames to {frames}, or values to {values}.':
    'Haga que publique tramas en {frames}, o valores en {values}.',
  'Let it upload into {folder}.': 'Haga que envíe a {folder}.',
  'The device uploads into {folder}.': 'El dispositivo envía a {folder}.',
  'The device publishes to {topic}.': 'El dispositivo publica en {topic}.',
  'The device posts to {address}.': 'El dispositivo envía a {address}.',
  'Send frames as candump prints them, one frame a line: {example} ; docs/mqtt.md has the other forms.':
    'Envíe tramas como las imprime candump, una por línea: {example} ; docs/mqtt.md tiene las otras formas.',
  '{name} was read.': '{name} se leyó.',
  '{name} could not be decoded.': '{name} no se pudo decodificar.',
  '{name} is being decoded.': '{name} se está decodificando.',
  'The gateway cannot decode what the device sends: {reason}. {count} part so far.|The gateway cannot decode what the device sends: {reason}. {count} parts so far.':
    'El gateway no puede decodificar lo que envía el dispositivo: {reason}. {count} parte hasta ahora.|El gateway no puede decodificar lo que envía el dispositivo: {reason}. {count} partes hasta ahora.',
  '{count} part is unreadable, the last: {reason}.|{count} parts are unreadable, the last: {reason}.':
    '{count} parte es ilegible, la última: {reason}.|{count} partes son ilegibles, la última: {reason}.',
  'The device is connected but has stopped sending data: {found} so far.':
    'El dispositivo está conectado pero dejó de enviar datos: {found} hasta ahora.',
  'The device has stopped sending data: {found} so far.': 'El dispositivo dejó de enviar datos: {found} hasta ahora.',
  '{found} so far.': '{found} hasta ahora.',
  'The device is linked to {machine}.': 'El dispositivo está vinculado a {machine}.',
  'The device is linked to {machine}, which is decommissioned and shown on no board.':
    'El dispositivo está vinculado a {machine}, que está dada de baja y no aparece en ningún tablero.',
  'The device is linked to the location {location}.': 'El dispositivo está vinculado al lugar {location}.',
  '{found}, but the gateway could decode no value from them; {unknown} are of unknown groups.':
    '{found}, pero el gateway no pudo decodificar ningún valor; {unknown} son de grupos desconocidos.',
  'Its clock is {time} ahead, so its data does not count as live.':
    'Su reloj está {time} adelantado, por eso sus datos no cuentan como en vivo.',
  'Set the clock of the device; {topic} has the time.': 'Ajuste el reloj del dispositivo; {topic} tiene la hora.',
  '{values}, which belong to no machine.': '{values}, que no pertenecen a ninguna máquina.',
  '{values} on {machine}.': '{values} en {machine}.',
  '{values} on {machine}, as of {day}: the data is a recording, or the clock of the device is behind. It does not count as live.':
    '{values} en {machine}, del {day}: los datos son una grabación, o el reloj del dispositivo está atrasado. No cuentan como en vivo.',
  'To replay a recording with current times: {command}. Otherwise set the clock of the device.':
    'Para reproducir una grabación con la hora actual: {command}. Si no, ajuste el reloj del dispositivo.',
  '{count} frame|{count} frames': '{count} trama|{count} tramas',
  '{count} message|{count} messages': '{count} mensaje|{count} mensajes',
  '{count} value|{count} values': '{count} valor|{count} valores',
  'Everything works: its pictures arrive.': 'Todo funciona: sus imágenes llegan.',
  'Everything works: its data arrives and is decoded.': 'Todo funciona: sus datos llegan y se decodifican.',
  'the control unit (address {address})': 'la unidad de control (dirección {address})',
  '{name} (address {address})': '{name} (dirección {address})',
  'No frames from {name} any more.': 'Ya no llegan tramas de {name}.',
  '{name} still sends.': '{name} todavía envía.',
  'Check the plug and the power of {name}.': 'Revise el enchufe y la energía de {name}.',
  'Check the sensor of {label} and its cable.': 'Revise el sensor de {label} y su cable.',
  '{name} still sends, but not {frames}, which contains {label}.':
    '{name} todavía envía, pero no {frames}, que contiene {label}.',
  '{frames} arrives, but {name} sends no valid value of {label} in it.':
    '{frames} llega, pero {name} no envía en él un valor válido de {label}.',
  'The machine sends other values, but never sent {label}.':
    'La máquina envía otros valores, pero nunca envió {label}.',
  'The device still sends, but not {label}.': 'El dispositivo todavía envía, pero no {label}.',
  'Check that the device is set to send {label}.': 'Revise que el dispositivo esté puesto para enviar {label}.',
  'If a manufacturer frame has this value, it needs a DBC file: see the page DBC files.':
    'Si una trama del fabricante tiene este valor, necesita un archivo DBC: vea la página Archivos DBC.',
  'Not known before these frames arrive again.': 'No se sabe antes de que estas tramas lleguen otra vez.',
  'Connect a logger on the page of the machine.': 'Conecte un registrador en la página de la máquina.',
  'No device is linked to this machine.': 'Ningún dispositivo está vinculado a esta máquina.',
  'The device has an open session.': 'El dispositivo tiene una sesión abierta.',
  'No device can connect with this name before it has a key.':
    'Ningún dispositivo puede conectarse con este nombre antes de que el nombre tenga una clave.',
  'Nothing has come from this device yet.': 'Todavía no llegó nada de este dispositivo.',
  'The device has uploaded before; it is offline between two uploads.':
    'El dispositivo ya envió archivos antes; está sin conexión entre dos envíos.',
  'The device has sent data. It has no connection between two messages.':
    'El dispositivo envió datos. No tiene conexión entre dos mensajes.',
  'The device sends over HTTP.': 'El dispositivo envía por HTTP.',
  'The device uploads files.': 'El dispositivo envía archivos.',
  'The device publishes to a topic that does not belong to it: {place}':
    'El dispositivo publica en un topic que no le pertenece: {place}',
  'The device posts to an address that does not belong to it: {place}':
    'El dispositivo envía a una dirección que no le pertenece: {place}',
  'The device uploads to a name that does not belong to it: {place}':
    'El dispositivo envía con un nombre que no le pertenece: {place}',
  'Unknown until the device uploads a file.': 'No se sabe hasta que el dispositivo envíe un archivo.',
  'Unknown until the device connects.': 'No se sabe hasta que el dispositivo se conecte.',
  'The device has sent before, but the gateway did not record to which address.':
    'El dispositivo envió antes, pero el gateway no anotó a qué dirección.',
  'The device has sent status messages but no data.': 'El dispositivo envió mensajes de estado, pero no datos.',
  'The device has sent nothing yet.': 'El dispositivo todavía no envió nada.',
  'Send values as {"values": {"engine.hours": 1234.5}}; docs/mqtt.md has the names.':
    'Envíe valores así: {"values": {"engine.hours": 1234.5}}; docs/mqtt.md tiene los nombres.',
  'The device has uploaded no log yet.': 'El dispositivo todavía no envió ningún registro.',
  'Check that the logger records: check its memory card and its configuration.':
    'Revise que el registrador grabe: revise su tarjeta de memoria y su configuración.',
  'Pictures of the device arrive.': 'Llegan imágenes del dispositivo.',
  'Unknown until the device sends something.': 'No se sabe hasta que el dispositivo envíe algo.',
  'The device has sent no picture yet.': 'El dispositivo todavía no envió una imagen.',
  'Post frames as JPEG, PNG, WebP, AVIF or GIF.': 'Envíe imágenes como JPEG, PNG, WebP, AVIF o GIF.',
  'The device itself reports a fault.': 'El dispositivo mismo informa una falla.',
  'See the reported state on the page of the device.': 'Vea el estado informado en la página del dispositivo.',
  'The gateway cannot decode most of what the device sends.':
    'El gateway no puede decodificar la mayor parte de lo que envía el dispositivo.',
  'Its messages are over 256 KiB.': 'Sus mensajes pasan de 256 KiB.',
  'Send fewer frames in a message.': 'Envíe menos tramas en un mensaje.',
  'Unknown until the device sends data.': 'No se sabe hasta que el dispositivo envíe datos.',
  'Check the ignition, the CAN wiring and the bit rate.': 'Revise el contacto, el cableado CAN y la velocidad de bits.',
  'Link the device to another machine, or set this machine to available on its page.':
    'Vincule el dispositivo a otra máquina, o ponga esta máquina en disponible en su página.',
  'The device is linked to no machine: its data is stored but belongs to no machine.':
    'El dispositivo no está vinculado a ninguna máquina: sus datos se guardan pero no pertenecen a ninguna.',
  'Choose its machine in the list on the Devices page.': 'Elija su máquina en la lista de la página Dispositivos.',
  'Unknown until a picture arrives.': 'No se sabe hasta que llegue una imagen.',
  'Screens show pictures directly, without decoding.':
    'Las pantallas muestran las imágenes directamente, sin decodificar.',
  'The device sends values, but this gateway knows the name of none of them.':
    'El dispositivo envía valores, pero este gateway no conoce el nombre de ninguno.',
  'Unknown until the device sends frames.': 'No se sabe hasta que el dispositivo envíe tramas.',
  'Check that the device is on the right bus. Proprietary frames of a manufacturer need a DBC file: see the page DBC files.':
    'Revise que el dispositivo esté en el bus correcto. Las tramas propias de un fabricante necesitan un archivo DBC: vea la página Archivos DBC.',
  Connection: 'Conexión',
  Topic: 'Topic',
  Frames: 'Tramas',
  Decoded: 'Decodificado',
  Requests: 'Solicitudes',
  Uploads: 'Envíos',
  'Key pair': 'Par de claves',
  Folder: 'Carpeta',
  'Log files': 'Archivos de registro',
  Pictures: 'Imágenes',
  Shown: 'Mostrado',
  Place: 'Lugar',
  Values: 'Valores',
  Address: 'Dirección',
  Key: 'Clave',
  Machine: 'Máquina',
} as const;

export type ChainTold = keyof typeof CHAIN_ES;
