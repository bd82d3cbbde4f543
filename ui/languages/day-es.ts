/** The texts of the summary of a day in Spanish. `docs/languages.md` has the glossary. */
import type { DayText } from './keys.ts';

export const DAY_ES: Readonly<Record<DayText, string>> = {
  'No minute of this day is counted yet.': 'Aún no se ha contado ningún minuto de este día.',
  'The site has no machines yet.': 'La faena aún no tiene máquinas.',
  'The gateway did not know this site on that day.': 'El gateway no conocía esta faena ese día.',
  'It is not known how the machines spent the {hours} h of this time.':
    'No se sabe cómo las máquinas pasaron las {hours} h de este tiempo.',
  'Machines worked {working} of {known} h ({percent} %). Not known: {unknown} h.':
    'Las máquinas trabajaron {working} de {known} h ({percent} %). Desconocido: {unknown} h.',
  'Counted are the first {counted} of {all} machines.': 'Se cuentan las primeras {counted} de {all} máquinas.',
  'Engines ran at least {hours} h, by the meters of {some} of {all} machines.':
    'Los motores funcionaron al menos {hours} h, según los contadores de {some} de {all} máquinas.',
  'Engine hours are not known: no machine sent its meter.':
    'No se conocen las horas de motor: ninguna máquina envió su contador.',
  'Machines used at least {fuel} {unit} of fuel, by the meters of {some} of {all} machines.':
    'Las máquinas usaron al menos {fuel} {unit} de combustible, según los contadores de {some} de {all} máquinas.',
  'Fuel used is not known: no machine sent its meter.':
    'No se conoce el combustible usado: ninguna máquina envió su contador.',
  'Engine hours and fuel are not known: the history of {failed} of {all} machines could not be read.':
    'No se conocen las horas de motor ni el combustible: no se pudo leer el historial de {failed} de {all} máquinas.',
  'Alerts raised: {raised}. Still open: {open}.': 'Alertas emitidas: {raised}. Todavía abiertas: {open}.',
  'Repairs reported: {made}, fixed: {fixed}. Open now: {open}.':
    'Reparaciones informadas: {made}, resueltas: {fixed}. Abiertas ahora: {open}.',
  'Oldest open repair: {ticket} on {machine}, {n} day old.|Oldest open repair: {ticket} on {machine}, {n} days old.':
    'Reparación abierta más antigua: {ticket} en {machine}, de hace {n} día.|Reparación abierta más antigua: {ticket} en {machine}, de hace {n} días.',
  'Down now: {down}. Without data now: {silent}.': 'Averiadas ahora: {down}. Sin datos ahora: {silent}.',
  'Services that are due now: {due}.': 'Mantenimientos pendientes ahora: {due}.',
  'The summary is being made': 'Se está preparando el resumen',
  Today: 'Hoy',
  'until {time}': 'hasta {time}',
  Yesterday: 'Ayer',
};
