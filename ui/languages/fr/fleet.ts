/** The texts of the pages of head office about its sites, and of conflicts, in French. `docs/languages.md` has the glossary. */
import type { FleetText } from '#ui/languages/es/fleet.ts';

export const FLEET_FR: Readonly<Record<FleetText, string>> = {
  'head office': 'siège',
  'this site': 'ce site',
  'a site': 'un site',
  '3 days': '3 jours',
  '1 month, for a box that travels': '1 mois, pour un boîtier qui voyage',
  'Last heard': 'Dernier contact',
  'Health then': 'État alors',
  Waits: 'Attend',
  'Connect {name}': 'Connecter {name}',
  'Replace the box of {name}': 'Remplacer le boîtier de {name}',
  '{name} is connected. Its machines and boards appear here as they arrive.':
    "{name} est connecté. Ses engins et ses tableaux apparaissent ici à mesure qu'ils arrivent.",
  'The new box has the place of the old one, which head office refuses from now on. It gets the data of {name} back. Its page {page} says how far it is, and what did not come back.':
    "Le nouveau boîtier a la place de l'ancien, que le siège refuse désormais. Il récupère les données de {name}. Sa page {page} dit où il en est, et ce qui n'est pas revenu.",
  'At the site, sign in as owner or admin and open the page {page}.':
    'Sur le site, connectez-vous comme propriétaire ou administrateur et ouvrez la page {page}.',
  'Start Headframe on the new box with an empty data folder, and claim it. Where it asks to create a site, select {link}.':
    'Démarrez Headframe sur le nouveau boîtier avec un dossier de données vide, et prenez-en possession. Là où il demande de créer un site, choisissez {link}.',
  'Type the address of this head office.': "Tapez l'adresse de ce siège.",
  'Type the code. It is valid once, until {time}, and shown only now.':
    "Tapez le code. Il sert une seule fois, jusqu'au {time}, et n'est montré que maintenant.",
  'You opened this page without https. A site takes such an address only within its own network. For sites elsewhere, give head office a name and a certificate, and open this page there.':
    "Vous avez ouvert cette page sans https. Un site n'accepte une telle adresse que dans son propre réseau. Pour les sites ailleurs, donnez au siège un nom et un certificat, et ouvrez-y cette page.",
  'This page waits for the site and says when it is connected.':
    'Cette page attend le site et dit quand il est connecté.',
  'Add a site': 'Ajouter un site',
  'Make a code': 'Créer un code',
  'Name of the site': 'Nom du site',
  'Such as Quarry North.': 'Par exemple Carrière Nord.',
  'The code is valid for': 'Le code est valable',
  'Not used yet': 'Pas encore utilisé',
  'Codes that wait': 'Codes en attente',
  'for a box that replaces the one of this site': 'pour un boîtier qui remplace celui de ce site',
  'valid until {time}': "valable jusqu'au {time}",
  Withdraw: 'Retirer le code',
  'the code for {name}': 'pour {name}',
  'No problem': 'Aucun problème',
  '{n} problem|{n} problems': '{n} problème|{n} problèmes',
  '{count} at the site': '{count} sur le site',
  'at least 1,000 here': 'au moins 1 000 ici',
  '{files} to move at the last contact.': '{files} à transférer au dernier contact.',
  'of {name}': 'de {name}',
  'Revoke {name} now': 'Révoquer {name} maintenant',
  'Open {name}': 'Ouvrir {name}',
  'No site is connected yet': "Aucun site n'est encore connecté",
  'Make a code for the first site below, and type it at the site.':
    'Créez ci-dessous un code pour le premier site, et tapez-le sur le site.',
  'An owner or admin of head office connects the sites.':
    'Un propriétaire ou un administrateur du siège connecte les sites.',
  codes: 'codes',
  'Head office has no way to a machine: keys, configuration, firmware, bus requests and arming are only at the site itself, so a stranger in head office can move nothing.':
    "Le siège n'a aucun accès aux engins : clés, configuration, firmware, requêtes au bus et armement ne sont que sur le site lui-même, donc un intrus au siège ne peut rien déplacer.",
  'Keep the box {mark}': 'Garder le boîtier {mark}',
  'Keep the box {mark}?': 'Garder le boîtier {mark} ?',
  'This box ({host}) becomes the site {site} when it calls next, mostly within a minute. It sends what it recorded alone: {changes} at its last contact.':
    "Ce boîtier ({host}) devient le site {site} à son prochain appel, le plus souvent en une minute. Il envoie ce qu'il a enregistré seul : {changes} à son dernier contact.",
  'Every other box with this identity is fenced: it works on alone, and head office takes nothing from it. What it has not sent stays on its disk.':
    "Tout autre boîtier avec cette identité est isolé : il continue seul, et le siège n'accepte rien de lui. Ce qu'il n'a pas envoyé reste sur son disque.",
  'To get what the other box has not sent, keep the other box on this page until it is in step, and then keep this one again. Do not delete the data folder of a box before.':
    "Pour obtenir ce que l'autre boîtier n'a pas envoyé, gardez l'autre boîtier sur cette page jusqu'à ce qu'il soit à jour, puis gardez de nouveau celui-ci. Ne supprimez pas avant le dossier de données d'un boîtier.",
  'Keep this one': 'Garder celui-ci',
  Mark: 'Repère',
  'Host name': "Nom d'hôte",
  'One of its addresses': 'Une de ses adresses',
  'Newest data, by its clock': 'Données les plus récentes, selon son horloge',
  'Not sent': 'Pas envoyé',
  'Fenced, by its clock': 'Isolé, selon son horloge',
  'Box {mark} is fenced': 'Le boîtier {mark} est isolé',
  'Box {mark} is the site': 'Le boîtier {mark} est le site',
  'It was chosen. It becomes the site when it calls next.': 'Il a été choisi. Il devient le site à son prochain appel.',
  'with the mark {mark}': 'avec le repère {mark}',
  'Boxes of {name}': 'Boîtiers de {name}',
  'Several boxes use the identity of {name}': "Plusieurs boîtiers utilisent l'identité de {name}",
  'They have one identity, such as a computer and a copy of its disk. Head office takes the data of one of them; the others are fenced and work on alone. Each box shows its mark on its page {page}. Stop the box that is too many.':
    "Ils ont une même identité, comme un ordinateur et une copie de son disque. Le siège prend les données de l'un d'eux ; les autres sont isolés et continuent seuls. Chaque boîtier montre son repère sur sa page {page}. Arrêtez le boîtier en trop.",
  'Each of these boxes is fenced in some of its projects. Keep one of them.':
    'Chacun de ces boîtiers est isolé dans une partie de ses projets. Gardez-en un.',
  'The box that is the site now has not told its mark. It may have an earlier version.':
    "Le boîtier qui est le site maintenant n'a pas communiqué son repère. Il a peut-être une version antérieure.",
  'Two people gave different values while there was no connection. The first one is shown now.':
    "Deux personnes ont donné des valeurs différentes pendant qu'il n'y avait pas de connexion. La première est montrée maintenant.",
  'One person deleted it, and another one edited it without knowing. It stays until you decide.':
    "Une personne l'a supprimé, et une autre l'a modifié sans le savoir. Il reste jusqu'à votre décision.",
  'While there was no connection, people at two ends made records that contradict each other. Choose what to change.':
    "Pendant qu'il n'y avait pas de connexion, des personnes des deux côtés ont créé des fiches qui se contredisent. Choisissez ce qu'il faut changer.",
  'This move was made while there was no connection, and did not fit any more. It had no effect.':
    "Cette étape a été faite pendant qu'il n'y avait pas de connexion, et n'était plus possible. Elle n'a pas eu d'effet.",
  'As it is now': "Tel que c'est maintenant",
  '{who}, at {place}': '{who}, lieu : {place}',
  'Shown now': 'Montré maintenant',
  'Use this': 'Utiliser celui-ci',
  'Do this': 'Faire ceci',
  '{who} at {place} chose {value}, {time}.': '{who} ({place}) a choisi {value}, {time}.',
  '{who} at {place} went back to {value}, {time}.': '{who} ({place}) est revenu à {value}, {time}.',
  'Not chosen: {values}': 'Pas choisi : {values}',
  'This choice was undone.': 'Ce choix a été annulé.',
  'Undo this choice': 'Annuler ce choix',
  'the choice of {value} for {name}': 'le choix de {value} pour {name}',
  'Nothing to decide': 'Rien à décider',
  'If people at the site and at head office give different values to one field while there is no connection, both values are kept, and this page asks which one counts.':
    "Si des personnes sur le site et au siège donnent des valeurs différentes à un champ pendant qu'il n'y a pas de connexion, les deux valeurs sont gardées, et cette page demande laquelle compte.",
  Decided: 'Décidé',
  Ran: 'Était en marche',
  Idled: 'Était au ralenti',
  'Was off': "Était à l'arrêt",
  'Made at head office': 'Créé au siège',
  '{n} more.': '{n} de plus.',
  'Data {age} old': "Données d'il y a {age}",
  'Unit number or name': 'Numéro ou nom',
  'In trouble': 'En difficulté',
  'No machine of this list is in trouble, as its site was last heard.':
    "Aucun engin de cette liste n'est en difficulté, selon le dernier contact avec son site.",
  'This page shows the {n} most urgent machines. More are in trouble.':
    "Cette page montre les {n} engins les plus urgents. D'autres sont en difficulté.",
  '{n} site has more than 1,000 active alerts or open repairs. Only the newest 1,000 count in this list, so machines of this site may be missing.|{n} sites have more than 1,000 active alerts or open repairs. Only the newest 1,000 count in this list, so machines of these sites may be missing.':
    '{n} site a plus de 1 000 alertes actives ou réparations ouvertes. Seules les 1 000 plus récentes comptent dans cette liste, donc des engins de ce site peuvent manquer.|{n} sites ont plus de 1 000 alertes actives ou réparations ouvertes. Seules les 1 000 plus récentes comptent dans cette liste, donc des engins de ces sites peuvent manquer.',
  'No machines': "Pas d'engins",
  'No site has brought a machine yet.': "Aucun site n'a encore apporté d'engin.",
  'No unit number and no name has "{text}" in it.': 'Aucun numéro ni nom ne contient « {text} ».',
  'Show more machines': "Montrer plus d'engins",
  'Show more repairs': 'Montrer plus de réparations',
  'Show more alerts': "Montrer plus d'alertes",
  'Not known here yet': 'Pas encore connu ici',
  'Nobody is assigned': 'Attribué à personne',
  '{n} assigned': 'Attribués : {n}',
  'Overdue since {time}': 'En retard depuis {time}',
  'Due {time}': 'Échéance {time}',
  'Head office knows of no open repair ticket.': 'Le siège ne connaît aucun ticket de réparation ouvert.',
  'Its data was old when it arrived': "Ses données étaient vieilles à l'arrivée",
  'By nobody': 'Par personne',
  'Acknowledged {time}': 'Acquittée {time}',
  'Head office knows of no active alert.': 'Le siège ne connaît aucune alerte active.',
};
