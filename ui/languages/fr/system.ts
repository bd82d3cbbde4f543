/** The texts of the pages of health and encryption, in French. `docs/languages.md` has the glossary. */
import type { SystemText } from '#ui/languages/es/system.ts';

export const SYSTEM_FR: Readonly<Record<SystemText, string>> = {
  'Screens, REST and MCP': 'Écrans, REST et MCP',
  'MQTT with TLS': 'MQTT avec TLS',
  'Bucket for loggers': 'Bucket pour les enregistreurs',
  User: 'Utilisateur',
  Screen: 'Écran',
  'Pages on the port without TLS lead to the port with TLS. TVs, tablets, phones and programs must trust the site authority. Links and printed QR codes with http:// show a certificate warning on a phone that does not trust it. MQTT over WebSocket without TLS ends, too.':
    "Les pages du port sans TLS mènent au port avec TLS. Les téléviseurs, tablettes, téléphones et programmes doivent faire confiance à l'autorité du site. Les liens et codes QR imprimés avec http:// affichent un avertissement de certificat sur un téléphone qui ne lui fait pas confiance. MQTT sur WebSocket sans TLS prend fin aussi.",
  'Devices that connect without TLS are disconnected at once and cannot connect again.':
    'Les appareils qui se connectent sans TLS sont déconnectés tout de suite et ne peuvent plus se connecter.',
  'Loggers that upload without TLS keep their files until their configuration has the port with TLS.':
    "Les enregistreurs qui envoient sans TLS gardent leurs fichiers jusqu'à ce que leur configuration ait le port avec TLS.",
  'In the last {days} days nobody on another computer used {plain} without TLS.':
    "Ces {days} derniers jours, personne n'a utilisé {plain} sans TLS depuis un autre ordinateur.",
  'Connected now': 'Connecté maintenant',
  '{n} client used {plain} without TLS in the last {days} days.|{n} clients used {plain} without TLS in the last {days} days.':
    '{n} client a utilisé {plain} sans TLS ces {days} derniers jours.|{n} clients ont utilisé {plain} sans TLS ces {days} derniers jours.',
  'The newest {n}:': 'Les {n} plus récents :',
  Client: 'Client',
  'Last use': 'Dernier accès',
  'Allow connections without TLS': 'Autoriser les connexions sans TLS',
  'Turn off connections without TLS now': 'Couper maintenant les connexions sans TLS',
  'Encrypted only': 'Chiffré seulement',
  'Keep them': 'Les garder',
  'No port': 'Pas de port',
  'Encrypted, {address}': 'Chiffré, {address}',
  '{plain} without TLS': '{plain} sans TLS',
  'Closed for other computers': 'Fermé pour les autres ordinateurs',
  'Open, not encrypted, {address}': 'Ouvert, non chiffré, {address}',
  'Without TLS everybody on the network can read keys, passphrases and data. Let devices and people {link}, and then turn off connections without TLS, one listener after the other. Programs on the computer of the gateway are not affected. If nobody gets in any more, type {command} on this computer.':
    "Sans TLS, n'importe qui sur le réseau peut lire les clés, les mots de passe et les données. Faites en sorte que les appareils et les personnes {link}, puis coupez les connexions sans TLS, un service après l'autre. Les programmes de l'ordinateur du gateway ne sont pas concernés. Si plus personne ne peut entrer, tapez {command} sur cet ordinateur.",
  'trust this gateway': 'fassent confiance à ce gateway',
  Messages: 'Messages',
  Frames: 'Trames',
  Unreadable: 'Illisibles',
  Duplicates: 'Doublons',
  Late: 'En retard',
  'Unknown PGNs': 'PGN inconnus',
  'Incomplete messages': 'Messages incomplets',
  '{n} raw file|{n} raw files': '{n} fichier brut|{n} fichiers bruts',
  '{n} sample|{n} samples': '{n} échantillon|{n} échantillons',
  '{n} refused message|{n} refused messages': '{n} message refusé|{n} messages refusés',
  'The gateway has a problem. See below what to do.': 'Le gateway a un problème. Voyez ci-dessous que faire.',
  'Everything works.': 'Tout fonctionne.',
  'The gateway works. {n} source sent data that the gateway refused or could not read:|The gateway works. {n} sources sent data that the gateway refused or could not read:':
    "Le gateway fonctionne. {n} source a envoyé des données que le gateway a refusées ou n'a pas pu lire :|Le gateway fonctionne. {n} sources ont envoyé des données que le gateway a refusées ou n'a pas pu lire :",
  'The table below shows all sources.': 'Le tableau ci-dessous montre toutes les sources.',
  'at least {text}': 'au moins {text}',
  Samples: 'Échantillons',
  'Statistics of minutes': 'Statistiques par minute',
  'Raw messages': 'Messages bruts',
  '{size} of {limit}; kept {days} days': '{size} sur {limit} ; gardé {days} jours',
  '{size} of {limit}, {back} days back; kept {days} days':
    '{size} sur {limit}, {back} jours en arrière ; gardé {days} jours',
  'none yet': 'pas encore',
  '{count}; {size}, of which {history} history': "{count} ; {size}, dont {history} d'historique",
  '{count}, the newest {age} old; {size}, of which {history} history':
    "{count}, la plus récente d'il y a {age} ; {size}, dont {history} d'historique",
  'The samples reached their share of the disk. The gateway deleted samples before their age of {days} days:':
    'Les échantillons ont atteint leur part du disque. Le gateway a supprimé des échantillons avant leurs {days} jours :',
  'up to {time} ({age} ago)': "jusqu'à {time} (il y a {age})",
  'To keep samples longer, use a larger disk, or raise {percent} or {gigabytes}.':
    'Pour garder les échantillons plus longtemps, utilisez un disque plus grand, ou augmentez {percent} ou {gigabytes}.',
  Version: 'Version',
  'Running for': 'En marche depuis',
  '{size} in {n} file|{size} in {n} files': '{size} dans {n} fichier|{size} dans {n} fichiers',
  'Waiting to be processed': 'En attente de traitement',
  '{n} message|{n} messages': '{n} message|{n} messages',
  'Last write to disk': 'Dernière écriture sur disque',
  'took {ms} ms': 'a pris {ms} ms',
  'Disk free': 'Disque libre',
  '{part} of {whole}': '{part} sur {whole}',
  'Reserved disk space': 'Espace disque réservé',
  Database: 'Base de données',
  '{size}, at most {limit}': '{size}, au plus {limit}',
  Backups: 'Sauvegardes',
  'For {age}.': 'Depuis {age}.',
  'The gateway is losing data now: {gaps}. When this ends, the gateway adds it to the log of each machine and device.':
    'Le gateway perd des données en ce moment : {gaps}. Quand cela cessera, le gateway le notera dans le journal de chaque engin et appareil.',
  Sources: 'Sources',
  'No sources yet': 'Pas encore de sources',
  'This table shows each device that sends data.': 'Ce tableau montre chaque appareil qui envoie des données.',
  'Last error': 'Dernière erreur',
};
