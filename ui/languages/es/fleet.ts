/** The texts of the pages of head office about its sites, and of conflicts, in Spanish. `docs/languages.md` has the glossary. */
export const FLEET_ES = {
  'head office': 'oficina central',
  'this site': 'esta faena',
  'a site': 'una faena',
  '3 days': '3 días',
  '1 month, for a box that travels': '1 mes, para un equipo que viaja',
  'Last heard': 'Último contacto',
  'Health then': 'Estado entonces',
  Waits: 'Espera',
  'Connect {name}': 'Conectar {name}',
  'Replace the box of {name}': 'Reemplazar el equipo de {name}',
  '{name} is connected. Its machines and boards appear here as they arrive.':
    '{name} está conectada. Sus máquinas y tableros aparecen aquí a medida que llegan.',
  'The new box has the place of the old one, which head office refuses from now on. It gets the data of {name} back. Its page {page} says how far it is, and what did not come back.':
    'El equipo nuevo tiene el lugar del anterior, que la oficina central rechaza desde ahora. Recupera los datos de {name}. Su página {page} dice cuánto lleva y qué no volvió.',
  'At the site, sign in as owner or admin and open the page {page}.':
    'En la faena, entre como propietario o administrador y abra la página {page}.',
  'Start Headframe on the new box with an empty data folder, and claim it. Where it asks to create a site, select {link}.':
    'Inicie Headframe en el equipo nuevo con una carpeta de datos vacía y tome posesión de él. Donde pide crear una faena, elija {link}.',
  'Type the address of this head office.': 'Escriba la dirección de esta oficina central.',
  'Type the code. It is valid once, until {time}, and shown only now.':
    'Escriba el código. Sirve una sola vez, hasta {time}, y se muestra solo ahora.',
  'You opened this page without https. A site takes such an address only within its own network. For sites elsewhere, give head office a name and a certificate, and open this page there.':
    'Abrió esta página sin https. Una faena acepta esta dirección solo dentro de su propia red. Para faenas en otros lugares, dé a la oficina central un nombre y un certificado, y abra esta página allí.',
  'This page waits for the site and says when it is connected.':
    'Esta página espera a la faena y avisa cuando está conectada.',
  'Add a site': 'Agregar una faena',
  'Make a code': 'Crear un código',
  'Name of the site': 'Nombre de la faena',
  'Such as Quarry North.': 'Por ejemplo, Cantera Norte.',
  'The code is valid for': 'El código vale por',
  'Not used yet': 'Sin usar todavía',
  'Codes that wait': 'Códigos en espera',
  'for a box that replaces the one of this site': 'para un equipo que reemplaza al de esta faena',
  'valid until {time}': 'vigente hasta {time}',
  Withdraw: 'Anular',
  'the code for {name}': 'el código para {name}',
  'No problem': 'Sin problemas',
  '{n} problem|{n} problems': '{n} problema|{n} problemas',
  '{count} at the site': '{count} en la faena',
  'at least 1,000 here': 'al menos 1.000 aquí',
  '{files} to move at the last contact.': '{files} por transferir en el último contacto.',
  'of {name}': 'de {name}',
  'Revoke {name} now': 'Revocar {name} ahora',
  'Open {name}': 'Abrir {name}',
  'No site is connected yet': 'Aún no hay faenas conectadas',
  'Make a code for the first site below, and type it at the site.':
    'Cree abajo un código para la primera faena y escríbalo en la faena.',
  'An owner or admin of head office connects the sites.':
    'Un propietario o administrador de la oficina central conecta las faenas.',
  codes: 'códigos',
  'Head office has no way to a machine: keys, configuration, firmware, bus requests and arming are only at the site itself, so a stranger in head office can move nothing.':
    'La oficina central no tiene acceso a las máquinas: claves, configuración, firmware, solicitudes al bus y habilitación están solo en la faena, así que un extraño en la oficina central no puede mover nada.',
  'Keep the box {mark}': 'Conservar el equipo {mark}',
  'Keep the box {mark}?': '¿Conservar el equipo {mark}?',
  'This box ({host}) becomes the site {site} when it calls next, mostly within a minute. It sends what it recorded alone: {changes} at its last contact.':
    'Este equipo ({host}) pasa a ser la faena {site} en su próximo contacto, casi siempre en menos de un minuto. Envía lo que registró por su cuenta: {changes} en su último contacto.',
  'Every other box with this identity is fenced: it works on alone, and head office takes nothing from it. What it has not sent stays on its disk.':
    'Todo otro equipo con esta identidad queda aislado: sigue trabajando solo, y la oficina central no acepta nada de él. Lo que no ha enviado queda en su disco.',
  'To get what the other box has not sent, keep the other box on this page until it is in step, and then keep this one again. Do not delete the data folder of a box before.':
    'Para obtener lo que el otro equipo no ha enviado, conserve el otro equipo en esta página hasta que esté al día, y después conserve de nuevo este. No borre antes la carpeta de datos de ningún equipo.',
  'Keep this one': 'Conservar este',
  Mark: 'Marca de identificación',
  'Host name': 'Nombre del equipo',
  'One of its addresses': 'Una de sus direcciones',
  'Newest data, by its clock': 'Datos más nuevos, según su reloj',
  'Not sent': 'Sin enviar',
  'Fenced, by its clock': 'Aislado, según su reloj',
  'Box {mark} is fenced': 'El equipo {mark} está aislado',
  'Box {mark} is the site': 'El equipo {mark} es la faena',
  'It was chosen. It becomes the site when it calls next.': 'Fue elegido. Pasa a ser la faena en su próximo contacto.',
  'with the mark {mark}': 'con la marca {mark}',
  'Boxes of {name}': 'Equipos de {name}',
  'Several boxes use the identity of {name}': 'Varios equipos usan la identidad de {name}',
  'They have one identity, such as a computer and a copy of its disk. Head office takes the data of one of them; the others are fenced and work on alone. Each box shows its mark on its page {page}. Stop the box that is too many.':
    'Tienen una misma identidad, como un computador y una copia de su disco. La oficina central acepta los datos de uno; los otros quedan aislados y siguen trabajando solos. Cada equipo muestra su marca en su página {page}. Detenga el equipo que sobra.',
  'Each of these boxes is fenced in some of its projects. Keep one of them.':
    'Cada uno de estos equipos está aislado en algunos de sus proyectos. Conserve uno de ellos.',
  'The box that is the site now has not told its mark. It may have an earlier version.':
    'El equipo que ahora es la faena no ha dicho su marca. Puede que tenga una versión anterior.',
  'Two people gave different values while there was no connection. The first one is shown now.':
    'Dos personas dieron valores distintos mientras no había conexión. Ahora se muestra el primero.',
  'One person deleted it, and another one edited it without knowing. It stays until you decide.':
    'Una persona lo borró, y otra lo editó sin saberlo. Se queda hasta que usted decida.',
  'While there was no connection, people at two ends made records that contradict each other. Choose what to change.':
    'Mientras no había conexión, personas en dos extremos crearon registros que se contradicen. Elija qué cambiar.',
  'This move was made while there was no connection, and did not fit any more. It had no effect.':
    'Este paso se hizo mientras no había conexión y ya no era posible. No tuvo efecto.',
  'As it is now': 'Como está ahora',
  '{who}, at {place}': '{who}, en: {place}',
  'Shown now': 'Se muestra ahora',
  'Use this': 'Usar este',
  'Do this': 'Hacer esto',
  '{who} at {place} chose {value}, {time}.': '{who} ({place}) eligió {value}, {time}.',
  '{who} at {place} went back to {value}, {time}.': '{who} ({place}) volvió a {value}, {time}.',
  'Not chosen: {values}': 'No elegido: {values}',
  'This choice was undone.': 'Esta elección se deshizo.',
  'Undo this choice': 'Deshacer esta elección',
  'the choice of {value} for {name}': 'la elección de {value} para {name}',
  'Nothing to decide': 'Nada por decidir',
  'If people at the site and at head office give different values to one field while there is no connection, both values are kept, and this page asks which one counts.':
    'Si personas en la faena y en la oficina central dan valores distintos a un campo mientras no hay conexión, se guardan ambos valores, y esta página pregunta cuál vale.',
  Decided: 'Decidido',
  Ran: 'Estaba en marcha',
  Idled: 'Estaba en ralentí',
  'Was off': 'Estaba apagada',
  'Made at head office': 'Creada en la oficina central',
  '{n} more.': '{n} más.',
  'Data {age} old': 'Datos de hace {age}',
  'Unit number or name': 'Número o nombre',
  'In trouble': 'Con problemas',
  'No machine of this list is in trouble, as its site was last heard.':
    'Ninguna máquina de esta lista tiene problemas, según el último contacto con su faena.',
  'This page shows the {n} most urgent machines. More are in trouble.':
    'Esta página muestra las {n} máquinas más urgentes. Hay más con problemas.',
  '{n} site has more than 1,000 active alerts or open repairs. Only the newest 1,000 count in this list, so machines of this site may be missing.|{n} sites have more than 1,000 active alerts or open repairs. Only the newest 1,000 count in this list, so machines of these sites may be missing.':
    '{n} faena tiene más de 1.000 alertas activas o reparaciones abiertas. En esta lista cuentan solo las 1.000 más nuevas, así que pueden faltar máquinas de esta faena.|{n} faenas tienen más de 1.000 alertas activas o reparaciones abiertas. En esta lista cuentan solo las 1.000 más nuevas, así que pueden faltar máquinas de estas faenas.',
  'No machines': 'Sin máquinas',
  'No site has brought a machine yet.': 'Ninguna faena ha traído una máquina todavía.',
  'No unit number and no name has "{text}" in it.': 'Ningún número ni nombre contiene "{text}".',
  'Show more machines': 'Mostrar más máquinas',
  'Show more repairs': 'Mostrar más reparaciones',
  'Show more alerts': 'Mostrar más alertas',
  'Not known here yet': 'Aún no se conoce aquí',
  'Nobody is assigned': 'Sin responsable',
  '{n} assigned': 'Responsables: {n}',
  'Overdue since {time}': 'Vencida desde {time}',
  'Due {time}': 'Vence {time}',
  'Head office knows of no open repair ticket.': 'La oficina central no conoce ninguna orden de reparación abierta.',
  'Its data was old when it arrived': 'Sus datos eran antiguos al llegar',
  'By nobody': 'Por nadie',
  'Acknowledged {time}': 'Confirmada {time}',
  'Head office knows of no active alert.': 'La oficina central no conoce ninguna alerta activa.',
} as const;

export type FleetText = keyof typeof FLEET_ES;
