/** The texts of the numbers on a wall, in Spanish. `docs/languages.md` has the glossary. */

export const NUMBERS_ES = {
  'Work in known time': 'Trabajo del tiempo conocido',
  'Fuel this shift': 'Combustible del turno',
  'Longest down this shift': 'Falla más larga del turno',
  'Oldest open repair': 'Reparación abierta más antigua',
  'Worked yesterday': 'Trabajo de ayer',
  'of the known time': 'del tiempo conocido',
  'target {n} %': 'meta {n} %',
  'no open repairs': 'sin reparaciones abiertas',
  'none down': 'ninguna',
  '{n} % unknown': '{n} % desconocido',
  'of {n} in the fleet': 'de {n} en la flota',
  '{some} of {all} known': '{some} de {all} conocidas',
  '{some} of {all} reporting': '{some} de {all} envían datos',
  '{some} of {all} running': '{some} de {all} en marcha',
  'Running now': 'En marcha ahora',
} as const;
