/** The texts of custom actions and of what a run keeps, in French. `docs/languages.md` has the glossary. */
import type { ActionsText } from '#ui/languages/es/actions.ts';

export const ACTIONS_FR: Readonly<Record<ActionsText, string>> = {
  'The whole site': 'Tout le site',
  'One machine': 'Une machine',
  'One location': 'Un lieu',
  'Page Now': 'Page Maintenant',
  'Page Now of shared tablets': 'Page Maintenant des tablettes partagées',
  'Page of each machine': 'Page de chaque machine',
  'Page Map': 'Page Carte',
  'Waits in the queue': 'Attend dans la file',
  'Runs now': 'En cours',
  Failed: 'A échoué',
  'Needs an approval': 'Attend une approbation',
  'No model is set, so rules do this work.': 'Aucun modèle n’est réglé : des règles font ce travail.',
  'No model is set, so each run fails at once. An admin sets a model on the page Agent.':
    "Aucun modèle n'est défini, donc chaque exécution échoue aussitôt. Un administrateur définit un modèle sur la page Agent.",
  'The agent is paused, so each run ends at once. An admin changes this on the page Agent.':
    "L'agent est en pause, donc chaque exécution se termine aussitôt. Un administrateur change cela sur la page Agent.",
  'Each run waits for an approval first. Owners, admins and approvers give it on the page Agent.':
    "Chaque exécution attend d'abord une approbation. Les propriétaires, les administrateurs et les approbateurs la donnent sur la page Agent.",
  'The settings of the agent are damaged, so each run fails. An admin saves them again on the page Agent.':
    "Les réglages de l'agent sont endommagés, donc chaque exécution échoue. Un administrateur les enregistre à nouveau sur la page Agent.",
  Choose: 'Choisir',
  Start: 'Lancer',
  'Start {action}?': 'Lancer {action} ?',
  'The run gave no answer.': "L'exécution n'a pas donné de réponse.",
  Answer: 'Réponse',
  'Open the task': 'Ouvrir la tâche',
  'Not started: the gateway does not answer. Press again later; the gateway starts it only once.':
    "Non lancée : la passerelle ne répond pas. Appuyez de nouveau plus tard ; la passerelle ne la lance qu'une fois.",
  Actions: 'Actions',
  'The gateway does not answer, so the states below may be old.':
    'La passerelle ne répond pas, donc les états ci-dessous peuvent être anciens.',
  'The page shows the first {count} actions. The page Agent has all.':
    'La page montre les {count} premières actions. La page Agent les a toutes.',
  'Why is it silent?': "Pourquoi n'envoie-t-elle rien ?",
  'Find out why this machine sends no data, and say what a person can do on site.':
    "Trouvez pourquoi cette machine n'envoie pas de données, et dites ce qu'une personne peut faire sur place.",
  'Summary of the day': 'Résumé de la journée',
  'Summarize the last day of the site: what stood still, what was repaired, and what needs somebody tomorrow.':
    "Résumez la dernière journée du site : ce qui était à l'arrêt, ce qui a été réparé, et ce qui demande quelqu'un demain.",
  'Who needs fuel?': 'Qui a besoin de carburant ?',
  'Which machines will need fuel in the next shift? List the emptiest first.':
    "Quelles machines auront besoin de carburant au prochain poste ? Citez d'abord la plus vide.",
  'New action': 'Nouvelle action',
  'Name on the button': 'Nom sur le bouton',
  Emoji: 'Emoji',
  'One emoji. It stands before the name.': 'Un emoji. Il se trouve devant le nom.',
  'Enter one emoji, such as {example}.': 'Saisissez un emoji, par exemple {example}.',
  'It concerns': 'Elle concerne',
  'What the model shall do. It gets the machine or location of the run by itself.':
    "Ce que le modèle doit faire. Il reçoit de lui-même la machine ou le lieu de l'exécution.",
  'Offered on': 'Proposée sur',
  'Mechanics and operators can start an action there. This page offers every action.':
    'Les mécaniciens et les conducteurs peuvent la lancer là. Cette page propose toutes les actions.',
  'Skill (optional)': 'Compétence (facultatif)',
  'Its instructions are added to the prompt. An imported skill, or one of {skills}.':
    "Ses consignes s'ajoutent à l'instruction. Une compétence importée, ou l'une de {skills}.",
  'Actions with smaller numbers stand first.': "Les actions aux plus petits nombres viennent d'abord.",
  'Ask before it starts': 'Demander avant de lancer',
  'People may start it': 'On peut la lancer',
  'Create the action': "Créer l'action",
  'Nobody may start it': 'Personne ne peut la lancer',
  'Only on this page': 'Seulement sur cette page',
  'Delete now': 'Supprimer maintenant',
  'Its tasks stay.': 'Ses tâches restent.',
  'Custom actions': 'Actions personnalisées',
  'An action is a button with a prompt that somebody wrote once. Whoever presses it starts a run of the model, also a mechanic or an operator.':
    "Une action est un bouton avec une instruction que quelqu'un a écrite une fois. Qui appuie dessus lance une exécution du modèle, aussi un mécanicien ou un conducteur.",
  'Not saved: another person changed this action. Open the form again to see the change.':
    'Non enregistré : une autre personne a modifié cette action. Rouvrez le formulaire pour voir la modification.',
  'No custom actions yet.': "Pas encore d'action personnalisée.",
  'Those of the default list': 'Ceux de la liste par défaut',
  'Only owners and admins': 'Seulement les propriétaires et les administrateurs',
  'Owners and admins approve. A supervisor who shall approve too needs an account first.':
    "Les propriétaires et les administrateurs approuvent. Un chef qui doit aussi approuver a d'abord besoin d'un compte.",
  Approvers: 'Approbateurs',
  'Owners and admins approve anyway. A key of an agent never does.':
    "Les propriétaires et les administrateurs approuvent toujours. Une clé d'un agent, jamais.",
  Action: 'Action',
  Skill: 'Compétence',
  'Allowed tools': 'Outils autorisés',
  'Names of tools': "Noms d'outils",
  'One name a line. A run may use these tools and no others. Empty: those of the default list.':
    'Un nom par ligne. Une exécution peut utiliser ces outils et aucun autre. Vide : ceux de la liste par défaut.',
  'Action, revision {n}': 'Action, révision {n}',
  'Skill, revision {n}': 'Compétence, révision {n}',
  'Settings of the agent, revision {n}': "Réglages de l'agent, révision {n}",
  'No hash: an early version of the gateway made this run.':
    "Pas d'empreinte : une ancienne version de la passerelle a créé cette exécution.",
  'The stored copy does not have this hash: it was changed outside the gateway.':
    "La copie enregistrée n'a pas cette empreinte : elle a été modifiée hors de la passerelle.",
  'The run keeps nothing.': "L'exécution ne garde rien.",
  'As it was at the start': "Comme c'était au départ",
  'Later changes of the action, the skill and the settings do not change this run.':
    "Les modifications ultérieures de l'action, de la compétence et des réglages ne changent pas cette exécution.",
  'Not marked: the gateway does not answer. Press again later.':
    'Non marqué : la passerelle ne répond pas. Appuyez de nouveau plus tard.',
  'Mark {n} alert as read|Mark {n} alerts as read': 'Marquer {n} alerte comme lue|Marquer {n} alertes comme lues',
  'Show {n} removed': 'Afficher {n} retirées',
  'Read and removed holds for everybody at this site. The alerts themselves stay.':
    'Lues et retirées vaut pour tous sur ce site. Les alertes elles-mêmes restent.',
  'Not read yet': 'Pas encore lue',
  'Removed from the list': 'Retirée de la liste',
  'Remove from the list': 'Retirer de la liste',
  'Start with an example:': 'Commencez par un exemple :',
};
