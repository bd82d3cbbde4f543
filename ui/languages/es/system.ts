/** The texts of the pages of health and encryption, in Spanish. `docs/languages.md` has the glossary. */
export const SYSTEM_ES = {
  'Screens, REST and MCP': 'Pantallas, REST y MCP',
  'MQTT with TLS': 'MQTT con TLS',
  'Bucket for loggers': 'Bucket para registradores',
  User: 'Usuario',
  Screen: 'Pantalla',
  'Pages on the port without TLS lead to the port with TLS. TVs, tablets, phones and programs must trust the site authority. Links and printed QR codes with http:// show a certificate warning on a phone that does not trust it. MQTT over WebSocket without TLS ends, too.':
    'Las páginas del puerto sin TLS llevan al puerto con TLS. Los televisores, tabletas, teléfonos y programas deben confiar en la autoridad de la faena. Los enlaces y códigos QR impresos con http:// muestran una advertencia de certificado en un teléfono que no confía en ella. MQTT sobre WebSocket sin TLS también termina.',
  'Devices that connect without TLS are disconnected at once and cannot connect again.':
    'Los dispositivos que se conectan sin TLS se desconectan de inmediato y no pueden volver a conectarse.',
  'Loggers that upload without TLS keep their files until their configuration has the port with TLS.':
    'Los registradores que suben sin TLS conservan sus archivos hasta que su configuración tenga el puerto con TLS.',
  'In the last {days} days nobody on another computer used {plain} without TLS.':
    'En los últimos {days} días nadie usó {plain} sin TLS desde otro computador.',
  'Connected now': 'Conectado ahora',
  '{n} client used {plain} without TLS in the last {days} days.|{n} clients used {plain} without TLS in the last {days} days.':
    '{n} cliente usó {plain} sin TLS en los últimos {days} días.|{n} clientes usaron {plain} sin TLS en los últimos {days} días.',
  'The newest {n}:': 'Los {n} más nuevos:',
  Client: 'Cliente',
  'Last use': 'Último acceso',
  'Allow connections without TLS': 'Permitir conexiones sin TLS',
  'Turn off connections without TLS now': 'Cerrar ahora las conexiones sin TLS',
  'Encrypted only': 'Solo cifrado',
  'Keep them': 'Mantenerlas',
  'No port': 'Sin puerto',
  'Encrypted, {address}': 'Cifrado, {address}',
  '{plain} without TLS': '{plain} sin TLS',
  'Closed for other computers': 'Cerrado para otros computadores',
  'Open, not encrypted, {address}': 'Abierto, sin cifrar, {address}',
  'Without TLS everybody on the network can read keys, passphrases and data. Let devices and people {link}, and then turn off connections without TLS, one listener after the other. Programs on the computer of the gateway are not affected. If nobody gets in any more, type {command} on this computer.':
    'Sin TLS, cualquiera en la red puede leer claves, contraseñas y datos. Haga que dispositivos y personas {link}, y luego cierre las conexiones sin TLS, un servicio tras otro. Los programas del computador del gateway no se ven afectados. Si ya nadie puede entrar, escriba {command} en este computador.',
  'trust this gateway': 'confíen en este gateway',
  Messages: 'Mensajes',
  Frames: 'Tramas',
  Unreadable: 'Ilegibles',
  Duplicates: 'Duplicados',
  Late: 'Con atraso',
  'Unknown PGNs': 'PGN desconocidos',
  'Incomplete messages': 'Mensajes incompletos',
  '{n} raw file|{n} raw files': '{n} archivo crudo|{n} archivos crudos',
  '{n} sample|{n} samples': '{n} muestra|{n} muestras',
  '{n} refused message|{n} refused messages': '{n} mensaje rechazado|{n} mensajes rechazados',
  'The gateway has a problem. See below what to do.': 'El gateway tiene un problema. Vea abajo qué hacer.',
  'Everything works.': 'Todo funciona.',
  'The gateway works. {n} source sent data that the gateway refused or could not read:|The gateway works. {n} sources sent data that the gateway refused or could not read:':
    'El gateway funciona. {n} origen envió datos que el gateway rechazó o no pudo leer:|El gateway funciona. {n} orígenes enviaron datos que el gateway rechazó o no pudo leer:',
  'The table below shows all sources.': 'La tabla de abajo muestra todos los orígenes.',
  'at least {text}': 'al menos {text}',
  Samples: 'Muestras',
  'Statistics of minutes': 'Estadísticas por minuto',
  'Raw messages': 'Mensajes crudos',
  '{size} of {limit}; kept {days} days': '{size} de {limit}; se guarda {days} días',
  '{size} of {limit}, {back} days back; kept {days} days':
    '{size} de {limit}, {back} días hacia atrás; se guarda {days} días',
  'none yet': 'ninguno aún',
  '{count}; {size}, of which {history} history': '{count}; {size}, de ellos {history} de historial',
  '{count}, the newest {age} old; {size}, of which {history} history':
    '{count}, el más nuevo de hace {age}; {size}, de ellos {history} de historial',
  'The samples reached their share of the disk. The gateway deleted samples before their age of {days} days:':
    'Las muestras llegaron a su parte del disco. El gateway borró muestras antes de sus {days} días:',
  'up to {time} ({age} ago)': 'hasta {time} (hace {age})',
  'To keep samples longer, use a larger disk, or raise {percent} or {gigabytes}.':
    'Para guardar muestras por más tiempo, use un disco más grande o aumente {percent} o {gigabytes}.',
  Version: 'Versión',
  'Running for': 'En marcha desde hace',
  '{size} in {n} file|{size} in {n} files': '{size} en {n} archivo|{size} en {n} archivos',
  'Waiting to be processed': 'En espera de proceso',
  '{n} message|{n} messages': '{n} mensaje|{n} mensajes',
  'Last write to disk': 'Última escritura en disco',
  'took {ms} ms': 'tardó {ms} ms',
  'Disk free': 'Disco libre',
  '{part} of {whole}': '{part} de {whole}',
  'Reserved disk space': 'Espacio de disco reservado',
  Database: 'Base de datos',
  '{size}, at most {limit}': '{size}, como máximo {limit}',
  Backups: 'Copias de seguridad',
  'For {age}.': 'Desde hace {age}.',
  'The gateway is losing data now: {gaps}. When this ends, the gateway adds it to the log of each machine and device.':
    'El gateway está perdiendo datos ahora: {gaps}. Cuando esto termine, el gateway lo anota en el registro de cada máquina y dispositivo.',
  Sources: 'Orígenes',
  'No sources yet': 'Sin orígenes todavía',
  'This table shows each device that sends data.': 'Esta tabla muestra cada dispositivo que envía datos.',
  'Last error': 'Último error',
} as const;

export type SystemText = keyof typeof SYSTEM_ES;
