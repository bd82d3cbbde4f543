/** Texts of the gateway in Spanish: answers of rules, where a project has no model. `docs/languages.md` has the glossary. */
export const RULES_ES = {
  'No model is set for this project, so rules answered.':
    'Este proyecto no tiene un modelo configurado, por eso respondieron reglas.',
  'Answers by rules, without a model.': 'Responde con reglas, sin modelo.',
  'Alert "{rule}" ({severity}), since {at}.': 'Alerta «{rule}» ({severity}), desde {at}.',
  '{unit} has {n} more active code.|{unit} has {n} more active codes.':
    '{unit} tiene {n} código activo más.|{unit} tiene {n} códigos activos más.',
  'No repair of {unit} is open.': '{unit} no tiene ninguna orden abierta.',
  'The red stop lamp of {unit} is on. Stop the machine now.':
    'La luz de paro de {unit} está encendida. Detenga la máquina ahora.',
  'The protect lamp of {unit} is on.': 'La luz de protección de {unit} está encendida.',
  'The amber warning lamp of {unit} is on.': 'La luz ámbar de {unit} está encendida.',
  '{unit} is number {place} of {count} machines that need a person.':
    '{unit} es la número {place} de {count} máquinas que necesitan a una persona.',
  '{unit} never reported its trouble codes, so it is not known whether it has any.':
    '{unit} nunca informó sus códigos de falla, por eso no se sabe si tiene alguno.',
  '{unit} has no active trouble code.': '{unit} no tiene ningún código de falla activo.',
  '{code}: no words are known for this code. Active since {at}.':
    '{code}: no se conoce el significado de este código. Activo desde {at}.',
  '{code}: {meaning}. Active since {at}.': '{code}: {meaning}. Activo desde {at}.',
  'The control unit has counted {n} occurrence.|The control unit has counted {n} occurrences.':
    'La unidad de control contó {n} vez.|La unidad de control contó {n} veces.',
  'No values of that moment are stored.': 'No hay valores guardados de ese momento.',
  'At that moment: {values}.': 'En ese momento: {values}.',
  'The log has at least {n} starts of {code} in the last {days} days.':
    'El registro tiene al menos {n} inicios de {code} en los últimos {days} días.',
  'The log has {n} start of {code} in the last {days} days.|The log has {n} starts of {code} in the last {days} days.':
    'El registro tiene {n} inicio de {code} en los últimos {days} días.|El registro tiene {n} inicios de {code} en los últimos {days} días.',
  'Open repair {number} ({status}): {title}': 'Orden abierta {number} ({status}): {title}',
  'The devices could not be compared with the machines.': 'No fue posible comparar los dispositivos con las máquinas.',
  'Each device has a machine.': 'Cada dispositivo tiene una máquina.',
  'Device {device}: no machine fits.': 'Dispositivo {device}: ninguna máquina coincide.',
  'Device {device}: {unit} fits with {percent} %: {why}': 'Dispositivo {device}: {unit} coincide en {percent} %: {why}',
  '{n} more device has no machine.|{n} more devices have no machine.':
    '{n} dispositivo más no tiene máquina.|{n} dispositivos más no tienen máquina.',
  'Nothing was linked.': 'No se vinculó nada.',
  'Check each pair, and link it on the page Devices.': 'Revise cada par, y vincúlelo en la página Dispositivos.',
  'The request names no machine of this site.': 'El pedido no nombra ninguna máquina de esta faena.',
  'Start the action on a machine, or write its unit number into the request.':
    'Inicie la acción en una máquina, o escriba su número en el pedido.',
  'The request names {all} machines. The answer is about the first {first}.':
    'El pedido nombra {all} máquinas. La respuesta trata de las primeras {first}.',
  'The request does not say for which location the shift is.': 'El pedido no dice de qué lugar es el turno.',
  'Start the action on a location, or write the name of one location into the request.':
    'Inicie la acción en un lugar, o escriba el nombre de un lugar en el pedido.',
  '{unit}: working {working} min, idle {idle} min, off {off} min, down {down} min, standby {standby} min, unknown {unknown} min.':
    '{unit}: trabajando {working} min, ralentí {idle} min, apagada {off} min, averiada {down} min, en espera {standby} min, desconocido {unknown} min.',
  '{n} more machine is in the draft.|{n} more machines are in the draft.':
    '{n} máquina más está en el borrador.|{n} máquinas más están en el borrador.',
  '{unit} stopped at {at} for {minutes} min. No reason is stored.':
    '{unit} se detuvo a las {at} por {minutes} min. No hay un motivo guardado.',
  '{unit} stopped at {at} for {minutes} min: {why}': '{unit} se detuvo a las {at} por {minutes} min: {why}',
  'The draft has no stoppage.': 'El borrador no tiene ninguna detención.',
  '{n} more stoppage is in the draft.|{n} more stoppages are in the draft.':
    '{n} detención más está en el borrador.|{n} detenciones más están en el borrador.',
  'Active alert "{rule}" ({severity}).': 'Alerta activa «{rule}» ({severity}).',
  'No shift of the request has ended in the last {days} days.':
    'Ningún turno del pedido terminó en los últimos {days} días.',
  'Write the name of a shift and its date, such as: day 2026-11-21.':
    'Escriba el nombre de un turno y su fecha, como: day 2026-11-21.',
  'The draft of the shift could not be read.': 'No fue posible leer el borrador del turno.',
  'Shift {shift} of {date}:': 'Turno {shift} del {date}:',
  'Shift {shift} of {date}, not over yet:': 'Turno {shift} del {date}, aún no termina:',
  'No machine is at this location.': 'No hay ninguna máquina en este lugar.',
  'Yesterday:': 'Ayer:',
  'Today until {at}:': 'Hoy hasta {at}:',
  'The summary of the day could not be read.': 'No se pudo leer el resumen del día.',
  'No report was submitted, because a report cannot be changed.':
    'No se envió ningún informe, porque un informe no se puede cambiar.',
  'Add crew, loads, safety and weather on the page Shifts, and submit it there.':
    'Agregue cuadrilla, cargas, seguridad y clima en la página Turnos, y envíelo allí.',
  'No ticket was made for {unit}, because there is no code to make it from.':
    'No se creó ninguna orden para {unit}, porque no hay un código para ello.',
  'No ticket was made for {unit}, because the code of the request is not active.':
    'No se creó ninguna orden para {unit}, porque el código del pedido no está activo.',
  'No ticket was made for {unit}, because its open repairs could not be read.':
    'No se creó ninguna orden para {unit}, porque no fue posible leer sus órdenes abiertas.',
  'No ticket was made: repair {number} of this code is open: {title}':
    'No se creó ninguna orden: la orden {number} de este código está abierta: {title}',
  'This ticket would be made for {unit}: {title}': 'Esta orden se crearía para {unit}: {title}',
  'Ticket {number} was made for {unit}: {title}': 'Se creó la orden {number} para {unit}: {title}',
  'Logger {name}: each step works, from the connection to decoded values.':
    'Registrador {name}: cada paso funciona, desde la conexión hasta los valores decodificados.',
  'Logger {name}: the data stops at the step "{title}".':
    'Registrador {name}: los datos se detienen en el paso «{title}».',
  'Logger {name}: the data stops at the step "{title}", since {at}.':
    'Registrador {name}: los datos se detienen en el paso «{title}», desde {at}.',
  '{unit} never sent live data.': '{unit} nunca envió datos.',
  '{unit} is silent. Its last live data came at {at}.': '{unit} está en silencio. Sus últimos datos llegaron el {at}.',
  '{unit} is not silent. Its last live data came at {at}.':
    '{unit} no está en silencio. Sus últimos datos llegaron el {at}.',
  'No device is linked to {unit}, so no data of it can arrive.':
    'Ningún dispositivo está vinculado a {unit}, por eso no pueden llegar sus datos.',
  'Link its logger to it on the page Devices.': 'Vincule su registrador en la página Dispositivos.',
  'Remove the cause, and start the work again.': 'Elimine la causa, e inicie el trabajo otra vez.',
} as const;

export type RulesTold = keyof typeof RULES_ES;
