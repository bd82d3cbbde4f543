/** The texts of the summary of a day in French. `docs/languages.md` has the glossary. */
import type { DayText } from './keys.ts';

export const DAY_FR: Readonly<Record<DayText, string>> = {
  'No minute of this day is counted yet.': "Aucune minute de ce jour n'est encore comptée.",
  'The site has no machines yet.': "Le site n'a pas encore d'engins.",
  'The gateway did not know this site on that day.': 'La passerelle ne connaissait pas ce site ce jour-là.',
  'It is not known how the machines spent the {hours} h of this time.':
    'On ne sait pas comment les engins ont passé les {hours} h de cette période.',
  'Machines worked {working} of {known} h ({percent} %). Not known: {unknown} h.':
    'Les engins ont travaillé {working} h sur {known} ({percent} %). Inconnu : {unknown} h.',
  'Counted are the first {counted} of {all} machines.': 'Sont comptés les {counted} premiers engins sur {all}.',
  'Engines ran at least {hours} h, by the meters of {some} of {all} machines.':
    'Les moteurs ont tourné au moins {hours} h, selon les compteurs de {some} engins sur {all}.',
  'Engine hours are not known: no machine sent its meter.':
    "Les heures moteur ne sont pas connues : aucun engin n'a envoyé son compteur.",
  'Machines used at least {fuel} {unit} of fuel, by the meters of {some} of {all} machines.':
    'Les engins ont consommé au moins {fuel} {unit} de carburant, selon les compteurs de {some} engins sur {all}.',
  'Fuel used is not known: no machine sent its meter.':
    "Le carburant consommé n'est pas connu : aucun engin n'a envoyé son compteur.",
  'Engine hours and fuel are not known: the history of {failed} of {all} machines could not be read.':
    "Les heures moteur et le carburant ne sont pas connus : l'historique de {failed} engins sur {all} n'a pas pu être lu.",
  'Alerts raised: {raised}. Still open: {open}.': 'Alertes déclenchées : {raised}. Encore ouvertes : {open}.',
  'Repairs reported: {made}, fixed: {fixed}. Open now: {open}.':
    'Réparations signalées : {made}, terminées : {fixed}. Ouvertes maintenant : {open}.',
  'Oldest open repair: {ticket} on {machine}, {n} day old.|Oldest open repair: {ticket} on {machine}, {n} days old.':
    'Réparation ouverte la plus ancienne : {ticket} sur {machine}, depuis {n} jour.|Réparation ouverte la plus ancienne : {ticket} sur {machine}, depuis {n} jours.',
  'Down now: {down}. Without data now: {silent}.': 'En panne maintenant : {down}. Sans données maintenant : {silent}.',
  'Services that are due now: {due}.': 'Entretiens à faire maintenant : {due}.',
  'The summary is being made': 'Le résumé est en préparation',
  Today: "Aujourd'hui",
  'until {time}': "jusqu'à {time}",
  Yesterday: 'Hier',
};
