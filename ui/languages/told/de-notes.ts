/** Texts of the gateway in German: runs, setups, plans, files and fields of conflicts, which the gateway stored as a text. `docs/languages.md` has the glossary. */
import type { NotesTold } from './es-notes.ts';

export const NOTES_DE: Readonly<Record<NotesTold, string>> = {
  'Waits in the queue.': 'Wartet in der Warteschlange.',
  'Waits for its turn.': 'Wartet, bis es an der Reihe ist.',
  'The worker has taken the run.': 'Der Arbeitsprozess hat den Lauf übernommen.',
  'The run has ended.': 'Der Lauf ist beendet.',
  'The task was deleted.': 'Die Aufgabe wurde gelöscht.',
  'Asks the model.': 'Fragt das Modell.',
  'Uses tools.': 'Benutzt Werkzeuge.',
  'Used {name}.': 'Hat {name} benutzt.',
  'Stops.': 'Hält an.',
  'Completed.': 'Abgeschlossen.',
  'Canceled.': 'Abgebrochen.',
  'Finishes what the run before had begun.': 'Beendet, was der Lauf davor begonnen hatte.',
  'The model answered nothing; asks again.': 'Das Modell hat nichts geantwortet; fragt noch einmal.',
  '{message} Asks again in {seconds} s.': '{message} Fragt in {seconds} s noch einmal.',
  'No model is set for this project.': 'Für dieses Projekt ist kein Modell gesetzt.',
  'The model asked for tools {most} times without coming to an end.':
    'Das Modell hat {most}-mal nach Werkzeugen gefragt, ohne zu einem Ende zu kommen.',
  'The model answered {most} times with nothing.': 'Das Modell hat {most}-mal nichts geantwortet.',
  'The run used {used} tokens; its budget is {tokens}.': 'Der Lauf hat {used} Token benutzt; sein Budget ist {tokens}.',
  'The run cost {cost} USD; its cap is {cap} USD.': 'Der Lauf kostete {cost} USD; seine Grenze ist {cap} USD.',
  'The gateway cannot decrypt the key of the model provider.':
    'Das Gateway kann den Schlüssel des Modellanbieters nicht entschlüsseln.',
  'The skill revision {id} is absent.': 'Die Skill-Revision {id} fehlt.',
  'The files of the skill revision {id} were changed.': 'Die Dateien der Skill-Revision {id} wurden geändert.',
  'It is the copy of the catalog skill {name}.': 'Sie ist die Kopie des Katalog-Skills {name}.',
  'It was imported as {name} (`project_override`).': 'Sie wurde als {name} importiert (`project_override`).',
  'It was imported in place of the catalog skill {name} (`project_override`, catalog hash {hash}).':
    'Sie wurde anstelle des Katalog-Skills {name} importiert (`project_override`, Hash des Katalogs {hash}).',
  'The review configuration that this run keeps does not have its hash.':
    'Die Prüfkonfiguration, die dieser Lauf behält, hat nicht ihren Hash.',
  'The work of agents in this project is paused.': 'Die Arbeit von Agenten in diesem Projekt ist angehalten.',
  'In this project a person must approve the work of agents.':
    'In diesem Projekt muss eine Person die Arbeit von Agenten freigeben.',
  'The run has read text of devices, files or strangers. A person must approve what it writes.':
    'Der Lauf hat Text von Geräten, Dateien oder Fremden gelesen. Eine Person muss freigeben, was er schreibt.',
  'The gateway was stopped while the run worked.': 'Das Gateway wurde angehalten, während der Lauf arbeitete.',
  'The gateway ended while the run worked.': 'Das Gateway endete, während der Lauf arbeitete.',
  'The run took longer than its limit of {seconds} s.': 'Der Lauf dauerte länger als seine Grenze von {seconds} s.',
  'The run used {seconds} s of processor time, which is its limit.':
    'Der Lauf hat {seconds} s Rechenzeit gebraucht, das ist seine Grenze.',
  'The gateway refused it.': 'Das Gateway hat es abgelehnt.',
  'Takes back what the runs wrote.': 'Nimmt zurück, was die Läufe geschrieben haben.',
  'Takes back what a run wrote.': 'Nimmt zurück, was ein Lauf geschrieben hat.',
  'Takes back {what}.': 'Nimmt zurück: {what}.',
  'Left {what}: {why}': 'Unverändert geblieben: {what}. {why}',
  'Set it by hand.': 'Setzen Sie es von Hand.',
  'Already taken back.': 'Schon zurückgenommen.',
  'It was deleted since.': 'Es wurde seither gelöscht.',
  'It was changed since.': 'Es wurde seither geändert.',
  'It was changed before or between the changes of the run.':
    'Es wurde vor oder zwischen den Änderungen des Laufs geändert.',
  'Somebody has added to its log since.': 'Jemand hat seither etwas in sein Protokoll geschrieben.',
  'The gateway does not know what was there before. Look at it, and change it by hand.':
    'Das Gateway weiß nicht, was vorher da war. Sehen Sie es an und ändern Sie es von Hand.',
  'The gateway cannot take this back. Look at it, and change it by hand.':
    'Das Gateway kann das nicht zurücknehmen. Sehen Sie es an und ändern Sie es von Hand.',
  'Entries of a log stay.': 'Einträge eines Protokolls bleiben.',
  'It is out of use already.': 'Es ist schon außer Betrieb.',
  'This key may not do it.': 'Dieser Schlüssel darf das nicht.',
  'The run ended during this call. The gateway does not know whether it was carried out.':
    'Der Lauf endete während dieses Aufrufs. Das Gateway weiß nicht, ob er ausgeführt wurde.',
  'The gateway does not know the earlier value. Set it by hand.':
    'Das Gateway kennt den früheren Wert nicht. Setzen Sie ihn von Hand.',
  'The operator of {name}: set it by hand.': 'Der Fahrer von {name}: Setzen Sie ihn von Hand.',
  'It is in use by {user}. Set it by hand.': 'Es wird von {user} benutzt. Setzen Sie es von Hand.',
  'The undo ended before it had taken this back. Undo the task again.':
    'Das Zurücknehmen endete, bevor es hierzu kam. Nehmen Sie die Aufgabe noch einmal zurück.',
  'Look at it, and change it by hand if it is wrong.':
    'Sehen Sie es an, und ändern Sie es von Hand, wenn es falsch ist.',
  'The planner reads the description by fixed rules, without a model.':
    'Der Planer liest die Beschreibung mit festen Regeln, ohne Modell.',
  'Writes locations.': 'Schreibt Orte.',
  'Writes operators.': 'Schreibt Fahrer.',
  'Writes mechanics.': 'Schreibt Mechaniker.',
  'Writes machines.': 'Schreibt Maschinen.',
  'Writes shifts and screens.': 'Schreibt Schichten und Bildschirme.',
  'Made nothing new.': 'Nichts Neues gemacht.',
  'Made {made}.': 'Gemacht: {made}.',
  'The planner found no machine, place, shift, person or screen in the description.':
    'Der Planer fand keine Maschine, keinen Ort, keine Schicht, keine Person und keinen Bildschirm in der Beschreibung.',
  'The description says of one kind of machine that it is there and that it is not.':
    'Die Beschreibung sagt von einer Art Maschine, dass sie da ist und dass sie nicht da ist.',
  'The description has a count or a range of more than 1,000 machines of one kind.':
    'Die Beschreibung hat eine Anzahl oder einen Bereich von mehr als 1.000 Maschinen einer Art.',
  'The description is too long.': 'Die Beschreibung ist zu lang.',
  'The text says of one kind of machine that it is there and that it is not. Write once how many machines of this kind the site has.':
    'Der Text sagt von einer Art Maschine, dass sie da ist und dass sie nicht da ist. Schreiben Sie einmal, wie viele Maschinen dieser Art der Betrieb hat.',
  'The text names a range or a count of more than {most} machines of one kind. Correct the number, or divide the machines into several texts.':
    'Der Text nennt einen Bereich oder eine Anzahl von mehr als {most} Maschinen einer Art. Berichtigen Sie die Zahl, oder teilen Sie die Maschinen auf mehrere Texte auf.',
  'The text is longer than {most} characters. Keep the lines about machines, places, shifts and people, or set up the site in several steps.':
    'Der Text ist länger als {most} Zeichen. Behalten Sie die Zeilen über Maschinen, Orte, Schichten und Personen, oder richten Sie den Betrieb in mehreren Schritten ein.',
  'The text names shifts without their times.': 'Der Text nennt Schichten ohne ihre Zeiten.',
  'Write when each shift begins and ends, for example "day 06:00 to 18:00".':
    'Schreiben Sie, wann jede Schicht beginnt und endet, zum Beispiel „Tagschicht 06:00 bis 18:00“.',
  'The text says that nobody works at night, and not when the shifts by day begin and end.':
    'Der Text sagt, dass nachts niemand arbeitet, und nicht, wann die Schichten am Tag beginnen und enden.',
  'Write when the shifts begin and end, for example "day 06:00 to 18:00". Until then a project without shifts of its own has one, 06:00 to 18:00.':
    'Schreiben Sie, wann die Schichten beginnen und enden, zum Beispiel „Tagschicht 06:00 bis 18:00“. Bis dahin hat ein Projekt ohne eigene Schichten eine, von 06:00 bis 18:00.',
  'The planner does not know whether these words name an operator or a mechanic.':
    'Der Planer weiß nicht, ob diese Wörter einen Fahrer oder einen Mechaniker nennen.',
  'Write the role of the person, for example "Operators: Ana Ruiz (EX-01)", or add the person.':
    'Schreiben Sie die Rolle der Person, zum Beispiel „Fahrer: Ana Ruiz (EX-01)“, oder legen Sie die Person an.',
  'The text has a number of people and no names.': 'Der Text hat eine Anzahl von Personen und keine Namen.',
  'Write the names of the people, or import the roster on the page of people.':
    'Schreiben Sie die Namen der Personen, oder importieren Sie die Liste auf der Seite der Personen.',
  'The text does not say what this screen shows.': 'Der Text sagt nicht, was dieser Bildschirm zeigt.',
  'Write what the screen shows, for example "machine status and open tickets", or confirm the proposed board.':
    'Schreiben Sie, was der Bildschirm zeigt, zum Beispiel „Zustand der Maschinen und offene Reparaturen“, oder bestätigen Sie die vorgeschlagene Tafel.',
  'The text names nobody of {crew}.': 'Der Text nennt niemanden von {crew}.',
  'Write the names of the people of this crew.': 'Schreiben Sie die Namen der Personen dieser Mannschaft.',
  'Nothing was read of {n} sentences or rows. The last {left} are not listed.':
    'Von {n} Sätzen oder Zeilen wurde nichts gelesen. Die letzten {left} sind nicht aufgeführt.',
  'Compare the plan with the text, and add what is missing.':
    'Vergleichen Sie den Plan mit dem Text, und ergänzen Sie, was fehlt.',
  'The text counts more than {most} machines in one row.': 'Der Text zählt mehr als {most} Maschinen in einer Zeile.',
  'The text does not say how many machines these are.': 'Der Text sagt nicht, wie viele Maschinen das sind.',
  'Write the number of machines, or their unit numbers.':
    'Schreiben Sie die Anzahl der Maschinen oder ihre Maschinennummern.',
  'The count and the list differ: {what}. The listed machines are made.':
    'Anzahl und Liste unterscheiden sich: {what}. Die Maschinen der Liste werden angelegt.',
  'Add the unit numbers that are missing, or correct the count.':
    'Ergänzen Sie die fehlenden Maschinennummern, oder berichtigen Sie die Anzahl.',
  'The text does not say what kind of machine {what} is.': 'Der Text sagt nicht, welche Art Maschine {what} ist.',
  'Write the kind of the machine, for example "wheel loader", or its make and model.':
    'Schreiben Sie die Art der Maschine, zum Beispiel „Radlader“, oder Marke und Modell.',
  'Two rows say different things of {what}. The first row is planned.':
    'Zwei Zeilen sagen Verschiedenes über {what}. Die erste wird geplant.',
  'Correct the row that is wrong.': 'Berichtigen Sie die falsche Zeile.',
  'The tables name more machines than the {most} of a plan. {what} were left out.':
    'Die Tabellen nennen mehr Maschinen als die {most} eines Plans. {what} wurden ausgelassen.',
  'Set up the site in several steps, with a part of the text in each.':
    'Richten Sie den Betrieb in mehreren Schritten ein, mit je einem Teil des Textes.',
  'The planner does not know what "{words}" says here.': 'Der Planer weiß nicht, was „{words}“ hier sagt.',
  'This may be a count of trips or loads.': 'Das kann eine Anzahl von Fahrten oder Ladungen sein.',
  'Only the letters of the number tell what kind of machine this is.':
    'Nur die Buchstaben der Nummer sagen, welche Art Maschine das ist.',
  'Only the heading "{words}" above the row tells what kind of machine this is.':
    'Nur die Überschrift „{words}“ über der Zeile sagt, welche Art Maschine das ist.',
  'Several rows have this number, and it has no digit. If they are several machines, write their unit numbers.':
    'Mehrere Zeilen haben diese Nummer, und sie hat keine Ziffer. Wenn es mehrere Maschinen sind, schreiben Sie ihre Maschinennummern.',
  'This word also means something else than a machine.': 'Dieses Wort bedeutet auch etwas anderes als eine Maschine.',
  'The planner does not know the words "{words}". They may be a place.':
    'Der Planer kennt die Wörter „{words}“ nicht. Sie können ein Ort sein.',
  'If it is on the site, confirm it on the setup page, or make it with {call}: `proposal` has the fields.':
    'Wenn es im Betrieb ist, bestätigen Sie es auf der Seite der Einrichtung. ({call}, `proposal`)',
  '{name} was not made: {why}': '{name} wurde nicht angelegt: {why}',
  'Make it by hand, or correct the description and start the setup again.':
    'Legen Sie es von Hand an, oder berichtigen Sie die Beschreibung und beginnen Sie neu.',
  'The text says on which days a shift works. A shift pattern has no days, so its shifts are of every day.':
    'Der Text sagt, an welchen Tagen eine Schicht arbeitet. Ein Schichtmodell hat keine Tage, also gelten seine Schichten jeden Tag.',
  'Nothing, or leave the boards of a shift out of the playlist on the other days.':
    'Nichts, oder lassen Sie die Tafeln einer Schicht an den anderen Tagen aus der Abspielliste.',
  'The shifts of the text overlap, have the same name, or are more than six, so the shift pattern stays as it was.':
    'Die Schichten des Textes überlappen sich, haben denselben Namen oder sind mehr als sechs, also bleibt das Schichtmodell, wie es war.',
  'Enter the shifts on the page of the site.': 'Geben Sie die Schichten auf der Seite des Betriebs ein.',
  'The project has other shifts than the text. The shift pattern stays as people set it.':
    'Das Projekt hat andere Schichten als der Text. Das Schichtmodell bleibt, wie Personen es gesetzt haben.',
  'Compare the shifts on the page of the site with the text, and correct them if the text is right.':
    'Vergleichen Sie die Schichten auf der Seite des Betriebs mit dem Text, und berichtigen Sie sie, wenn der Text stimmt.',
  'The file is no text, and of no kind that the gateway reads.':
    'Die Datei ist kein Text und von keiner Art, die das Gateway liest.',
  'Save it as CSV, XLSX, PDF or text.': 'Speichern Sie sie als CSV, XLSX, PDF oder Text.',
  'The PDF has a password.': 'Das PDF hat ein Passwort.',
  'Save it without a password.': 'Speichern Sie es ohne Passwort.',
  'The PDF is damaged.': 'Das PDF ist beschädigt.',
  'Print it to a new PDF, or copy its text into the description.':
    'Drucken Sie es in ein neues PDF, oder kopieren Sie seinen Text in die Beschreibung.',
  'The file has no text. A scanned page is a picture.': 'Die Datei hat keinen Text. Eine gescannte Seite ist ein Bild.',
  'Write what it says as text, or give the file from which it was printed.':
    'Schreiben Sie als Text, was sie sagt, oder geben Sie die Datei, aus der sie gedruckt wurde.',
  'The file has a password.': 'Die Datei hat ein Passwort.',
  'The file has a password, or is of an old kind (XLS, DOC).':
    'Die Datei hat ein Passwort oder ist von einer alten Art (XLS, DOC).',
  'Save it as XLSX or CSV without a password.': 'Speichern Sie sie als XLSX oder CSV ohne Passwort.',
  'The file is damaged, or is no file of this kind.': 'Die Datei ist beschädigt oder nicht von dieser Art.',
  'Open it in a spreadsheet program, and save it as XLSX or CSV.':
    'Öffnen Sie sie in einer Tabellenkalkulation, und speichern Sie sie als XLSX oder CSV.',
  'Opens the file.': 'Öffnet die Datei.',
  'Waits: the gateway has no disk space or memory for more values now.':
    'Wartet: Das Gateway hat jetzt keinen Platz oder Speicher für weitere Werte.',
  'Waits: this file takes long to decode, and shorter files of other devices are decoded first.':
    'Wartet: Diese Datei braucht lange, und kürzere Dateien anderer Geräte kommen zuerst.',
  'The file, or the device that recorded it, no longer exists.':
    'Die Datei oder das Gerät, das sie aufgezeichnet hat, gibt es nicht mehr.',
  'Decodes {name}: {frames} frames{at}.': 'Dekodiert {name}: {frames} Frames{at}.',
  'Compares the clock of {name} with the clocks in it.': 'Vergleicht die Uhr von {name} mit den Uhren darin.',
  '{what} reaches back {days} days; the disk share is full.':
    '{what} reicht {days} Tage zurück; der Anteil am Datenträger ist voll.',
  'Done.': 'Fertig.',
  'Failed.': 'Fehlgeschlagen.',
  Deletion: 'Löschung',
  Status: 'Status',
  'Operator on the machine': 'Fahrer auf der Maschine',
  'Limit of the rule': 'Grenze der Regel',
  Machines: 'Maschinen',
  Removal: 'Entfernung',
  'Last service': 'Letzte Wartung',
  Due: 'Fällig',
  'Work done': 'Erledigte Arbeit',
  Part: 'Teil',
  Tile: 'Kachel',
  Entry: 'Eintrag',
  'Order of the tiles': 'Reihenfolge der Kacheln',
  'Order of the entries': 'Reihenfolge der Einträge',
  Label: 'Beschriftung',
  Certificate: 'Nachweis',
  Location: 'Ort',
  'Lies in': 'Liegt in',
  Name: 'Name',
  Kind: 'Art',
  Title: 'Titel',
  Description: 'Beschreibung',
  Notes: 'Notizen',
  Model: 'Modell',
  'Oem name': 'Hersteller',
  'Serial number': 'Seriennummer',
  Pin: 'PIN (VIN)',
  Year: 'Baujahr',
  Taken: 'Übernommen',
  Aliases: 'Weitere Namen',
  Media: 'Fotos und Dateien',
  Timezone: 'Zeitzone',
  Geofence: 'Geozaun',
  'Elevation m': 'Höhe (m)',
  Active: 'Aktiv',
  'Expected interval s': 'Erwarteter Abstand (s)',
  'Interval s': 'Intervall (s)',
  Activation: 'Aktivierung',
  Severity: 'Schwere',
  Enabled: 'Aktiviert',
  Actions: 'Aktionen',
  Mute: 'Stummschaltung',
  Theme: 'Farbschema',
  Language: 'Sprache',
  Units: 'Einheiten',
  'Shift pattern': 'Schichtmodell',
  Shift: 'Schicht',
  Phone: 'Telefon',
  Email: 'E-Mail',
  Crew: 'Mannschaft',
  Specialties: 'Fachgebiete',
  Priority: 'Priorität',
  'Safety critical': 'Sicherheitskritisch',
  'Hold reason': 'Grund des Wartens',
  Mechanic: 'Mechaniker',
  Operator: 'Fahrer',
  Equipment: 'Maschine',
  Settings: 'Einstellungen',
  Takeover: 'Übernahme',
  'Display groups': 'Bildschirmgruppen',
  'Delete it': 'Löschen',
  'Keep it': 'Behalten',
  empty: 'leer',
  yes: 'ja',
  no: 'nein',
  'Locations lie in each other': 'Orte liegen ineinander',
  'Take {name} out of {place}': '{name} aus {place} herausnehmen',
  'Take {name} off {machine}': '{name} von {machine} nehmen',
  'Take {number} from {name}': '{number} von {name} wegnehmen',
  note: 'Notiz',
  'Put it aside': 'Beiseitelegen',
  'Badge id': 'Ausweis',
  Audience: 'Zielgruppe',
  Shuffle: 'Zufällig',
  'Priority and parts': 'Priorität und Teile',
  'Downtime minutes': 'Stillstand (Minuten)',
  'Due at': 'Fällig',
  'Due on': 'Fällig',
  'Fixed at': 'Behoben am',
  'Closed at': 'Geschlossen am',
  'Started at': 'Begonnen',
  'Every hours': 'Alle … Stunden',
  'Every days': 'Alle … Tage',
  'Every months': 'Alle … Monate',
  'Every km': 'Alle … km',
  Failure: 'Fehlerart',
  Instructions: 'Anweisungen',
  Layout: 'Anordnung',
  Prompt: 'Anweisung',
  Signal: 'Signal',
  Services: 'Wartungen',
  Service: 'Wartung',
  Trades: 'Gewerke',
  Type: 'Typ',
  Value: 'Wert',
  Transition: 'Übergang',
  'Assigned mechanic ids': 'Zugewiesene Mechaniker',
  'Display group ids': 'Bildschirmgruppen',
  'Default duration s': 'Dauer (s)',
  Change: 'Änderung',
  'Clear value': 'Wert für das Alarmende',
  'For seconds': 'Dauer (s)',
  'No data seconds': 'Ohne Daten (s)',
  'Related to': 'Bezogen auf',
  Notifications: 'Benachrichtigungen',
  'Take it out of {name}': 'Aus {name} herausnehmen',
  '{name} is on {machines} machines': '{name} ist auf {machines} Maschinen',
  '{name} plays a board that was deleted': '{name} zeigt eine gelöschte Tafel',
  'Unit number {number} is given {times} times': 'Die Maschinennummer {number} ist {times}-mal vergeben',
  'Serial number {number} is given {times} times': 'Die Seriennummer {number} ist {times}-mal vergeben',
  'Employee number {number} is given {times} times': 'Die Personalnummer {number} ist {times}-mal vergeben',
  'Code {number} is given {times} times': 'Der Code {number} ist {times}-mal vergeben',
  'Shift {name} of {date} has {reports} reports': 'Die Schicht {name} vom {date} hat {reports} Berichte',
  '"{words}" may speak of the past.': '„{words}“ spricht vielleicht von früher.',
  '"{words}" may speak of later.': '„{words}“ spricht vielleicht von später.',
  '"{words}" says that this is not certain, or not so.': '„{words}“ sagt, dass das nicht sicher oder nicht so ist.',
  '"{words}" may speak of another place or of another owner.':
    '„{words}“ spricht vielleicht von einem anderen Ort oder Besitzer.',
  '"{words}" may speak of other machines than those that are counted here.':
    '„{words}“ spricht vielleicht von anderen Maschinen als den hier gezählten.',
  '"{words}" may say that they are not always there.': '„{words}“ sagt vielleicht, dass sie nicht immer da sind.',
  '"{words}" may speak of opening hours.': '„{words}“ spricht vielleicht von Öffnungszeiten.',
  '"{words}" may compare, or count something else than machines.':
    '„{words}“ vergleicht vielleicht oder zählt etwas anderes als Maschinen.',
  '"{words}" may say that something here is not on the site.':
    '„{words}“ sagt vielleicht, dass etwas davon nicht im Betrieb ist.',
  '"{words}" gives no exact number.': '„{words}“ nennt keine genaue Zahl.',
  '"{words}" may be a number of one of these machines.': '„{words}“ ist vielleicht eine Nummer einer dieser Maschinen.',
  '"{words}" names machines of the same kind. They may be the same machines.':
    '„{words}“ nennt Maschinen derselben Art. Es sind vielleicht dieselben.',
  '"{words}" may speak of something else than machines of the site.':
    '„{words}“ spricht vielleicht von etwas anderem als Maschinen des Betriebs.',
  '"{words}" may be one of the named places.': '„{words}“ ist vielleicht einer der genannten Orte.',
  '"{words}" may be a model or a number of a machine.':
    '„{words}“ ist vielleicht ein Modell oder eine Nummer einer Maschine.',
  'The project has no location "{name}". These places were made without it: {places}.':
    'Das Projekt hat den Ort „{name}“ nicht. Diese Orte wurden ohne ihn angelegt: {places}.',
  'Make the location, and set it as their parent.':
    'Legen Sie den Ort an, und machen Sie ihn zu ihrem übergeordneten Ort.',
  'The project has no active {word} "{name}". These machines were made without it: {machines}.':
    'Das Projekt hat „{name}“ nicht aktiv ({word}). Diese Maschinen wurden ohne den Eintrag angelegt: {machines}.',
  'Make the {word}, and choose it on the page of each machine.':
    'Legen Sie den Eintrag an ({word}), und wählen Sie ihn auf der Seite jeder Maschine.',
  'Withdrew {what} ({fields}).': 'Zurückgezogen: {what} ({fields}).',
  'Restored {what} ({fields}).': 'Wiederhergestellt: {what} ({fields}).',
  'Deleted {what} ({fields}).': 'Gelöscht: {what} ({fields}).',
  'Withdrew {what}.': 'Zurückgezogen: {what}.',
  'Restored {what}.': 'Wiederhergestellt: {what}.',
  'Deleted {what}.': 'Gelöscht: {what}.',
  '1 gap needs a person.': '1 Lücke muss eine Person ergänzen.',
  '{gaps} gaps need a person.': '{gaps} Lücken muss eine Person ergänzen.',
  '{present} objects were already there.': '{present} Objekte waren schon da.',
  'The first {first} of {all} gaps are listed.': 'Die ersten {first} von {all} Lücken sind aufgeführt.',
  '{more} more gaps are not listed: {sorts}.': '{more} weitere Lücken sind nicht aufgeführt: {sorts}.',
  'The board does not show: {topics}.': 'Die Tafel zeigt nicht: {topics}.',
  'Add a widget for it on the page of screens. A camera widget needs the choice of a camera.':
    'Fügen Sie dafür auf der Seite der Bildschirme eine Kachel hinzu. Eine Kamerakachel braucht die Wahl einer Kamera.',
  'Writes what it learned.': 'Schreibt, was es gelernt hat.',
  'The text says that {unit} is gone, and the project still has it.':
    'Der Text sagt, dass {unit} nicht mehr da ist, und das Projekt hat sie noch.',
  'If it is gone, set its status to decommissioned on the page of the machine.':
    'Wenn sie nicht mehr da ist, setzen Sie ihren Status auf der Seite der Maschine auf ausgemustert.',
  'The project has {limit} active learnings already, so this one was not stored: {fact}':
    'Das Projekt hat schon {limit} aktive Erkenntnisse, deshalb wurde diese nicht gespeichert: {fact}',
  'End a learning that is no longer true, and start the setup again.':
    'Beenden Sie eine Erkenntnis, die nicht mehr stimmt, und starten Sie die Einrichtung noch einmal.',
  '{unit} is gone from the site.': '{unit} ist nicht mehr im Betrieb.',
  'Nobody works at night.': 'Nachts arbeitet niemand.',
  shifts: 'Schichten',
  learning: 'Erkenntnis',
  learnings: 'Erkenntnisse',
  'A setup made it. Take it out of use on its page if it is wrong.':
    'Eine Einrichtung hat es angelegt. Nehmen Sie es auf seiner Seite außer Betrieb, wenn es falsch ist.',
  machine: 'Maschine',
  machines: 'Maschinen',
  locations: 'Orte',
  operators: 'Fahrer',
  mechanics: 'Mechaniker',
  dashboard: 'Tafel',
  dashboards: 'Tafeln',
  playlists: 'Abspiellisten',
  tickets: 'Aufträge',
  status: 'Status',
  alerts: 'Alarme',
  fuel: 'Kraftstoff',
  hours: 'Stunden',
  shift: 'Schicht',
  map: 'Karte',
  trend: 'Verlauf',
  utilization: 'Auslastung',
  camera: 'Kamera',
};
