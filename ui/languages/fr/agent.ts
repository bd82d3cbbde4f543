/** The texts of the page of the agent, its tasks and their undo, in French. `docs/languages.md` has the glossary. */
import type { AgentText } from '#ui/languages/es/agent.ts';

export const AGENT_FR: Readonly<Record<AgentText, string>> = {
  'Compatible with OpenAI (llama.cpp, Ollama, vLLM)': 'Compatible avec OpenAI (llama.cpp, Ollama, vLLM)',
  'Only read': 'Seulement lire',
  'Read, and plan changes without making them': 'Lire et prévoir des modifications sans les faire',
  'Read and make changes': 'Lire et modifier',
  'Works at once': 'Travaille tout de suite',
  'Waits for an approval': 'Attend une approbation',
  Paused: 'En pause',
  'Model server': 'Serveur du modèle',
  Address: 'Adresse',
  'For example {url}. Empty: no model. Prompts and what the tools read are sent there.':
    'Par exemple {url}. Vide : pas de modèle. Les instructions et ce que lisent les outils y sont envoyés.',
  Model: 'Modèle',
  'A key is stored. Enter another one to replace it. A new address removes it.':
    'Une clé est enregistrée. Saisissez-en une autre pour la remplacer. Une nouvelle adresse la supprime.',
  'Only if the server needs one. It is stored encrypted and never shown.':
    'Seulement si le serveur en demande une. Elle est enregistrée chiffrée et jamais affichée.',
  'Prices and limits': 'Prix et limites',
  'Price of a million input tokens': "Prix d'un million de tokens en entrée",
  'Price of a million output tokens': "Prix d'un million de tokens en sortie",
  'Without both prices the cost of a run is not known. Another model or address empties them.':
    "Sans les deux prix, le coût d'une exécution n'est pas connu. Un autre modèle ou une autre adresse les efface.",
  'Largest cost of one run': "Coût maximal d'une exécution",
  'Empty: no limit. It needs both prices.': 'Vide : pas de limite. Il faut les deux prix.',
  'Largest number of tokens of one run': "Nombre maximal de tokens d'une exécution",
  'Input and output together, at least 1000. Empty: no limit.':
    'Entrée et sortie ensemble, au moins 1000. Vide : pas de limite.',
  'The agent': "L'agent",
  'Which machines are there?': 'Quels engins y a-t-il ?',
  'Try it': 'Essayer',
  Prompt: 'Instruction',
  'It may': 'Il peut',
  'A model of your own can answer questions and do work with the tools of this gateway. Without a model the site works as before.':
    'Un modèle à vous peut répondre à des questions et travailler avec les outils de ce gateway. Sans modèle, le site fonctionne comme avant.',
  'No model is set.': "Aucun modèle n'est défini.",
  '{model} at {url}.': "{model} à l'adresse {url}.",
  'Ask the agent': "Demander à l'agent",
  error: 'erreur',
  denied: 'refusé',
  Thinks: 'Réfléchit',
  'Uses {tool}': 'Utilise {tool}',
  'Result of {tool}': 'Résultat de {tool}',
  Transcript: 'Transcription',
  Approve: 'Approuver',
  'Start again': 'Relancer',
  'The transcript has more entries: read them with {operation}.':
    "La transcription a d'autres entrées : lisez-les avec {operation}.",
  Tasks: 'Tâches',
  'What the agent learned': "Ce que l'agent a appris",
  'Facts about the site that runs of the agent found. Later runs get them. To remove one, ask the agent, or undo the task that found it.':
    "Faits sur le site que les exécutions de l'agent ont trouvés. Les exécutions suivantes les reçoivent. Pour en retirer un, demandez-le à l'agent ou annulez la tâche qui l'a trouvé.",
  'No run has learned anything yet.': "Aucune exécution n'a encore rien appris.",
  'The list shows the newest {count}.': 'La liste montre les {count} plus récents.',
  'No prompt, custom action or setup was started yet.':
    "Aucune instruction, action personnalisée ou mise en place n'a encore été lancée.",
  Task: 'Tâche',
  Started: 'Lancée',
  By: 'Par',
  'Undo the task': 'Défaire la tâche',
  'Gets its earlier values back': 'Retrouve ses valeurs précédentes',
  'Is taken out of use': 'Est mis hors service',
  'Is deleted': 'Est supprimé',
  Stays: 'Reste',
  'An undo does not take back recorded services, sent messages and webhooks, counted downtime, and entries of logs.':
    "Défaire la tâche ne reprend pas les entretiens enregistrés, les messages et webhooks envoyés, les temps d'arrêt comptés ni les entrées des journaux.",
  'Run: {ids}': 'Exécution : {ids}',
  'All {count} runs of this task that wrote, the newest first: {ids}':
    "Les {count} exécutions de cette tâche qui ont écrit, la plus récente d'abord : {ids}",
  'The run wrote nothing.': "L'exécution n'a rien écrit.",
  'Take back what this task wrote?': 'Défaire ce que cette tâche a écrit ?',
  'Nothing can be taken back.': 'Rien ne peut être défait.',
  'The plan has no room for {n} further object. Undo the task again afterwards.|The plan has no room for {n} further objects. Undo the task again afterwards.':
    "Le plan n'a pas de place pour {n} autre objet. Défaites ensuite la tâche une nouvelle fois.|Le plan n'a pas de place pour {n} autres objets. Défaites ensuite la tâche une nouvelle fois.",
  'Take back': 'Défaire ces écritures',
  'Alert rule': "Règle d'alerte",
  Board: 'Tableau',
  'DBC file': 'Fichier DBC',
  'Maintenance plan': "Plan d'entretien",
  'Recorded service': 'Entretien enregistré',
  'Log entry': 'Entrée du journal',
  'Undo: {title}': 'Défaire : {title}',
  'Shift report': 'Rapport de poste',
};
