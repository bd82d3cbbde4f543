/** The texts of the numbers on a wall, in Portuguese. `docs/languages.md` has the glossary. */

export const NUMBERS_PT = {
  'Work in known time': 'Trabalho do tempo conhecido',
  'Fuel this shift': 'Combustível do turno',
  'Longest down this shift': 'Parada mais longa do turno',
  'Oldest open repair': 'Reparo aberto mais antigo',
  'Worked yesterday': 'Trabalho de ontem',
  'of the known time': 'do tempo conhecido',
  'target {n} %': 'meta {n} %',
  'no open repairs': 'nenhum reparo aberto',
  'none down': 'nenhuma',
  '{n} % unknown': '{n} % desconhecido',
  'of {n} in the fleet': 'de {n} na frota',
  '{some} of {all} known': '{some} de {all} conhecidas',
  '{some} of {all} reporting': '{some} de {all} enviam dados',
  '{some} of {all} running': '{some} de {all} ligadas',
  'Running now': 'Ligadas agora',
} as const;
