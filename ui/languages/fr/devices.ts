/** The texts of the pages of devices, in French. `docs/languages.md` has the glossary. */
import type { DevicesText } from '#ui/languages/es/devices.ts';

export const DEVICES_FR: Readonly<Record<DevicesText, string>> = {
  works: 'fonctionne',
  'does not work': 'ne fonctionne pas',
  'not checked yet': 'pas encore vérifié',
  'Data stops at this step: {title}.': "Les données s'arrêtent à cette étape : {title}.",
  'What to do: {remedy}': 'Que faire : {remedy}',
  'Data path': 'Chemin des données',
  'No connection': 'Pas de connexion',
  'Not transmitting yet': 'Ne transmet pas encore',
  'Login refused': 'Connexion refusée',
  'Wrong topic': 'Mauvais topic',
  'Sends no data yet': "N'envoie pas encore de données",
  'Unreadable data': 'Données illisibles',
  'Sends no data now': "N'envoie pas de données maintenant",
  'Not linked': 'Pas lié',
  'No usable values': 'Aucune valeur utilisable',
  'No live values yet': 'Pas encore de valeurs en direct',
  'Show all steps of the device': "Montrer toutes les étapes de l'appareil",
  'never used': 'jamais utilisée',
  'last used {age} ago': 'dernière utilisation il y a {age}',
  'The logger cannot upload: the old key pair has expired, and the logger does not use the new one. Copy the configuration with the new key pair to the SD card of the logger.':
    "L'enregistreur ne peut pas envoyer de fichiers : l'ancienne paire de clés a expiré et l'enregistreur n'utilise pas la nouvelle. Copiez la configuration avec la nouvelle paire sur la carte SD de l'enregistreur.",
  'The logger uses the new key pair. The old pair expires in {left}.':
    "L'enregistreur utilise la nouvelle paire de clés. L'ancienne expire dans {left}.",
  'The new key pair is in the configuration of the logger, which checks every ten minutes. The old pair expires in {left}. Replace the pair again to extend this time.':
    "La nouvelle paire de clés est dans la configuration de l'enregistreur, qui vérifie toutes les dix minutes. L'ancienne paire expire dans {left}. Remplacez la paire de nouveau pour prolonger ce délai.",
  'Save the configuration of the logger here, or copy the new key pair to the logger. The old pair expires in {left}.':
    "Enregistrez ici la configuration de l'enregistreur, ou copiez la nouvelle paire de clés dans l'enregistreur. L'ancienne paire expire dans {left}.",
  'Replace the key pair': 'Remplacer la paire de clés',
  'The logger gets the new pair with its configuration. The old pair works until the logger reports that it uses the new one.':
    "L'enregistreur reçoit la nouvelle paire avec sa configuration. L'ancienne paire fonctionne jusqu'à ce que l'enregistreur signale qu'il utilise la nouvelle.",
  'The gateway has no configuration for this logger, so it cannot send the new pair. Save the configuration first, or copy the new pair to the logger.':
    "Le gateway n'a pas de configuration pour cet enregistreur, il ne peut donc pas envoyer la nouvelle paire. Enregistrez d'abord la configuration, ou copiez la nouvelle paire dans l'enregistreur.",
  'Keep the old pair valid for': "L'ancienne paire reste valable",
  'Select a time longer than the logger may be without a connection.':
    "Choisissez une durée plus longue que celle pendant laquelle l'enregistreur peut être sans connexion.",
  Replacing: 'Remplacement en cours',
  'Bucket key': "Clé d'envoi",
  'This logger has no key pair. Replace the key pair to create one and add it to the configuration.':
    "Cet enregistreur n'a pas de paire de clés. Remplacez la paire de clés pour en créer une et l'ajouter à la configuration.",
  'Old pair {key}': 'Ancienne paire {key}',
  'expired {age} ago': 'expirée il y a {age}',
  'There is no configuration file for this logger yet. Save the configuration to create it.':
    "Il n'y a pas encore de fichier de configuration pour cet enregistreur. Enregistrez la configuration pour le créer.",
  'The gateway does not know the firmware of this logger yet.':
    'Le gateway ne connaît pas encore le firmware de cet enregistreur.',
  'This logger has not sent data yet.': "Cet enregistreur n'a pas encore envoyé de données.",
  'To create the configuration file for its SD card, enter the firmware version and save.':
    'Pour créer le fichier de configuration de sa carte SD, saisissez la version du firmware et enregistrez.',
  'Checked against the schema of the logger': "Vérifiée avec le schéma de l'enregistreur",
  'Not checked: the logger has not uploaded its schema yet':
    "Pas vérifiée : l'enregistreur n'a pas encore envoyé son schéma",
  'Passwords are encrypted: only this logger can read them':
    'Les mots de passe sont chiffrés : seul cet enregistreur peut les lire',
  'Passwords are not encrypted: the logger has not sent its public key yet':
    "Les mots de passe ne sont pas chiffrés : l'enregistreur n'a pas encore envoyé sa clé publique",
  'The logger uses this configuration': "L'enregistreur utilise cette configuration",
  'The logger does not use this configuration yet. It checks for a new one every ten minutes.':
    "L'enregistreur n'utilise pas encore cette configuration. Il en cherche une nouvelle toutes les dix minutes.",
  'The text is not valid JSON: {problem}': "Le texte n'est pas du JSON valide : {problem}",
  Configuration: 'Configuration',
  'Download for the SD card': 'Télécharger pour la carte SD',
  'The settings of this logger, in the format of its manufacturer. Passwords show as ********; leave them so to keep them. The gateway fills in its own address and keys.':
    "Les réglages de cet enregistreur, au format de son fabricant. Les mots de passe s'affichent comme ******** ; laissez-les ainsi pour les garder. Le gateway remplit sa propre adresse et ses clés.",
  Firmware: 'Firmware',
  'From the file name on the SD card: for config-01.09.json enter 01.09':
    "D'après le nom du fichier sur la carte SD : pour config-01.09.json, saisissez 01.09",
  'Configuration as JSON': 'Configuration en JSON',
  Files: 'Fichiers',
  'No files yet': 'Pas encore de fichiers',
  'This list shows logs that the device uploads and pictures of a camera.':
    "Cette liste montre les journaux que l'appareil envoie et les images d'une caméra.",
  'This page shows the 20 newest files. Use the API to list all.':
    "Cette page montre les 20 fichiers les plus récents. Utilisez l'API pour les lister tous.",
  'Encrypted log files': 'Fichiers de journal chiffrés',
  'Files with names that end in MFE or MFM are encrypted. The gateway stores the password encrypted and never shows it. After you save the password, decode the file again.':
    'Les fichiers dont le nom finit par MFE ou MFM sont chiffrés. Le gateway conserve le mot de passe chiffré et ne le montre jamais. Après avoir enregistré le mot de passe, décodez le fichier de nouveau.',
  'Save password': 'Enregistrer le mot de passe',
  'Password of the log files': 'Mot de passe des fichiers de journal',
  'Saved. The gateway tries {n} stored password.|Saved. The gateway tries {n} stored passwords.':
    'Enregistré. Le gateway essaie {n} mot de passe conservé.|Enregistré. Le gateway essaie {n} mots de passe conservés.',
  'The gateway did not accept the upload. Try again.': "Le gateway n'a pas accepté l'envoi. Réessayez.",
  'The upload failed with status {status}. Try again.': "L'envoi a échoué avec le statut {status}. Réessayez.",
  'The logger runs {version}, the offered version.': "L'enregistreur utilise {version}, la version proposée.",
  'The logger runs {version}.': "L'enregistreur utilise {version}.",
  '{model} firmware {version} ({size}) is ready for the logger.':
    "Le firmware {version} de {model} ({size}) est prêt pour l'enregistreur.",
  '{model} firmware {version} ({size}) is ready for the logger, which runs {running}.':
    "Le firmware {version} de {model} ({size}) est prêt pour l'enregistreur, qui utilise {running}.",
  'Its configuration is {file}.': 'Sa configuration est {file}.',
  Uploading: 'Envoi en cours',
  'Offer a firmware file': 'Proposer un fichier de firmware',
  'Withdraw the offer': 'Retirer la proposition',
  'Serial number {serial}': 'Numéro de série {serial}',
  'Machine {unit}': 'Engin {unit}',
  Label: 'Étiquette',
  'Print label': "Imprimer l'étiquette",
  'Reported by the device': "Signalé par l'appareil",
  'All devices': 'Tous les appareils',
  'The device has not sent data yet.': "L'appareil n'a pas encore envoyé de données.",
  'Last data {age} ago.': 'Dernières données il y a {age}.',
  'The diagnosis, the key, the configuration and the firmware of this device':
    'Le diagnostic, la clé, la configuration et le firmware de cet appareil',
  'ID for the API': "ID pour l'API",
  'Machine of {device}': 'Engin de {device}',
  'Provision a device': 'Préparer un appareil',
  'New devices and their links to machines': 'Les nouveaux appareils et leurs liens avec les engins',
  devices: 'appareils',
  'No devices yet': "Pas encore d'appareils",
  'Provision the logger of a machine. The gateway shows its key only once.':
    "Préparez l'enregistreur d'un engin. Le gateway montre sa clé une seule fois.",
  'An admin provisions the loggers of the machines.': 'Un administrateur prépare les enregistreurs des engins.',
  Progress: 'Avancement',
  'Last seen': 'Vu en dernier',
  Messages: 'Messages',
  Errors: 'Erreurs',
  'Delete the data of this device': 'Supprimer les données de cet appareil',
  'The gateway deletes the log entries that this device caused, and its files. You cannot undo this. Notes of people stay.':
    "Le gateway supprime les entrées du journal causées par cet appareil, et ses fichiers. C'est irréversible. Les notes des personnes restent.",
  'Also delete the history of its machine since the device was linked':
    "Supprimer aussi l'historique de son engin depuis que l'appareil est lié",
  Deleting: 'Suppression en cours',
  'Deleted so far: {events} log entries, {files} files, {segments} history segments. {size} of disk space is free again.':
    "Supprimé jusqu'ici : {events} entrées du journal, {files} fichiers, {segments} segments d'historique. {size} de disque sont de nouveau libres.",
  'Deleted: {events} log entries, {files} files, {segments} history segments. {size} of disk space is free again.':
    "Supprimé : {events} entrées du journal, {files} fichiers, {segments} segments d'historique. {size} de disque sont de nouveau libres.",
  'Storage and quarantine': 'Stockage et quarantaine',
  '{device} stored {today} today and {total} in total.': "{device} a stocké {today} aujourd'hui et {total} en tout.",
  'The gateway did not store {n} item: the device exceeded its budget.|The gateway did not store {n} items: the device exceeded its budget.':
    "Le gateway n'a pas stocké {n} élément : l'appareil a dépassé son quota.|Le gateway n'a pas stocké {n} éléments : l'appareil a dépassé son quota.",
  'Quarantine closes the connections of the device and refuses its keys. Its data stays.':
    "La quarantaine ferme les connexions de l'appareil et refuse ses clés. Ses données restent.",
  'Quarantined by {name}. The gateway refuses its keys.': 'Mis en quarantaine par {name}. Le gateway refuse ses clés.',
  'Quarantined by {name}: {reason}. The gateway refuses its keys.':
    'Mis en quarantaine par {name} : {reason}. Le gateway refuse ses clés.',
  Quarantine: 'Mettre en quarantaine',
  'End quarantine': 'Lever la quarantaine',
};
