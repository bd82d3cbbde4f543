/** Texts of the gateway in French: runs, setups, plans, files and fields of conflicts, which the gateway stored as a text. `docs/languages.md` has the glossary. */
import type { NotesTold } from './es-notes.ts';

export const NOTES_FR: Readonly<Record<NotesTold, string>> = {
  'Waits in the queue.': 'Attend dans la file.',
  'Waits for its turn.': 'Attend son tour.',
  'The worker has taken the run.': "Le processus de travail a pris l'exécution.",
  'The run has ended.': "L'exécution est terminée.",
  'The task was deleted.': 'La tâche a été supprimée.',
  'Asks the model.': 'Interroge le modèle.',
  'Uses tools.': 'Utilise des outils.',
  'Used {name}.': 'A utilisé {name}.',
  'Stops.': "S'arrête.",
  'Completed.': 'Terminée.',
  'Canceled.': 'Annulée.',
  'Finishes what the run before had begun.': "Finit ce que l'exécution précédente avait commencé.",
  'The model answered nothing; asks again.': "Le modèle n'a rien répondu ; demande de nouveau.",
  '{message} Asks again in {seconds} s.': '{message} Demande de nouveau dans {seconds} s.',
  'No model is set for this project.': "Aucun modèle n'est défini pour ce projet.",
  'The model asked for tools {most} times without coming to an end.':
    'Le modèle a demandé des outils {most} fois sans arriver à une fin.',
  'The model answered {most} times with nothing.': 'Le modèle a répondu {most} fois sans rien.',
  'The run used {used} tokens; its budget is {tokens}.':
    "L'exécution a utilisé {used} jetons ; son budget est {tokens}.",
  'The run cost {cost} USD; its cap is {cap} USD.': "L'exécution a coûté {cost} USD ; son plafond est {cap} USD.",
  'The gateway cannot decrypt the key of the model provider.':
    'Le gateway ne peut pas déchiffrer la clé du fournisseur du modèle.',
  'The skill revision {id} is absent.': 'La révision de compétence {id} est absente.',
  'The files of the skill revision {id} were changed.':
    'Les fichiers de la révision de compétence {id} ont été modifiés.',
  'It is the copy of the catalog skill {name}.': "C'est la copie de la compétence de catalogue {name}.",
  'It was imported as {name} (`project_override`).': 'Elle a été importée comme {name} (`project_override`).',
  'It was imported in place of the catalog skill {name} (`project_override`, catalog hash {hash}).':
    'Elle a été importée à la place de la compétence de catalogue {name} (`project_override`, empreinte du catalogue {hash}).',
  'The review configuration that this run keeps does not have its hash.':
    "La configuration de revue que cette exécution garde n'a pas son empreinte.",
  'The work of agents in this project is paused.': 'Le travail des agents dans ce projet est en pause.',
  'In this project a person must approve the work of agents.':
    'Dans ce projet une personne doit approuver le travail des agents.',
  'The run has read text of devices, files or strangers. A person must approve what it writes.':
    "L'exécution a lu du texte d'appareils, de fichiers ou d'inconnus. Une personne doit approuver ce qu'elle écrit.",
  'The gateway was stopped while the run worked.': "Le gateway a été arrêté pendant l'exécution.",
  'The gateway ended while the run worked.': "Le gateway s'est terminé pendant l'exécution.",
  'The run took longer than its limit of {seconds} s.': "L'exécution a dépassé sa limite de {seconds} s.",
  'The run used {seconds} s of processor time, which is its limit.':
    "L'exécution a utilisé {seconds} s de processeur, sa limite.",
  'The gateway refused it.': "Le gateway l'a refusé.",
  'Takes back what the runs wrote.': 'Défait ce que les exécutions ont écrit.',
  'Takes back what a run wrote.': "Défait ce qu'une exécution a écrit.",
  'Takes back {what}.': 'Défait {what}.',
  'Left {what}: {why}': 'Laissé tel quel : {what}. {why}',
  'Set it by hand.': 'Réglez-le à la main.',
  'Already taken back.': 'Déjà défait.',
  'It was deleted since.': 'Il a été supprimé depuis.',
  'It was changed since.': 'Il a été modifié depuis.',
  'It was changed before or between the changes of the run.':
    "Il a été modifié avant ou entre les modifications de l'exécution.",
  'Somebody has added to its log since.': "Quelqu'un a ajouté à son journal depuis.",
  'The gateway does not know what was there before. Look at it, and change it by hand.':
    "Le gateway ne sait pas ce qu'il y avait avant. Regardez-le et modifiez-le à la main.",
  'The gateway cannot take this back. Look at it, and change it by hand.':
    'Le gateway ne peut pas défaire cela. Regardez-le et modifiez-le à la main.',
  'Entries of a log stay.': "Les entrées d'un journal restent.",
  'It is out of use already.': 'Il est déjà hors service.',
  'This key may not do it.': 'Cette clé ne peut pas le faire.',
  'The run ended during this call. The gateway does not know whether it was carried out.':
    "L'exécution a fini pendant cet appel. Le gateway ne sait pas s'il a été exécuté.",
  'The gateway does not know the earlier value. Set it by hand.':
    'Le gateway ne connaît pas la valeur précédente. Réglez-la à la main.',
  'The operator of {name}: set it by hand.': 'Le conducteur de {name} : réglez-le à la main.',
  'It is in use by {user}. Set it by hand.': 'Il est utilisé par {user}. Réglez-le à la main.',
  'The undo ended before it had taken this back. Undo the task again.':
    "L'exécution qui défait la tâche a fini avant d'en arriver là. Défaites la tâche de nouveau.",
  'Look at it, and change it by hand if it is wrong.': "Regardez-le, et modifiez-le à la main s'il est faux.",
  'The planner reads the description by fixed rules, without a model.':
    'Le planificateur lit la description avec des règles fixes, sans modèle.',
  'Writes locations.': 'Écrit les lieux.',
  'Writes operators.': 'Écrit les conducteurs.',
  'Writes mechanics.': 'Écrit les mécaniciens.',
  'Writes machines.': 'Écrit les engins.',
  'Writes shifts and screens.': 'Écrit les postes et les écrans.',
  'Made nothing new.': "N'a rien fait de nouveau.",
  'Made {made}.': 'A fait {made}.',
  'The planner found no machine, place, shift, person or screen in the description.':
    "Le planificateur n'a trouvé ni engin, ni lieu, ni poste, ni personne, ni écran dans la description.",
  'The description says of one kind of machine that it is there and that it is not.':
    "La description dit d'un type d'engin qu'il est là et qu'il n'y est pas.",
  'The description has a count or a range of more than 1,000 machines of one kind.':
    "La description a un nombre ou une plage de plus de 1 000 engins d'un type.",
  'The description is too long.': 'La description est trop longue.',
  'The text says of one kind of machine that it is there and that it is not. Write once how many machines of this kind the site has.':
    "Le texte dit d'un type d'engin qu'il est là et qu'il n'y est pas. Écrivez une fois combien d'engins de ce type le site a.",
  'The text names a range or a count of more than {most} machines of one kind. Correct the number, or divide the machines into several texts.':
    "Le texte nomme une plage ou un nombre de plus de {most} engins d'un type. Corrigez le nombre, ou répartissez les engins en plusieurs textes.",
  'The text is longer than {most} characters. Keep the lines about machines, places, shifts and people, or set up the site in several steps.':
    'Le texte a plus de {most} caractères. Gardez les lignes sur les engins, lieux, postes et personnes, ou mettez le site en place en plusieurs étapes.',
  'The text names shifts without their times.': 'Le texte nomme des postes sans leurs heures.',
  'Write when each shift begins and ends, for example "day 06:00 to 18:00".':
    'Écrivez quand chaque poste commence et finit, par exemple « poste de jour de 06:00 à 18:00 ».',
  'The text says that nobody works at night, and not when the shifts by day begin and end.':
    'Le texte dit que personne ne travaille la nuit, et pas quand les postes de jour commencent et finissent.',
  'Write when the shifts begin and end, for example "day 06:00 to 18:00". Until then a project without shifts of its own has one, 06:00 to 18:00.':
    'Écrivez quand les postes commencent et finissent, par exemple « poste de jour de 06:00 à 18:00 ». Jusque-là, un projet sans postes propres en a un, de 06:00 à 18:00.',
  'The planner does not know whether these words name an operator or a mechanic.':
    'Le planificateur ne sait pas si ces mots nomment un conducteur ou un mécanicien.',
  'Write the role of the person, for example "Operators: Ana Ruiz (EX-01)", or add the person.':
    'Écrivez le rôle de la personne, par exemple « Conducteurs : Ana Ruiz (EX-01) », ou ajoutez la personne.',
  'The text has a number of people and no names.': 'Le texte a un nombre de personnes et pas de noms.',
  'Write the names of the people, or import the roster on the page of people.':
    'Écrivez les noms des personnes, ou importez la liste sur la page des personnes.',
  'The text does not say what this screen shows.': 'Le texte ne dit pas ce que cet écran montre.',
  'Write what the screen shows, for example "machine status and open tickets", or confirm the proposed board.':
    "Écrivez ce que l'écran montre, par exemple « l'état des engins et les tickets ouverts », ou confirmez le tableau proposé.",
  'The text names nobody of {crew}.': 'Le texte ne nomme personne de {crew}.',
  'Write the names of the people of this crew.': 'Écrivez les noms des personnes de cette équipe.',
  'Nothing was read of {n} sentences or rows. The last {left} are not listed.':
    "Rien n'a été lu de {n} phrases ou lignes. Les {left} dernières ne sont pas dans la liste.",
  'Compare the plan with the text, and add what is missing.':
    'Comparez le plan avec le texte, et ajoutez ce qui manque.',
  'The text counts more than {most} machines in one row.': 'Le texte compte plus de {most} engins dans une ligne.',
  'The text does not say how many machines these are.': "Le texte ne dit pas combien d'engins ce sont.",
  'Write the number of machines, or their unit numbers.': "Écrivez le nombre d'engins, ou leurs numéros d'engin.",
  'The count and the list differ: {what}. The listed machines are made.':
    'Le nombre et la liste diffèrent : {what}. Les engins de la liste sont créés.',
  'Add the unit numbers that are missing, or correct the count.':
    "Ajoutez les numéros d'engin qui manquent, ou corrigez le nombre.",
  'The text does not say what kind of machine {what} is.': "Le texte ne dit pas quel type d'engin est {what}.",
  'Write the kind of the machine, for example "wheel loader", or its make and model.':
    "Écrivez le type de l'engin, par exemple « chargeuse », ou sa marque et son modèle.",
  'Two rows say different things of {what}. The first row is planned.':
    'Deux lignes disent des choses différentes de {what}. La première est planifiée.',
  'Correct the row that is wrong.': 'Corrigez la ligne fausse.',
  'The tables name more machines than the {most} of a plan. {what} were left out.':
    "Les tableaux nomment plus d'engins que les {most} d'un plan. {what} ont été laissés de côté.",
  'Set up the site in several steps, with a part of the text in each.':
    'Mettez le site en place en plusieurs étapes, avec une partie du texte dans chacune.',
  'The planner does not know what "{words}" says here.': 'Le planificateur ne sait pas ce que « {words} » dit ici.',
  'This may be a count of trips or loads.': "C'est peut-être un nombre de trajets ou de charges.",
  'Only the letters of the number tell what kind of machine this is.':
    "Seules les lettres du numéro disent quel type d'engin c'est.",
  'Only the heading "{words}" above the row tells what kind of machine this is.':
    "Seul le titre « {words} » au-dessus de la ligne dit quel type d'engin c'est.",
  'Several rows have this number, and it has no digit. If they are several machines, write their unit numbers.':
    "Plusieurs lignes ont ce numéro, et il n'a pas de chiffre. Si ce sont plusieurs engins, écrivez leurs numéros d'engin.",
  'This word also means something else than a machine.': "Ce mot veut aussi dire autre chose qu'un engin.",
  'The planner does not know the words "{words}". They may be a place.':
    "Le planificateur ne connaît pas les mots « {words} ». C'est peut-être un lieu.",
  'If it is on the site, confirm it on the setup page, or make it with {call}: `proposal` has the fields.':
    "S'il est sur le site, confirmez-le sur la page de mise en place. ({call}, `proposal`)",
  '{name} was not made: {why}': "{name} n'a pas été créé : {why}",
  'Make it by hand, or correct the description and start the setup again.':
    'Faites-le à la main, ou corrigez la description et recommencez.',
  'The text says on which days a shift works. A shift pattern has no days, so its shifts are of every day.':
    "Le texte dit quels jours un poste travaille. Un rythme de postes n'a pas de jours : ses postes sont de tous les jours.",
  'Nothing, or leave the boards of a shift out of the playlist on the other days.':
    "Rien, ou laissez les tableaux d'un poste hors de la liste de tableaux les autres jours.",
  'The shifts of the text overlap, have the same name, or are more than six, so the shift pattern stays as it was.':
    'Les postes du texte se chevauchent, ont le même nom ou sont plus de six : le rythme reste comme il était.',
  'Enter the shifts on the page of the site.': 'Saisissez les postes sur la page du site.',
  'The project has other shifts than the text. The shift pattern stays as people set it.':
    "Le projet a d'autres postes que le texte. Le rythme reste comme les personnes l'ont réglé.",
  'Compare the shifts on the page of the site with the text, and correct them if the text is right.':
    'Comparez les postes de la page du site avec le texte, et corrigez-les si le texte est juste.',
  'The file is no text, and of no kind that the gateway reads.':
    "Le fichier n'est ni du texte ni d'un type que le gateway lit.",
  'Save it as CSV, XLSX, PDF or text.': 'Enregistrez-le en CSV, XLSX, PDF ou texte.',
  'The PDF has a password.': 'Le PDF a un mot de passe.',
  'Save it without a password.': 'Enregistrez-le sans mot de passe.',
  'The PDF is damaged.': 'Le PDF est endommagé.',
  'Print it to a new PDF, or copy its text into the description.':
    'Imprimez-le dans un nouveau PDF, ou copiez son texte dans la description.',
  'The file has no text. A scanned page is a picture.':
    "Le fichier n'a pas de texte. Une page numérisée est une image.",
  'Write what it says as text, or give the file from which it was printed.':
    "Écrivez ce qu'il dit en texte, ou donnez le fichier d'où il a été imprimé.",
  'The file has a password.': 'Le fichier a un mot de passe.',
  'The file has a password, or is of an old kind (XLS, DOC).':
    "Le fichier a un mot de passe, ou est d'un ancien type (XLS, DOC).",
  'Save it as XLSX or CSV without a password.': 'Enregistrez-le en XLSX ou CSV sans mot de passe.',
  'The file is damaged, or is no file of this kind.': "Le fichier est endommagé, ou n'est pas de ce type.",
  'Open it in a spreadsheet program, and save it as XLSX or CSV.':
    'Ouvrez-le dans un tableur, et enregistrez-le en XLSX ou CSV.',
  'Opens the file.': 'Ouvre le fichier.',
  'Waits: the gateway has no disk space or memory for more values now.':
    "Attend : le gateway n'a pas de disque ni de mémoire pour d'autres valeurs maintenant.",
  'Waits: this file takes long to decode, and shorter files of other devices are decoded first.':
    "Attend : ce fichier est long à décoder, et les fichiers plus courts d'autres appareils passent d'abord.",
  'The file, or the device that recorded it, no longer exists.':
    "Le fichier, ou l'appareil qui l'a enregistré, n'existe plus.",
  'Decodes {name}: {frames} frames{at}.': 'Décode {name} : {frames} trames{at}.',
  'Compares the clock of {name} with the clocks in it.':
    "Compare l'horloge de {name} avec les horloges qu'il contient.",
  '{what} reaches back {days} days; the disk share is full.':
    '{what} remonte à {days} jours ; la part du disque est pleine.',
  'Done.': 'Terminé.',
  'Failed.': 'Échec.',
  Deletion: 'Suppression',
  Status: 'État',
  'Operator on the machine': "Conducteur sur l'engin",
  'Limit of the rule': 'Limite de la règle',
  Machines: 'Engins',
  Removal: 'Retrait',
  'Last service': 'Dernier entretien',
  Due: 'Échéance',
  'Work done': 'Travail fait',
  Part: 'Pièce',
  Tile: 'Tuile',
  Entry: 'Entrée',
  'Order of the tiles': 'Ordre des tuiles',
  'Order of the entries': 'Ordre des entrées',
  Label: 'Libellé',
  Certificate: 'Certificat',
  Location: 'Lieu',
  'Lies in': 'Se trouve dans',
  Name: 'Nom',
  Kind: 'Type',
  Title: 'Titre',
  Description: 'Description',
  Notes: 'Notes',
  Model: 'Modèle',
  'Oem name': 'Constructeur',
  'Serial number': 'Numéro de série',
  Pin: 'PIN (VIN)',
  Year: 'Année',
  Taken: 'Pris',
  Aliases: 'Autres noms',
  Media: 'Photos et fichiers',
  Timezone: 'Fuseau horaire',
  Geofence: 'Zone',
  'Elevation m': 'Altitude (m)',
  Active: 'Actif',
  'Expected interval s': 'Intervalle attendu (s)',
  'Interval s': 'Intervalle (s)',
  Activation: 'Activation',
  Severity: 'Gravité',
  Enabled: 'Activée',
  Actions: 'Actions',
  Mute: 'Sourdine',
  Theme: 'Thème',
  Language: 'Langue',
  Units: 'Unités',
  'Shift pattern': 'Rythme des postes',
  Shift: 'Poste',
  Phone: 'Téléphone',
  Email: 'E-mail',
  Crew: 'Équipe',
  Specialties: 'Spécialités',
  Priority: 'Priorité',
  'Safety critical': 'Critique pour la sécurité',
  'Hold reason': "Raison de l'attente",
  Mechanic: 'Mécanicien',
  Operator: 'Conducteur',
  Equipment: 'Engin',
  Settings: 'Réglages',
  Takeover: "Prise d'écran",
  'Display groups': "Groupes d'écrans",
  'Delete it': 'Le supprimer',
  'Keep it': 'Le garder',
  empty: 'vide',
  yes: 'oui',
  no: 'non',
  'Locations lie in each other': "Des lieux se contiennent l'un l'autre",
  'Take {name} out of {place}': 'Sortir {name} de {place}',
  'Take {name} off {machine}': 'Retirer {name} de {machine}',
  'Take {number} from {name}': 'Retirer {number} à {name}',
  note: 'note',
  'Put it aside': 'Le mettre de côté',
  'Badge id': 'Badge',
  Audience: 'Public',
  Shuffle: 'Aléatoire',
  'Priority and parts': 'Priorité et pièces',
  'Downtime minutes': "Minutes d'arrêt",
  'Due at': 'Échéance',
  'Due on': 'Échéance',
  'Fixed at': 'Réparé le',
  'Closed at': 'Clos le',
  'Started at': 'Commencé',
  'Every hours': 'Toutes les … heures',
  'Every days': 'Tous les … jours',
  'Every months': 'Tous les … mois',
  'Every km': 'Tous les … km',
  Failure: 'Défaillance',
  Instructions: 'Instructions',
  Layout: 'Disposition',
  Prompt: 'Instruction',
  Signal: 'Signal',
  Services: 'Entretiens',
  Service: 'Entretien',
  Trades: 'Métiers',
  Type: 'Type',
  Value: 'Valeur',
  Transition: 'Transition',
  'Assigned mechanic ids': 'Mécaniciens attribués',
  'Display group ids': "Groupes d'écrans",
  'Default duration s': 'Durée (s)',
  Change: 'Variation',
  'Clear value': "Valeur de fin d'alerte",
  'For seconds': 'Pendant (s)',
  'No data seconds': 'Sans données (s)',
  'Related to': 'Lié à',
  Notifications: 'Notifications',
  'Take it out of {name}': 'Le retirer de {name}',
  '{name} is on {machines} machines': '{name} est sur {machines} engins',
  '{name} plays a board that was deleted': '{name} montre un tableau supprimé',
  'Unit number {number} is given {times} times': "Le numéro d'engin {number} est donné {times} fois",
  'Serial number {number} is given {times} times': 'Le numéro de série {number} est donné {times} fois',
  'Employee number {number} is given {times} times': 'Le matricule {number} est donné {times} fois',
  'Code {number} is given {times} times': 'Le code {number} est donné {times} fois',
  'Shift {name} of {date} has {reports} reports': 'Le poste {name} du {date} a {reports} rapports',
  '"{words}" may speak of the past.': '« {words} » parle peut-être du passé.',
  '"{words}" may speak of later.': '« {words} » parle peut-être de plus tard.',
  '"{words}" says that this is not certain, or not so.': "« {words} » dit que ce n'est pas sûr, ou pas ainsi.",
  '"{words}" may speak of another place or of another owner.':
    "« {words} » parle peut-être d'un autre lieu ou d'un autre propriétaire.",
  '"{words}" may speak of other machines than those that are counted here.':
    "« {words} » parle peut-être d'autres engins que ceux comptés ici.",
  '"{words}" may say that they are not always there.': "« {words} » dit peut-être qu'ils ne sont pas toujours là.",
  '"{words}" may speak of opening hours.': "« {words} » parle peut-être d'heures d'ouverture.",
  '"{words}" may compare, or count something else than machines.':
    '« {words} » compare peut-être, ou compte autre chose que des engins.',
  '"{words}" may say that something here is not on the site.':
    "« {words} » dit peut-être que quelque chose ici n'est pas sur le site.",
  '"{words}" gives no exact number.': '« {words} » ne donne pas de nombre exact.',
  '"{words}" may be a number of one of these machines.': "« {words} » est peut-être un numéro d'un de ces engins.",
  '"{words}" names machines of the same kind. They may be the same machines.':
    '« {words} » nomme des engins du même type. Ce sont peut-être les mêmes.',
  '"{words}" may speak of something else than machines of the site.':
    "« {words} » parle peut-être d'autre chose que des engins du site.",
  '"{words}" may be one of the named places.': '« {words} » est peut-être un des lieux nommés.',
  '"{words}" may be a model or a number of a machine.': "« {words} » est peut-être un modèle ou un numéro d'un engin.",
  'The project has no location "{name}". These places were made without it: {places}.':
    "Le projet n'a pas le lieu « {name} ». Ces lieux ont été créés sans lui : {places}.",
  'Make the location, and set it as their parent.': 'Créez le lieu, et faites-en leur lieu parent.',
  'The project has no active {word} "{name}". These machines were made without it: {machines}.':
    "Le projet n'a pas « {name} » actif ({word}). Ces engins ont été créés sans lui : {machines}.",
  'Make the {word}, and choose it on the page of each machine.':
    "Créez l'élément ({word}), et choisissez-le sur la page de chaque engin.",
  'Withdrew {what} ({fields}).': 'A retiré {what} ({fields}).',
  'Restored {what} ({fields}).': 'A rétabli {what} ({fields}).',
  'Deleted {what} ({fields}).': 'A supprimé {what} ({fields}).',
  'Withdrew {what}.': 'A retiré {what}.',
  'Restored {what}.': 'A rétabli {what}.',
  'Deleted {what}.': 'A supprimé {what}.',
  '1 gap needs a person.': '1 lacune est à compléter par une personne.',
  '{gaps} gaps need a person.': '{gaps} lacunes sont à compléter par une personne.',
  '{present} objects were already there.': '{present} objets étaient déjà là.',
  'The first {first} of {all} gaps are listed.': 'Les {first} premières de {all} lacunes sont listées.',
  '{more} more gaps are not listed: {sorts}.': '{more} autres lacunes ne sont pas listées : {sorts}.',
  'The board does not show: {topics}.': 'Le tableau ne montre pas : {topics}.',
  'Add a widget for it on the page of screens. A camera widget needs the choice of a camera.':
    "Ajoutez une tuile pour cela sur la page des écrans. Une tuile de caméra demande le choix d'une caméra.",
  'Writes what it learned.': "Écrit ce qu'il a appris.",
  'The text says that {unit} is gone, and the project still has it.':
    "Le texte dit que {unit} n'est plus là, et le projet l'a encore.",
  'If it is gone, set its status to decommissioned on the page of the machine.':
    "Si elle n'est plus là, mettez son statut sur réformé sur la page de l'engin.",
  'The project has {limit} active learnings already, so this one was not stored: {fact}':
    "Le projet a déjà {limit} connaissances actives, celle-ci n'a donc pas été enregistrée : {fact}",
  'End a learning that is no longer true, and start the setup again.':
    "Mettez fin à une connaissance qui n'est plus vraie, et relancez la mise en place.",
  '{unit} is gone from the site.': "{unit} n'est plus sur le site.",
  'Nobody works at night.': 'Personne ne travaille la nuit.',
  shifts: 'postes',
  learning: 'connaissance',
  learnings: 'connaissances',
  'A setup made it. Take it out of use on its page if it is wrong.':
    "Une mise en place l'a créé. Si c'est faux, mettez-le hors service sur sa page.",
  machine: 'engin',
  machines: 'engins',
  locations: 'lieux',
  operators: 'conducteurs',
  mechanics: 'mécaniciens',
  dashboard: 'tableau',
  dashboards: 'tableaux',
  playlists: 'listes de tableaux',
  tickets: 'tickets',
  status: 'état',
  alerts: 'alertes',
  fuel: 'carburant',
  hours: 'heures',
  shift: 'poste',
  map: 'carte',
  trend: 'tendance',
  utilization: 'utilisation',
  camera: 'caméra',
};
