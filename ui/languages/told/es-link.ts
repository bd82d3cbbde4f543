/** Texts of the gateway in Spanish: sentences about the link to head office and about files on a stick. `docs/languages.md` has the glossary. */
export const LINK_ES = {
  'the quarantine is full: it keeps {commits} changes that this version cannot take, and the names of {keys} further records. What came now is not taken, and nothing is lost: the other end keeps it. Update this end, and start it again.':
    'la cuarentena está llena: guarda {commits} cambios que esta versión no puede recibir, y los nombres de {keys} registros más. Lo que llegó ahora no se recibe, y nada se pierde: el otro extremo lo guarda. Actualice este extremo y arránquelo otra vez.',
  'The comparison of a project makes no progress, because head office answers a question with the same question. Update head office. The site keeps the changes of this project and tries again every hour. Its other projects go on.':
    'La comparación de un proyecto no avanza, porque la oficina central responde a una pregunta con la misma pregunta. Actualice la oficina central. La faena guarda los cambios de este proyecto y prueba otra vez cada hora. Sus otros proyectos siguen.',
  'The address of head office must begin with https://, such as https://head-office.example.com.':
    'La dirección de la oficina central debe comenzar con https://, como https://head-office.example.com.',
  'The address of head office must have no user name, no ? and no #.':
    'La dirección de la oficina central no debe tener nombre de usuario, ? ni #.',
  'Use https:// for head office. http:// is possible only for an address of the own network.':
    'Use https:// para la oficina central. http:// solo es posible para una dirección de la red propia.',
  '{n} device has no key at this box, so what it sends is refused. Give it a new key: on the page Connect, enter its serial number, and put the new key into the device.|{n} devices have no key at this box, so what they send is refused. Give each one a new key: on the page Connect, enter its serial number, and put the new key into the device.':
    '{n} dispositivo no tiene clave en este equipo, por eso se rechaza lo que envía. Dele una clave nueva: en la página Conectar, ingrese su número de serie, y ponga la clave nueva en el dispositivo.|{n} dispositivos no tienen clave en este equipo, por eso se rechaza lo que envían. Dé a cada uno una clave nueva: en la página Conectar, ingrese su número de serie, y ponga la clave nueva en el dispositivo.',
  'The newest values, meters and trouble codes of machines are those that head office had, with their times. These come when the machine reports again: values of devices, previously active trouble codes (DM2), and the lamps of a control unit without an active code; if such a lamp was on, also the trouble codes of that machine. The earlier steps of a meter do not come back; its total goes on, and the events of the machine name each step.':
    'Los valores más nuevos, contadores y códigos de falla de las máquinas son los que tenía la oficina central, con sus horas. Estos llegan cuando la máquina informa otra vez: valores de dispositivos, códigos antes activos (DM2), y las luces de una unidad de control sin código activo; si esa luz estaba encendida, también los códigos de falla de esa máquina. Los pasos anteriores de un contador no vuelven; su total sigue, y el registro de la máquina nombra cada paso.',
  'Bus requests, configuration, firmware and quarantine of devices never come from head office. Set them again on the page of each device; a device that was in quarantine at that box is not in quarantine here.':
    'Las solicitudes al bus, la configuración, el firmware y la cuarentena de los dispositivos nunca vienen de la oficina central. Configúrelos otra vez en la página de cada dispositivo; un dispositivo que estaba en cuarentena en ese equipo no lo está aquí.',
  'Users, PINs, API keys, shared tablets and the links of TVs were only on that box. Invite people again, pair TVs and tablets again, and make new keys.':
    'Los usuarios, PIN, claves, tabletas compartidas y los enlaces de los televisores estaban solo en ese equipo. Invite a las personas otra vez, vincule los televisores y registre las tabletas otra vez, y cree claves nuevas.',
  'Passphrases of log files, signing keys of webhooks, keys of models and the TLS certificate were encrypted with the key of that box, which is gone. Enter them again. Screens and loggers that trust the old certificate must trust the new one.':
    'Las contraseñas de archivos de registro, las claves de firma de webhooks, las claves de modelos y el certificado TLS estaban cifrados con la clave de ese equipo, que se perdió. Ingréselos otra vez. Las pantallas y los registradores que confían en el certificado anterior deben confiar en el nuevo.',
  'Raw messages of the last hours were only on the disk of that box.':
    'Los mensajes crudos de las últimas horas estaban solo en el disco de ese equipo.',
  'Photos and logs are at head office. This box fetches the content of a file when somebody asks for it on its page.':
    'Las fotos y los registros están en la oficina central. Este equipo trae el contenido de un archivo cuando alguien lo pide en su página.',
  'Head office never heard the box before, so nothing of it can come back.':
    'La oficina central nunca tuvo contacto con el equipo anterior, así que nada de él puede volver.',
  'The bundle is damaged: its bytes are not those that were written. Copy the file again; if that does not help, make a new bundle.':
    'El archivo está dañado: sus bytes no son los que se escribieron. Copie el archivo otra vez; si no ayuda, haga uno nuevo.',
  'The bundle has version {version} of the form; this end knows versions {plain} and {with_files}. Update the older end, and make a new bundle.':
    'El archivo tiene la versión {version} del formato; este extremo conoce las versiones {plain} y {with_files}. Actualice el extremo más antiguo y haga un archivo nuevo.',
  'The file ends before its end: it was not copied as a whole. What it has was taken. Copy it again and import it again, or make a new bundle.':
    'El archivo termina antes de su fin: no se copió entero. Se recibió lo que tiene. Cópielo e impórtelo otra vez, o haga uno nuevo.',
  'This file is not a bundle of Headframe. Choose the file that the other end made; its name ends in .hfbundle.':
    'Este archivo no es un archivo de datos de Headframe. Elija el archivo que hizo el otro extremo; su nombre termina en .hfbundle.',
  'Another bundle is being written or read. Try again when that has ended.':
    'Otro archivo se está escribiendo o leyendo. Pruebe otra vez cuando termine.',
  '{n} photo or log|{n} photos and logs': '{n} foto o registro|{n} fotos y registros',
  '{n} change and 1 photo or log|{n} changes and 1 photo or log':
    '{n} cambio y 1 foto o registro|{n} cambios y 1 foto o registro',
  '{n} change and {files} photos and logs|{n} changes and {files} photos and logs':
    '{n} cambio y {files} fotos y registros|{n} cambios y {files} fotos y registros',
  '{what} for head office. Head office has not confirmed it yet.':
    '{what} para la oficina central. La oficina central todavía no lo confirmó.',
  '{what} for {site}. {site} has not confirmed it yet.': '{what} para {site}. {site} todavía no lo confirmó.',
  '{what} for head office. It has arrived.': '{what} para la oficina central. Llegó.',
  '{what} for {site}. It has arrived.': '{what} para {site}. Llegó.',
  '{what}. All changes were taken.': '{what}. Se recibieron todos los cambios.',
  '{what}. Everything was taken.': '{what}. Se recibió todo.',
  '{what}. Everything was taken but live values. {site} must connect once over a network, because one of the two ends was put back from a backup.':
    '{what}. Se recibió todo menos los valores en vivo. {site} debe conectarse una vez por una red, porque uno de los dos extremos se restauró de una copia.',
  '{what}. The file ended early: import it again from a whole copy.':
    '{what}. El archivo terminó antes: impórtelo otra vez de una copia entera.',
  'Not everything fitted: make the next file.': 'No todo cupo: haga el archivo siguiente.',
  'This was file {volume}; file {next} of the same export has the rest.':
    'Este fue el archivo {volume}; el archivo {next} de la misma exportación tiene el resto.',
  '{n} change was not taken: see the page about the other end.|{n} changes were not taken: see the page about the other end.':
    '{n} cambio no se recibió: vea la página sobre el otro extremo.|{n} cambios no se recibieron: vea la página sobre el otro extremo.',
  '{n} project is not in it: it needs one contact over a network first.|{n} projects are not in it: they need one contact over a network first.':
    '{n} proyecto no está en él: necesita primero un contacto por una red.|{n} proyectos no están en él: necesitan primero un contacto por una red.',
  '{n} photo or log for head office waits for the next file.|{n} photos and logs for head office wait for the next file.':
    '{n} foto o registro para la oficina central espera al archivo siguiente.|{n} fotos y registros para la oficina central esperan al archivo siguiente.',
  '{n} photo or log for {site} waits for the next file.|{n} photos and logs for {site} wait for the next file.':
    '{n} foto o registro para {site} espera al archivo siguiente.|{n} fotos y registros para {site} esperan al archivo siguiente.',
  '{n} photo or log could not be joined, because earlier parts are not here: import the files of the export in their order.|{n} photos and logs could not be joined, because earlier parts are not here: import the files of the export in their order.':
    '{n} foto o registro no se pudo unir, porque faltan partes anteriores: importe los archivos de la exportación en orden.|{n} fotos y registros no se pudieron unir, porque faltan partes anteriores: importe los archivos de la exportación en orden.',
  '{n} photo or log is arriving over the network now: nothing is to be done.|{n} photos and logs are arriving over the network now: nothing is to be done.':
    '{n} foto o registro llega ahora por la red: no hay nada que hacer.|{n} fotos y registros llegan ahora por la red: no hay nada que hacer.',
  'The disk had no room for {n} photo or log: make room, and import the file again.|The disk had no room for {n} photos and logs: make room, and import the file again.':
    'El disco no tenía espacio para {n} foto o registro: haga espacio e importe el archivo otra vez.|El disco no tenía espacio para {n} fotos y registros: haga espacio e importe el archivo otra vez.',
  'The disk refused {n} photo or log with an error: check the disk of this end, and import the file again.|The disk refused {n} photos and logs with an error: check the disk of this end, and import the file again.':
    'El disco rechazó {n} foto o registro con un error: revise el disco de este extremo e importe el archivo otra vez.|El disco rechazó {n} fotos y registros con un error: revise el disco de este extremo e importe el archivo otra vez.',
  '{n} photo or log is damaged, on the disk of the other end or on the way: make a new file there. If the same happens again, check the disk of the other end, and store the photo or log there anew.|{n} photos and logs are damaged, on the disk of the other end or on the way: make a new file there. If the same happens again, check the disk of the other end, and store the photo or log there anew.':
    '{n} foto o registro está dañado, en el disco del otro extremo o en el camino: haga allí un archivo nuevo. Si pasa otra vez, revise el disco del otro extremo y guarde allí de nuevo la foto o el registro.|{n} fotos y registros están dañados, en el disco del otro extremo o en el camino: haga allí un archivo nuevo. Si pasa otra vez, revise el disco del otro extremo y guarde allí de nuevo la foto o el registro.',
  '{n} photo or log is not known here: import the earlier files of the export first, and then this one again.|{n} photos and logs are not known here: import the earlier files of the export first, and then this one again.':
    '{n} foto o registro no se conoce aquí: importe primero los archivos anteriores de la exportación, y luego este otra vez.|{n} fotos y registros no se conocen aquí: importe primero los archivos anteriores de la exportación, y luego este otra vez.',
  '{n} photo or log could not be read here, and is not in it: check the disk of this end.|{n} photos and logs could not be read here, and are not in it: check the disk of this end.':
    '{n} foto o registro no se pudo leer aquí, y no está en el archivo: revise el disco de este extremo.|{n} fotos y registros no se pudieron leer aquí, y no están en el archivo: revise el disco de este extremo.',
  '{where}, {message}': '{where}, {message}',
  'At head office': 'En la oficina central',
  'At this site': 'En esta faena',
  'Head office has revoked {name}, so no bundle is made for it or taken from it. To take its data, make a new code, and connect the site with it.':
    'La oficina central revocó {name}, por eso no se crea un archivo para ella ni se recibe uno suyo. Para recibir sus datos, cree un código nuevo y conecte la faena con él.',
  '{name} was never connected to this head office.': '{name} nunca estuvo conectada a esta oficina central.',
  'This bundle was made at head office, for {site}. Import it there, and import here the one that the site makes.':
    'Este archivo se hizo en la oficina central, para {site}. Impórtelo allí, e importe aquí el que hace la faena.',
  'This head office does not know the site {site} of this bundle. Import it at the head office to which that site is connected.':
    'Esta oficina central no conoce la faena {site} de este archivo. Impórtelo en la oficina central a la que esa faena está conectada.',
  '{site} was connected anew since this bundle was made. Make a new bundle at the site: it has everything of this one.':
    '{site} se conectó de nuevo después de hacer este archivo. Haga un archivo nuevo en la faena: tiene todo lo de este.',
  '{site} was put back from a backup since this bundle was made, or another computer with a copy of its disk made it. If the site itself made it, import it with --earlier-life (over the API: the header Earlier-Life: take): records and events are taken, live values are not. If a copy made it, stop the copy.':
    '{site} se restauró de una copia después de hacer este archivo, u otro computador con una copia de su disco lo hizo. Si lo hizo la faena misma, impórtelo con --earlier-life (por la API: el encabezado Earlier-Life: take): se reciben registros y eventos, no los valores en vivo. Si lo hizo una copia, detenga la copia.',
  'No gateway with this id is enrolled here.': 'Ningún gateway con este identificador está inscrito aquí.',
  'Name the gateway for which the bundle is.': 'Nombre el gateway para el que es el archivo.',
  'There is no bundle of this gateway with this id.': 'No hay un archivo de este gateway con este identificador.',
  'This bundle is for another site. Make one at head office for {name}.':
    'Este archivo es para otra faena. Haga uno en la oficina central para {name}.',
  'Head office has revoked this gateway, so it takes no bundle of it. Ask head office for a new code, and connect this site with it.':
    'La oficina central revocó este gateway, por eso no recibe archivos suyos. Pida un código nuevo a la oficina central y conecte esta faena con él.',
  'This bundle was made at a site, for head office. Import it at head office, and import here the one that head office makes.':
    'Este archivo se hizo en una faena, para la oficina central. Impórtelo en la oficina central, e importe aquí el que hace la oficina central.',
  'This site was connected to head office anew since this bundle was made. Make a new one at head office.':
    'Esta faena se conectó de nuevo a la oficina central después de hacer este archivo. Haga uno nuevo en la oficina central.',
  'Another computer uses the identity of this gateway, such as a copy of its disk. Stop the other one, or ask head office which of the two counts; until then no bundle is made or taken here.':
    'Otro computador usa la identidad de este gateway, por ejemplo una copia de su disco. Detenga el otro, o pregunte a la oficina central cuál de los dos vale; hasta entonces aquí no se crean ni se reciben archivos.',
  'Head office has a bundle that this gateway does not know, so this gateway was put back from a backup since. Connect it to head office once over a network: both then find out what is missing.':
    'La oficina central tiene un archivo que este gateway no conoce, así que este gateway se restauró de una copia desde entonces. Conéctelo una vez a la oficina central por una red: así los dos ven qué falta.',
  'Changes before those of this bundle are missing here. If the export had several files, import the earlier ones first. Otherwise carry a new bundle to head office, and import the one that it then makes.':
    'Aquí faltan cambios anteriores a los de este archivo. Si la exportación tenía varios archivos, importe primero los anteriores. Si no, lleve un archivo nuevo a la oficina central e importe el que ella haga entonces.',
  'The content of this file is lost: {at} does not have it either.':
    'El contenido de este archivo se perdió: {at} tampoco lo tiene.',
  'The content of this file ({size}, of which {received} are here) is at {at}.':
    'El contenido de este archivo ({size}, de los que {received} están aquí) está en {at}.',
  'The content of this file ({size}) is at {at}.': 'El contenido de este archivo ({size}) está en {at}.',
  'Ask for it, and it is sent first.': 'Pídalo, y se envía primero.',
  'There has been no contact for {time}. It comes when there is a connection again.':
    'No hay contacto desde hace {time}. Llega cuando haya conexión otra vez.',
  'Files do not move now:': 'Los archivos no se mueven ahora:',
  'It comes after more urgent data.': 'Llega después de datos más urgentes.',
  'It comes in about {time}.': 'Llega en unos {time}.',
  'Connected.': 'Conectada.',
  'Connected. The bytes of this month for the link are used up: the site sends only alerts, and it calls every {time}.':
    'Conectada. Los bytes de este mes para el enlace se agotaron: la faena envía solo alertas, y llama cada {time}.',
  'Connected. The link costs money by the byte, so it calls every {time}. Alerts come at once.':
    'Conectada. El enlace cuesta dinero por byte, por eso llama cada {time}. Las alertas llegan enseguida.',
  'Head office takes nothing from this gateway, because an admin revoked it.':
    'La oficina central no acepta nada de este gateway, porque un administrador lo revocó.',
  'This site has not sent anything yet.': 'Esta faena todavía no envió nada.',
  'No connection for {time}. The site works on alone, and head office shows what it knew then.':
    'Sin conexión desde hace {time}. La faena sigue sola, y la oficina central muestra lo que sabía entonces.',
  'At the last contact, {n} change waited at the site.|At the last contact, {n} changes waited at the site.':
    'En el último contacto, {n} cambio esperaba en la faena.|En el último contacto, {n} cambios esperaban en la faena.',
  '{n} change waits here for the site.|{n} changes wait here for the site.':
    '{n} cambio espera aquí a la faena.|{n} cambios esperan aquí a la faena.',
  'Head office could not take {n} change of this site.|Head office could not take {n} changes of this site.':
    'La oficina central no pudo recibir {n} cambio de esta faena.|La oficina central no pudo recibir {n} cambios de esta faena.',
  'Nothing waits.': 'Nada espera.',
  'No site is connected to this head office yet.': 'Todavía no hay una faena conectada a esta oficina central.',
  'The site is connected.': 'La faena está conectada.',
  'The site has no connection now.': 'La faena no tiene conexión ahora.',
  'All {count} sites are connected.': 'Las {count} faenas están conectadas.',
  '{n} of {count} sites is connected. The others work on alone.|{n} of {count} sites are connected. The others work on alone.':
    '{n} de {count} faenas está conectada. Las otras siguen solas.|{n} de {count} faenas están conectadas. Las otras siguen solas.',
  'Several boxes use the identity of this site, such as a computer and a copy of its disk. Head office takes the data of one of them.':
    'Varios equipos usan la identidad de esta faena, por ejemplo un computador y una copia de su disco. La oficina central recibe los datos de uno de ellos.',
  'The bytes of this link are counted. A live view uses some of them.':
    'Los bytes de este enlace se cuentan. Una vista en vivo usa algunos.',
  'Head office has asked the site for live values.': 'La oficina central pidió valores en vivo a la faena.',
  'The site sends live values every 2 s.': 'La faena envía valores en vivo cada 2 s.',
  'Live view is not possible: the site has no connection now.':
    'La vista en vivo no es posible: la faena no tiene conexión ahora.',
  'Live view is not possible: the link of this site costs money by the byte, and the site calls seldom.':
    'La vista en vivo no es posible: el enlace de esta faena cuesta dinero por byte, y la faena llama con poca frecuencia.',
  'Live view is not possible: the bytes of this month for the link of this site are used up.':
    'La vista en vivo no es posible: los bytes de este mes para el enlace de esta faena se agotaron.',
  'Live view is not possible: the version of this site cannot send live values when it is asked. Update the site.':
    'La vista en vivo no es posible: la versión de esta faena no puede enviar valores en vivo cuando se le piden. Actualice la faena.',
  'A fault of this gateway. Its log has the details.': 'Una falla de este gateway. Su registro tiene los detalles.',
  'Head office cannot be reached at {url}.': 'No se puede llegar a la oficina central en {url}.',
  '({code})': '({code})',
  'The name in this address is not known here. Compare the address, and check that this gateway has a network connection.':
    'El nombre en esta dirección no se conoce aquí. Compare la dirección, y revise que este gateway tenga conexión de red.',
  'No answer came from this address. Compare the address, and check that a firewall lets this gateway call it.':
    'No llegó respuesta de esta dirección. Compare la dirección, y revise que un cortafuegos deje llamar a este gateway.',
  'The certificate at this address is not trusted here, so this site sends nothing to it. If head office has a certificate of your own authority, start this gateway with NODE_EXTRA_CA_CERTS=/path/of/ca.pem.':
    'Aquí no se confía en el certificado de esta dirección, por eso esta faena no le envía nada. Si la oficina central tiene un certificado de su propia autoridad, arranque este gateway con NODE_EXTRA_CA_CERTS=/path/of/ca.pem.',
  'Nothing answers at this address. Compare the address and its port, and check that head office runs.':
    'Nada responde en esta dirección. Compare la dirección y su puerto, y revise que la oficina central esté en marcha.',
  'This gateway has no network connection now.': 'Este gateway no tiene conexión de red ahora.',
  'The connection broke before an answer came. Try again.':
    'La conexión se cortó antes de llegar una respuesta. Pruebe otra vez.',
  'The certificate of head office has expired. The people of head office must renew it.':
    'El certificado de la oficina central venció. La gente de la oficina central debe renovarlo.',
  'The certificate of head office is not valid yet. Check the date and the time of this gateway and of head office.':
    'El certificado de la oficina central todavía no es válido. Revise la fecha y la hora de este gateway y de la oficina central.',
  'The certificate at this address is for another name. Use the name in the certificate, or renew the certificate.':
    'El certificado de esta dirección es para otro nombre. Use el nombre del certificado, o renueve el certificado.',
  'The other side does not speak TLS at this address. Compare the port: https has another port than http.':
    'El otro lado no habla TLS en esta dirección. Compare el puerto: https tiene otro puerto que http.',
  'The connection failed.': 'La conexión falló.',
  '{n} second|{n} seconds': '{n} segundo|{n} segundos',
  '{n} minute|{n} minutes': '{n} minuto|{n} minutos',
  '{n} hour|{n} hours': '{n} hora|{n} horas',
  '{n} day|{n} days': '{n} día|{n} días',
  '{n} change|{n} changes': '{n} cambio|{n} cambios',
  'A new box takes the place of another one. Head office begins to give it the data of the site.':
    'Un equipo nuevo toma el lugar de otro. La oficina central comienza a darle los datos de la faena.',
  'A new box takes the place of another one. Head office has given back {documents} of about {of} records.':
    'Un equipo nuevo toma el lugar de otro. La oficina central devolvió {documents} de unos {of} registros.',
  '{n} change waits to be sent.|{n} changes wait to be sent.':
    '{n} cambio espera ser enviado.|{n} cambios esperan ser enviados.',
  'This site works alone. It is not connected to head office.':
    'Esta faena trabaja sola. No está conectada a la oficina central.',
  'This site connects to head office.': 'Esta faena se conecta con la oficina central.',
  'Head office has everything that this site has.': 'La oficina central tiene todo lo que tiene esta faena.',
  'The bytes of this month for the link are used up. Only alerts are sent.':
    'Los bytes de este mes para el enlace se agotaron. Solo se envían alertas.',
  'This site and head office compare and exchange data.':
    'Esta faena y la oficina central comparan e intercambian datos.',
  'This site sends data to head office.': 'Esta faena envía datos a la oficina central.',
  'There is no connection to head office. This site works on and sends later.':
    'No hay conexión con la oficina central. Esta faena sigue trabajando y envía después.',
  'There is no connection to head office for {time}. This site works on and sends later.':
    'No hay conexión con la oficina central desde hace {time}. Esta faena sigue trabajando y envía después.',
  'Another computer uses the identity of this gateway, perhaps a copy of its disk. This one works on alone, and head office takes nothing from it. Stop one of the two. An admin of head office can choose which one is the site, by its mark, on the page Sites.':
    'Otro computador usa la identidad de este gateway, quizás una copia de su disco. Este sigue solo, y la oficina central no acepta nada de él. Detenga uno de los dos. Un administrador de la oficina central puede elegir cuál es la faena, por su marca, en la página Faenas.',
  'Head office has revoked this gateway, or does not know it any more. This site works on alone. Ask head office for a new code.':
    'La oficina central revocó este gateway, o ya no lo conoce. Esta faena sigue sola. Pida un código nuevo a la oficina central.',
  'This site and head office cannot exchange data.': 'Esta faena y la oficina central no pueden intercambiar datos.',
  'The content of {n} file is lost: neither end has it.|The content of {n} files is lost: neither end has it.':
    'El contenido de {n} archivo se perdió: ningún extremo lo tiene.|El contenido de {n} archivos se perdió: ningún extremo lo tiene.',
  '{n} file still waits to be sent.|{n} files still wait to be sent.':
    '{n} archivo todavía espera ser enviado.|{n} archivos todavía esperan ser enviados.',
  'Head office has all records that this site made and holds.':
    'La oficina central tiene todos los registros que esta faena hizo y guarda.',
  'Head office has everything that this site made and holds.':
    'La oficina central tiene todo lo que esta faena hizo y guarda.',
  'Head office has everything but what {n} gap record names.|Head office has everything but what {n} gap records name.':
    'La oficina central tiene todo menos lo que nombra {n} registro de hueco.|La oficina central tiene todo menos lo que nombran {n} registros de huecos.',
  '{n} change still waits at one end, so nothing can be said yet. Compare again later.|{n} changes still wait at one end, so nothing can be said yet. Compare again later.':
    '{n} cambio todavía espera en un extremo, así que no se puede decir nada. Compare más tarde otra vez.|{n} cambios todavía esperan en un extremo, así que no se puede decir nada. Compare más tarde otra vez.',
  'Nothing can be said yet.': 'Todavía no se puede decir nada.',
  'Something is missing at head office: {missing} documents, {commits} commits that it could not take, and {times} times in which something vanished here without a record.':
    'Algo falta en la oficina central: {missing} documentos, {commits} cambios que no pudo recibir, y {times} períodos en que algo desapareció aquí sin registro.',
  'Something else than head office answers at this address (HTTP {status}), for example a proxy or the sign-in page of a network.':
    'En esta dirección responde otra cosa que la oficina central (HTTP {status}), por ejemplo un proxy o la página de entrada de una red.',
  'Something else than head office answers at this address.':
    'En esta dirección responde otra cosa que la oficina central.',
  'Head office does not know this gateway any more, or has revoked it.':
    'La oficina central ya no conoce este gateway, o lo revocó.',
  'The disk of this gateway has no room for the next file.':
    'El disco de este gateway no tiene espacio para el archivo siguiente.',
  'The disk of head office has no room for the next file.':
    'El disco de la oficina central no tiene espacio para el archivo siguiente.',
  'A file of head office does not have its SHA-256. It is read again.':
    'Un archivo de la oficina central no tiene su SHA-256. Se lee otra vez.',
  'This site is not connected to head office. Connect it once with a code.':
    'Esta faena no está conectada a la oficina central. Conéctela una vez con un código.',
  'This site is not connected to head office.': 'Esta faena no está conectada a la oficina central.',
  'The bytes that are left of this month for the link are too few for it, so it waits for the next month.':
    'Los bytes que quedan de este mes para el enlace son muy pocos, por eso espera al mes siguiente.',
  'Files are sent only in the hours that were chosen for them.':
    'Los archivos se envían solo en las horas elegidas para ellos.',
  'The link costs money, so large files wait until somebody asks for them.':
    'El enlace cuesta dinero, por eso los archivos grandes esperan a que alguien los pida.',
  'This file is here.': 'Este archivo está aquí.',
  'The content of this file is not here, and this site is not connected to head office.':
    'El contenido de este archivo no está aquí, y esta faena no está conectada a la oficina central.',
  'Find the other computer with a copy of this disk, and stop one of the two. If head office takes the data of the wrong one, choose this one there, on the page Sites.':
    'Busque el otro computador con una copia de este disco, y detenga uno de los dos. Si la oficina central recibe los datos del equivocado, elija este allí, en la página Faenas.',
  'Ask head office for a new code, and connect this site with it.':
    'Pida un código nuevo a la oficina central, y conecte esta faena con él.',
  'Read the message. If one of the two ends has an older version, update it.':
    'Lea el mensaje. Si uno de los dos extremos tiene una versión más antigua, actualícelo.',
  'Stop this box. If it is the right one, ask head office for a code that replaces the box of this site.':
    'Detenga este equipo. Si es el correcto, pida a la oficina central un código que reemplace el equipo de esta faena.',
  'Head office takes nothing from this box, and what it records is only here. Stop it. To use its computer for another site, install Headframe anew with an empty data folder. If this box is the right one after all, ask head office for a code that replaces the box of this site, and connect this box with it.':
    'La oficina central no acepta nada de este equipo, y lo que registra está solo aquí. Deténgalo. Para usar su computador en otra faena, instale Headframe de nuevo con una carpeta de datos vacía. Si, a pesar de todo, este equipo es el correcto, pida a la oficina central un código que reemplace el equipo de esta faena, y conecte este equipo con él.',
  'Head office could not take changes of {count} record and has no room to keep them. It noted the names, and this site keeps the records. Update head office and start it again: it then gets them by itself.|Head office could not take changes of {count} records and has no room to keep them. It noted the names, and this site keeps the records. Update head office and start it again: it then gets them by itself.':
    'La oficina central no pudo recibir cambios de {count} registro y no tiene espacio para guardarlos. Anotó los nombres, y esta faena guarda los registros. Actualice la oficina central y arránquela otra vez: entonces los recibe sola.|La oficina central no pudo recibir cambios de {count} registros y no tiene espacio para guardarlos. Anotó los nombres, y esta faena guarda los registros. Actualice la oficina central y arránquela otra vez: entonces los recibe sola.',
  'Head office could not take changes of {count} record and has no room to keep them. It noted the names, and the site keeps the records. Update head office and start it again: it then gets them by itself.|Head office could not take changes of {count} records and has no room to keep them. It noted the names, and the site keeps the records. Update head office and start it again: it then gets them by itself.':
    'La oficina central no pudo recibir cambios de {count} registro y no tiene espacio para guardarlos. Anotó los nombres, y la faena guarda los registros. Actualice la oficina central y arránquela otra vez: entonces los recibe sola.|La oficina central no pudo recibir cambios de {count} registros y no tiene espacio para guardarlos. Anotó los nombres, y la faena guarda los registros. Actualice la oficina central y arránquela otra vez: entonces los recibe sola.',
  'This site could not take changes of {count} record and has no room to keep them. It noted the names, and head office keeps the records. Update this site and start it again: it then gets them by itself.|This site could not take changes of {count} records and has no room to keep them. It noted the names, and head office keeps the records. Update this site and start it again: it then gets them by itself.':
    'Esta faena no pudo recibir cambios de {count} registro y no tiene espacio para guardarlos. Anotó los nombres, y la oficina central guarda los registros. Actualice esta faena y arránquela otra vez: entonces los recibe sola.|Esta faena no pudo recibir cambios de {count} registros y no tiene espacio para guardarlos. Anotó los nombres, y la oficina central guarda los registros. Actualice esta faena y arránquela otra vez: entonces los recibe sola.',
} as const;

export type LinkTold = keyof typeof LINK_ES;
