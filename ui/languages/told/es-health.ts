/** Texts of the gateway in Spanish: problems of the gateway. `docs/languages.md` has the glossary. */
export const HEALTH_ES = {
  '{n} alert waits to be sent to devices, because the broker does not take the message (device {device}: {error}). The gateway tries again for seven days.|{n} alerts wait to be sent to devices, because the broker does not take the message (device {device}: {error}). The gateway tries again for seven days.':
    '{n} alerta espera ser enviada a dispositivos, porque el broker no acepta el mensaje (dispositivo {device}: {error}). El gateway lo intenta de nuevo durante siete días.|{n} alertas esperan ser enviadas a dispositivos, porque el broker no acepta el mensaje (dispositivo {device}: {error}). El gateway lo intenta de nuevo durante siete días.',
  'Connect the light or horn, so that it takes its waiting messages, or delete the device.':
    'Conecte la luz o la bocina, para que reciba los mensajes en espera, o borre el dispositivo.',
  'The disk is mounted read-only and refuses writes. Operating systems do that after disk errors.':
    'El disco está montado solo para lectura y rechaza escrituras. Los sistemas operativos hacen eso después de errores del disco.',
  'The gateway stores nothing. It acknowledges no messages, so devices keep them. Pages, lists and screens can still be read.':
    'El gateway no guarda nada. No confirma mensajes, así que los dispositivos los guardan. Las páginas, listas y pantallas todavía se pueden leer.',
  'Check the disk, then mount it for writing again. The gateway resumes without a restart.':
    'Revise el disco y móntelo otra vez para escritura. El gateway sigue sin reinicio.',
  'The disk is full.': 'El disco está lleno.',
  'Delete files that are not needed, or move them to another disk. The gateway resumes without a restart.':
    'Borre archivos que no se necesiten, o muévalos a otro disco. El gateway sigue sin reinicio.',
  'The disk has almost no room left (under 2 %).': 'Al disco casi no le queda espacio (menos de 2 %).',
  'The gateway does not accept measurements; devices keep them and send them later, as far as they can. Alerts, events and changes by people are stored.':
    'El gateway no acepta mediciones; los dispositivos las guardan y las envían después, en lo posible. Las alertas, los eventos y los cambios de personas se guardan.',
  'Delete files that are not needed, or move them to another disk. The gateway accepts measurements again once there is space.':
    'Borre archivos que no se necesiten, o muévalos a otro disco. El gateway acepta mediciones otra vez cuando haya espacio.',
  'The disk has little room left (under 5 %).': 'Al disco le queda poco espacio (menos de 5 %).',
  'The gateway stores no history: live values continue, but trends have a gap. Raw messages are kept only until they are processed.':
    'El gateway no guarda historial: los valores en vivo siguen, pero las tendencias tienen un hueco. Los mensajes crudos se guardan solo hasta procesarlos.',
  'Delete files that are not needed, or move them to another disk. The gateway stores history again once there is space.':
    'Borre archivos que no se necesiten, o muévalos a otro disco. El gateway guarda historial otra vez cuando haya espacio.',
  'The disk is getting full (under 10 %).': 'El disco se está llenando (menos de 10 %).',
  'The gateway deletes the oldest raw messages early; values decoded from them can no longer be traced to their frames. It does not accept files from cameras and loggers; devices that can keep their files send them later.':
    'El gateway borra antes los mensajes crudos más antiguos; los valores decodificados de ellos ya no se pueden seguir hasta sus tramas. No acepta archivos de cámaras y registradores; los dispositivos que pueden guardar sus archivos los envían después.',
  'Delete files that are not needed, or move them to another disk.':
    'Borre archivos que no se necesiten, o muévalos a otro disco.',
  'The disk is slow: a write takes more than a fifth of a second.':
    'El disco es lento: una escritura tarda más de un quinto de segundo.',
  'Nothing. Devices wait longer for acknowledgements, and values arrive later.':
    'Nada. Los dispositivos esperan más por las confirmaciones, y los valores llegan más tarde.',
  'Check which other programs use the disk. A worn SD card or a failing disk also becomes slow: plan to replace it.':
    'Revise qué otros programas usan el disco. Una tarjeta SD gastada o un disco que falla también se vuelve lento: planifique reemplazarlo.',
  'Memory is almost used up (over 90 %).': 'La memoria está casi agotada (más de 90 %).',
  'The gateway refuses new connections and does not accept measurements; devices keep them and send them later.':
    'El gateway rechaza conexiones nuevas y no acepta mediciones; los dispositivos las guardan y las envían después.',
  'Close other programs on this computer, or add memory. If the gateway stops, it restarts automatically.':
    'Cierre otros programas en este computador, o agregue memoria. Si el gateway se detiene, arranca de nuevo automáticamente.',
  'Memory is getting short (over 80 %).': 'Queda poca memoria (más de 80 % usada).',
  'The gateway refuses new connections. Open connections continue.':
    'El gateway rechaza conexiones nuevas. Las conexiones abiertas siguen.',
  'Close other programs on this computer, or add memory.':
    'Cierre otros programas en este computador, o agregue memoria.',
  'The gateway cannot open more files and connections, because it has reached the limit of the operating system.':
    'El gateway no puede abrir más archivos y conexiones, porque llegó al límite del sistema operativo.',
  'Raise the limit of open files (LimitNOFILE of the service, or `ulimit -n`) and start the gateway again.':
    'Suba el límite de archivos abiertos (LimitNOFILE del servicio, o `ulimit -n`) y arranque el gateway otra vez.',
  'Devices wait for acknowledgements of messages that the gateway has not accepted.':
    'Los dispositivos esperan confirmaciones de mensajes que el gateway no aceptó.',
  'Nothing. The devices keep these messages; the gateway reconnects a few devices at a time so that they send them again.':
    'Nada. Los dispositivos guardan estos mensajes; el gateway reconecta pocos dispositivos a la vez para que los envíen otra vez.',
  'Nothing to do. It ends within a minute after the disk or memory shortage ends.':
    'No hay nada que hacer. Termina como máximo un minuto después de que termina la falta de disco o memoria.',
  'The clock of this computer is not set: it shows a time before the last run of this gateway.':
    'El reloj de este computador no está puesto: muestra una hora anterior a la última ejecución de este gateway.',
  'The gateway continues from the time of its last run, so all times are too early. It deletes nothing because of age.':
    'El gateway sigue desde la hora de su última ejecución, así que todas las horas son anteriores a las reales. No borra nada por su edad.',
  'Connect to a time server or set the clock; the gateway follows at once. If the clock is right and was wrong in an earlier run, stop the gateway, delete clock.json in its data folder, and start it again.':
    'Conéctese a un servidor de hora o ponga el reloj; el gateway lo sigue enseguida. Si el reloj está bien y estaba mal antes, detenga el gateway, borre clock.json en su carpeta de datos, y arránquelo otra vez.',
  'The clock of this computer jumped by more than a day.': 'El reloj de este computador saltó más de un día.',
  'The gateway continues with its own time. It deletes nothing because of age.':
    'El gateway sigue con su propia hora. No borra nada por su edad.',
  'Correct the clock. If the new time is right, restart the gateway.':
    'Corrija el reloj. Si la hora nueva es correcta, arranque el gateway otra vez.',
  'The clock of this computer is more than a year ahead of the last run of this gateway.':
    'El reloj de este computador está más de un año adelante de la última ejecución de este gateway.',
  'For a week the gateway deletes nothing because of age. After that it accepts the time.':
    'Durante una semana el gateway no borra nada por su edad. Después acepta la hora.',
  'Correct the clock if it is wrong. If it is right, delete clock.json in the data folder and restart the gateway.':
    'Corrija el reloj si está mal. Si está bien, borre clock.json en la carpeta de datos y arranque el gateway otra vez.',
  'The device {device} stored the most data: {today} today, {total} in total.':
    'El dispositivo {device} guardó la mayor cantidad de datos: {today} hoy, {total} en total.',
  'If that is too much, open the page of the device: quarantine the device there and purge its stored data.':
    'Si es demasiado, abra la página del dispositivo: póngalo allí en cuarentena y borre sus datos guardados.',
  'The gateway could not store values and events since {since}. The messages stay in the journal. The log of the gateway has the cause.':
    'El gateway no pudo guardar valores y eventos desde {since}. Los mensajes quedan en el diario. El registro del gateway tiene la causa.',
  'The gateway skipped {n} message because of an error in its code. The messages stay in the journal. The log of the gateway has the cause.|The gateway skipped {n} messages because of an error in its code. The messages stay in the journal. The log of the gateway has the cause.':
    'El gateway saltó {n} mensaje por un error en su código. Los mensajes quedan en el diario. El registro del gateway tiene la causa.|El gateway saltó {n} mensajes por un error en su código. Los mensajes quedan en el diario. El registro del gateway tiene la causa.',
  'The store refused {n} document, and the gateway skipped it. The messages from which it was made stay in the journal. The log of the gateway has the cause.|The store refused {n} documents, and the gateway skipped them. The messages from which they were made stay in the journal. The log of the gateway has the cause.':
    'El almacén rechazó {n} documento, y el gateway lo saltó. Los mensajes de los que salió quedan en el diario. El registro del gateway tiene la causa.|El almacén rechazó {n} documentos, y el gateway los saltó. Los mensajes de los que salieron quedan en el diario. El registro del gateway tiene la causa.',
  '{n} device has a clock more than five minutes ahead. The data of these devices does not change the live status of machines.|{n} devices have clocks more than five minutes ahead. The data of these devices does not change the live status of machines.':
    '{n} dispositivo tiene el reloj más de cinco minutos adelantado. Sus datos no cambian el estado en vivo de las máquinas.|{n} dispositivos tienen el reloj más de cinco minutos adelantado. Sus datos no cambian el estado en vivo de las máquinas.',
  '{n} device has a clock more than five minutes behind (a device that sends an old recording looks the same). Its data counts as old and does not change the live status of machines.|{n} devices have clocks more than five minutes behind (a device that sends an old recording looks the same). Their data counts as old and does not change the live status of machines.':
    '{n} dispositivo tiene el reloj más de cinco minutos atrasado (un dispositivo que envía una grabación antigua se ve igual). Sus datos cuentan como antiguos y no cambian el estado en vivo de las máquinas.|{n} dispositivos tienen el reloj más de cinco minutos atrasado (un dispositivo que envía una grabación antigua se ve igual). Sus datos cuentan como antiguos y no cambian el estado en vivo de las máquinas.',
  'The gateway cannot write its journal, so it acknowledges no more messages of devices.':
    'El gateway no puede escribir su diario, por eso ya no confirma mensajes de dispositivos.',
  '{n} device sends more than may be stored: {names}.|{n} devices send more than may be stored: {names}.':
    '{n} dispositivo envía más de lo que se puede guardar: {names}.|{n} dispositivos envían más de lo que se puede guardar: {names}.',
  'Data over the daily budget is acknowledged and not stored. The log of the device has the number of lost messages.':
    'Los datos sobre el límite diario se confirman y no se guardan. El registro del dispositivo tiene el número de mensajes perdidos.',
  'Open the device: quarantine it and purge its stored data, or set larger budgets in its settings.':
    'Abra el dispositivo: póngalo en cuarentena y borre sus datos guardados, o ponga límites mayores en sus ajustes.',
  'The clock of the logger {device} is {time} ahead. The bucket refuses its uploads until the clock is right.':
    'El reloj del registrador {device} está {time} adelantado. Sus envíos se rechazan hasta que el reloj esté bien.',
  'The clock of the logger {device} is {time} behind. The bucket refuses its uploads until the clock is right.':
    'El reloj del registrador {device} está {time} atrasado. Sus envíos se rechazan hasta que el reloj esté bien.',
  '{address} sent a wrong key or code {count} times since {since}; the last one was {what}. If you do not know this address, somebody may be guessing keys.':
    '{address} envió una clave o un código incorrecto {count} veces desde {since}; lo último fue {what}. Si no conoce esta dirección, quizás alguien adivina claves.',
  '{n} stored document does not fit the schema of this version, and lists leave it out: {names}. If a newer version of the gateway wrote it, install that version again.|{n} stored documents do not fit the schema of this version, and lists leave them out: {names}. If a newer version of the gateway wrote them, install that version again.':
    '{n} documento guardado no encaja en esta versión, y las listas lo dejan fuera: {names}. Si lo escribió una versión más nueva del gateway, instálela otra vez.|{n} documentos guardados no encajan en esta versión, y las listas los dejan fuera: {names}. Si los escribió una versión más nueva del gateway, instálela otra vez.',
  '{n} stored document has values that this version does not know and shows as unknown: {names}. The values are kept. Update this gateway to the version of the other end.|{n} stored documents have values that this version does not know and shows as unknown: {names}. The values are kept. Update this gateway to the version of the other end.':
    '{n} documento guardado tiene valores que esta versión no conoce y muestra como desconocidos: {names}. Los valores se conservan. Actualice este gateway a la versión del otro extremo.|{n} documentos guardados tienen valores que esta versión no conoce y muestra como desconocidos: {names}. Los valores se conservan. Actualice este gateway a la versión del otro extremo.',
  'The last backup failed ({message}).': 'La última copia de seguridad falló ({message}).',
  'There is no older backup.': 'No hay una copia anterior.',
  'The newest backup is of {since}.': 'La copia más nueva es de {since}.',
  '{what} {used}, more than the limit of {limit}. All samples older than 24 hours are already deleted.':
    '{what} {used}, más que el límite de {limit}. Todas las muestras de más de 24 horas ya están borradas.',
  'The samples in the database have': 'Las muestras en la base de datos tienen',
  'The database has': 'La base de datos tiene',
  'Nothing. The database grows further and may fill the disk.': 'Nada. La base de datos crece y puede llenar el disco.',
  'Use a larger disk, raise HEADFRAME_DATABASE_GIGABYTES or HEADFRAME_HISTORY_PERCENT, or purge the devices that store the most (`writers` in health).':
    'Use un disco más grande, suba HEADFRAME_DATABASE_GIGABYTES o HEADFRAME_HISTORY_PERCENT, o borre los datos de los dispositivos que más guardan.',
  'Stop the gateway, run `headframe recovery-code --enter`, and start it again. Without the recovery code, set these secrets again.':
    'Detenga el gateway, ejecute `headframe recovery-code --enter`, y arránquelo otra vez. Sin el código de recuperación, ponga estos secretos otra vez.',
  'A project has {most} open alerts; {refused} more were not raised.':
    'Un proyecto tiene {most} alertas abiertas; {refused} más no se activaron.',
  'new alerts of that project': 'alertas nuevas de ese proyecto',
  'Find the rule that raises so many, and mute or narrow it.':
    'Busque la regla que activa tantas, y siléncela o limítela.',
  '{n} webhook endpoint does not accept deliveries.|{n} webhook endpoints do not accept deliveries.':
    '{n} webhook no acepta entregas.|{n} webhooks no aceptan entregas.',
  'Read the last error of the endpoint. Pending deliveries are sent when it answers, for 7 days.':
    'Lea el último error del webhook. Las entregas pendientes se envían cuando responde, durante 7 días.',
  'The gateway did not stop cleanly last time. It checks its database now, while it serves requests.':
    'La última vez el gateway no se detuvo bien. Ahora revisa su base de datos mientras atiende.',
} as const;

export type HealthTold = keyof typeof HEALTH_ES;
