/** Texts of the gateway in Spanish: what is wrong with a value, and refusals about machines, work, boards and files. `docs/languages.md` has the glossary. */
export const WORK_ES = {
  '`{param}`: must be {expected}, not {found}.': '`{param}`: debe ser {expected}, no {found}.',
  '`{param}`: must be {values}.': '`{param}`: debe ser {values}.',
  '`{param}`: must be one of {values}.': '`{param}`: debe ser uno de {values}.',
  '`{param}`: must be a multiple of {divisor}.': '`{param}`: debe ser un múltiplo de {divisor}.',
  '`{param}`: has fields that are not allowed: {keys}.': '`{param}`: tiene campos no permitidos: {keys}.',
  '`{param}`: has a name that is not allowed.': '`{param}`: tiene un nombre no permitido.',
  '`{param}`: has a value that is not allowed.': '`{param}`: tiene un valor no permitido.',
  null: 'nulo',
  '`{param}`: must not be empty.': '`{param}`: no debe estar vacío.',
  '`{param}`: must begin with "{text}".': '`{param}`: debe comenzar con "{text}".',
  '`{param}`: must end with "{text}".': '`{param}`: debe terminar con "{text}".',
  '`{param}`: must contain "{text}".': '`{param}`: debe contener "{text}".',
  '`{param}`: must be a valid {format}.': '`{param}`: debe ser un {format} válido.',
  '`{param}`: must match {pattern}.': '`{param}`: debe cumplir {pattern}.',
  '`{param}`: must be a time with its zone, such as 2026-11-21T06:00:00Z.':
    '`{param}`: debe ser una hora con su zona, como 2026-11-21T06:00:00Z.',
  '`{param}`: must be a day, such as 2026-11-21.': '`{param}`: debe ser un día, como 2026-11-21.',
  '`{param}`: must be a URL, such as https://host/path.': '`{param}`: debe ser una URL, como https://host/path.',
  '`{param}`: must be base64.': '`{param}`: debe ser base64.',
  '`{param}`: must have at most {limit} characters.': '`{param}`: debe tener como máximo {limit} caracteres.',
  '`{param}`: must have at most {limit} items.': '`{param}`: debe tener como máximo {limit} elementos.',
  '`{param}`: must have at most {limit} entries.': '`{param}`: debe tener como máximo {limit} entradas.',
  '`{param}`: must be less than {limit}.': '`{param}`: debe ser menor que {limit}.',
  '`{param}`: must be at most {limit}.': '`{param}`: debe ser como máximo {limit}.',
  '`{param}`: must have at least {limit} characters.': '`{param}`: debe tener al menos {limit} caracteres.',
  '`{param}`: must have at least {limit} items.': '`{param}`: debe tener al menos {limit} elementos.',
  '`{param}`: must have at least {limit} entries.': '`{param}`: debe tener al menos {limit} entradas.',
  '`{param}`: must be more than {limit}.': '`{param}`: debe ser mayor que {limit}.',
  '`{param}`: must be at least {limit}.': '`{param}`: debe ser al menos {limit}.',
  '`{param}`: has none of the allowed forms.': '`{param}`: no tiene ninguna de las formas permitidas.',
  'The gateway at {base} does not answer.': 'El gateway en {base} no responde.',
  'this address': 'esta dirección',
  'The server at {base} is not a Headframe gateway (status {status}).':
    'El servidor en {base} no es un gateway de Headframe (estado {status}).',
  'a text': 'un texto',
  'a number': 'un número',
  'a number with decimals': 'un número con decimales',
  'a whole number': 'un número entero',
  'true or false': 'verdadero o falso',
  'a list': 'una lista',
  'an object': 'un objeto',
  nothing: 'nada',
  none: 'ninguno',
  'The {object} {name} is inactive; activate it first.': '{object}: {name} está inactivo; actívelo primero.',
  'This key is restricted to some projects. To read the audit log of the gateway, use a key for all projects.':
    'Esta clave está restringida a algunos proyectos. Para leer el registro de auditoría del gateway, use una clave para todos los proyectos.',
  'There is no {what} {id}, or this key has no access to it.': 'No hay {what} {id}, o esta clave no tiene acceso.',
  'There is no {what}, or this key has no access to it.': 'No hay tal registro ({what}), o esta clave no tiene acceso.',
  'There is no {what} {id}, or this key has no access to it; its id begins with `{prefix}_`.':
    'No hay {what} {id}, o esta clave no tiene acceso; su identificador comienza con `{prefix}_`.',
  'There is no {what}, or this key has no access to it; its id begins with `{prefix}_`.':
    'No hay tal registro ({what}), o esta clave no tiene acceso; su identificador comienza con `{prefix}_`.',
  'The object has changed: it is at revision {revision}. Read it again, then repeat the change.':
    'El registro cambió: está en la revisión {revision}. Léalo otra vez y repita el cambio.',
  '{word} {name} belongs to {holder}.': '{word} {name} pertenece a {holder}.',
  'Unit number': 'Número de máquina',
  Serial: 'Número de serie',
  Code: 'Código',
  'Employee number': 'Número de empleado',
  Badge: 'Credencial',
  'The shift': 'El turno',
  'The name': 'El nombre',
  operator: 'operador',
  mechanic: 'mecánico',
  location: 'lugar',
  person: 'persona',
  equipment: 'máquina',
  ticket: 'orden',
  board: 'tablero',
  playlist: 'lista de tableros',
  file: 'archivo',
  rule: 'regla',
  'maintenance plan': 'plan de mantenimiento',
  checklist: 'lista de chequeo',
  'DBC file': 'archivo DBC',
  delivery: 'entrega',
  device: 'dispositivo',
  project: 'proyecto',
  task: 'tarea',
  run: 'ejecución',
  alert: 'alerta',
  event: 'entrada del registro',
  inspection: 'inspección',
  user: 'usuario',
  tablet: 'tableta',
  'The body is larger than {most} bytes, the limit of this operation.':
    'El contenido pasa de {most} bytes, el límite de esta operación.',
  'This gateway no longer has the content of this file.': 'Este gateway ya no tiene el contenido de este archivo.',
  'You have {each} {what} open, which is the limit of one caller. Wait until one of them ends.':
    'Usted ya tiene abierto el máximo permitido: {each} ({what}). Espere a que termine alguno.',
  '{taken} {what} are open, which is the limit of this gateway. Try again in a moment.':
    'Ya está abierto el máximo de este gateway: {taken} ({what}). Pruebe otra vez en un momento.',
  screens: 'pantallas',
  exports: 'exportaciones',
  uploads: 'envíos',
  frames: 'tramas',
  'large bodies': 'contenidos grandes',
  'task streams': 'flujos de tareas',
  'Too many calls of this caller are waiting. Send fewer at once.':
    'Esperan demasiadas solicitudes suyas. Envíe menos a la vez.',
  'More than {limit} requests in a minute. Wait {retry_after_s} s.':
    'Más de {limit} solicitudes en un minuto. Espere {retry_after_s} s.',
  'Too many bytes of JSON bodies in a minute. Wait {retry_after_s} s.':
    'Demasiados bytes de JSON en un minuto. Espere {retry_after_s} s.',
  'This node does not run the service that this operation needs.':
    'Este nodo no tiene el servicio que esta operación necesita.',
  'There is no such device, or this key has no access to it.':
    'No hay tal dispositivo, o esta clave no tiene acceso a él.',
  '`{param}` is required.': '`{param}` es obligatorio.',
  '`{field}` is read-only here; it is written by {owner}.': '`{field}` es solo de lectura aquí; lo escribe {owner}.',
  'The role {role} may not set `{field}` with this operation.': 'El rol {role} no puede cambiar `{field}` aquí.',
  'The role {role} may set `{field}` only to: {values}.': 'El rol {role} puede poner `{field}` solo en: {values}.',
  'The gateway failed. Its log has the cause under {request}.':
    'El gateway falló. Su registro tiene la causa con el número {request}.',
  'Other callers kept changing the same object. Read the object again and repeat the call.':
    'Otros cambiaron el mismo registro una y otra vez. Léalo otra vez y repita el cambio.',
  'The database of the gateway is damaged. The gateway starts again and repairs it. Repeat the call in a minute.':
    'La base de datos del gateway está dañada. El gateway se reinicia y la repara. Repita en un minuto.',
  'The disk of the gateway cannot be written now. Reads still work.':
    'Ahora no se puede escribir en el disco del gateway. La lectura sigue funcionando.',
  'The disk of the gateway is too full to accept this write.':
    'El disco del gateway está demasiado lleno para aceptar esto.',
  'An earlier call with this Idempotency-Key is still running. Before you send the call with a new key, read the resource.':
    'Una solicitud anterior con esta clave de idempotencia sigue en marcha. Antes de enviarla con una clave nueva, lea el registro.',
  'The cursor has expired. Start again without `cursor`.': 'La lista cambió desde que se abrió. Comience de nuevo.',
  'The gateway keeps so many late writes of this person that it cannot take more now. Keep this one. It is sent again later.':
    'El gateway guarda tantos cambios atrasados de esta persona que ahora no puede recibir más. Guarde este. Se envía otra vez más tarde.',
  'The gateway keeps so many late writes that it cannot take more now. Keep this one. It is sent again later.':
    'El gateway guarda tantos cambios atrasados que ahora no puede recibir más. Guarde este. Se envía otra vez más tarde.',
  '{queue} requests for DBC files are waiting; try again in a moment.':
    'Esperan {queue} solicitudes de archivos DBC; pruebe otra vez en un momento.',
  'Two tests of DBC files are running; try again in a moment.':
    'Hay dos pruebas de archivos DBC en marcha; pruebe otra vez en un momento.',
  ended: 'terminó',
  'took more than {seconds} s': 'tardó más de {seconds} s',
  'The thread that reads DBC files {what}; nothing was changed.':
    'La lectura de archivos DBC {what}; no se cambió nada.',
  '{what} was deleted because its retention time has passed: the gateway keeps the newest {most} decode tasks, for {days} days, and tasks that failed or have gaps for {longer} days. The file and its decoded values are still stored. Decode the file again to create a new task.':
    '{what} se borró porque pasó su tiempo de conservación: el gateway guarda las {most} tareas de decodificación más nuevas, por {days} días, y las tareas que fallaron o tienen huecos por {longer} días. El archivo y sus valores decodificados siguen guardados. Decodifique el archivo otra vez para crear una tarea nueva.',
  'The task of this file': 'La tarea de este archivo',
  'A run with this id': 'Una ejecución con este identificador',
  'The location {name} has no geofence: give it one first.': 'El lugar {name} no tiene geocerca: dele una primero.',
  'A project can have at most {most_rules} alert rules.':
    'Un proyecto puede tener como máximo {most_rules} reglas de alerta.',
  'The project has no location with this id.': 'El proyecto no tiene un lugar con este identificador.',
  'The project has no maintenance plan with this id.':
    'El proyecto no tiene un plan de mantenimiento con este identificador.',
  '{machines} machines and this range are {days} days; one call tries at most {max_test_machine_days}. Shorten the range or name fewer machines.':
    '{machines} máquinas y este período son {days} días; una prueba acepta como máximo {max_test_machine_days}. Acorte el período o nombre menos máquinas.',
  'A project can have at most {max_endpoints} webhook endpoints.':
    'Un proyecto puede tener como máximo {max_endpoints} webhooks.',
  'Only an owner can allow addresses of the local network.':
    'Solo un propietario puede permitir direcciones de la red local.',
  'The address contains a user name or password; leave them out.':
    'La dirección tiene un nombre de usuario o una contraseña; quítelos.',
  'The address has a fragment (#...), which is never sent; leave it out.':
    'La dirección tiene un fragmento (#...), que nunca se envía; quítelo.',
  'This address is that of the gateway itself, or one that webhooks must not use.':
    'Esta dirección es la del gateway mismo, o una que los webhooks no deben usar.',
  'A public address must use https.': 'Una dirección pública debe usar https.',
  'Widgets {before} and {i} overlap on the grid of 12 by 6.':
    'Los recuadros {before} y {i} se superponen en la cuadrícula de 12 por 6.',
  'The group of screens {group} has no playlist.': 'El grupo de pantallas {group} no tiene lista de tableros.',
  'Too many wrong codes; wait ten minutes.': 'Demasiados códigos incorrectos; espere diez minutos.',
  'Too many screens wait to be paired; try again in some minutes.':
    'Demasiadas pantallas esperan ser vinculadas; pruebe otra vez en unos minutos.',
  'This pairing has expired or was replaced; begin a new one.':
    'Esta vinculación venció o fue reemplazada; comience una nueva.',
  'No screen shows this code. A code is valid once, for ten minutes.':
    'Ninguna pantalla muestra este código. Un código vale una vez, por diez minutos.',
  'The project has no shift {missing}; it has {names}.': 'El proyecto no tiene el turno {missing}; tiene {names}.',
  'A screen cannot show {id}: it is {content_type}.': 'Una pantalla no puede mostrar {id}: es {content_type}.',
  'These screens have a playlist already: {name}.': 'Estas pantallas ya tienen una lista de tableros: {name}.',
  'The gateway was restored without its key and cannot decrypt the secret of this key pair. Enter the recovery code (`headframe recovery-code --enter`), or roll the key pair.':
    'El gateway se restauró sin su clave y no puede descifrar el secreto de este par de claves. Ingrese el código de recuperación (`headframe recovery-code --enter`), o renueve el par de claves.',
  'There is no configuration file for this device. Store its configuration first.':
    'No hay archivo de configuración para este dispositivo. Guarde primero su configuración.',
  'The device has no configuration yet.': 'El dispositivo todavía no tiene configuración.',
  'This file is not firmware of a CANedge logger. Use the firmware file that the maker of the logger provides.':
    'Este archivo no es firmware de un registrador CANedge. Use el archivo de firmware del fabricante del registrador.',
  'There is no machine {equipment_id} in this project.': 'No hay una máquina {equipment_id} en este proyecto.',
  'The machine {unit_number} is decommissioned, so no device can be linked to it.':
    'La máquina {unit_number} está dada de baja, por eso no se le puede vincular un dispositivo.',
  'There is no device {serial} in this project.': 'No hay un dispositivo {serial} en este proyecto.',
  'device_id {wanted} belongs to {device}.': 'El nombre {wanted} pertenece a {device}.',
  'This claim does not exist, has expired or was already used. Request a new one.':
    'Esta autorización no existe, venció o ya se usó. Pida una nueva.',
  '{most} logs of this device wait to be decoded. Send the next log after some of them are decoded.':
    '{most} registros de este dispositivo esperan ser decodificados. Envíe el siguiente cuando algunos estén decodificados.',
  'The device already has {most} open uploads. Finish one, or wait until one expires.':
    'El dispositivo ya tiene {most} envíos abiertos. Termine uno, o espere a que uno venza.',
  'Images must be posted with the key of the device.': 'Las imágenes se deben enviar con la clave del dispositivo.',
  'A project can have at most {files} versions of DBC files.':
    'Un proyecto puede tener como máximo {files} versiones de archivos DBC.',
  'At most {active} DBC files can be active.': 'Como máximo {active} archivos DBC pueden estar activos.',
  'This version has been active, so its mapping cannot change. Import the file again for another mapping.':
    'Esta versión ya estuvo activa, por eso su asignación no puede cambiar. Importe el archivo otra vez para otra asignación.',
  'This version is active; deactivate it first.': 'Esta versión está activa; desactívela primero.',
  'A decode run of this log is already queued or running; follow its task.':
    'Una decodificación de este registro ya espera o está en marcha; siga su tarea.',
  'A report can have at most {n} photos.': 'Un aviso puede tener como máximo {n} fotos.',
  'This repair has {n} photos already, and can have no more.': 'Esta orden ya tiene {n} fotos y no puede tener más.',
  '{most_waiting_photos} photos of this machine are in no inspection yet. Send the inspections, or wait until the photos are deleted.':
    '{most_waiting_photos} fotos de esta máquina no están todavía en una inspección. Envíe las inspecciones, o espere a que las fotos se borren.',
  'The photo must be a JPEG, PNG, WebP, GIF or AVIF image.': 'La foto debe ser una imagen JPEG, PNG, WebP, GIF o AVIF.',
  '{by} took this machine at {at}, after this was written.':
    '{by} se encargó de esta máquina a las {at}, después de que se escribió esto.',
  '{by} is on this machine. Only this person, a supervisor or an admin can end that. To be on it yourself, take it.':
    '{by} se encarga de esta máquina. Solo esta persona, un supervisor o un administrador puede terminar eso. Para encargarse usted, elija «Yo me encargo».',
  'The status of a decommissioned machine can only change to available.':
    'El estado de una máquina dada de baja solo puede cambiar a disponible.',
  'Only an owner or admin can bring back a decommissioned machine.':
    'Solo un propietario o administrador puede traer de vuelta una máquina dada de baja.',
  'A project can have at most {most_intervals} set intervals. Set intervals for kinds instead of machines, or remove some.':
    'Un proyecto puede tener como máximo {most_intervals} intervalos puestos. Ponga intervalos para tipos en vez de máquinas, o quite algunos.',
  'Locations can be nested at most {most_levels} levels deep.':
    'Los lugares pueden tener como máximo {most_levels} niveles.',
  'A branch of more than {most_moved} locations must be moved in parts.':
    'Una rama de más de {most_moved} lugares se debe mover por partes.',
  'A location cannot be inside itself or inside one of its own parts.':
    'Un lugar no puede estar dentro de sí mismo ni de una de sus partes.',
  'The machine sent a newer reading at {observed_at}. Give a reading from that time or later.':
    'La máquina envió una lectura más nueva a las {observed_at}. Dé una lectura de esa hora o posterior.',
  '`status_since` is in the future.': '`status_since` está en el futuro.',
  '`status_since` is more than 366 days ago.': '`status_since` es de hace más de 366 días.',
  'The machine has this status since {since}. Give an earlier time.':
    'La máquina tiene este estado desde {since}. Dé una hora anterior.',
  'People set another status at {at}. Give that time or a later one.':
    'Alguien puso otro estado a las {at}. Dé esa hora o una posterior.',
  'There is no meter of the kind {kind}.': 'No hay un contador del tipo {kind}.',
  '{label}: a reading is between 0 and {max} {unit}.': '{label}: una lectura está entre 0 y {max} {unit}.',
  'The time of the reading is in the future.': 'La hora de la lectura está en el futuro.',
  'The plan has more than {max_stored_plan} characters. Apply it in several parts, for example the machines of one area each.':
    'El plan tiene más de {max_stored_plan} caracteres. Aplíquelo por partes, por ejemplo las máquinas de un área cada vez.',
  'The project has {limit} active learnings already. End one that is no longer true.':
    'El proyecto ya tiene {limit} aprendizajes activos. Termine uno que ya no sea cierto.',
  'The learning was changed since.': 'El aprendizaje cambió desde entonces.',
  '{most_waiting} runs of this project wait already. Wait until some have ended, or cancel them.':
    'Ya esperan {most_waiting} ejecuciones de este proyecto. Espere a que terminen algunas, o cancélelas.',
  'Make a new task here.': 'Cree aquí una tarea nueva.',
  'Only owners, admins and the approvers of the review configuration may approve. A key of an agent may never approve.':
    'Solo los propietarios, los administradores y quienes la configuración nombra pueden aprobar. Una clave de agente nunca puede aprobar.',
  'A run of this task waits or works. Wait until it ends, or cancel it.':
    'Una ejecución de esta tarea espera o trabaja. Espere a que termine, o cancélela.',
  'The latest run of this task does not wait for an approval.':
    'La última ejecución de esta tarea no espera una aprobación.',
  'What this task had written was taken back, so its run cannot go on. Start the task again.':
    'Lo que esta tarea había escrito se deshizo, por eso su ejecución no puede seguir. Comience la tarea otra vez.',
  'There is no such project, or this key has no access to it.':
    'No hay tal proyecto, o esta clave no tiene acceso a él.',
  'The address may have only a scheme, a host, a port and a path.':
    'La dirección solo puede tener esquema, host, puerto y ruta.',
  'An address outside the local network must use https.': 'Una dirección fuera de la red local debe usar https.',
  'No model server can have this address.': 'Ningún servidor de modelos puede tener esta dirección.',
  'It cannot be canceled here.': 'No se puede cancelar aquí.',
  'This task has no active run.': 'Esta tarea no tiene una ejecución activa.',
  'Live decoding cannot be canceled. It ends when the key of the device is revoked.':
    'La decodificación en vivo no se puede cancelar. Termina cuando se revoca la clave del dispositivo.',
  'Head office or another gateway made this task, and only that one carries out its runs.':
    'La oficina central u otro gateway creó esta tarea, y solo ese la ejecuta.',
  'Waits for the device.': 'Espera al dispositivo.',
  'Take it back there.': 'Deshágala allí.',
  'Only prompts, custom actions and setups can be taken back.':
    'Solo se pueden deshacer instrucciones, acciones propias y configuraciones.',
  'The task has a newer run. Look at the plan again.': 'La tarea tiene una ejecución más nueva. Mire el plan otra vez.',
  'The run waits or works. Wait until it ends, or cancel it.':
    'La ejecución espera o trabaja. Espere a que termine, o cancélela.',
  'An undo of this task waits or works. Wait until it ends.':
    'Ya se está deshaciendo esta tarea. Espere a que termine.',
  'This report is more than {days} days old, or of another machine. Tell your supervisor about the fault.':
    'Este aviso tiene más de {days} días, o es de otra máquina. Avise de la falla a su supervisor.',
  'A decommissioned machine gets no QR code.': 'Una máquina dada de baja no recibe código QR.',
  'A project can have at most {most_checklists} checklists.':
    'Un proyecto puede tener como máximo {most_checklists} listas de chequeo.',
  'The inspection has {media} files. It can have at most {most_inspection_media}.':
    'La inspección tiene {media} archivos. Puede tener como máximo {most_inspection_media}.',
  'This checklist is for another kind of machines.': 'Esta lista de chequeo es para otro tipo de máquinas.',
  'A story has at most {story_days} days. Ask for a shorter time.':
    'Una historia tiene como máximo {story_days} días. Pida un tiempo más corto.',
  'The story must end after it begins, and begin before now.':
    'La historia debe terminar después de comenzar, y comenzar antes de ahora.',
  'A project can have at most {most_plans} maintenance plans.':
    'Un proyecto puede tener como máximo {most_plans} planes de mantenimiento.',
  'The machine reported {reading} {by} at {observed_at}, so it cannot have had {given}. Check the reading.':
    'La máquina informó {reading} {by} a las {observed_at}, así que no puede haber tenido {given}. Revise la lectura.',
  'The service was done more than an hour ago: give the {by} of the machine at that time in `{field}`.':
    'El mantenimiento se hizo hace más de una hora: indique {by} de la máquina en ese momento en `{field}`.',
  'This plan is not for this machine, or the machine is decommissioned.':
    'Este plan no es para esta máquina, o la máquina está dada de baja.',
  'The ticket is about another machine.': 'La orden es de otra máquina.',
  'A newer version gave this ticket the status {from}, which this version does not know. Change the status at the end with the newer version, or update this one.':
    'Una versión más nueva puso esta orden en el estado {from}, que esta versión no conoce. Cambie el estado en el extremo con la versión más nueva, o actualice este.',
  'The status {from} can only change to {allowed}.': 'El estado {from} solo puede cambiar a {allowed}.',
  'A {from} ticket cannot be changed. Create a new one and name this one in `related_to`; comments can still be added to its events.':
    'Una orden en el estado {from} no se puede cambiar. Cree una nueva y nombre esta en `related_to`; todavía se pueden agregar comentarios.',
  'The project has no shift {name}.': 'El proyecto no tiene el turno {name}.',
  'This shift has not begun; it begins at {starts_at}.': 'Este turno no ha comenzado; comienza a las {starts_at}.',
  'In {timezone} the shift begins on {day}.': 'En {timezone} el turno comienza el {day}.',
  'The minutes add up to {sum}; the shift has {length}. The rest is unknown.':
    'Los minutos suman {sum}; el turno tiene {length}. El resto es desconocido.',
  'The stoppages of category {category} last {lasts} minutes; time_usage has {minutes} for this machine.':
    'Las detenciones de la categoría {category} duran {lasts} minutos; para esta máquina están anotados {minutes}.',
  'Only these roles can amend a report: {writers}.': 'Solo estos roles pueden corregir un informe: {writers}.',
  'A shift begins and ends on a whole minute.': 'Un turno comienza y termina en un minuto entero.',
  'The shift ends before it begins.': 'El turno termina antes de comenzar.',
  'A shift lasts at most 36 hours.': 'Un turno dura como máximo 36 horas.',
  'This shift has not begun.': 'Este turno no ha comenzado.',
  '{max_waiting_reads} reads of stored telemetry wait already; try again in a few seconds.':
    'Ya esperan {max_waiting_reads} lecturas de datos guardados; pruebe otra vez en unos segundos.',
  "The logger's schema cannot be used to check a configuration: {why}.":
    'El esquema del registrador no se puede usar para revisar una configuración: {why}.',
  'This gateway is opening your previews of unsaved boards, at most {most_drafts_each} at once; wait a second.':
    'Este gateway abre sus vistas previas de tableros sin guardar, como máximo {most_drafts_each} a la vez; espere un segundo.',
  'This gateway previews {most_drafts} unsaved boards at once; close one.':
    'Este gateway muestra {most_drafts} tableros sin guardar a la vez; cierre uno.',
  'This gateway composes {most_feeds} boards at once; close a page.':
    'Este gateway compone {most_feeds} tableros a la vez; cierre una página.',
  'The mute ends before it begins.': 'El silencio termina antes de comenzar.',
  'The run lasts as long as the device sends data. A new version of the decoder starts a new run.':
    'La ejecución dura mientras el dispositivo envía datos. Una versión nueva del decodificador comienza una ejecución nueva.',
  'The run waits in the queue.': 'La ejecución espera en la cola.',
  'The run works.': 'La ejecución trabaja.',
  'The stoppage ends before it begins.': 'La detención termina antes de comenzar.',
  'The stoppage is outside the shift; give only the part inside.':
    'La detención está fuera del turno; dé solo la parte de adentro.',
  'The machine is listed twice.': 'La máquina está en la lista dos veces.',
  'Two stoppages of one machine overlap.': 'Dos detenciones de una máquina se superponen.',
  flagged: 'avisada',
  in_progress: 'en curso',
  on_hold: 'en espera',
  fixed: 'reparada',
  canceled: 'cancelada',
  'engine hours': 'horas de motor',
  km: 'km',
  'Link the device to a machine first. Bus requests are allowed for one machine.':
    'Vincule primero el dispositivo a una máquina. Las solicitudes al bus se permiten para una máquina.',
  'The text is not a valid DBC file: line {line}, column {column}: {what}.':
    'El texto no es un archivo DBC válido: línea {line}, columna {column}: {what}.',
  'the byte order must be 0 or 1': 'el orden de bytes debe ser 0 o 1',
  'the file defines no message': 'el archivo no define ningún mensaje',
} as const;

export type WorkTold = keyof typeof WORK_ES;
