/** Texts of the gateway in French: what is wrong with a value, and refusals about machines, work, boards and files. `docs/languages.md` has the glossary. */
import type { WorkTold } from './es-work.ts';

export const WORK_FR: Readonly<Record<WorkTold, string>> = {
  '`{param}`: must be {expected}, not {found}.': '`{param}` : doit être {expected}, pas {found}.',
  '`{param}`: must be {values}.': '`{param}` : doit être {values}.',
  '`{param}`: must be one of {values}.': "`{param}` : doit être l'un de {values}.",
  '`{param}`: must be a multiple of {divisor}.': '`{param}` : doit être un multiple de {divisor}.',
  '`{param}`: has fields that are not allowed: {keys}.': '`{param}` : a des champs non permis : {keys}.',
  '`{param}`: has a name that is not allowed.': '`{param}` : a un nom non permis.',
  '`{param}`: has a value that is not allowed.': '`{param}` : a une valeur non permise.',
  null: 'nul',
  '`{param}`: must not be empty.': '`{param}` : ne doit pas être vide.',
  '`{param}`: must begin with "{text}".': '`{param}` : doit commencer par "{text}".',
  '`{param}`: must end with "{text}".': '`{param}` : doit finir par "{text}".',
  '`{param}`: must contain "{text}".': '`{param}` : doit contenir "{text}".',
  '`{param}`: must be a valid {format}.': '`{param}` : doit être un {format} valable.',
  '`{param}`: must match {pattern}.': '`{param}` : doit correspondre à {pattern}.',
  '`{param}`: must be a time with its zone, such as 2026-11-21T06:00:00Z.':
    '`{param}` : doit être une heure avec son fuseau, comme 2026-11-21T06:00:00Z.',
  '`{param}`: must be a day, such as 2026-11-21.': '`{param}` : doit être un jour, comme 2026-11-21.',
  '`{param}`: must be a URL, such as https://host/path.': '`{param}` : doit être une URL, comme https://host/path.',
  '`{param}`: must be base64.': '`{param}` : doit être en base64.',
  '`{param}`: must have at most {limit} characters.': '`{param}` : doit avoir au plus {limit} caractères.',
  '`{param}`: must have at most {limit} items.': '`{param}` : doit avoir au plus {limit} éléments.',
  '`{param}`: must have at most {limit} entries.': '`{param}` : doit avoir au plus {limit} entrées.',
  '`{param}`: must be less than {limit}.': '`{param}` : doit être inférieur à {limit}.',
  '`{param}`: must be at most {limit}.': '`{param}` : doit être au plus {limit}.',
  '`{param}`: must have at least {limit} characters.': '`{param}` : doit avoir au moins {limit} caractères.',
  '`{param}`: must have at least {limit} items.': '`{param}` : doit avoir au moins {limit} éléments.',
  '`{param}`: must have at least {limit} entries.': '`{param}` : doit avoir au moins {limit} entrées.',
  '`{param}`: must be more than {limit}.': '`{param}` : doit être supérieur à {limit}.',
  '`{param}`: must be at least {limit}.': '`{param}` : doit être au moins {limit}.',
  '`{param}`: has none of the allowed forms.': "`{param}` : n'a aucune des formes permises.",
  'The gateway at {base} does not answer.': 'Le gateway à {base} ne répond pas.',
  'this address': 'cette adresse',
  'The server at {base} is not a Headframe gateway (status {status}).':
    "Le serveur à {base} n'est pas un gateway Headframe (statut {status}).",
  'a text': 'un texte',
  'a number': 'un nombre',
  'a number with decimals': 'un nombre avec décimales',
  'a whole number': 'un nombre entier',
  'true or false': 'vrai ou faux',
  'a list': 'une liste',
  'an object': 'un objet',
  nothing: 'rien',
  none: 'aucun',
  'The {object} {name} is inactive; activate it first.': "{object} : {name} est inactif ; activez-le d'abord.",
  'This key is restricted to some projects. To read the audit log of the gateway, use a key for all projects.':
    "Cette clé est restreinte à certains projets. Pour lire le journal d'audit du gateway, utilisez une clé pour tous les projets.",
  'There is no {what} {id}, or this key has no access to it.':
    "Introuvable : {what} {id}, ou cette clé n'y a pas accès.",
  'There is no {what}, or this key has no access to it.': "Introuvable : {what}, ou cette clé n'y a pas accès.",
  'There is no {what} {id}, or this key has no access to it; its id begins with `{prefix}_`.':
    "Introuvable : {what} {id}, ou cette clé n'y a pas accès ; son identifiant commence par `{prefix}_`.",
  'There is no {what}, or this key has no access to it; its id begins with `{prefix}_`.':
    "Introuvable : {what}, ou cette clé n'y a pas accès ; son identifiant commence par `{prefix}_`.",
  'The object has changed: it is at revision {revision}. Read it again, then repeat the change.':
    "L'élément a changé : il est à la révision {revision}. Relisez-le, puis refaites la modification.",
  '{word} {name} belongs to {holder}.': '{word} {name} appartient à {holder}.',
  'Unit number': "Numéro d'engin",
  Serial: 'Numéro de série',
  Code: 'Code',
  'Employee number': 'Matricule',
  Badge: 'Badge',
  'The shift': 'Le poste',
  'The name': 'Le nom',
  operator: 'conducteur',
  mechanic: 'mécanicien',
  location: 'lieu',
  person: 'personne',
  equipment: 'engin',
  ticket: 'ticket',
  board: 'tableau',
  playlist: 'liste de tableaux',
  file: 'fichier',
  rule: 'règle',
  'maintenance plan': "plan d'entretien",
  checklist: 'liste de contrôle',
  'DBC file': 'fichier DBC',
  delivery: 'livraison',
  device: 'appareil',
  project: 'projet',
  task: 'tâche',
  run: 'exécution',
  alert: 'alerte',
  event: 'entrée du journal',
  inspection: 'inspection',
  user: 'utilisateur',
  tablet: 'tablette',
  'The body is larger than {most} bytes, the limit of this operation.':
    'Le contenu dépasse {most} octets, la limite de cette opération.',
  'This gateway no longer has the content of this file.': "Ce gateway n'a plus le contenu de ce fichier.",
  'You have {each} {what} open, which is the limit of one caller. Wait until one of them ends.':
    "Vous avez {each} {what} en cours, la limite pour un seul appelant. Attendez que l'un finisse.",
  '{taken} {what} are open, which is the limit of this gateway. Try again in a moment.':
    '{taken} {what} sont en cours, la limite de ce gateway. Réessayez dans un moment.',
  screens: 'écrans',
  exports: 'exports',
  uploads: 'envois',
  frames: 'trames',
  'large bodies': 'contenus volumineux',
  'task streams': 'flux de tâches',
  'Too many calls of this caller are waiting. Send fewer at once.':
    'Trop de vos requêtes attendent. Envoyez-en moins à la fois.',
  'More than {limit} requests in a minute. Wait {retry_after_s} s.':
    'Plus de {limit} requêtes en une minute. Attendez {retry_after_s} s.',
  'Too many bytes of JSON bodies in a minute. Wait {retry_after_s} s.':
    "Trop d'octets de JSON en une minute. Attendez {retry_after_s} s.",
  'This node does not run the service that this operation needs.':
    "Ce nœud n'a pas le service dont cette opération a besoin.",
  'There is no such device, or this key has no access to it.':
    "Cet appareil n'existe pas, ou cette clé n'y a pas accès.",
  '`{param}` is required.': '`{param}` est obligatoire.',
  '`{field}` is read-only here; it is written by {owner}.':
    '`{field}` est en lecture seule ici ; il est écrit par {owner}.',
  'The role {role} may not set `{field}` with this operation.': 'Le rôle {role} ne peut pas changer `{field}` ici.',
  'The role {role} may set `{field}` only to: {values}.': "Le rôle {role} ne peut mettre `{field}` qu'à : {values}.",
  'The gateway failed. Its log has the cause under {request}.':
    'Une erreur est survenue dans le gateway. Son journal en donne la cause sous le numéro {request}.',
  'Other callers kept changing the same object. Read the object again and repeat the call.':
    "D'autres ont modifié le même élément sans cesse. Relisez-le et refaites la modification.",
  'The database of the gateway is damaged. The gateway starts again and repairs it. Repeat the call in a minute.':
    'La base de données du gateway est endommagée. Le gateway redémarre et la répare. Recommencez dans une minute.',
  'The disk of the gateway cannot be written now. Reads still work.':
    'Le disque du gateway ne peut pas être écrit maintenant. La lecture fonctionne.',
  'The disk of the gateway is too full to accept this write.':
    'Le disque du gateway est trop plein pour accepter cela.',
  'An earlier call with this Idempotency-Key is still running. Before you send the call with a new key, read the resource.':
    "Une requête précédente avec cette clé d'idempotence est encore en cours. Avant de l'envoyer avec une nouvelle clé, lisez l'élément.",
  'The cursor has expired. Start again without `cursor`.': 'La liste est ouverte depuis trop longtemps. Recommencez.',
  'The gateway keeps so many late writes of this person that it cannot take more now. Keep this one. It is sent again later.':
    "Le gateway garde tant de modifications tardives de cette personne qu'il ne peut pas en prendre plus maintenant. Gardez celle-ci. Elle est renvoyée plus tard.",
  'The gateway keeps so many late writes that it cannot take more now. Keep this one. It is sent again later.':
    "Le gateway garde tant de modifications tardives qu'il ne peut pas en prendre plus maintenant. Gardez celle-ci. Elle est renvoyée plus tard.",
  '{queue} requests for DBC files are waiting; try again in a moment.':
    '{queue} requêtes pour des fichiers DBC attendent ; réessayez dans un moment.',
  'Two tests of DBC files are running; try again in a moment.':
    'Deux essais de fichiers DBC sont en cours ; réessayez dans un moment.',
  ended: "s'est terminé",
  'took more than {seconds} s': 'a pris plus de {seconds} s',
  'The thread that reads DBC files {what}; nothing was changed.':
    "Le processus qui lit les fichiers DBC {what} ; rien n'a été changé.",
  '{what} was deleted because its retention time has passed: the gateway keeps the newest {most} decode tasks, for {days} days, and tasks that failed or have gaps for {longer} days. The file and its decoded values are still stored. Decode the file again to create a new task.':
    '{what} a été supprimée car sa durée de conservation est passée : le gateway garde les {most} tâches de décodage les plus récentes, pendant {days} jours, et les tâches échouées ou avec des lacunes pendant {longer} jours. Le fichier et ses valeurs décodées sont encore là. Décodez le fichier de nouveau pour créer une nouvelle tâche.',
  'The task of this file': 'La tâche de ce fichier',
  'A run with this id': 'Une exécution avec cet identifiant',
  'The location {name} has no geofence: give it one first.':
    "Le lieu {name} n'a pas de zone : donnez-lui-en une d'abord.",
  'A project can have at most {most_rules} alert rules.': "Un projet peut avoir au plus {most_rules} règles d'alerte.",
  'The project has no location with this id.': "Le projet n'a pas de lieu avec cet identifiant.",
  'The project has no maintenance plan with this id.': "Le projet n'a pas de plan d'entretien avec cet identifiant.",
  '{machines} machines and this range are {days} days; one call tries at most {max_test_machine_days}. Shorten the range or name fewer machines.':
    "{machines} engins et cette période font {days} jours ; un essai en prend au plus {max_test_machine_days}. Raccourcissez la période ou nommez moins d'engins.",
  'A project can have at most {max_endpoints} webhook endpoints.':
    'Un projet peut avoir au plus {max_endpoints} webhooks.',
  'Only an owner can allow addresses of the local network.':
    'Seul un propriétaire peut autoriser des adresses du réseau local.',
  'The address contains a user name or password; leave them out.':
    "L'adresse contient un nom d'utilisateur ou un mot de passe ; retirez-les.",
  'The address has a fragment (#...), which is never sent; leave it out.':
    "L'adresse a un fragment (#...), qui n'est jamais envoyé ; retirez-le.",
  'This address is that of the gateway itself, or one that webhooks must not use.':
    'Cette adresse est celle du gateway lui-même, ou une que les webhooks ne doivent pas utiliser.',
  'A public address must use https.': 'Une adresse publique doit utiliser https.',
  'Widgets {before} and {i} overlap on the grid of 12 by 6.':
    'Les tuiles {before} et {i} se chevauchent sur la grille de 12 sur 6.',
  'The group of screens {group} has no playlist.': "Le groupe d'écrans {group} n'a pas de liste de tableaux.",
  'Too many wrong codes; wait ten minutes.': 'Trop de codes faux ; attendez dix minutes.',
  'Too many screens wait to be paired; try again in some minutes.':
    "Trop d'écrans attendent d'être appairés ; réessayez dans quelques minutes.",
  'This pairing has expired or was replaced; begin a new one.':
    'Cet appairage a expiré ou a été remplacé ; commencez-en un nouveau.',
  'No screen shows this code. A code is valid once, for ten minutes.':
    "Aucun écran n'affiche ce code. Un code vaut une fois, pendant dix minutes.",
  'The project has no shift {missing}; it has {names}.': "Le projet n'a pas de poste {missing} ; il a {names}.",
  'A screen cannot show {id}: it is {content_type}.': "Un écran ne peut pas afficher {id} : c'est {content_type}.",
  'These screens have a playlist already: {name}.': 'Ces écrans ont déjà une liste de tableaux : {name}.',
  'The gateway was restored without its key and cannot decrypt the secret of this key pair. Enter the recovery code (`headframe recovery-code --enter`), or roll the key pair.':
    'Le gateway a été restauré sans sa clé et ne peut pas déchiffrer le secret de cette paire de clés. Saisissez le code de récupération (`headframe recovery-code --enter`), ou renouvelez la paire de clés.',
  'There is no configuration file for this device. Store its configuration first.':
    "Il n'y a pas de fichier de configuration pour cet appareil. Enregistrez d'abord sa configuration.",
  'The device has no configuration yet.': "L'appareil n'a pas encore de configuration.",
  'This file is not firmware of a CANedge logger. Use the firmware file that the maker of the logger provides.':
    "Ce fichier n'est pas un firmware d'enregistreur CANedge. Utilisez le fichier de firmware du fabricant de l'enregistreur.",
  'There is no machine {equipment_id} in this project.': "Il n'y a pas d'engin {equipment_id} dans ce projet.",
  'The machine {unit_number} is decommissioned, so no device can be linked to it.':
    "L'engin {unit_number} est retiré du service : aucun appareil ne peut lui être lié.",
  'There is no device {serial} in this project.': "Il n'y a pas d'appareil {serial} dans ce projet.",
  'device_id {wanted} belongs to {device}.': 'Le nom {wanted} appartient à {device}.',
  'This claim does not exist, has expired or was already used. Request a new one.':
    "Ce droit n'existe pas, a expiré ou a déjà servi. Demandez-en un nouveau.",
  '{most} logs of this device wait to be decoded. Send the next log after some of them are decoded.':
    "{most} journaux de cet appareil attendent d'être décodés. Envoyez le suivant quand certains seront décodés.",
  'The device already has {most} open uploads. Finish one, or wait until one expires.':
    "L'appareil a déjà {most} envois ouverts. Terminez-en un, ou attendez que l'un expire.",
  'Images must be posted with the key of the device.': "Les images doivent être envoyées avec la clé de l'appareil.",
  'A project can have at most {files} versions of DBC files.':
    'Un projet peut avoir au plus {files} versions de fichiers DBC.',
  'At most {active} DBC files can be active.': 'Au plus {active} fichiers DBC peuvent être actifs.',
  'This version has been active, so its mapping cannot change. Import the file again for another mapping.':
    'Cette version a été active : son association ne peut plus changer. Importez le fichier de nouveau pour une autre association.',
  'This version is active; deactivate it first.': "Cette version est active ; désactivez-la d'abord.",
  'A decode run of this log is already queued or running; follow its task.':
    'Un décodage de ce journal attend déjà ou est en cours ; suivez sa tâche.',
  'A report can have at most {n} photos.': 'Un signalement peut avoir au plus {n} photos.',
  'This repair has {n} photos already, and can have no more.':
    'Ce ticket a déjà {n} photos et ne peut pas en avoir plus.',
  '{most_waiting_photos} photos of this machine are in no inspection yet. Send the inspections, or wait until the photos are deleted.':
    '{most_waiting_photos} photos de cet engin ne sont encore dans aucune inspection. Envoyez les inspections, ou attendez que les photos soient supprimées.',
  'The photo must be a JPEG, PNG, WebP, GIF or AVIF image.':
    'La photo doit être une image JPEG, PNG, WebP, GIF ou AVIF.',
  '{by} took this machine at {at}, after this was written.': '{by} a pris cet engin à {at}, après cette saisie.',
  '{by} is on this machine. Only this person, a supervisor or an admin can end that. To be on it yourself, take it.':
    "{by} s'occupe de cet engin. Seuls cette personne, un chef ou un administrateur peuvent y mettre fin. Pour vous en occuper vous-même, prenez-le.",
  'The status of a decommissioned machine can only change to available.':
    "L'état d'un engin retiré du service ne peut passer qu'à disponible.",
  'Only an owner or admin can bring back a decommissioned machine.':
    'Seul un propriétaire ou un administrateur peut remettre en service un engin retiré.',
  'A project can have at most {most_intervals} set intervals. Set intervals for kinds instead of machines, or remove some.':
    'Un projet peut avoir au plus {most_intervals} intervalles définis. Définissez des intervalles pour des types plutôt que des engins, ou retirez-en.',
  'Locations can be nested at most {most_levels} levels deep.':
    'Les lieux peuvent avoir au plus {most_levels} niveaux.',
  'A branch of more than {most_moved} locations must be moved in parts.':
    'Une branche de plus de {most_moved} lieux doit être déplacée par parties.',
  'A location cannot be inside itself or inside one of its own parts.':
    "Un lieu ne peut pas être dans lui-même ni dans l'une de ses parties.",
  'The machine sent a newer reading at {observed_at}. Give a reading from that time or later.':
    "L'engin a envoyé un relevé plus récent à {observed_at}. Donnez un relevé de cette heure ou plus tard.",
  '`status_since` is in the future.': '`status_since` est dans le futur.',
  '`status_since` is more than 366 days ago.': '`status_since` remonte à plus de 366 jours.',
  'The machine has this status since {since}. Give an earlier time.':
    "L'engin a cet état depuis {since}. Donnez une heure antérieure.",
  'People set another status at {at}. Give that time or a later one.':
    "Quelqu'un a mis un autre état à {at}. Donnez cette heure ou une heure plus tardive.",
  'There is no meter of the kind {kind}.': "Il n'y a pas de compteur du type {kind}.",
  '{label}: a reading is between 0 and {max} {unit}.': '{label} : un relevé est entre 0 et {max} {unit}.',
  'The time of the reading is in the future.': "L'heure du relevé est dans le futur.",
  'The plan has more than {max_stored_plan} characters. Apply it in several parts, for example the machines of one area each.':
    "Le plan a plus de {max_stored_plan} caractères. Appliquez-le en plusieurs parties, par exemple les engins d'une zone à la fois.",
  'The project has {limit} active learnings already. End one that is no longer true.':
    "Le projet a déjà {limit} connaissances actives. Mettez fin à une qui n'est plus vraie.",
  'The learning was changed since.': 'La connaissance a changé depuis.',
  '{most_waiting} runs of this project wait already. Wait until some have ended, or cancel them.':
    '{most_waiting} exécutions de ce projet attendent déjà. Attendez que certaines finissent, ou annulez-les.',
  'Make a new task here.': 'Créez ici une nouvelle tâche.',
  'Only owners, admins and the approvers of the review configuration may approve. A key of an agent may never approve.':
    "Seuls les propriétaires, les administrateurs et les approbateurs de la configuration peuvent approuver. Une clé d'agent ne peut jamais approuver.",
  'A run of this task waits or works. Wait until it ends, or cancel it.':
    "Une exécution de cette tâche attend ou travaille. Attendez qu'elle finisse, ou annulez-la.",
  'The latest run of this task does not wait for an approval.':
    "La dernière exécution de cette tâche n'attend pas d'approbation.",
  'What this task had written was taken back, so its run cannot go on. Start the task again.':
    'Ce que cette tâche avait écrit a été défait : son exécution ne peut pas continuer. Relancez la tâche.',
  'There is no such project, or this key has no access to it.': "Ce projet n'existe pas, ou cette clé n'y a pas accès.",
  'The address may have only a scheme, a host, a port and a path.':
    "L'adresse ne peut avoir qu'un schéma, un hôte, un port et un chemin.",
  'An address outside the local network must use https.': 'Une adresse hors du réseau local doit utiliser https.',
  'No model server can have this address.': 'Aucun serveur de modèles ne peut avoir cette adresse.',
  'It cannot be canceled here.': 'Elle ne peut pas être annulée ici.',
  'This task has no active run.': "Cette tâche n'a pas d'exécution active.",
  'Live decoding cannot be canceled. It ends when the key of the device is revoked.':
    "Le décodage en direct ne peut pas être annulé. Il finit quand la clé de l'appareil est révoquée.",
  'Head office or another gateway made this task, and only that one carries out its runs.':
    "Le siège ou un autre gateway a créé cette tâche, et lui seul l'exécute.",
  'Waits for the device.': "Attend l'appareil.",
  'Take it back there.': 'Défaites-la là-bas.',
  'Only prompts, custom actions and setups can be taken back.':
    'Seules les instructions, les actions personnalisées et les mises en place peuvent être défaites.',
  'The task has a newer run. Look at the plan again.':
    'La tâche a une exécution plus récente. Regardez de nouveau le plan.',
  'The run waits or works. Wait until it ends, or cancel it.':
    "L'exécution attend ou travaille. Attendez qu'elle finisse, ou annulez-la.",
  'An undo of this task waits or works. Wait until it ends.':
    "Une exécution qui défait cette tâche attend ou travaille. Attendez qu'elle finisse.",
  'This report is more than {days} days old, or of another machine. Tell your supervisor about the fault.':
    'Ce signalement a plus de {days} jours, ou concerne un autre engin. Signalez la panne à votre chef.',
  'A decommissioned machine gets no QR code.': 'Un engin retiré du service ne reçoit pas de code QR.',
  'A project can have at most {most_checklists} checklists.':
    'Un projet peut avoir au plus {most_checklists} listes de contrôle.',
  'The inspection has {media} files. It can have at most {most_inspection_media}.':
    "L'inspection a {media} fichiers. Elle peut en avoir au plus {most_inspection_media}.",
  'This checklist is for another kind of machines.': "Cette liste de contrôle est pour un autre type d'engins.",
  'A story has at most {story_days} days. Ask for a shorter time.':
    'Une chronologie a au plus {story_days} jours. Demandez une durée plus courte.',
  'The story must end after it begins, and begin before now.':
    'La chronologie doit finir après son début, et commencer avant maintenant.',
  'A project can have at most {most_plans} maintenance plans.':
    "Un projet peut avoir au plus {most_plans} plans d'entretien.",
  'The machine reported {reading} {by} at {observed_at}, so it cannot have had {given}. Check the reading.':
    "L'engin a envoyé un relevé de {reading} {by} à {observed_at} : il ne peut pas avoir eu {given}. Vérifiez le relevé.",
  'The service was done more than an hour ago: give the {by} of the machine at that time in `{field}`.':
    "L'entretien a été fait il y a plus d'une heure : donnez dans `{field}` le relevé de l'engin à ce moment ({by}).",
  'This plan is not for this machine, or the machine is decommissioned.':
    "Ce plan n'est pas pour cet engin, ou l'engin est retiré du service.",
  'The ticket is about another machine.': 'Le ticket concerne un autre engin.',
  'A newer version gave this ticket the status {from}, which this version does not know. Change the status at the end with the newer version, or update this one.':
    'Une version plus récente a donné à ce ticket le statut {from}, que cette version ne connaît pas. Changez le statut du côté de la version plus récente, ou mettez celui-ci à jour.',
  'The status {from} can only change to {allowed}.': "Le statut {from} ne peut passer qu'à {allowed}.",
  'A {from} ticket cannot be changed. Create a new one and name this one in `related_to`; comments can still be added to its events.':
    'Un ticket au statut {from} ne peut pas être modifié. Créez-en un nouveau et nommez celui-ci dans `related_to` ; des commentaires peuvent encore être ajoutés.',
  'The project has no shift {name}.': "Le projet n'a pas de poste {name}.",
  'This shift has not begun; it begins at {starts_at}.': "Ce poste n'a pas commencé ; il commence à {starts_at}.",
  'In {timezone} the shift begins on {day}.': 'À {timezone} le poste commence le {day}.',
  'The minutes add up to {sum}; the shift has {length}. The rest is unknown.':
    'Les minutes font {sum} ; le poste en a {length}. Le reste est inconnu.',
  'The stoppages of category {category} last {lasts} minutes; time_usage has {minutes} for this machine.':
    'Les arrêts de la catégorie {category} durent {lasts} minutes ; pour cet engin, {minutes} sont notées.',
  'Only these roles can amend a report: {writers}.': 'Seuls ces rôles peuvent corriger un rapport : {writers}.',
  'A shift begins and ends on a whole minute.': 'Un poste commence et finit à une minute entière.',
  'The shift ends before it begins.': 'Le poste finit avant de commencer.',
  'A shift lasts at most 36 hours.': 'Un poste dure au plus 36 heures.',
  'This shift has not begun.': "Ce poste n'a pas commencé.",
  '{max_waiting_reads} reads of stored telemetry wait already; try again in a few seconds.':
    '{max_waiting_reads} lectures de données stockées attendent déjà ; réessayez dans quelques secondes.',
  "The logger's schema cannot be used to check a configuration: {why}.":
    "Le schéma de l'enregistreur ne peut pas servir à vérifier une configuration : {why}.",
  'This gateway is opening your previews of unsaved boards, at most {most_drafts_each} at once; wait a second.':
    'Ce gateway ouvre vos aperçus de tableaux non enregistrés, au plus {most_drafts_each} à la fois ; attendez une seconde.',
  'This gateway previews {most_drafts} unsaved boards at once; close one.':
    'Ce gateway affiche {most_drafts} tableaux non enregistrés à la fois ; fermez-en un.',
  'This gateway composes {most_feeds} boards at once; close a page.':
    'Ce gateway compose {most_feeds} tableaux à la fois ; fermez une page.',
  'The mute ends before it begins.': 'La sourdine finit avant de commencer.',
  'The run lasts as long as the device sends data. A new version of the decoder starts a new run.':
    "L'exécution dure tant que l'appareil envoie des données. Une nouvelle version du décodeur commence une nouvelle exécution.",
  'The run waits in the queue.': "L'exécution attend dans la file.",
  'The run works.': "L'exécution travaille.",
  'The stoppage ends before it begins.': "L'arrêt finit avant de commencer.",
  'The stoppage is outside the shift; give only the part inside.':
    "L'arrêt est hors du poste ; ne donnez que la partie à l'intérieur.",
  'The machine is listed twice.': "L'engin est deux fois dans la liste.",
  'Two stoppages of one machine overlap.': "Deux arrêts d'un engin se chevauchent.",
  flagged: 'signalé',
  in_progress: 'en cours',
  on_hold: 'en attente',
  fixed: 'réparé',
  canceled: 'annulé',
  'engine hours': 'heures moteur',
  km: 'km',
  'Link the device to a machine first. Bus requests are allowed for one machine.':
    "Liez d'abord l'appareil à un engin. Les requêtes de bus sont permises pour un engin.",
  'The text is not a valid DBC file: line {line}, column {column}: {what}.':
    "Le texte n'est pas un fichier DBC valable : ligne {line}, colonne {column} : {what}.",
  'the byte order must be 0 or 1': "l'ordre des octets doit être 0 ou 1",
  'the file defines no message': 'le fichier ne définit aucun message',
};
