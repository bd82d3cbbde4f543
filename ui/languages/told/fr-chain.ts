/** Texts of the gateway in French: the diagnosis of a device, from its connection to its values. `docs/languages.md` has the glossary. */
import type { ChainTold } from './es-chain.ts';

export const CHAIN_FR: Readonly<Record<ChainTold, string>> = {
  '{days} days behind': '{days} jours en retard',
  '{days} days ahead of': '{days} jours en avance',
  '{seconds} s behind': '{seconds} s en retard',
  '{seconds} s ahead of': '{seconds} s en avance',
  'The clock of the logger was {ahead} GNSS time.': "L'horloge de l'enregistreur était {ahead} sur l'heure GNSS.",
  'The clock of the logger was {ahead} the time of a control unit (J1939 PGN 65254).':
    "L'horloge de l'enregistreur était {ahead} sur l'heure d'un calculateur (J1939 PGN 65254).",
  'The time was corrected by {by} s; the corrected time is at most {most} s from that clock.':
    "L'heure a été corrigée de {by} s ; l'heure corrigée est à {most} s au plus de cette horloge.",
  'Its clock is {ahead} GNSS time. Live values keep the time of the device; log files are corrected.':
    "Son horloge est {ahead} sur l'heure GNSS. Les valeurs en direct gardent l'heure de l'appareil ; les fichiers journaux sont corrigés.",
  'Its newest data is {seconds} s old on arrival: its clock is behind by up to this time, or its messages are delayed.':
    "Ses données les plus récentes ont {seconds} s à l'arrivée : son horloge retarde d'autant au plus, ou ses messages sont retardés.",
  '{count} request to its address was refused besides, the last from {address}.|{count} requests to its address were refused besides, the last from {address}.':
    'En plus, {count} requête à son adresse a été refusée, la dernière de {address}.|En plus, {count} requêtes à son adresse ont été refusées, la dernière de {address}.',
  '{count} login under its name was refused besides, the last from {address}.|{count} logins under its name were refused besides, the last from {address}.':
    'En plus, {count} connexion à son nom a été refusée, la dernière de {address}.|En plus, {count} connexions à son nom ont été refusées, la dernière de {address}.',
  '{count} request to its address was refused, the last from {address}: {why}.|{count} requests to its address were refused, the last from {address}: {why}.':
    '{count} requête à son adresse a été refusée, la dernière de {address} : {why}.|{count} requêtes à son adresse ont été refusées, la dernière de {address} : {why}.',
  '{count} login under its name was refused, the last from {address}: {why}.|{count} logins under its name were refused, the last from {address}: {why}.':
    '{count} connexion à son nom a été refusée, la dernière de {address} : {why}.|{count} connexions à son nom ont été refusées, la dernière de {address} : {why}.',
  'the key is wrong': 'la clé est fausse',
  'it had no header "Authorization: Bearer" with a key':
    'elle n\'avait pas d\'en-tête "Authorization: Bearer" avec une clé',
  key: 'clé',
  'key pair': 'paire de clés',
  'A lost key is replaced: provision the device again.': "Une clé perdue se remplace : préparez l'appareil de nouveau.",
  'A lost key is replaced: provision the device again with the serial {serial}.':
    "Une clé perdue se remplace : préparez l'appareil de nouveau avec le numéro de série {serial}.",
  'User name and client id are both {name}.': "Le nom d'utilisateur et l'identifiant du client sont {name}.",
  'The device must send the key in the header "Authorization: Bearer", after the word Bearer.':
    'L\'appareil doit envoyer la clé dans l\'en-tête "Authorization: Bearer", après le mot Bearer.',
  'Put the {own} of this device into it.': "Mettez dans l'appareil sa propre {own}.",
  'The device has no {own} yet.': "L'appareil n'a pas encore de {own}.",
  'Provision the device with the serial {serial}, and put the key into it.':
    "Préparez l'appareil avec le numéro de série {serial}, et mettez-y la clé.",
  'The {own} of the device has expired.': "La {own} de l'appareil a expiré.",
  'Provision the device again and put the new {own} into it.':
    "Préparez l'appareil de nouveau et mettez-y la nouvelle {own}.",
  'The {own} of the device has not been used yet.': "La {own} de l'appareil n'a pas encore servi.",
  'Put the {own} into the device.': "Mettez la {own} dans l'appareil.",
  'The device is authenticated.': "L'appareil est authentifié.",
  'The device is authenticated with its {own}.': "L'appareil est authentifié avec sa {own}.",
  'The device needs no key: this gateway itself reads its bus or replays its recording.':
    "L'appareil n'a pas besoin de clé : ce gateway lit lui-même son bus ou rejoue son enregistrement.",
  'The keys of the device were revoked.': "Les clés de l'appareil ont été révoquées.",
  'Provision the device, and put the key into it.': "Préparez l'appareil, et mettez-y la clé.",
  'A person noted: {reason}.': 'Une personne a noté : {reason}.',
  'it was taken out of use': 'il a été mis hors service',
  'it has no power': "il n'a pas de courant",
  'it has no network': "il n'a pas de réseau",
  'it was replaced': 'il a été remplacé',
  'it is being serviced': 'il est en entretien',
  'the reason is not known': "la raison n'est pas connue",
  'Let the device connect to {address} over MQTT, with user name and client id {name}.':
    "Faites connecter l'appareil à {address} par MQTT, avec {name} comme nom d'utilisateur et identifiant du client.",
  'Let the device post to {address} with the header "Authorization: Bearer" and its key.':
    'Faites envoyer l\'appareil à {address} avec l\'en-tête "Authorization: Bearer" et sa clé.',
  'Let the logger upload to {address}, with the key pair from this page.':
    "Faites envoyer l'enregistreur vers {address}, avec la paire de clés de cette page.",
  'The device has an open session from {ip}.': "L'appareil a une session ouverte depuis {ip}.",
  'A device at {address} reaches this gateway.': 'Un appareil à {address} atteint ce gateway.',
  'The device has stopped sending.': "L'appareil n'envoie plus.",
  'Check the power and the network of the device.': "Vérifiez le courant et le réseau de l'appareil.",
  'Let it publish frames to {frames}, or values to {values}.':
    'Faites-lui publier des trames vers {frames}, ou des valeurs vers {values}.',
  'Let it upload into {folder}.': 'Faites-le envoyer dans {folder}.',
  'The device uploads into {folder}.': "L'appareil envoie dans {folder}.",
  'The device publishes to {topic}.': "L'appareil publie vers {topic}.",
  'The device posts to {address}.': "L'appareil envoie à {address}.",
  'Send frames as candump prints them, one frame a line: {example} ; docs/mqtt.md has the other forms.':
    'Envoyez les trames comme candump les affiche, une par ligne : {example} ; docs/mqtt.md donne les autres formes.',
  '{name} was read.': '{name} a été lu.',
  '{name} could not be decoded.': "{name} n'a pas pu être décodé.",
  '{name} is being decoded.': '{name} est en cours de décodage.',
  'The gateway cannot decode what the device sends: {reason}. {count} part so far.|The gateway cannot decode what the device sends: {reason}. {count} parts so far.':
    "Le gateway ne peut pas décoder ce que l'appareil envoie : {reason}. {count} partie jusqu'ici.|Le gateway ne peut pas décoder ce que l'appareil envoie : {reason}. {count} parties jusqu'ici.",
  '{count} part is unreadable, the last: {reason}.|{count} parts are unreadable, the last: {reason}.':
    '{count} partie est illisible, la dernière : {reason}.|{count} parties sont illisibles, la dernière : {reason}.',
  'The device is connected but has stopped sending data: {found} so far.':
    "L'appareil est connecté mais n'envoie plus de données : {found} jusqu'ici.",
  'The device has stopped sending data: {found} so far.': "L'appareil n'envoie plus de données : {found} jusqu'ici.",
  '{found} so far.': "{found} jusqu'ici.",
  'The device is linked to {machine}.': "L'appareil est lié à {machine}.",
  'The device is linked to {machine}, which is decommissioned and shown on no board.':
    "L'appareil est lié à {machine}, qui est retiré du service et n'apparaît sur aucun tableau.",
  'The device is linked to the location {location}.': "L'appareil est lié au lieu {location}.",
  '{found}, but the gateway could decode no value from them; {unknown} are of unknown groups.':
    "{found}, mais le gateway n'a pu en décoder aucune valeur ; {unknown} sont de groupes inconnus.",
  'Its clock is {time} ahead, so its data does not count as live.':
    'Son horloge avance de {time} : ses données ne comptent pas comme en direct.',
  'Set the clock of the device; {topic} has the time.': "Réglez l'horloge de l'appareil ; {topic} donne l'heure.",
  '{values}, which belong to no machine.': "{values}, qui n'appartiennent à aucun engin.",
  '{values} on {machine}.': '{values} sur {machine}.',
  '{values} on {machine}, as of {day}: the data is a recording, or the clock of the device is behind. It does not count as live.':
    "{values} sur {machine}, du {day} : les données sont un enregistrement, ou l'horloge de l'appareil retarde. Elles ne comptent pas comme en direct.",
  'To replay a recording with current times: {command}. Otherwise set the clock of the device.':
    "Pour rejouer un enregistrement à l'heure actuelle : {command}. Sinon, réglez l'horloge de l'appareil.",
  '{count} frame|{count} frames': '{count} trame|{count} trames',
  '{count} message|{count} messages': '{count} message|{count} messages',
  '{count} value|{count} values': '{count} valeur|{count} valeurs',
  'Everything works: its pictures arrive.': 'Tout fonctionne : ses images arrivent.',
  'Everything works: its data arrives and is decoded.': 'Tout fonctionne : ses données arrivent et sont décodées.',
  'the control unit (address {address})': 'le calculateur (adresse {address})',
  '{name} (address {address})': '{name} (adresse {address})',
  'No frames from {name} any more.': 'Plus de trames de {name}.',
  '{name} still sends.': '{name} envoie encore.',
  'Check the plug and the power of {name}.': 'Vérifiez la prise et le courant de {name}.',
  'Check the sensor of {label} and its cable.': 'Vérifiez le capteur de {label} et son câble.',
  '{name} still sends, but not {frames}, which contains {label}.':
    '{name} envoie encore, mais pas {frames}, qui contient {label}.',
  '{frames} arrives, but {name} sends no valid value of {label} in it.':
    "{frames} arrive, mais {name} n'y envoie pas de valeur valable de {label}.",
  'The machine sends other values, but never sent {label}.':
    "L'engin envoie d'autres valeurs, mais n'a jamais envoyé {label}.",
  'The device still sends, but not {label}.': "L'appareil envoie encore, mais pas {label}.",
  'Check that the device is set to send {label}.': "Vérifiez que l'appareil est réglé pour envoyer {label}.",
  'If a manufacturer frame has this value, it needs a DBC file: see the page DBC files.':
    'Si une trame du constructeur a cette valeur, il faut un fichier DBC : voir la page Fichiers DBC.',
  'Not known before these frames arrive again.': 'Inconnu avant que ces trames arrivent de nouveau.',
  'Connect a logger on the page of the machine.': "Connectez un enregistreur sur la page de l'engin.",
  'No device is linked to this machine.': "Aucun appareil n'est lié à cet engin.",
  'The device has an open session.': "L'appareil a une session ouverte.",
  'No device can connect with this name before it has a key.':
    "Aucun appareil ne peut se connecter sous ce nom avant d'avoir une clé.",
  'Nothing has come from this device yet.': "Rien n'est encore venu de cet appareil.",
  'The device has uploaded before; it is offline between two uploads.':
    "L'appareil a déjà envoyé ; il est hors ligne entre deux envois.",
  'The device has sent data. It has no connection between two messages.':
    "L'appareil a envoyé des données. Il n'a pas de connexion entre deux messages.",
  'The device sends over HTTP.': "L'appareil envoie par HTTP.",
  'The device uploads files.': "L'appareil envoie des fichiers.",
  'The device publishes to a topic that does not belong to it: {place}':
    "L'appareil publie vers un topic qui n'est pas le sien : {place}",
  'The device posts to an address that does not belong to it: {place}':
    "L'appareil envoie à une adresse qui n'est pas la sienne : {place}",
  'The device uploads to a name that does not belong to it: {place}':
    "L'appareil envoie sous un nom qui n'est pas le sien : {place}",
  'Unknown until the device uploads a file.': "Inconnu tant que l'appareil n'a pas envoyé de fichier.",
  'Unknown until the device connects.': "Inconnu tant que l'appareil n'est pas connecté.",
  'The device has sent before, but the gateway did not record to which address.':
    "L'appareil a déjà envoyé, mais le gateway n'a pas noté à quelle adresse.",
  'The device has sent status messages but no data.': "L'appareil a envoyé des messages d'état mais pas de données.",
  'The device has sent nothing yet.': "L'appareil n'a encore rien envoyé.",
  'Send values as {"values": {"engine.hours": 1234.5}}; docs/mqtt.md has the names.':
    'Envoyez les valeurs ainsi : {"values": {"engine.hours": 1234.5}} ; docs/mqtt.md donne les noms.',
  'The device has uploaded no log yet.': "L'appareil n'a encore envoyé aucun journal.",
  'Check that the logger records: check its memory card and its configuration.':
    "Vérifiez que l'enregistreur enregistre : vérifiez sa carte mémoire et sa configuration.",
  'Pictures of the device arrive.': "Des images de l'appareil arrivent.",
  'Unknown until the device sends something.': "Inconnu tant que l'appareil n'a rien envoyé.",
  'The device has sent no picture yet.': "L'appareil n'a encore envoyé aucune image.",
  'Post frames as JPEG, PNG, WebP, AVIF or GIF.': 'Envoyez des images en JPEG, PNG, WebP, AVIF ou GIF.',
  'The device itself reports a fault.': "L'appareil lui-même signale un défaut.",
  'See the reported state on the page of the device.': "Voir l'état signalé sur la page de l'appareil.",
  'The gateway cannot decode most of what the device sends.':
    "Le gateway ne peut pas décoder la plus grande partie de ce que l'appareil envoie.",
  'Its messages are over 256 KiB.': 'Ses messages dépassent 256 Kio.',
  'Send fewer frames in a message.': 'Envoyez moins de trames par message.',
  'Unknown until the device sends data.': "Inconnu tant que l'appareil n'a pas envoyé de données.",
  'Check the ignition, the CAN wiring and the bit rate.': 'Vérifiez le contact, le câblage CAN et le débit.',
  'Link the device to another machine, or set this machine to available on its page.':
    "Liez l'appareil à un autre engin, ou remettez cet engin à l'état disponible sur sa page.",
  'The device is linked to no machine: its data is stored but belongs to no machine.':
    "L'appareil n'est lié à aucun engin : ses données sont stockées mais n'appartiennent à aucun.",
  'Choose its machine in the list on the Devices page.': 'Choisissez son engin dans la liste de la page Appareils.',
  'Unknown until a picture arrives.': "Inconnu tant qu'aucune image n'est arrivée.",
  'Screens show pictures directly, without decoding.': 'Les écrans affichent les images directement, sans décodage.',
  'The device sends values, but this gateway knows the name of none of them.':
    "L'appareil envoie des valeurs, mais ce gateway n'en connaît aucun nom.",
  'Unknown until the device sends frames.': "Inconnu tant que l'appareil n'a pas envoyé de trames.",
  'Check that the device is on the right bus. Proprietary frames of a manufacturer need a DBC file: see the page DBC files.':
    "Vérifiez que l'appareil est sur le bon bus. Les trames propres à un constructeur demandent un fichier DBC : voir la page Fichiers DBC.",
  Connection: 'Connexion',
  Topic: 'Topic',
  Frames: 'Trames',
  Decoded: 'Décodé',
  Requests: 'Requêtes',
  Uploads: 'Envois',
  'Key pair': 'Paire de clés',
  Folder: 'Dossier',
  'Log files': 'Fichiers journaux',
  Pictures: 'Images',
  Shown: 'Affiché',
  Place: 'Lieu',
  Values: 'Valeurs',
  Address: 'Adresse',
  Key: 'Clé',
  Machine: 'Engin',
};
