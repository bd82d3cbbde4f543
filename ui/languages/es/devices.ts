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
} as const;

export type DevicesText = keyof typeof DEVICES_ES;
