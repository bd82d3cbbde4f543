/** The texts of the sign-in, the shared tablet and the own account, in Spanish. `docs/languages.md` has the glossary. */
export const ENTRY_ES = {
  'Change the passphrase': 'Cambiar la contraseña',
  Save: 'Guardar',
  'The two new passphrases differ. Type them again.': 'Las dos contraseñas nuevas son distintas. Escríbalas de nuevo.',
  'Current passphrase': 'Contraseña actual',
  'New passphrase': 'Contraseña nueva',
  'New passphrase again': 'Contraseña nueva otra vez',
  'Saved. Your other browsers are signed out.': 'Guardado. Las sesiones en sus otros navegadores están cerradas.',
  'PIN for shared tablets': 'PIN para tabletas compartidas',
  'Owners and admins sign in with their passphrase only. A PIN of 6 digits is too short for their rights.':
    'Los propietarios y administradores entran solo con su contraseña. Un PIN de 6 dígitos es muy corto para sus permisos.',
  'Change the PIN for shared tablets': 'Cambiar el PIN para tabletas compartidas',
  'Set a PIN for shared tablets': 'Definir un PIN para tabletas compartidas',
  'Save the PIN': 'Guardar el PIN',
  'The two new PINs differ. Type them again.': 'Los dos PIN nuevos son distintos. Escríbalos de nuevo.',
  'Current PIN': 'PIN actual',
  'Your passphrase': 'Su contraseña',
  'New PIN': 'PIN nuevo',
  '6 digits that are not easy to guess, such as no sequence and no repeated digits.':
    '6 dígitos que no sean fáciles de adivinar, sin secuencias ni dígitos repetidos.',
  'New PIN again': 'PIN nuevo otra vez',
  'Saved. You can sign in with this PIN on each shared tablet that lists you.':
    'Guardado. Puede entrar con este PIN en cada tableta compartida que lo tenga en su lista.',
  'You signed in with a key. On the page {a} an owner or admin creates an account for you.':
    'Usted entró con una clave. En la página {a} un propietario o administrador crea una cuenta para usted.',
  'Where you are signed in': 'Dónde tiene sesiones abiertas',
  Nobody: 'Nadie',
  '{name}, operator': '{name}, operador',
  '{name}, mechanic': '{name}, mecánico',
  'A record of another site': 'Un registro de otra faena',
  'Operator or mechanic': 'Operador o mecánico',
  'Not signed in anywhere.': 'Sin sesiones abiertas.',
  '{where}, used {time}, ends {end}': '{where}, usado {time}, vence {end}',
  '{where} (shared tablet), used {time}, ends {end}': '{where} (tableta compartida), usado {time}, vence {end}',
  'This browser': 'Este navegador',
  End: 'Cerrar',
  'Keep me signed in on this device': 'Mantener mi sesión abierta en este dispositivo',
  Passphrase: 'Contraseña',
  'At least 10 characters, for example four words that do not belong together.':
    'Al menos 10 caracteres, por ejemplo cuatro palabras sin relación entre ellas.',
  'Passphrase again': 'Contraseña otra vez',
  'The two passphrases differ. Type them again.': 'Las dos contraseñas son distintas. Escríbalas de nuevo.',
  'Enter a claim code': 'Ingrese un código de propietario',
  'Claim this gateway': 'Tome posesión de este gateway',
  'Run headframe claim-code on the computer of the gateway, and enter the code that it prints. Use the name with which you signed in before: then you are the same owner. Another name makes a further owner.':
    'Ejecute headframe claim-code en el computador del gateway e ingrese el código que muestra. Use el nombre con el que entraba antes: así usted es el mismo propietario. Otro nombre crea otro propietario.',
  'Nobody owns this gateway yet. Become its owner: choose the name and the passphrase with which you sign in.':
    'Este gateway todavía no tiene propietario. Hágase su propietario: elija el nombre y la contraseña con los que va a entrar.',
  'The gateway printed a claim code when it started. Enter it to prove that you run this gateway. You then sign in with your name and a passphrase.':
    'El gateway mostró un código al arrancar. Ingréselo para demostrar que usted opera este gateway. Después entra con su nombre y una contraseña.',
  'Save and sign in': 'Guardar y entrar',
  Claim: 'Tomar posesión',
  'Claim code': 'Código de propietario',
  'Your name': 'Su nombre',
  'You sign in with this name, and the gateway shows it beside your changes.':
    'Usted entra con este nombre, y el gateway lo muestra junto a sus cambios.',
  'Code expired? Run {code} on the gateway to get a new one.':
    '¿El código venció? Ejecute {code} en el gateway para obtener uno nuevo.',
  'Your account': 'Su cuenta',
  'Hello {name}. Your role is {role}. Choose a passphrase. You sign in with your name and this passphrase.':
    'Hola, {name}. Su rol es {role}. Elija una contraseña. Usted entra con su nombre y esta contraseña.',
  'PIN for shared tablets (optional)': 'PIN para tabletas compartidas (opcional)',
  '6 digits that are not easy to guess. You can also set it later on the page My account.':
    '6 dígitos que no sean fáciles de adivinar. También puede definirlo después en la página Mi cuenta.',
  'Go to the sign-in page': 'Ir a la página de ingreso',
  'Sign in': 'Entrar',
  'Your session has ended. Sign in again.': 'Su sesión terminó. Entre de nuevo.',
  Name: 'Nombre',
  'Forgot the passphrase? Ask an admin for an invitation. An owner can run {code} on the gateway and {a}.':
    '¿Olvidó la contraseña? Pida una invitación a un administrador. Un propietario puede ejecutar {code} en el gateway e ir a {a}.',
  'enter the code': 'ingresar el código',
  'Use a key instead': 'Usar una clave',
  'Paste a key of this gateway. On the page Users you can then create an account for yourself.':
    'Pegue una clave de este gateway. Después puede crear una cuenta para usted en la página Usuarios.',
  Key: 'Clave',
  'This key is unknown, revoked or expired. Check it, or ask for a new one.':
    'Esta clave no se conoce, fue revocada o venció. Revísela o pida una nueva.',
  'No key? Run {code} on the gateway and {a}.': '¿No tiene clave? Ejecute {code} en el gateway y vaya a {a}.',
  'Sign in with name and passphrase': 'Entrar con nombre y contraseña',
  'Create your site': 'Cree su faena',
  'Machines, people and reports belong to a site. A new site also has boards and a playlist for a TV. You can change these settings later on the Site page.':
    'Las máquinas, las personas y los informes pertenecen a una faena. Una faena nueva también tiene tableros y una lista para un televisor. Puede cambiar todo esto después en la página Faena.',
  'Create site': 'Crear la faena',
  'Site name': 'Nombre de la faena',
  'This box replaces one that broke': 'Este equipo reemplaza a uno que se averió',
  'In this network the gateway also has an address that is easier to remember: {addresses}':
    'En esta red el gateway también tiene una dirección más fácil de recordar: {addresses}',
  'Time zone': 'Zona horaria',
  'The time there is now {time}. Shifts and reports use this time.':
    'Allí son ahora las {time}. Los turnos y los informes usan esta hora.',
  'Two shifts of 12 hours': 'Dos turnos de 12 horas',
  'Three shifts of 8 hours': 'Tres turnos de 8 horas',
  'One day shift': 'Un turno de día',
  'Shift name': 'Nombre del turno',
  Starts: 'Empieza',
  Ends: 'Termina',
  'Remove the shift {name}': 'Quitar el turno {name}',
  Remove: 'Quitar',
  'Own times': 'Horario propio',
  'Shift pattern': 'Esquema de turnos',
  'shift {n}': 'turno {n}',
  'Add a shift': 'Agregar un turno',
  'If the end is not later than the start, the shift ends on the next day.':
    'Si el fin no es posterior al inicio, el turno termina al día siguiente.',
  'Use this device as a shared tablet': 'Usar este dispositivo como tableta compartida',
  'After this step the device shows the names of the people who may use it. Each person signs in with a PIN. Nobody stays signed in.':
    'Después de este paso el dispositivo muestra los nombres de quienes pueden usarlo. Cada persona entra con un PIN. Nadie queda con la sesión abierta.',
  'Do this on the tablet only, not on your own phone or computer.':
    'Hágalo solo en la tableta, no en su teléfono ni en su computador.',
  'Enrol this tablet': 'Registrar esta tableta',
  Cancel: 'Cancelar',
  'This tablet is not enrolled': 'Esta tableta no está registrada',
  'An admin opens the page Tablets of the office, makes a new QR code, and you scan it with the camera of this tablet.':
    'Un administrador abre la página Tabletas de la oficina, crea un código QR nuevo, y usted lo escanea con la cámara de esta tableta.',
  'Try again': 'Intentar de nuevo',
  'Use it as a normal browser': 'Usarla como navegador normal',
  '{n} of {all} digits': '{n} de {all} dígitos',
  Checking: 'Comprobando',
  'Back to the names': 'Volver a los nombres',
  'Delete a digit': 'Borrar un dígito',
  'Enter your PIN.': 'Ingrese su PIN.',
  'This PIN was valid once. Choose your own PIN of 6 digits.':
    'Este PIN servía una sola vez. Elija su propio PIN de 6 dígitos.',
  'Enter your new PIN again.': 'Ingrese su PIN nuevo otra vez.',
  'The two new PINs differ. Choose your own PIN again.': 'Los dos PIN nuevos son distintos. Elija su PIN de nuevo.',
  'Who are you?': '¿Quién es usted?',
  'Find your name': 'Busque su nombre',
  'Nobody may use this tablet yet. An admin chooses the people on the page Tablets of the office.':
    'Todavía nadie puede usar esta tableta. Un administrador elige a las personas en la página Tabletas de la oficina.',
  'No name contains this text.': 'Ningún nombre contiene este texto.',
  'More people may use this tablet than the list can show.':
    'Pueden usar esta tableta más personas de las que caben en la lista.',
  'Your name is missing? Ask an admin. Owners and admins do not sign in here: a PIN is too short for their rights.':
    '¿Falta su nombre? Pregunte a un administrador. Los propietarios y administradores no entran aquí: un PIN es muy corto para sus permisos.',
  'Switch person': 'Cambiar de persona',
  'Nobody touched the tablet. {name} is signed out in {seconds} s. Touch the screen to stay signed in.':
    'Nadie tocó la tableta. La sesión de {name} se cierra en {seconds} s. Toque la pantalla para seguir.',
  'The shift ends. {name} is signed out in {seconds} s. Save your work.':
    'El turno termina. La sesión de {name} se cierra en {seconds} s. Guarde su trabajo.',
} as const;

export type EntryText = keyof typeof ENTRY_ES;
