/** The texts of the summary of a day in Portuguese. `docs/languages.md` has the glossary. */
import type { DayText } from './keys.ts';

export const DAY_PT: Readonly<Record<DayText, string>> = {
  'No minute of this day is counted yet.': 'Nenhum minuto deste dia foi contado ainda.',
  'The site has no machines yet.': 'A mina ainda não tem máquinas.',
  'The gateway did not know this site on that day.': 'O gateway não conhecia esta mina nesse dia.',
  'It is not known how the machines spent the {hours} h of this time.':
    'Não se sabe como as máquinas passaram as {hours} h deste período.',
  'Machines worked {working} of {known} h ({percent} %). Not known: {unknown} h.':
    'As máquinas trabalharam {working} de {known} h ({percent} %). Desconhecido: {unknown} h.',
  'Counted are the first {counted} of {all} machines.': 'São contadas as primeiras {counted} de {all} máquinas.',
  'Engines ran at least {hours} h, by the meters of {some} of {all} machines.':
    'Os motores funcionaram pelo menos {hours} h, pelos medidores de {some} de {all} máquinas.',
  'Engine hours are not known: no machine sent its meter.':
    'As horas do motor não são conhecidas: nenhuma máquina enviou seu medidor.',
  'Machines used at least {fuel} {unit} of fuel, by the meters of {some} of {all} machines.':
    'As máquinas usaram pelo menos {fuel} {unit} de combustível, pelos medidores de {some} de {all} máquinas.',
  'Fuel used is not known: no machine sent its meter.':
    'O combustível usado não é conhecido: nenhuma máquina enviou seu medidor.',
  'Engine hours and fuel are not known: the history of {failed} of {all} machines could not be read.':
    'As horas do motor e o combustível não são conhecidos: não foi possível ler o histórico de {failed} de {all} máquinas.',
  'Alerts raised: {raised}. Still open: {open}.': 'Alertas emitidos: {raised}. Ainda abertos: {open}.',
  'Repairs reported: {made}, fixed: {fixed}. Open now: {open}.':
    'Reparos informados: {made}, resolvidos: {fixed}. Abertos agora: {open}.',
  'Oldest open repair: {ticket} on {machine}, {n} day old.|Oldest open repair: {ticket} on {machine}, {n} days old.':
    'Reparo aberto mais antigo: {ticket} em {machine}, há {n} dia.|Reparo aberto mais antigo: {ticket} em {machine}, há {n} dias.',
  'Down now: {down}. Without data now: {silent}.': 'Quebradas agora: {down}. Sem dados agora: {silent}.',
  'Services that are due now: {due}.': 'Manutenções pendentes agora: {due}.',
  'The summary is being made': 'O resumo está sendo feito',
  Today: 'Hoje',
  'until {time}': 'até {time}',
  Yesterday: 'Ontem',
};
