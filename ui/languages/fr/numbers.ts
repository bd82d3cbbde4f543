/** The texts of the numbers on a wall, in French. `docs/languages.md` has the glossary. */

export const NUMBERS_FR = {
  'Work in known time': 'Travail du temps connu',
  'Fuel this shift': 'Carburant du poste',
  'Longest down this shift': 'Plus longue panne du poste',
  'Oldest open repair': 'Plus ancienne réparation ouverte',
  'Worked yesterday': "Travail d'hier",
  'of the known time': 'du temps connu',
  'target {n} %': 'objectif {n} %',
  'no open repairs': 'aucune réparation ouverte',
  'none down': 'aucun',
  '{n} % unknown': '{n} % inconnu',
  'of {n} in the fleet': 'sur {n} dans le parc',
  '{some} of {all} known': '{some} sur {all} connus',
  '{some} of {all} reporting': '{some} sur {all} émettent',
  '{some} of {all} running': '{some} sur {all} en marche',
  'Running now': 'En marche maintenant',
} as const;
