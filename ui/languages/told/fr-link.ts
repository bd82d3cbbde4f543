/** Texts of the gateway in French: sentences about the link to head office and about files on a stick. `docs/languages.md` has the glossary. */
import type { LinkTold } from './es-link.ts';

export const LINK_FR: Readonly<Record<LinkTold, string>> = {
  'the quarantine is full: it keeps {commits} changes that this version cannot take, and the names of {keys} further records. What came now is not taken, and nothing is lost: the other end keeps it. Update this end, and start it again.':
    "la quarantaine est pleine : elle garde {commits} modifications que cette version ne peut pas prendre, et les noms de {keys} autres éléments. Ce qui arrive maintenant n'est pas pris, et rien n'est perdu : l'autre côté le garde. Mettez ce côté à jour et redémarrez-le.",
  'The comparison of a project makes no progress, because head office answers a question with the same question. Update head office. The site keeps the changes of this project and tries again every hour. Its other projects go on.':
    "La comparaison d'un projet n'avance pas, car le siège répond à une question par la même question. Mettez le siège à jour. Le site garde les modifications de ce projet et réessaie chaque heure. Ses autres projets continuent.",
  'The address of head office must begin with https://, such as https://head-office.example.com.':
    "L'adresse du siège doit commencer par https://, comme https://head-office.example.com.",
  'The address of head office must have no user name, no ? and no #.':
    "L'adresse du siège ne doit avoir ni nom d'utilisateur, ni ? ni #.",
  'Use https:// for head office. http:// is possible only for an address of the own network.':
    "Utilisez https:// pour le siège. http:// n'est possible que pour une adresse de votre propre réseau.",
  '{n} device has no key at this box, so what it sends is refused. Give it a new key: on the page Connect, enter its serial number, and put the new key into the device.|{n} devices have no key at this box, so what they send is refused. Give each one a new key: on the page Connect, enter its serial number, and put the new key into the device.':
    "{n} appareil n'a pas de clé sur ce boîtier : ce qu'il envoie est refusé. Donnez-lui une nouvelle clé : sur la page Connecter, saisissez son numéro de série, et mettez la nouvelle clé dans l'appareil.|{n} appareils n'ont pas de clé sur ce boîtier : ce qu'ils envoient est refusé. Donnez à chacun une nouvelle clé : sur la page Connecter, saisissez son numéro de série, et mettez la nouvelle clé dans l'appareil.",
  'The newest values, meters and trouble codes of machines are those that head office had, with their times. These come when the machine reports again: values of devices, previously active trouble codes (DM2), and the lamps of a control unit without an active code; if such a lamp was on, also the trouble codes of that machine. The earlier steps of a meter do not come back; its total goes on, and the events of the machine name each step.':
    "Les valeurs les plus récentes, les compteurs et les codes de défaut des engins sont ceux que le siège avait, avec leurs heures. Ceci arrive quand l'engin envoie de nouveau : valeurs des appareils, codes actifs auparavant (DM2), et les voyants d'un calculateur sans code actif ; si un tel voyant était allumé, aussi les codes de défaut de cet engin. Les étapes précédentes d'un compteur ne reviennent pas ; son total continue, et le journal de l'engin nomme chaque étape.",
  'Bus requests, configuration, firmware and quarantine of devices never come from head office. Set them again on the page of each device; a device that was in quarantine at that box is not in quarantine here.':
    "Les requêtes de bus, la configuration, le firmware et la quarantaine des appareils ne viennent jamais du siège. Réglez-les de nouveau sur la page de chaque appareil ; un appareil en quarantaine sur ce boîtier-là ne l'est pas ici.",
  'Users, PINs, API keys, shared tablets and the links of TVs were only on that box. Invite people again, pair TVs and tablets again, and make new keys.':
    "Les utilisateurs, PIN, clés d'API, tablettes partagées et liens des téléviseurs n'étaient que sur ce boîtier. Invitez de nouveau les personnes, appairez de nouveau les téléviseurs, inscrivez de nouveau les tablettes, et faites de nouvelles clés.",
  'Passphrases of log files, signing keys of webhooks, keys of models and the TLS certificate were encrypted with the key of that box, which is gone. Enter them again. Screens and loggers that trust the old certificate must trust the new one.':
    "Les mots de passe de fichiers, les clés de signature des webhooks, les clés de modèles et le certificat TLS étaient chiffrés avec la clé de ce boîtier, qui est perdue. Saisissez-les de nouveau. Les écrans et enregistreurs qui font confiance à l'ancien certificat doivent faire confiance au nouveau.",
  'Raw messages of the last hours were only on the disk of that box.':
    "Les messages bruts des dernières heures n'étaient que sur le disque de ce boîtier.",
  'Photos and logs are at head office. This box fetches the content of a file when somebody asks for it on its page.':
    "Les photos et journaux sont au siège. Ce boîtier va chercher le contenu d'un fichier quand quelqu'un le demande sur sa page.",
  'Head office never heard the box before, so nothing of it can come back.':
    "Le siège n'a jamais entendu le boîtier précédent : rien de lui ne peut revenir.",
  'The bundle is damaged: its bytes are not those that were written. Copy the file again; if that does not help, make a new bundle.':
    "Le fichier est endommagé : ses octets ne sont pas ceux qui ont été écrits. Copiez-le de nouveau ; si cela n'aide pas, faites-en un nouveau.",
  'The bundle has version {version} of the form; this end knows versions {plain} and {with_files}. Update the older end, and make a new bundle.':
    'Le fichier a la version {version} du format ; ce côté connaît les versions {plain} et {with_files}. Mettez à jour le côté le plus ancien et faites un nouveau fichier.',
  'The file ends before its end: it was not copied as a whole. What it has was taken. Copy it again and import it again, or make a new bundle.':
    "Le fichier finit avant sa fin : il n'a pas été copié en entier. Ce qu'il contient a été pris. Copiez-le et importez-le de nouveau, ou faites-en un nouveau.",
  'This file is not a bundle of Headframe. Choose the file that the other end made; its name ends in .hfbundle.':
    "Ce fichier n'est pas un fichier de transport de Headframe. Choisissez le fichier que l'autre côté a fait ; son nom finit par .hfbundle.",
  'Another bundle is being written or read. Try again when that has ended.':
    "Un autre fichier est en cours d'écriture ou de lecture. Réessayez quand ce sera fini.",
  '{n} photo or log|{n} photos and logs': '{n} photo ou journal|{n} photos et journaux',
  '{n} change and 1 photo or log|{n} changes and 1 photo or log':
    '{n} modification et 1 photo ou journal|{n} modifications et 1 photo ou journal',
  '{n} change and {files} photos and logs|{n} changes and {files} photos and logs':
    '{n} modification et {files} photos et journaux|{n} modifications et {files} photos et journaux',
  '{what} for head office. Head office has not confirmed it yet.':
    "{what} pour le siège. Le siège n'a pas encore confirmé.",
  '{what} for {site}. {site} has not confirmed it yet.': "{what} pour {site}. {site} n'a pas encore confirmé.",
  '{what} for head office. It has arrived.': "{what} pour le siège. C'est arrivé.",
  '{what} for {site}. It has arrived.': "{what} pour {site}. C'est arrivé.",
  '{what}. All changes were taken.': '{what}. Toutes les modifications ont été prises.',
  '{what}. Everything was taken.': '{what}. Tout a été pris.',
  '{what}. Everything was taken but live values. {site} must connect once over a network, because one of the two ends was put back from a backup.':
    "{what}. Tout a été pris sauf les valeurs en direct. {site} doit se connecter une fois par un réseau, car l'un des deux côtés a été restauré d'une sauvegarde.",
  '{what}. The file ended early: import it again from a whole copy.':
    "{what}. Le fichier finit trop tôt : importez-le de nouveau d'une copie entière.",
  'Not everything fitted: make the next file.': "Tout n'a pas tenu : faites le fichier suivant.",
  'This was file {volume}; file {next} of the same export has the rest.':
    "C'était le fichier {volume} ; le fichier {next} du même export contient le reste.",
  '{n} change was not taken: see the page about the other end.|{n} changes were not taken: see the page about the other end.':
    "{n} modification n'a pas été prise : voir la page sur l'autre côté.|{n} modifications n'ont pas été prises : voir la page sur l'autre côté.",
  '{n} project is not in it: it needs one contact over a network first.|{n} projects are not in it: they need one contact over a network first.':
    "{n} projet n'y est pas : il lui faut d'abord un contact par un réseau.|{n} projets n'y sont pas : il leur faut d'abord un contact par un réseau.",
  '{n} photo or log for head office waits for the next file.|{n} photos and logs for head office wait for the next file.':
    '{n} photo ou journal pour le siège attend le fichier suivant.|{n} photos et journaux pour le siège attendent le fichier suivant.',
  '{n} photo or log for {site} waits for the next file.|{n} photos and logs for {site} wait for the next file.':
    '{n} photo ou journal pour {site} attend le fichier suivant.|{n} photos et journaux pour {site} attendent le fichier suivant.',
  '{n} photo or log could not be joined, because earlier parts are not here: import the files of the export in their order.|{n} photos and logs could not be joined, because earlier parts are not here: import the files of the export in their order.':
    "{n} photo ou journal n'a pas pu être assemblé, car des parties antérieures manquent : importez les fichiers de l'export dans l'ordre.|{n} photos et journaux n'ont pas pu être assemblés, car des parties antérieures manquent : importez les fichiers de l'export dans l'ordre.",
  '{n} photo or log is arriving over the network now: nothing is to be done.|{n} photos and logs are arriving over the network now: nothing is to be done.':
    '{n} photo ou journal arrive en ce moment par le réseau : rien à faire.|{n} photos et journaux arrivent en ce moment par le réseau : rien à faire.',
  'The disk had no room for {n} photo or log: make room, and import the file again.|The disk had no room for {n} photos and logs: make room, and import the file again.':
    "Le disque n'avait pas de place pour {n} photo ou journal : faites de la place et importez le fichier de nouveau.|Le disque n'avait pas de place pour {n} photos et journaux : faites de la place et importez le fichier de nouveau.",
  'The disk refused {n} photo or log with an error: check the disk of this end, and import the file again.|The disk refused {n} photos and logs with an error: check the disk of this end, and import the file again.':
    'Le disque a refusé {n} photo ou journal avec une erreur : vérifiez le disque de ce côté et importez le fichier de nouveau.|Le disque a refusé {n} photos et journaux avec une erreur : vérifiez le disque de ce côté et importez le fichier de nouveau.',
  '{n} photo or log is damaged, on the disk of the other end or on the way: make a new file there. If the same happens again, check the disk of the other end, and store the photo or log there anew.|{n} photos and logs are damaged, on the disk of the other end or on the way: make a new file there. If the same happens again, check the disk of the other end, and store the photo or log there anew.':
    "{n} photo ou journal est endommagé, sur le disque de l'autre côté ou en chemin : faites-y un nouveau fichier. Si cela se répète, vérifiez le disque de l'autre côté et enregistrez-y de nouveau la photo ou le journal.|{n} photos et journaux sont endommagés, sur le disque de l'autre côté ou en chemin : faites-y un nouveau fichier. Si cela se répète, vérifiez le disque de l'autre côté et enregistrez-y de nouveau la photo ou le journal.",
  '{n} photo or log is not known here: import the earlier files of the export first, and then this one again.|{n} photos and logs are not known here: import the earlier files of the export first, and then this one again.':
    "{n} photo ou journal n'est pas connu ici : importez d'abord les fichiers précédents de l'export, puis celui-ci de nouveau.|{n} photos et journaux ne sont pas connus ici : importez d'abord les fichiers précédents de l'export, puis celui-ci de nouveau.",
  '{n} photo or log could not be read here, and is not in it: check the disk of this end.|{n} photos and logs could not be read here, and are not in it: check the disk of this end.':
    "{n} photo ou journal n'a pas pu être lu ici et n'est pas dans le fichier : vérifiez le disque de ce côté.|{n} photos et journaux n'ont pas pu être lus ici et ne sont pas dans le fichier : vérifiez le disque de ce côté.",
  '{where}, {message}': '{where}, {message}',
  'At head office': 'Au siège',
  'At this site': 'Sur ce site',
  'Head office has revoked {name}, so no bundle is made for it or taken from it. To take its data, make a new code, and connect the site with it.':
    "Le siège a révoqué {name} : aucun fichier n'est fait pour ce site ni pris de lui. Pour prendre ses données, faites un nouveau code et connectez le site avec.",
  '{name} was never connected to this head office.': "{name} n'a jamais été connecté à ce siège.",
  'This bundle was made at head office, for {site}. Import it there, and import here the one that the site makes.':
    'Ce fichier a été fait au siège, pour {site}. Importez-le là-bas, et importez ici celui que fait le site.',
  'This head office does not know the site {site} of this bundle. Import it at the head office to which that site is connected.':
    'Ce siège ne connaît pas le site {site} de ce fichier. Importez-le au siège auquel ce site est connecté.',
  '{site} was connected anew since this bundle was made. Make a new bundle at the site: it has everything of this one.':
    '{site} a été connecté de nouveau depuis la création de ce fichier. Faites un nouveau fichier sur le site : il contiendra tout ce que celui-ci contient.',
  '{site} was put back from a backup since this bundle was made, or another computer with a copy of its disk made it. If the site itself made it, import it with --earlier-life (over the API: the header Earlier-Life: take): records and events are taken, live values are not. If a copy made it, stop the copy.':
    "{site} a été restauré d'une sauvegarde depuis la création de ce fichier, ou un autre ordinateur avec une copie de son disque l'a fait. Si le site lui-même l'a fait, importez-le avec --earlier-life (par l'API : l'en-tête Earlier-Life: take) : les éléments et événements sont pris, pas les valeurs en direct. Si une copie l'a fait, arrêtez la copie.",
  'No gateway with this id is enrolled here.': "Aucun gateway avec cet identifiant n'est inscrit ici.",
  'Name the gateway for which the bundle is.': 'Nommez le gateway pour lequel est le fichier.',
  'There is no bundle of this gateway with this id.': "Il n'y a pas de fichier de ce gateway avec cet identifiant.",
  'This bundle is for another site. Make one at head office for {name}.':
    'Ce fichier est pour un autre site. Faites-en un au siège pour {name}.',
  'Head office has revoked this gateway, so it takes no bundle of it. Ask head office for a new code, and connect this site with it.':
    'Le siège a révoqué ce gateway : il ne prend pas ses fichiers. Demandez un nouveau code au siège et connectez ce site avec.',
  'This bundle was made at a site, for head office. Import it at head office, and import here the one that head office makes.':
    'Ce fichier a été fait sur un site, pour le siège. Importez-le au siège, et importez ici celui que fait le siège.',
  'This site was connected to head office anew since this bundle was made. Make a new one at head office.':
    'Ce site a été connecté de nouveau au siège depuis la création de ce fichier. Faites-en un nouveau au siège.',
  'Another computer uses the identity of this gateway, such as a copy of its disk. Stop the other one, or ask head office which of the two counts; until then no bundle is made or taken here.':
    "Un autre ordinateur utilise l'identité de ce gateway, par exemple une copie de son disque. Arrêtez l'autre, ou demandez au siège lequel des deux compte ; d'ici là aucun fichier n'est fait ni pris ici.",
  'Head office has a bundle that this gateway does not know, so this gateway was put back from a backup since. Connect it to head office once over a network: both then find out what is missing.':
    "Le siège a un fichier que ce gateway ne connaît pas : ce gateway a donc été restauré d'une sauvegarde depuis. Connectez-le une fois au siège par un réseau : les deux voient alors ce qui manque.",
  'Changes before those of this bundle are missing here. If the export had several files, import the earlier ones first. Otherwise carry a new bundle to head office, and import the one that it then makes.':
    "Des modifications antérieures à celles de ce fichier manquent ici. Si l'export avait plusieurs fichiers, importez d'abord les précédents. Sinon, portez un nouveau fichier au siège et importez celui qu'il fait alors.",
  'The content of this file is lost: {at} does not have it either.':
    "Le contenu de ce fichier est perdu : {at} ne l'a pas non plus.",
  'The content of this file ({size}, of which {received} are here) is at {at}.':
    'Le contenu de ce fichier ({size}, dont {received} sont ici) est à {at}.',
  'The content of this file ({size}) is at {at}.': 'Le contenu de ce fichier ({size}) est à {at}.',
  'Ask for it, and it is sent first.': 'Demandez-le, et il est envoyé en premier.',
  'There has been no contact for {time}. It comes when there is a connection again.':
    'Pas de contact depuis {time}. Le contenu arrive quand la connexion revient.',
  'Files do not move now:': 'Les fichiers ne sont pas transférés en ce moment :',
  'It comes after more urgent data.': 'Il arrive après des données plus urgentes.',
  'It comes in about {time}.': 'Il arrive dans environ {time}.',
  'Connected.': 'Connecté.',
  'Connected. The bytes of this month for the link are used up: the site sends only alerts, and it calls every {time}.':
    "Connecté. Le volume de données du mois pour la liaison est épuisé : le site n'envoie que les alertes, et appelle toutes les {time}.",
  'Connected. The link costs money by the byte, so it calls every {time}. Alerts come at once.':
    'Connecté. La liaison est facturée au volume : le site appelle toutes les {time}. Les alertes arrivent tout de suite.',
  'Head office takes nothing from this gateway, because an admin revoked it.':
    "Le siège ne prend rien de ce gateway, car un administrateur l'a révoqué.",
  'This site has not sent anything yet.': "Ce site n'a encore rien envoyé.",
  'No connection for {time}. The site works on alone, and head office shows what it knew then.':
    "Pas de connexion depuis {time}. Le site continue seul, et le siège montre ce qu'il savait alors.",
  'At the last contact, {n} change waited at the site.|At the last contact, {n} changes waited at the site.':
    'Au dernier contact, {n} modification attendait sur le site.|Au dernier contact, {n} modifications attendaient sur le site.',
  '{n} change waits here for the site.|{n} changes wait here for the site.':
    '{n} modification attend ici le site.|{n} modifications attendent ici le site.',
  'Head office could not take {n} change of this site.|Head office could not take {n} changes of this site.':
    "Le siège n'a pas pu prendre {n} modification de ce site.|Le siège n'a pas pu prendre {n} modifications de ce site.",
  'Nothing waits.': "Rien n'attend.",
  'No site is connected to this head office yet.': "Aucun site n'est encore connecté à ce siège.",
  'The site is connected.': 'Le site est connecté.',
  'The site has no connection now.': "Le site n'a pas de connexion maintenant.",
  'All {count} sites are connected.': 'Les {count} sites sont connectés.',
  '{n} of {count} sites is connected. The others work on alone.|{n} of {count} sites are connected. The others work on alone.':
    '{n} site sur {count} est connecté. Les autres continuent seuls.|{n} sites sur {count} sont connectés. Les autres continuent seuls.',
  'Several boxes use the identity of this site, such as a computer and a copy of its disk. Head office takes the data of one of them.':
    "Plusieurs boîtiers utilisent l'identité de ce site, par exemple un ordinateur et une copie de son disque. Le siège prend les données de l'un d'eux.",
  'The bytes of this link are counted. A live view uses some of them.':
    'Le volume de données de cette liaison est compté. Une vue en direct en consomme.',
  'Head office has asked the site for live values.': 'Le siège a demandé au site des valeurs en direct.',
  'The site sends live values every 2 s.': 'Le site envoie des valeurs en direct toutes les 2 s.',
  'Live view is not possible: the site has no connection now.':
    "La vue en direct n'est pas possible : le site n'a pas de connexion maintenant.",
  'Live view is not possible: the link of this site costs money by the byte, and the site calls seldom.':
    "La vue en direct n'est pas possible : la liaison de ce site est facturée au volume, et le site appelle rarement.",
  'Live view is not possible: the bytes of this month for the link of this site are used up.':
    "La vue en direct n'est pas possible : le volume de données du mois pour la liaison de ce site est épuisé.",
  'Live view is not possible: the version of this site cannot send live values when it is asked. Update the site.':
    "La vue en direct n'est pas possible : la version de ce site ne peut pas envoyer de valeurs en direct sur demande. Mettez le site à jour.",
  'A fault of this gateway. Its log has the details.': 'Une erreur de ce gateway. Son journal a les détails.',
  'Head office cannot be reached at {url}.': 'Impossible de joindre le siège à {url}.',
  '({code})': '({code})',
  'The name in this address is not known here. Compare the address, and check that this gateway has a network connection.':
    "Le nom dans cette adresse n'est pas connu ici. Comparez l'adresse, et vérifiez que ce gateway a une connexion réseau.",
  'No answer came from this address. Compare the address, and check that a firewall lets this gateway call it.':
    "Aucune réponse de cette adresse. Comparez l'adresse, et vérifiez qu'aucun pare-feu n'empêche ce gateway de l'appeler.",
  'The certificate at this address is not trusted here, so this site sends nothing to it. If head office has a certificate of your own authority, start this gateway with NODE_EXTRA_CA_CERTS=/path/of/ca.pem.':
    "Le certificat de cette adresse n'est pas reconnu ici : ce site ne lui envoie rien. Si le siège a un certificat de votre propre autorité de certification, démarrez ce gateway avec NODE_EXTRA_CA_CERTS=/path/of/ca.pem.",
  'Nothing answers at this address. Compare the address and its port, and check that head office runs.':
    "Rien ne répond à cette adresse. Comparez l'adresse et son port, et vérifiez que le siège fonctionne.",
  'This gateway has no network connection now.': "Ce gateway n'a pas de connexion réseau maintenant.",
  'The connection broke before an answer came. Try again.': 'La connexion a été coupée avant une réponse. Réessayez.',
  'The certificate of head office has expired. The people of head office must renew it.':
    'Le certificat du siège a expiré. Les personnes du siège doivent le renouveler.',
  'The certificate of head office is not valid yet. Check the date and the time of this gateway and of head office.':
    "Le certificat du siège n'est pas encore valable. Vérifiez la date et l'heure de ce gateway et du siège.",
  'The certificate at this address is for another name. Use the name in the certificate, or renew the certificate.':
    'Le certificat de cette adresse est pour un autre nom. Utilisez le nom du certificat, ou renouvelez le certificat.',
  'The other side does not speak TLS at this address. Compare the port: https has another port than http.':
    "L'autre côté ne parle pas TLS à cette adresse. Comparez le port : https a un autre port que http.",
  'The connection failed.': 'La connexion a échoué.',
  '{n} second|{n} seconds': '{n} seconde|{n} secondes',
  '{n} minute|{n} minutes': '{n} minute|{n} minutes',
  '{n} hour|{n} hours': '{n} heure|{n} heures',
  '{n} day|{n} days': '{n} jour|{n} jours',
  '{n} change|{n} changes': '{n} modification|{n} modifications',
  'A new box takes the place of another one. Head office begins to give it the data of the site.':
    "Un nouveau boîtier prend la place d'un autre. Le siège commence à lui donner les données du site.",
  'A new box takes the place of another one. Head office has given back {documents} of about {of} records.':
    "Un nouveau boîtier prend la place d'un autre. Le siège a rendu {documents} éléments sur environ {of}.",
  '{n} change waits to be sent.|{n} changes wait to be sent.':
    "{n} modification attend d'être envoyée.|{n} modifications attendent d'être envoyées.",
  'This site works alone. It is not connected to head office.':
    "Ce site travaille seul. Il n'est pas connecté au siège.",
  'This site connects to head office.': 'Ce site se connecte au siège.',
  'Head office has everything that this site has.': 'Le siège a tout ce que ce site a.',
  'The bytes of this month for the link are used up. Only alerts are sent.':
    'Le volume de données du mois pour la liaison est épuisé. Seules les alertes sont envoyées.',
  'This site and head office compare and exchange data.': 'Ce site et le siège comparent et échangent des données.',
  'This site sends data to head office.': 'Ce site envoie des données au siège.',
  'There is no connection to head office. This site works on and sends later.':
    "Il n'y a pas de connexion avec le siège. Ce site continue et envoie plus tard.",
  'There is no connection to head office for {time}. This site works on and sends later.':
    "Il n'y a pas de connexion avec le siège depuis {time}. Ce site continue et envoie plus tard.",
  'Another computer uses the identity of this gateway, perhaps a copy of its disk. This one works on alone, and head office takes nothing from it. Stop one of the two. An admin of head office can choose which one is the site, by its mark, on the page Sites.':
    "Un autre ordinateur utilise l'identité de ce gateway, peut-être une copie de son disque. Celui-ci continue seul, et le siège ne prend rien de lui. Arrêtez l'un des deux. Un administrateur du siège peut choisir lequel est le site, par son repère, sur la page Sites.",
  'Head office has revoked this gateway, or does not know it any more. This site works on alone. Ask head office for a new code.':
    'Le siège a révoqué ce gateway, ou ne le connaît plus. Ce site continue seul. Demandez un nouveau code au siège.',
  'This site and head office cannot exchange data.': 'Ce site et le siège ne peuvent pas échanger de données.',
  'The content of {n} file is lost: neither end has it.|The content of {n} files is lost: neither end has it.':
    "Le contenu de {n} fichier est perdu : aucun côté ne l'a.|Le contenu de {n} fichiers est perdu : aucun côté ne l'a.",
  '{n} file still waits to be sent.|{n} files still wait to be sent.':
    "{n} fichier attend encore d'être envoyé.|{n} fichiers attendent encore d'être envoyés.",
  'Head office has all records that this site made and holds.':
    'Le siège a tous les éléments que ce site a faits et garde.',
  'Head office has everything that this site made and holds.': 'Le siège a tout ce que ce site a fait et garde.',
  'Head office has everything but what {n} gap record names.|Head office has everything but what {n} gap records name.':
    'Le siège a tout sauf {n} trou noté.|Le siège a tout sauf {n} trous notés.',
  '{n} change still waits at one end, so nothing can be said yet. Compare again later.|{n} changes still wait at one end, so nothing can be said yet. Compare again later.':
    "{n} modification attend encore d'un côté : on ne peut rien dire. Comparez de nouveau plus tard.|{n} modifications attendent encore d'un côté : on ne peut rien dire. Comparez de nouveau plus tard.",
  'Nothing can be said yet.': 'On ne peut encore rien dire.',
  'Something is missing at head office: {missing} documents, {commits} commits that it could not take, and {times} times in which something vanished here without a record.':
    "Quelque chose manque au siège : {missing} documents, {commits} modifications qu'il n'a pas pu prendre, et {times} périodes où quelque chose a disparu ici sans trace.",
  'Something else than head office answers at this address (HTTP {status}), for example a proxy or the sign-in page of a network.':
    "Autre chose que le siège répond à cette adresse (HTTP {status}), par exemple un proxy ou la page de connexion d'un réseau.",
  'Something else than head office answers at this address.': 'Autre chose que le siège répond à cette adresse.',
  'Head office does not know this gateway any more, or has revoked it.':
    "Le siège ne connaît plus ce gateway, ou l'a révoqué.",
  'The disk of this gateway has no room for the next file.':
    "Le disque de ce gateway n'a pas de place pour le fichier suivant.",
  'The disk of head office has no room for the next file.':
    "Le disque du siège n'a pas de place pour le fichier suivant.",
  'A file of head office does not have its SHA-256. It is read again.':
    "Un fichier du siège n'a pas son SHA-256. Il est relu.",
  'This site is not connected to head office. Connect it once with a code.':
    "Ce site n'est pas connecté au siège. Connectez-le une fois avec un code.",
  'This site is not connected to head office.': "Ce site n'est pas connecté au siège.",
  'The bytes that are left of this month for the link are too few for it, so it waits for the next month.':
    'Le volume de données restant de ce mois pour la liaison ne suffit pas : il attend le mois prochain.',
  'Files are sent only in the hours that were chosen for them.': "Les fichiers ne sont envoyés qu'aux heures choisies.",
  'The link costs money, so large files wait until somebody asks for them.':
    "La liaison est payante : les gros fichiers attendent que quelqu'un les demande.",
  'This file is here.': 'Ce fichier est ici.',
  'The content of this file is not here, and this site is not connected to head office.':
    "Le contenu de ce fichier n'est pas ici, et ce site n'est pas connecté au siège.",
  'Find the other computer with a copy of this disk, and stop one of the two. If head office takes the data of the wrong one, choose this one there, on the page Sites.':
    "Trouvez l'autre ordinateur avec une copie de ce disque, et arrêtez l'un des deux. Si le siège prend les données du mauvais, choisissez celui-ci là-bas, sur la page Sites.",
  'Ask head office for a new code, and connect this site with it.':
    'Demandez un nouveau code au siège, et connectez ce site avec.',
  'Read the message. If one of the two ends has an older version, update it.':
    "Lisez le message. Si l'un des deux côtés a une version plus ancienne, mettez-le à jour.",
  'Stop this box. If it is the right one, ask head office for a code that replaces the box of this site.':
    "Arrêtez ce boîtier. Si c'est le bon, demandez au siège un code qui remplace le boîtier de ce site.",
  'Head office takes nothing from this box, and what it records is only here. Stop it. To use its computer for another site, install Headframe anew with an empty data folder. If this box is the right one after all, ask head office for a code that replaces the box of this site, and connect this box with it.':
    "Le siège ne prend rien de ce boîtier, et ce qu'il enregistre n'est qu'ici. Arrêtez-le. Pour utiliser son ordinateur sur un autre site, réinstallez Headframe avec un dossier de données vide. Si ce boîtier est quand même le bon, demandez au siège un code qui remplace le boîtier de ce site, et connectez ce boîtier avec.",
  'Head office could not take changes of {count} record and has no room to keep them. It noted the names, and this site keeps the records. Update head office and start it again: it then gets them by itself.|Head office could not take changes of {count} records and has no room to keep them. It noted the names, and this site keeps the records. Update head office and start it again: it then gets them by itself.':
    "Le siège n'a pas pu prendre les modifications de {count} élément et n'a pas de place pour les garder. Il a noté les noms, et ce site garde les éléments. Mettez le siège à jour et redémarrez-le : il les reçoit alors tout seul.|Le siège n'a pas pu prendre les modifications de {count} éléments et n'a pas de place pour les garder. Il a noté les noms, et ce site garde les éléments. Mettez le siège à jour et redémarrez-le : il les reçoit alors tout seul.",
  'Head office could not take changes of {count} record and has no room to keep them. It noted the names, and the site keeps the records. Update head office and start it again: it then gets them by itself.|Head office could not take changes of {count} records and has no room to keep them. It noted the names, and the site keeps the records. Update head office and start it again: it then gets them by itself.':
    "Le siège n'a pas pu prendre les modifications de {count} élément et n'a pas de place pour les garder. Il a noté les noms, et le site garde les éléments. Mettez le siège à jour et redémarrez-le : il les reçoit alors tout seul.|Le siège n'a pas pu prendre les modifications de {count} éléments et n'a pas de place pour les garder. Il a noté les noms, et le site garde les éléments. Mettez le siège à jour et redémarrez-le : il les reçoit alors tout seul.",
  'This site could not take changes of {count} record and has no room to keep them. It noted the names, and head office keeps the records. Update this site and start it again: it then gets them by itself.|This site could not take changes of {count} records and has no room to keep them. It noted the names, and head office keeps the records. Update this site and start it again: it then gets them by itself.':
    "Ce site n'a pas pu prendre les modifications de {count} élément et n'a pas de place pour les garder. Il a noté les noms, et le siège garde les éléments. Mettez ce site à jour et redémarrez-le : il les reçoit alors tout seul.|Ce site n'a pas pu prendre les modifications de {count} éléments et n'a pas de place pour les garder. Il a noté les noms, et le siège garde les éléments. Mettez ce site à jour et redémarrez-le : il les reçoit alors tout seul.",
};
