/** The texts of custom actions and of what a run keeps, in German. `docs/languages.md` has the glossary. */
import type { ActionsText } from '#ui/languages/es/actions.ts';

export const ACTIONS_DE: Readonly<Record<ActionsText, string>> = {
  'The whole site': 'Den ganzen Betrieb',
  'One machine': 'Eine Maschine',
  'One location': 'Einen Ort',
  'Page Now': 'Seite Jetzt',
  'Page Now of shared tablets': 'Seite Jetzt gemeinsamer Tablets',
  'Page of each machine': 'Seite jeder Maschine',
  'Page Map': 'Seite Karte',
  'Waits in the queue': 'Wartet in der Schlange',
  'Runs now': 'Läuft',
  Failed: 'Fehlgeschlagen',
  'Needs an approval': 'Braucht eine Freigabe',
  'No model is set, so rules do this work.': 'Kein Modell ist eingestellt, also erledigen Regeln diese Arbeit.',
  'No model is set, so each run fails at once. An admin sets a model on the page Agent.':
    'Es ist kein Modell eingestellt, also schlägt jeder Lauf sofort fehl. Ein Administrator stellt auf der Seite Agent ein Modell ein.',
  'The agent is paused, so each run ends at once. An admin changes this on the page Agent.':
    'Der Agent ist pausiert, also endet jeder Lauf sofort. Ein Administrator ändert das auf der Seite Agent.',
  'Each run waits for an approval first. Owners, admins and approvers give it on the page Agent.':
    'Jeder Lauf wartet zuerst auf eine Freigabe. Inhaber, Administratoren und Freigebende erteilen sie auf der Seite Agent.',
  'The settings of the agent are damaged, so each run fails. An admin saves them again on the page Agent.':
    'Die Einstellungen des Agenten sind beschädigt, also schlägt jeder Lauf fehl. Ein Administrator speichert sie auf der Seite Agent neu.',
  Choose: 'Auswählen',
  Start: 'Starten',
  'Start {action}?': '{action} starten?',
  'The run gave no answer.': 'Der Lauf gab keine Antwort.',
  Answer: 'Antwort',
  'Open the task': 'Aufgabe öffnen',
  'Not started: the gateway does not answer. Press again later; the gateway starts it only once.':
    'Nicht gestartet: Das Gateway antwortet nicht. Drücken Sie später noch einmal; das Gateway startet sie nur einmal.',
  Actions: 'Aktionen',
  'The gateway does not answer, so the states below may be old.':
    'Das Gateway antwortet nicht, also können die Zustände unten alt sein.',
  'The page shows the first {count} actions. The page Agent has all.':
    'Die Seite zeigt die ersten {count} Aktionen. Die Seite Agent hat alle.',
  'Why is it silent?': 'Warum sendet sie nicht?',
  'Find out why this machine sends no data, and say what a person can do on site.':
    'Finden Sie heraus, warum diese Maschine keine Daten sendet, und sagen Sie, was jemand vor Ort tun kann.',
  'Summary of the day': 'Zusammenfassung des Tages',
  'Summarize the last day of the site: what stood still, what was repaired, and what needs somebody tomorrow.':
    'Fassen Sie den letzten Tag des Betriebs zusammen: was stillstand, was repariert wurde und was morgen jemanden braucht.',
  'Who needs fuel?': 'Wer braucht Kraftstoff?',
  'Which machines will need fuel in the next shift? List the emptiest first.':
    'Welche Maschinen brauchen in der nächsten Schicht Kraftstoff? Nennen Sie die leerste zuerst.',
  'New action': 'Neue Aktion',
  'Name on the button': 'Name auf dem Knopf',
  Emoji: 'Emoji',
  'One emoji. It stands before the name.': 'Ein Emoji. Es steht vor dem Namen.',
  'Enter one emoji, such as {example}.': 'Geben Sie ein Emoji ein, zum Beispiel {example}.',
  'It concerns': 'Sie betrifft',
  'What the model shall do. It gets the machine or location of the run by itself.':
    'Was das Modell tun soll. Die Maschine oder den Ort des Laufs bekommt es von selbst.',
  'Offered on': 'Angeboten auf',
  'Mechanics and operators can start an action there. This page offers every action.':
    'Dort können auch Mechaniker und Fahrer sie starten. Diese Seite bietet jede Aktion an.',
  'Skill (optional)': 'Skill (optional)',
  'Its instructions are added to the prompt. An imported skill, or one of {skills}.':
    'Seine Hinweise kommen zur Anweisung hinzu. Ein importierter Skill oder einer von {skills}.',
  'Actions with smaller numbers stand first.': 'Aktionen mit kleineren Zahlen stehen vorn.',
  'Ask before it starts': 'Vor dem Start fragen',
  'People may start it': 'Darf gestartet werden',
  'Create the action': 'Aktion anlegen',
  'Nobody may start it': 'Niemand darf sie starten',
  'Only on this page': 'Nur auf dieser Seite',
  'Delete now': 'Jetzt löschen',
  'Its tasks stay.': 'Ihre Aufgaben bleiben.',
  'Custom actions': 'Eigene Aktionen',
  'An action is a button with a prompt that somebody wrote once. Whoever presses it starts a run of the model, also a mechanic or an operator.':
    'Eine Aktion ist ein Knopf mit einer Anweisung, die jemand einmal geschrieben hat. Wer ihn drückt, startet einen Lauf des Modells, auch ein Mechaniker oder Fahrer.',
  'Not saved: another person changed this action. Open the form again to see the change.':
    'Nicht gespeichert: Jemand anders hat diese Aktion geändert. Öffnen Sie das Formular noch einmal, um die Änderung zu sehen.',
  'No custom actions yet.': 'Noch keine eigenen Aktionen.',
  'Those of the default list': 'Die der Standardliste',
  'Only owners and admins': 'Nur Inhaber und Administratoren',
  'Owners and admins approve. A supervisor who shall approve too needs an account first.':
    'Inhaber und Administratoren geben frei. Ein Vorgesetzter, der auch freigeben soll, braucht zuerst ein Konto.',
  Approvers: 'Freigebende',
  'Owners and admins approve anyway. A key of an agent never does.':
    'Inhaber und Administratoren geben immer frei. Ein Schlüssel eines Agenten tut es nie.',
  Action: 'Aktion',
  Skill: 'Skill',
  'Allowed tools': 'Erlaubte Werkzeuge',
  'Names of tools': 'Namen von Werkzeugen',
  'One name a line. A run may use these tools and no others. Empty: those of the default list.':
    'Ein Name je Zeile. Ein Lauf darf diese Werkzeuge benutzen und keine anderen. Leer: die der Standardliste.',
  'Action, revision {n}': 'Aktion, Revision {n}',
  'Skill, revision {n}': 'Skill, Revision {n}',
  'Settings of the agent, revision {n}': 'Einstellungen des Agenten, Revision {n}',
  'No hash: an early version of the gateway made this run.':
    'Kein Hash: Eine frühe Version des Gateways hat diesen Lauf angelegt.',
  'The stored copy does not have this hash: it was changed outside the gateway.':
    'Die gespeicherte Kopie hat diesen Hash nicht: Sie wurde außerhalb des Gateways geändert.',
  'The run keeps nothing.': 'Der Lauf behält nichts.',
  'As it was at the start': 'Wie es beim Start war',
  'Later changes of the action, the skill and the settings do not change this run.':
    'Spätere Änderungen der Aktion, des Skills und der Einstellungen ändern diesen Lauf nicht.',
  'Not marked: the gateway does not answer. Press again later.':
    'Nicht markiert: Das Gateway antwortet nicht. Drücken Sie später noch einmal.',
  'Mark {n} alert as read|Mark {n} alerts as read': '{n} Alarm als gelesen markieren|{n} Alarme als gelesen markieren',
  'Show {n} removed': '{n} entfernte zeigen',
  'Read and removed holds for everybody at this site. The alerts themselves stay.':
    'Gelesen und entfernt gilt für alle in diesem Betrieb. Die Alarme selbst bleiben.',
  'Not read yet': 'Noch nicht gelesen',
  'Removed from the list': 'Aus der Liste entfernt',
  'Remove from the list': 'Aus der Liste entfernen',
  'Start with an example:': 'Beginnen Sie mit einem Beispiel:',
};
