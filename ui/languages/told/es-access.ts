/** Texts of the gateway in Spanish: refusals about signing in, people, keys, tablets and head office. `docs/languages.md` has the glossary. */
export const ACCESS_ES = {
  'The code is wrong or has expired. Print a new one on the gateway with `headframe claim-code`.':
    'El código es incorrecto o venció. Imprima uno nuevo en el gateway con `headframe claim-code`.',
  'This gateway already has an owner. Ask the owner for a key.':
    'Este gateway ya tiene un propietario. Pida una clave al propietario.',
  'There is no scope with the name {unknown}.': 'No hay un permiso con el nombre {unknown}.',
  'Your key does not have the scope {wider}, so it cannot create a key with that scope.':
    'Su clave no tiene el permiso {wider}, por eso no puede crear una clave con ese permiso.',
  'Your key is not valid for clients at {elsewhere}, so it cannot create a key for them.':
    'Su clave no vale para clientes en {elsewhere}, por eso no puede crear una clave para ellos.',
  'The project {missing} does not exist, or this key has no access to it.':
    'El proyecto {missing} no existe, o esta clave no tiene acceso a él.',
  'There is no such workspace key.': 'No existe esa clave.',
  'Only an owner can create owner keys.': 'Solo un propietario puede crear claves de propietario.',
  'An owner key cannot be restricted; leave out scopes and addresses.':
    'Una clave de propietario no se puede restringir; quite los permisos y las direcciones.',
  'This key is no longer valid; create a new one.': 'Esta clave ya no vale; cree una nueva.',
  'Only an owner can roll an owner key.': 'Solo un propietario puede renovar una clave de propietario.',
  'This key has more access than your key, so you cannot roll it.':
    'Esta clave tiene más acceso que la suya, por eso no puede renovarla.',
  'Only an owner can revoke an owner key.': 'Solo un propietario puede revocar una clave de propietario.',
  'This is the last owner; create another owner first.':
    'Este es el último propietario; cree otro propietario primero.',
  'You use the gateway without TLS. First open https://{host}:{tls_port} and repeat this there. So you know that you can get in with TLS.':
    'Usted usa el gateway sin TLS. Abra primero https://{host}:{tls_port} y repita esto allí. Así sabe que puede entrar con TLS.',
  'This key is restricted to some projects. The listeners belong to the whole gateway, so use a key for all projects.':
    'Esta clave está restringida a algunos proyectos. Los servicios de red pertenecen a todo el gateway; use una clave para todos los proyectos.',
  'This gateway does not run this listener.': 'Este gateway no tiene este servicio de red.',
  'This listener has no port with TLS, so nobody could use it.':
    'Este servicio de red no tiene un puerto con TLS, así que nadie podría usarlo.',
  'The TLS certificate of the gateway is not valid now, so clients would refuse it. See the page Health.':
    'El certificado TLS del gateway no es válido ahora, así que los clientes lo rechazarían. Vea la página Estado del sistema.',
  'The user {name} may not sign in.': 'El usuario {name} no puede entrar.',
  'The code for local sign-in is unknown, used or expired. Sign in with your name and your passphrase.':
    'El código para la entrada local es desconocido, está usado o venció. Entre con su nombre y su contraseña.',
  'A user or key can have at most {most} tokens; revoke one first.':
    'Un usuario o una clave puede tener como máximo {most} tokens; revoque uno primero.',
  'Only a user or a workspace key can issue personal tokens.':
    'Solo un usuario o una clave puede emitir tokens personales.',
  'You signed in with a PIN on a shared tablet. To issue a token, sign in with your passphrase on another device.':
    'Usted entró con un PIN en una tableta compartida. Para emitir un token, entre con su contraseña en otro dispositivo.',
  'Your key is not allowed to read transcripts, so it cannot issue a token for that.':
    'Su clave no puede leer transcripciones, por eso no puede emitir un token para eso.',
  'Only owners and admins can list the tokens of another key.':
    'Solo los propietarios y administradores pueden ver los tokens de otra clave.',
  'The PIN {pin} is easy to guess: it is {why}. Choose another PIN.':
    'El PIN {pin} es fácil de adivinar: es {why}. Elija otro PIN.',
  '{name} has the role {role}. Owners and admins sign in with a passphrase, because a PIN of 6 digits is too short for their rights. For work on a shared tablet, create a second user with another role.':
    '{name} tiene el rol {role}. Los propietarios y administradores entran con una contraseña, porque un PIN de 6 dígitos es muy corto para sus permisos. Para trabajar en una tableta compartida, cree un segundo usuario con otro rol.',
  'The project does not exist, or this credential has no access to it.':
    'El proyecto no existe, o esta credencial no tiene acceso a él.',
  'This key is restricted to some projects and cannot create one.':
    'Esta clave está restringida a algunos proyectos y no puede crear uno.',
  'This invitation is used, replaced or expired. Ask an admin for a new one.':
    'Esta invitación está usada, reemplazada o vencida. Pida una nueva a un administrador.',
  'The name or the passphrase is wrong, or the user may not sign in. If you forgot it, ask an admin for an invitation.':
    'El nombre o la contraseña es incorrecto, o el usuario no puede entrar. Si la olvidó, pida una invitación a un administrador.',
  'Only owners and admins can list the sessions of another user.':
    'Solo los propietarios y administradores pueden ver las sesiones de otro usuario.',
  'Another user who is not an owner has this name. Use another name.':
    'Otro usuario, que no es propietario, tiene este nombre. Use otro nombre.',
  'A setup of this project runs. Wait until it ends, or cancel it.':
    'Una configuración de este proyecto está en marcha. Espere a que termine, o cancélela.',
  'Somebody has decided this, or changed the field, in the meantime. Look at it again.':
    'Alguien ya decidió esto, o cambió el campo, mientras tanto. Vuelva a mirarlo.',
  'This key is restricted to some projects. A bundle has all projects of a site, so use a key for all projects.':
    'Esta clave está restringida a algunos proyectos. Un archivo tiene todos los proyectos de una faena; use una clave para todos los proyectos.',
  'There is no bundle with this id.': 'No hay un archivo con este identificador.',
  'Head office has at most {most_gateways} enrolments.':
    'La oficina central tiene como máximo {most_gateways} inscripciones.',
  'This key is restricted to some projects. A gateway brings projects of its own, so use a key for all projects.':
    'Esta clave está restringida a algunos proyectos. Un gateway trae proyectos propios; use una clave para todos los proyectos.',
  'No box of this gateway has this mark now. A box that is fenced takes a new mark: read sync_status again.':
    'Ningún equipo de este gateway tiene ahora esta marca. Un equipo aislado recibe una marca nueva: vuelva a abrir la página.',
  'This gateway is not enrolled at this head office any more.':
    'Este gateway ya no está inscrito en esta oficina central.',
  'No gateway with this id was ever connected.': 'Ningún gateway con este identificador estuvo conectado.',
  'Head office cannot enrol itself.': 'La oficina central no puede inscribirse a sí misma.',
  'Head office does not know this code. Compare it with the code on the page of head office.':
    'La oficina central no conoce este código. Compárelo con el código en la página de la oficina central.',
  'This code has expired. Ask head office for a new one.': 'Este código venció. Pida uno nuevo a la oficina central.',
  'This code was used already, and a code is valid once. Ask head office for a new one.':
    'Este código ya se usó, y un código vale una vez. Pida uno nuevo a la oficina central.',
  'Head office has withdrawn this code. Ask head office for a new one.':
    'La oficina central retiró este código. Pida uno nuevo a la oficina central.',
  'This code is for a new box that takes the place of another one, and this box has a project of its own. Install Headframe on the new box with an empty data folder, and enter the code before you create a site. The code was not used up.':
    'Este código es para un equipo nuevo que toma el lugar de otro, y este equipo tiene un proyecto propio. Instale Headframe en el equipo nuevo con una carpeta de datos vacía, e ingrese el código antes de crear una faena. El código no se gastó.',
  'This key is restricted to some projects. The link to head office belongs to the whole gateway, so use a key for all projects.':
    'Esta clave está restringida a algunos proyectos. El enlace con la oficina central pertenece a todo el gateway; use una clave para todos los proyectos.',
  'The site does not exist, or this credential has no access to it.':
    'La faena no existe, o esta credencial no tiene acceso a ella.',
  'The limits can be lifted for at most 31 days.': 'Los límites se pueden levantar como máximo 31 días.',
  '{name} has no PIN yet. Ask an admin for a one-time PIN, or set a PIN on the page My account.':
    '{name} todavía no tiene PIN. Pida un PIN de un solo uso a un administrador, o ponga un PIN en la página Mi cuenta.',
  '{name} has no valid PIN: the one-time PIN has expired. Ask an admin for a one-time PIN, or set a PIN on the page My account.':
    '{name} no tiene un PIN válido: el PIN de un solo uso venció. Pida un PIN de un solo uso a un administrador, o ponga un PIN en la página Mi cuenta.',
  'Only an enrolled tablet may call this operation.': 'Solo una tableta registrada puede hacer esto.',
  'This link is used, replaced or expired. Ask an admin for a new one on the page Tablets.':
    'Este enlace está usado, reemplazado o vencido. Pida uno nuevo a un administrador en la página Tabletas.',
  'Change your PIN on the page My account.': 'Cambie su PIN en la página Mi cuenta.',
  'Choose your own PIN of 6 digits.': 'Elija su propio PIN de 6 dígitos.',
  'There is no user {id} with access to this project.': 'No hay un usuario {id} con acceso a este proyecto.',
  'A gateway can have at most {most_tablets} tablets.': 'Un gateway puede tener como máximo {most_tablets} tabletas.',
  'A site can have at most {most_displays} paired screens. Unpair one that is not used any more.':
    'Un sitio puede tener como máximo {most_displays} pantallas vinculadas. Desvincule una que ya no se use.',
  'Name at least one role or one user who may use the tablet.':
    'Nombre al menos un rol o un usuario que pueda usar la tableta.',
  'The passphrase is wrong.': 'La contraseña es incorrecta.',
  'You have no PIN.': 'Usted no tiene PIN.',
  'Only the user can do this. For another user reset the PIN.':
    'Solo el usuario puede hacer esto. Para otro usuario, restablezca el PIN.',
  'This user is disabled; enable the user first.': 'Este usuario está desactivado; actívelo primero.',
  'The project {missing} does not exist, or you have no access to it.':
    'El proyecto {missing} no existe, o usted no tiene acceso a él.',
  'A gateway can have at most {most_users} users.': 'Un gateway puede tener como máximo {most_users} usuarios.',
  'This passphrase is easy to guess. Choose three or more words that do not belong together.':
    'Esta contraseña es fácil de adivinar. Elija tres o más palabras que no vayan juntas.',
  'Only an owner can create or change an owner.': 'Solo un propietario puede crear o cambiar un propietario.',
  'There is no such person.': 'No existe esa persona.',
  'There is no such user.': 'No existe ese usuario.',
  'This is the last owner; make another owner first.':
    'Este es el último propietario; haga propietario a otro primero.',
  'Only the user can do this. For another user make an invitation.':
    'Solo el usuario puede hacer esto. Para otro usuario, cree una invitación.',
  'The current passphrase is wrong.': 'La contraseña actual es incorrecta.',
  'Only a person who is signed in gets a pass.': 'Solo recibe un pase una persona que entró.',
  'Too many people sign in at the moment. Try again in some seconds.':
    'Demasiadas personas entran en este momento. Pruebe otra vez en unos segundos.',
  'a minute': 'un minuto',
  'Too many wrong PINs of {name} on this tablet. Wait {wait}, use another tablet, or ask an admin to reset the PIN.':
    'Demasiados PIN incorrectos de {name} en esta tableta. Espere {wait}, use otra tableta, o pida a un administrador que restablezca el PIN.',
  'Too many wrong PINs of {name} today, on all tablets together. Wait {wait}, or ask an admin to reset the PIN.':
    'Demasiados PIN incorrectos de {name} hoy, en todas las tabletas juntas. Espere {wait}, o pida a un administrador que restablezca el PIN.',
  'The PIN of {name} is blocked after too many wrong tries. Ask an admin to reset the PIN, or sign in with the passphrase and set a new PIN.':
    'El PIN de {name} está bloqueado después de demasiados intentos. Pida a un administrador que restablezca el PIN, o entre con la contraseña y ponga un PIN nuevo.',
  '{n} more try before a wait.|{n} more tries before a wait.':
    'Queda {n} intento antes de una espera.|Quedan {n} intentos antes de una espera.',
  'This PIN is wrong.': 'Este PIN es incorrecto.',
  'The gateway has a new key file, so the PIN of {name} is no longer valid. Ask an admin to reset the PIN.':
    'El gateway tiene un archivo de clave nuevo, por eso el PIN de {name} ya no vale. Pida a un administrador que restablezca el PIN.',
  'Another PIN of {name} is checked at the moment. Try again.':
    'En este momento se comprueba otro PIN de {name}. Pruebe otra vez.',
  'Another box has taken the place of this one at head office, at {revoked_at}, with a code for this site.':
    'Otro equipo tomó el lugar de este en la oficina central, el {revoked_at}, con un código para esta faena.',
  'This key may not be used from this address.': 'Esta clave no se puede usar desde esta dirección.',
  'Nobody owns this gateway yet. Open its address in a browser and enter the claim code that it printed, or run `headframe claim-code`.':
    'Nadie es dueño de este gateway todavía. Abra su dirección en un navegador e ingrese el código que imprimió, o ejecute `headframe claim-code`.',
  'This key or session is unknown, revoked or expired.': 'Esta clave o sesión es desconocida, está revocada o venció.',
  'An admin revoked the tablet {name}. To use it again, ask an admin to enrol it with a new QR code.':
    'Un administrador revocó la tableta {name}. Para volver a usarla, pida a un administrador que la registre con un código QR nuevo.',
  'This gateway accepts requests from other computers only with TLS. Use {base}, and replace a key that you sent without TLS.':
    'Este gateway acepta solicitudes de otros computadores solo con TLS. Use {base}, y reemplace una clave que haya enviado sin TLS.',
  'The role {role} may not call this operation. Allowed roles: {roles}.':
    'El rol {role} no puede hacer esto. Roles que pueden: {roles}.',
  'This key does not have the scope {scope}.': 'Esta clave no tiene el permiso {scope}.',
  '{name} may not write here any more. Ask an admin.': '{name} ya no puede escribir aquí. Pregunte a un administrador.',
  'The access of {name} has ended. Ask an admin.': 'El acceso de {name} terminó. Pregunte a un administrador.',
  '{name} wrote this. It is sent when {name} signs in here.':
    '{name} escribió esto. Se envía cuando {name} entra aquí.',
  '{name} may not use this tablet any more. Ask an admin.':
    '{name} ya no puede usar esta tableta. Pregunte a un administrador.',
  'This was written more than {writing_pass} days ago. The gateway can no longer tell whether it has it already.':
    'Esto se escribió hace más de {writing_pass} días. El gateway ya no puede saber si lo tiene.',
  'The gateway does not have this write. If it is still right, sign in, open "Outbox" and write it again.':
    'El gateway no tiene este cambio. Si todavía es correcto, entre, abra «Bandeja de salida» y escríbalo otra vez.',
  'After this was written, the PIN or passphrase of {name} was changed, or a session was ended.':
    'Después de escribir esto, se cambió el PIN o la contraseña de {name}, o se terminó una sesión.',
  'After this was written, the tablet was removed or enrolled again.':
    'Después de escribir esto, la tableta se quitó o se registró otra vez.',
  'This gateway did not make the pass of this write, or it has a new key since then.':
    'Este gateway no hizo el pase de este cambio, o desde entonces tiene una clave nueva.',
  'Another key wrote this.': 'Otra clave escribió esto.',
  'The person who wrote this may not write here any more. Ask an admin.':
    'La persona que escribió esto ya no puede escribir aquí. Pregunte a un administrador.',
  'Too many wrong passphrases. Wait {wait_s} s, then try again. If you do not know the passphrase, ask an admin for an invitation.':
    'Demasiadas contraseñas incorrectas. Espere {wait_s} s y pruebe otra vez. Si no sabe la contraseña, pida una invitación a un administrador.',
  'Your key has only some scopes, so it cannot create a key with all of them.':
    'Su clave tiene solo algunos permisos, por eso no puede crear una clave con todos.',
  'one repeated digit': 'un solo dígito repetido',
  'a rising sequence': 'una secuencia ascendente',
  'a falling sequence': 'una secuencia descendente',
  'a repeated group of digits': 'un grupo de dígitos repetido',
  'the same forwards and backwards': 'igual al derecho y al revés',
  'pairs or triples of digits': 'pares o tríos de dígitos',
  'only two different digits': 'solo dos dígitos distintos',
  'one of the most common PINs': 'uno de los PIN más comunes',
  owner: 'propietario',
  admin: 'administrador',
  supervisor: 'supervisor',
  viewer: 'solo lectura',
  agent: 'agente',
  'The gateway at this address does not answer.': 'El gateway en esta dirección no responde.',
  'The server at this address is not a Headframe gateway (status {status}).':
    'El servidor en esta dirección no es un gateway de Headframe (estado {status}).',
} as const;

export type AccessTold = keyof typeof ACCESS_ES;
