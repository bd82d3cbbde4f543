/** Texts of the gateway in French: problems of the gateway. `docs/languages.md` has the glossary. */
import type { HealthTold } from './es-health.ts';

export const HEALTH_FR: Readonly<Record<HealthTold, string>> = {
  '{n} alert waits to be sent to devices, because the broker does not take the message (device {device}: {error}). The gateway tries again for seven days.|{n} alerts wait to be sent to devices, because the broker does not take the message (device {device}: {error}). The gateway tries again for seven days.':
    "{n} alerte attend d'être envoyée aux appareils, car le broker ne prend pas le message (appareil {device} : {error}). Le gateway réessaie pendant sept jours.|{n} alertes attendent d'être envoyées aux appareils, car le broker ne prend pas le message (appareil {device} : {error}). Le gateway réessaie pendant sept jours.",
  'Connect the light or horn, so that it takes its waiting messages, or delete the device.':
    "Connectez le gyrophare ou l'avertisseur, pour qu'il prenne les messages qui attendent, ou supprimez l'appareil.",
  'The disk is mounted read-only and refuses writes. Operating systems do that after disk errors.':
    "Le disque est monté en lecture seule et refuse les écritures. Les systèmes d'exploitation font cela après des erreurs de disque.",
  'The gateway stores nothing. It acknowledges no messages, so devices keep them. Pages, lists and screens can still be read.':
    "Le gateway n'enregistre rien. Il ne confirme aucun message : les appareils les gardent. Pages, listes et écrans restent lisibles.",
  'Check the disk, then mount it for writing again. The gateway resumes without a restart.':
    'Vérifiez le disque, puis remontez-le en écriture. Le gateway reprend sans redémarrage.',
  'The disk is full.': 'Le disque est plein.',
  'Delete files that are not needed, or move them to another disk. The gateway resumes without a restart.':
    'Supprimez les fichiers inutiles, ou déplacez-les sur un autre disque. Le gateway reprend sans redémarrage.',
  'The disk has almost no room left (under 2 %).': "Le disque n'a presque plus de place (moins de 2 %).",
  'The gateway does not accept measurements; devices keep them and send them later, as far as they can. Alerts, events and changes by people are stored.':
    "Le gateway n'accepte pas de mesures ; les appareils les gardent et les envoient plus tard, si possible. Les alertes, événements et modifications des personnes sont enregistrés.",
  'Delete files that are not needed, or move them to another disk. The gateway accepts measurements again once there is space.':
    "Supprimez les fichiers inutiles, ou déplacez-les sur un autre disque. Le gateway accepte de nouveau des mesures dès qu'il y a de la place.",
  'The disk has little room left (under 5 %).': 'Le disque a peu de place (moins de 5 %).',
  'The gateway stores no history: live values continue, but trends have a gap. Raw messages are kept only until they are processed.':
    "Le gateway n'enregistre pas d'historique : les valeurs en direct continuent, mais les tendances ont un trou. Les messages bruts ne sont gardés que jusqu'à leur traitement.",
  'Delete files that are not needed, or move them to another disk. The gateway stores history again once there is space.':
    "Supprimez les fichiers inutiles, ou déplacez-les sur un autre disque. Le gateway enregistre de nouveau l'historique dès qu'il y a de la place.",
  'The disk is getting full (under 10 %).': 'Le disque se remplit (moins de 10 %).',
  'The gateway deletes the oldest raw messages early; values decoded from them can no longer be traced to their frames. It does not accept files from cameras and loggers; devices that can keep their files send them later.':
    "Le gateway supprime plus tôt les plus anciens messages bruts ; les valeurs décodées ne peuvent plus être suivies jusqu'à leurs trames. Il n'accepte pas de fichiers de caméras et d'enregistreurs ; les appareils qui le peuvent les envoient plus tard.",
  'Delete files that are not needed, or move them to another disk.':
    'Supprimez les fichiers inutiles, ou déplacez-les sur un autre disque.',
  'The disk is slow: a write takes more than a fifth of a second.':
    "Le disque est lent : une écriture prend plus d'un cinquième de seconde.",
  'Nothing. Devices wait longer for acknowledgements, and values arrive later.':
    'Rien. Les appareils attendent plus longtemps les confirmations, et les valeurs arrivent plus tard.',
  'Check which other programs use the disk. A worn SD card or a failing disk also becomes slow: plan to replace it.':
    'Vérifiez quels autres programmes utilisent le disque. Une carte SD usée ou un disque défaillant devient aussi lent : prévoyez de le remplacer.',
  'Memory is almost used up (over 90 %).': 'La mémoire est presque épuisée (plus de 90 %).',
  'The gateway refuses new connections and does not accept measurements; devices keep them and send them later.':
    "Le gateway refuse les nouvelles connexions et n'accepte pas de mesures ; les appareils les gardent et les envoient plus tard.",
  'Close other programs on this computer, or add memory. If the gateway stops, it restarts automatically.':
    "Fermez d'autres programmes sur cet ordinateur, ou ajoutez de la mémoire. Si le gateway s'arrête, il redémarre tout seul.",
  'Memory is getting short (over 80 %).': 'La mémoire se fait rare (plus de 80 %).',
  'The gateway refuses new connections. Open connections continue.':
    'Le gateway refuse les nouvelles connexions. Les connexions ouvertes continuent.',
  'Close other programs on this computer, or add memory.':
    "Fermez d'autres programmes sur cet ordinateur, ou ajoutez de la mémoire.",
  'The gateway cannot open more files and connections, because it has reached the limit of the operating system.':
    "Le gateway ne peut plus ouvrir de fichiers ni de connexions, car il a atteint la limite du système d'exploitation.",
  'Raise the limit of open files (LimitNOFILE of the service, or `ulimit -n`) and start the gateway again.':
    'Augmentez la limite de fichiers ouverts (LimitNOFILE du service, ou `ulimit -n`) et redémarrez le gateway.',
  'Devices wait for acknowledgements of messages that the gateway has not accepted.':
    "Des appareils attendent la confirmation de messages que le gateway n'a pas acceptés.",
  'Nothing. The devices keep these messages; the gateway reconnects a few devices at a time so that they send them again.':
    "Rien. Les appareils gardent ces messages ; le gateway reconnecte quelques appareils à la fois pour qu'ils les renvoient.",
  'Nothing to do. It ends within a minute after the disk or memory shortage ends.':
    'Rien à faire. Cela finit dans la minute qui suit la fin du manque de disque ou de mémoire.',
  'The clock of this computer is not set: it shows a time before the last run of this gateway.':
    "L'horloge de cet ordinateur n'est pas réglée : elle montre une heure d'avant la dernière exécution de ce gateway.",
  'The gateway continues from the time of its last run, so all times are too early. It deletes nothing because of age.':
    "Le gateway continue à partir de l'heure de sa dernière exécution : toutes ses heures sont donc en retard. Il ne supprime rien à cause de l'âge.",
  'Connect to a time server or set the clock; the gateway follows at once. If the clock is right and was wrong in an earlier run, stop the gateway, delete clock.json in its data folder, and start it again.':
    "Connectez-vous à un serveur de temps ou réglez l'horloge ; le gateway suit aussitôt. Si l'horloge est juste et était fausse auparavant, arrêtez le gateway, supprimez clock.json dans son dossier de données, et redémarrez-le.",
  'The clock of this computer jumped by more than a day.': "L'horloge de cet ordinateur a sauté de plus d'un jour.",
  'The gateway continues with its own time. It deletes nothing because of age.':
    "Le gateway continue avec sa propre heure. Il ne supprime rien à cause de l'âge.",
  'Correct the clock. If the new time is right, restart the gateway.':
    "Corrigez l'horloge. Si la nouvelle heure est juste, redémarrez le gateway.",
  'The clock of this computer is more than a year ahead of the last run of this gateway.':
    "L'horloge de cet ordinateur a plus d'un an d'avance sur la dernière exécution de ce gateway.",
  'For a week the gateway deletes nothing because of age. After that it accepts the time.':
    "Pendant une semaine le gateway ne supprime rien à cause de l'âge. Ensuite il accepte l'heure.",
  'Correct the clock if it is wrong. If it is right, delete clock.json in the data folder and restart the gateway.':
    "Corrigez l'horloge si elle est fausse. Si elle est juste, supprimez clock.json dans le dossier de données et redémarrez le gateway.",
  'The device {device} stored the most data: {today} today, {total} in total.':
    "L'appareil {device} a stocké le plus de données : {today} aujourd'hui, {total} en tout.",
  'If that is too much, open the page of the device: quarantine the device there and purge its stored data.':
    "Si c'est trop, ouvrez la page de l'appareil : mettez-le en quarantaine et purgez ses données.",
  'The gateway could not store values and events since {since}. The messages stay in the journal. The log of the gateway has the cause.':
    "Le gateway n'a pas pu enregistrer de valeurs ni d'événements depuis {since}. Les messages restent dans le journal. Le journal du gateway a la cause.",
  'The gateway skipped {n} message because of an error in its code. The messages stay in the journal. The log of the gateway has the cause.|The gateway skipped {n} messages because of an error in its code. The messages stay in the journal. The log of the gateway has the cause.':
    "Le gateway a sauté {n} message à cause d'une erreur dans son code. Les messages restent dans le journal. Le journal du gateway a la cause.|Le gateway a sauté {n} messages à cause d'une erreur dans son code. Les messages restent dans le journal. Le journal du gateway a la cause.",
  'The store refused {n} document, and the gateway skipped it. The messages from which it was made stay in the journal. The log of the gateway has the cause.|The store refused {n} documents, and the gateway skipped them. The messages from which they were made stay in the journal. The log of the gateway has the cause.':
    "Le stockage a refusé {n} document, et le gateway l'a sauté. Les messages d'où il venait restent dans le journal. Le journal du gateway a la cause.|Le stockage a refusé {n} documents, et le gateway les a sautés. Les messages d'où ils venaient restent dans le journal. Le journal du gateway a la cause.",
  '{n} device has a clock more than five minutes ahead. The data of these devices does not change the live status of machines.|{n} devices have clocks more than five minutes ahead. The data of these devices does not change the live status of machines.':
    "{n} appareil a une horloge en avance de plus de cinq minutes. Ses données ne changent pas l'état en direct des engins.|{n} appareils ont une horloge en avance de plus de cinq minutes. Leurs données ne changent pas l'état en direct des engins.",
  '{n} device has a clock more than five minutes behind (a device that sends an old recording looks the same). Its data counts as old and does not change the live status of machines.|{n} devices have clocks more than five minutes behind (a device that sends an old recording looks the same). Their data counts as old and does not change the live status of machines.':
    "{n} appareil a une horloge en retard de plus de cinq minutes (un appareil qui envoie un vieil enregistrement se présente pareil). Ses données comptent comme anciennes et ne changent pas l'état en direct des engins.|{n} appareils ont une horloge en retard de plus de cinq minutes (un appareil qui envoie un vieil enregistrement se présente pareil). Leurs données comptent comme anciennes et ne changent pas l'état en direct des engins.",
  'The gateway cannot write its journal, so it acknowledges no more messages of devices.':
    "Le gateway ne peut pas écrire son journal : il ne confirme plus de messages d'appareils.",
  '{n} device sends more than may be stored: {names}.|{n} devices send more than may be stored: {names}.':
    '{n} appareil envoie plus que ce qui peut être stocké : {names}.|{n} appareils envoient plus que ce qui peut être stocké : {names}.',
  'Data over the daily budget is acknowledged and not stored. The log of the device has the number of lost messages.':
    "Les données au-delà de la limite du jour sont confirmées et non stockées. Le journal de l'appareil a le nombre de messages perdus.",
  'Open the device: quarantine it and purge its stored data, or set larger budgets in its settings.':
    "Ouvrez l'appareil : mettez-le en quarantaine et purgez ses données, ou définissez des limites plus grandes dans ses réglages.",
  'The clock of the logger {device} is {time} ahead. The bucket refuses its uploads until the clock is right.':
    "L'horloge de l'enregistreur {device} avance de {time}. Ses envois sont refusés jusqu'à ce que l'horloge soit juste.",
  'The clock of the logger {device} is {time} behind. The bucket refuses its uploads until the clock is right.':
    "L'horloge de l'enregistreur {device} retarde de {time}. Ses envois sont refusés jusqu'à ce que l'horloge soit juste.",
  '{address} sent a wrong key or code {count} times since {since}; the last one was {what}. If you do not know this address, somebody may be guessing keys.':
    "{address} a envoyé une clé ou un code faux {count} fois depuis {since} ; le dernier était {what}. Si vous ne connaissez pas cette adresse, quelqu'un devine peut-être des clés.",
  '{n} stored document does not fit the schema of this version, and lists leave it out: {names}. If a newer version of the gateway wrote it, install that version again.|{n} stored documents do not fit the schema of this version, and lists leave them out: {names}. If a newer version of the gateway wrote them, install that version again.':
    "{n} document stocké ne convient pas à cette version, et les listes l'omettent : {names}. Si une version plus récente du gateway l'a écrit, réinstallez-la.|{n} documents stockés ne conviennent pas à cette version, et les listes les omettent : {names}. Si une version plus récente du gateway les a écrits, réinstallez-la.",
  '{n} stored document has values that this version does not know and shows as unknown: {names}. The values are kept. Update this gateway to the version of the other end.|{n} stored documents have values that this version does not know and shows as unknown: {names}. The values are kept. Update this gateway to the version of the other end.':
    "{n} document stocké a des valeurs que cette version ne connaît pas et montre comme inconnues : {names}. Les valeurs sont gardées. Mettez ce gateway à la version de l'autre côté.|{n} documents stockés ont des valeurs que cette version ne connaît pas et montre comme inconnues : {names}. Les valeurs sont gardées. Mettez ce gateway à la version de l'autre côté.",
  'The last backup failed ({message}).': 'La dernière sauvegarde a échoué ({message}).',
  'There is no older backup.': "Il n'y a pas de sauvegarde antérieure.",
  'The newest backup is of {since}.': 'La sauvegarde la plus récente est de {since}.',
  '{what} {used}, more than the limit of {limit}. All samples older than 24 hours are already deleted.':
    '{what} {used}, plus que la limite de {limit}. Tous les échantillons de plus de 24 heures sont déjà supprimés.',
  'The samples in the database have': 'Les échantillons de la base de données occupent',
  'The database has': 'La base de données occupe',
  'Nothing. The database grows further and may fill the disk.':
    'Rien. La base de données continue de grandir et peut remplir le disque.',
  'Use a larger disk, raise HEADFRAME_DATABASE_GIGABYTES or HEADFRAME_HISTORY_PERCENT, or purge the devices that store the most (`writers` in health).':
    'Utilisez un disque plus grand, augmentez HEADFRAME_DATABASE_GIGABYTES ou HEADFRAME_HISTORY_PERCENT, ou purgez les appareils qui stockent le plus.',
  'Stop the gateway, run `headframe recovery-code --enter`, and start it again. Without the recovery code, set these secrets again.':
    'Arrêtez le gateway, lancez `headframe recovery-code --enter`, et redémarrez-le. Sans le code de récupération, définissez de nouveau ces secrets.',
  'A project has {most} open alerts; {refused} more were not raised.':
    "Un projet a {most} alertes ouvertes ; {refused} autres n'ont pas été déclenchées.",
  'new alerts of that project': 'les nouvelles alertes de ce projet',
  'Find the rule that raises so many, and mute or narrow it.':
    'Trouvez la règle qui en déclenche tant, et mettez-la en sourdine ou resserrez-la.',
  '{n} webhook endpoint does not accept deliveries.|{n} webhook endpoints do not accept deliveries.':
    "{n} webhook n'accepte pas de livraisons.|{n} webhooks n'acceptent pas de livraisons.",
  'Read the last error of the endpoint. Pending deliveries are sent when it answers, for 7 days.':
    'Lisez la dernière erreur du webhook. Les livraisons en attente sont envoyées quand il répond, pendant 7 jours.',
  'The gateway did not stop cleanly last time. It checks its database now, while it serves requests.':
    "La dernière fois le gateway ne s'est pas arrêté proprement. Il vérifie maintenant sa base de données tout en répondant.",
};
