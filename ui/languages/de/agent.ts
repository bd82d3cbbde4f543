/** The texts of the page of the agent, its tasks and their undo, in German. `docs/languages.md` has the glossary. */
import type { AgentText } from '#ui/languages/es/agent.ts';

export const AGENT_DE: Readonly<Record<AgentText, string>> = {
  'Compatible with OpenAI (llama.cpp, Ollama, vLLM)': 'Kompatibel mit OpenAI (llama.cpp, Ollama, vLLM)',
  'Only read': 'Nur lesen',
  'Read, and plan changes without making them': 'Lesen und Änderungen planen, ohne sie auszuführen',
  'Read and make changes': 'Lesen und ändern',
  'Works at once': 'Arbeitet sofort',
  'Waits for an approval': 'Wartet auf eine Freigabe',
  Paused: 'Pausiert',
  'Model server': 'Modellserver',
  Address: 'Adresse',
  'For example {url}. Empty: no model. Prompts and what the tools read are sent there.':
    'Zum Beispiel {url}. Leer: kein Modell. Anweisungen und das, was die Werkzeuge lesen, werden dorthin gesendet.',
  Model: 'Modell',
  'A key is stored. Enter another one to replace it. A new address removes it.':
    'Ein Schlüssel ist gespeichert. Geben Sie einen anderen ein, um ihn zu ersetzen. Eine neue Adresse löscht ihn.',
  'Only if the server needs one. It is stored encrypted and never shown.':
    'Nur wenn der Server einen braucht. Er wird verschlüsselt gespeichert und nie angezeigt.',
  'Prices and limits': 'Preise und Grenzen',
  'Price of a million input tokens': 'Preis für eine Million Tokens Eingabe',
  'Price of a million output tokens': 'Preis für eine Million Tokens Ausgabe',
  'Without both prices the cost of a run is not known. Another model or address empties them.':
    'Ohne beide Preise sind die Kosten eines Laufs nicht bekannt. Ein anderes Modell oder eine andere Adresse leert sie.',
  'Largest cost of one run': 'Höchste Kosten eines Laufs',
  'Empty: no limit. It needs both prices.': 'Leer: keine Grenze. Dafür sind beide Preise nötig.',
  'Largest number of tokens of one run': 'Höchste Zahl der Tokens eines Laufs',
  'Input and output together, at least 1000. Empty: no limit.':
    'Eingabe und Ausgabe zusammen, mindestens 1000. Leer: keine Grenze.',
  'The agent': 'Der Agent',
  'Which machines are there?': 'Welche Maschinen gibt es?',
  'Try it': 'Ausprobieren',
  Prompt: 'Anweisung',
  'It may': 'Er darf',
  'A model of your own can answer questions and do work with the tools of this gateway. Without a model the site works as before.':
    'Ein eigenes Modell kann Fragen beantworten und mit den Werkzeugen dieses Gateways arbeiten. Ohne Modell arbeitet der Betrieb wie bisher.',
  'No model is set.': 'Es ist kein Modell eingestellt.',
  '{model} at {url}.': '{model} unter {url}.',
  'Ask the agent': 'Den Agenten fragen',
  error: 'Fehler',
  denied: 'verweigert',
  Thinks: 'Denkt nach',
  'Uses {tool}': 'Benutzt {tool}',
  'Result of {tool}': 'Ergebnis von {tool}',
  Transcript: 'Protokoll',
  Approve: 'Freigeben',
  'Start again': 'Erneut starten',
  'The transcript has more entries: read them with {operation}.':
    'Das Protokoll hat weitere Einträge: Lesen Sie sie mit {operation}.',
  Tasks: 'Aufgaben',
  'What the agent learned': 'Was der Agent gelernt hat',
  'Facts about the site that runs of the agent found. Later runs get them. To remove one, ask the agent, or undo the task that found it.':
    'Tatsachen über den Standort, die Läufe des Agenten gefunden haben. Spätere Läufe bekommen sie. Um eine zu entfernen, bitten Sie den Agenten darum, oder machen Sie die Aufgabe rückgängig, die sie gefunden hat.',
  'No run has learned anything yet.': 'Noch kein Lauf hat etwas gelernt.',
  'The list shows the newest {count}.': 'Die Liste zeigt die neuesten {count}.',
  'No prompt, custom action or setup was started yet.':
    'Es wurde noch keine Anweisung, eigene Aktion oder Einrichtung gestartet.',
  Task: 'Aufgabe',
  Started: 'Gestartet',
  By: 'Von',
  'Undo the task': 'Aufgabe rückgängig machen',
  'Gets its earlier values back': 'Erhält seine früheren Werte zurück',
  'Is taken out of use': 'Wird außer Betrieb genommen',
  'Is deleted': 'Wird gelöscht',
  Stays: 'Bleibt',
  'An undo does not take back recorded services, sent messages and webhooks, counted downtime, and entries of logs.':
    'Nicht zurückgenommen werden erfasste Wartungen, gesendete Nachrichten und Webhooks, gezählte Stillstandszeiten und Einträge in Protokollen.',
  'Run: {ids}': 'Lauf: {ids}',
  'All {count} runs of this task that wrote, the newest first: {ids}':
    'Alle {count} Läufe dieser Aufgabe, die geschrieben haben, der neueste zuerst: {ids}',
  'The run wrote nothing.': 'Der Lauf hat nichts geschrieben.',
  'Take back what this task wrote?': 'Zurücknehmen, was diese Aufgabe geschrieben hat?',
  'Nothing can be taken back.': 'Nichts kann zurückgenommen werden.',
  'The plan has no room for {n} further object. Undo the task again afterwards.|The plan has no room for {n} further objects. Undo the task again afterwards.':
    'Der Plan hat keinen Platz für {n} weiteres Objekt. Machen Sie die Aufgabe danach noch einmal rückgängig.|Der Plan hat keinen Platz für {n} weitere Objekte. Machen Sie die Aufgabe danach noch einmal rückgängig.',
  'Take back': 'Zurücknehmen',
  'Alert rule': 'Alarmregel',
  Board: 'Tafel',
  'DBC file': 'DBC-Datei',
  'Maintenance plan': 'Wartungsplan',
  'Recorded service': 'Erfasste Wartung',
  'Log entry': 'Protokolleintrag',
  'Undo: {title}': 'Rückgängig: {title}',
  'Shift report': 'Schichtbericht',
};
