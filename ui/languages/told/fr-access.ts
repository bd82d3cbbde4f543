/** Texts of the gateway in French: refusals about signing in, people, keys, tablets and head office. `docs/languages.md` has the glossary. */
import type { AccessTold } from './es-access.ts';

export const ACCESS_FR: Readonly<Record<AccessTold, string>> = {
  'The code is wrong or has expired. Print a new one on the gateway with `headframe claim-code`.':
    'Le code est faux ou a expiré. Affichez-en un nouveau sur le gateway avec `headframe claim-code`.',
  'This gateway already has an owner. Ask the owner for a key.':
    'Ce gateway a déjà un propriétaire. Demandez-lui une clé.',
  'There is no scope with the name {unknown}.': "Il n'y a pas de portée nommée {unknown}.",
  'Your key does not have the scope {wider}, so it cannot create a key with that scope.':
    "Votre clé n'a pas la portée {wider} : elle ne peut pas créer une clé avec cette portée.",
  'Your key is not valid for clients at {elsewhere}, so it cannot create a key for them.':
    "Votre clé n'est pas valable pour les clients à {elsewhere} : elle ne peut pas créer de clé pour eux.",
  'The project {missing} does not exist, or this key has no access to it.':
    "Le projet {missing} n'existe pas, ou cette clé n'y a pas accès.",
  'There is no such workspace key.': "Cette clé n'existe pas.",
  'Only an owner can create owner keys.': 'Seul un propriétaire peut créer des clés de propriétaire.',
  'An owner key cannot be restricted; leave out scopes and addresses.':
    'Une clé de propriétaire ne peut pas être restreinte ; retirez les portées et les adresses.',
  'This key is no longer valid; create a new one.': "Cette clé n'est plus valable ; créez-en une nouvelle.",
  'Only an owner can roll an owner key.': 'Seul un propriétaire peut renouveler une clé de propriétaire.',
  'This key has more access than your key, so you cannot roll it.':
    "Cette clé a plus d'accès que la vôtre : vous ne pouvez pas la renouveler.",
  'Only an owner can revoke an owner key.': 'Seul un propriétaire peut révoquer une clé de propriétaire.',
  'This is the last owner; create another owner first.':
    "C'est le dernier propriétaire ; créez d'abord un autre propriétaire.",
  'You use the gateway without TLS. First open https://{host}:{tls_port} and repeat this there. So you know that you can get in with TLS.':
    "Vous utilisez le gateway sans TLS. Ouvrez d'abord https://{host}:{tls_port} et recommencez là. Vous savez ainsi que vous pouvez entrer avec TLS.",
  'This key is restricted to some projects. The listeners belong to the whole gateway, so use a key for all projects.':
    'Cette clé est restreinte à certains projets. Les services appartiennent à tout le gateway ; utilisez une clé pour tous les projets.',
  'This gateway does not run this listener.': "Ce gateway n'a pas ce service.",
  'This listener has no port with TLS, so nobody could use it.':
    "Ce service n'a pas de port avec TLS : personne ne pourrait l'utiliser.",
  'The TLS certificate of the gateway is not valid now, so clients would refuse it. See the page Health.':
    "Le certificat TLS du gateway n'est pas valable maintenant : les clients le refuseraient. Voir la page État du système.",
  'The user {name} may not sign in.': "L'utilisateur {name} ne peut pas se connecter.",
  'The code for local sign-in is unknown, used or expired. Sign in with your name and your passphrase.':
    'Le code de connexion locale est inconnu, utilisé ou expiré. Connectez-vous avec votre nom et votre mot de passe.',
  'A user or key can have at most {most} tokens; revoke one first.':
    "Un utilisateur ou une clé peut avoir au plus {most} jetons ; révoquez-en d'abord un.",
  'Only a user or a workspace key can issue personal tokens.':
    'Seul un utilisateur ou une clé peut émettre des jetons personnels.',
  'You signed in with a PIN on a shared tablet. To issue a token, sign in with your passphrase on another device.':
    'Vous êtes connecté avec un PIN sur une tablette partagée. Pour émettre un jeton, connectez-vous avec votre mot de passe sur un autre appareil.',
  'Your key is not allowed to read transcripts, so it cannot issue a token for that.':
    'Votre clé ne peut pas lire les transcriptions : elle ne peut pas émettre un jeton pour cela.',
  'Only owners and admins can list the tokens of another key.':
    "Seuls les propriétaires et les administrateurs peuvent voir les jetons d'une autre clé.",
  'The PIN {pin} is easy to guess: it is {why}. Choose another PIN.':
    "Le PIN {pin} est facile à deviner : c'est {why}. Choisissez un autre PIN.",
  '{name} has the role {role}. Owners and admins sign in with a passphrase, because a PIN of 6 digits is too short for their rights. For work on a shared tablet, create a second user with another role.':
    '{name} a le rôle {role}. Les propriétaires et les administrateurs se connectent avec un mot de passe, car un PIN de 6 chiffres est trop court pour leurs droits. Pour travailler sur une tablette partagée, créez un second utilisateur avec un autre rôle.',
  'The project does not exist, or this credential has no access to it.':
    "Le projet n'existe pas, ou cet identifiant n'y a pas accès.",
  'This key is restricted to some projects and cannot create one.':
    'Cette clé est restreinte à certains projets et ne peut pas en créer.',
  'This invitation is used, replaced or expired. Ask an admin for a new one.':
    'Cette invitation est utilisée, remplacée ou expirée. Demandez-en une nouvelle à un administrateur.',
  'The name or the passphrase is wrong, or the user may not sign in. If you forgot it, ask an admin for an invitation.':
    "Le nom ou le mot de passe est faux, ou l'utilisateur ne peut pas se connecter. Si vous l'avez oublié, demandez une invitation à un administrateur.",
  'Only owners and admins can list the sessions of another user.':
    "Seuls les propriétaires et les administrateurs peuvent voir les sessions d'un autre utilisateur.",
  'Another user who is not an owner has this name. Use another name.':
    "Un autre utilisateur, qui n'est pas propriétaire, porte ce nom. Prenez un autre nom.",
  'A setup of this project runs. Wait until it ends, or cancel it.':
    "Une mise en place de ce projet est en cours. Attendez qu'elle finisse, ou annulez-la.",
  'Somebody has decided this, or changed the field, in the meantime. Look at it again.':
    "Quelqu'un a déjà décidé, ou modifié le champ, entre-temps. Regardez de nouveau.",
  'This key is restricted to some projects. A bundle has all projects of a site, so use a key for all projects.':
    "Cette clé est restreinte à certains projets. Un fichier contient tous les projets d'un site ; utilisez une clé pour tous les projets.",
  'There is no bundle with this id.': "Il n'y a pas de fichier avec cet identifiant.",
  'Head office has at most {most_gateways} enrolments.': 'Le siège a au plus {most_gateways} inscriptions.',
  'This key is restricted to some projects. A gateway brings projects of its own, so use a key for all projects.':
    'Cette clé est restreinte à certains projets. Un gateway apporte ses propres projets ; utilisez une clé pour tous les projets.',
  'No box of this gateway has this mark now. A box that is fenced takes a new mark: read sync_status again.':
    "Aucun boîtier de ce gateway n'a ce repère maintenant. Un boîtier isolé prend un nouveau repère : ouvrez de nouveau la page.",
  'This gateway is not enrolled at this head office any more.': "Ce gateway n'est plus inscrit à ce siège.",
  'No gateway with this id was ever connected.': "Aucun gateway avec cet identifiant n'a jamais été connecté.",
  'Head office cannot enrol itself.': "Le siège ne peut pas s'inscrire lui-même.",
  'Head office does not know this code. Compare it with the code on the page of head office.':
    'Le siège ne connaît pas ce code. Comparez-le avec le code sur la page du siège.',
  'This code has expired. Ask head office for a new one.': 'Ce code a expiré. Demandez-en un nouveau au siège.',
  'This code was used already, and a code is valid once. Ask head office for a new one.':
    'Ce code a déjà servi, et un code vaut une fois. Demandez-en un nouveau au siège.',
  'Head office has withdrawn this code. Ask head office for a new one.':
    'Le siège a retiré ce code. Demandez-en un nouveau au siège.',
  'This code is for a new box that takes the place of another one, and this box has a project of its own. Install Headframe on the new box with an empty data folder, and enter the code before you create a site. The code was not used up.':
    "Ce code est pour un nouveau boîtier qui prend la place d'un autre, et ce boîtier a son propre projet. Installez Headframe sur le nouveau boîtier avec un dossier de données vide, et saisissez le code avant de créer un site. Le code n'est pas consommé.",
  'This key is restricted to some projects. The link to head office belongs to the whole gateway, so use a key for all projects.':
    'Cette clé est restreinte à certains projets. La liaison avec le siège appartient à tout le gateway ; utilisez une clé pour tous les projets.',
  'The site does not exist, or this credential has no access to it.':
    "Le site n'existe pas, ou cet identifiant n'y a pas accès.",
  'The limits can be lifted for at most 31 days.': 'Les limites peuvent être levées pour 31 jours au plus.',
  '{name} has no PIN yet. Ask an admin for a one-time PIN, or set a PIN on the page My account.':
    "{name} n'a pas encore de PIN. Demandez un PIN à usage unique à un administrateur, ou définissez un PIN sur la page Mon compte.",
  '{name} has no valid PIN: the one-time PIN has expired. Ask an admin for a one-time PIN, or set a PIN on the page My account.':
    "{name} n'a pas de PIN valable : le PIN à usage unique a expiré. Demandez un PIN à usage unique à un administrateur, ou définissez un PIN sur la page Mon compte.",
  'Only an enrolled tablet may call this operation.': 'Seule une tablette inscrite peut faire cela.',
  'This link is used, replaced or expired. Ask an admin for a new one on the page Tablets.':
    'Ce lien est utilisé, remplacé ou expiré. Demandez-en un nouveau à un administrateur sur la page Tablettes.',
  'Change your PIN on the page My account.': 'Changez votre PIN sur la page Mon compte.',
  'Choose your own PIN of 6 digits.': 'Choisissez votre propre PIN de 6 chiffres.',
  'There is no user {id} with access to this project.': "Il n'y a pas d'utilisateur {id} ayant accès à ce projet.",
  'A gateway can have at most {most_tablets} tablets.': 'Un gateway peut avoir au plus {most_tablets} tablettes.',
  'A site can have at most {most_displays} paired screens. Unpair one that is not used any more.':
    'Un site peut avoir au plus {most_displays} écrans appairés. Désappairez-en un qui ne sert plus.',
  'Name at least one role or one user who may use the tablet.':
    'Nommez au moins un rôle ou un utilisateur qui peut utiliser la tablette.',
  'The passphrase is wrong.': 'Le mot de passe est faux.',
  'You have no PIN.': "Vous n'avez pas de PIN.",
  'Only the user can do this. For another user reset the PIN.':
    "Seul l'utilisateur peut faire cela. Pour un autre utilisateur, réinitialisez le PIN.",
  'This user is disabled; enable the user first.': "Cet utilisateur est désactivé ; activez-le d'abord.",
  'The project {missing} does not exist, or you have no access to it.':
    "Le projet {missing} n'existe pas, ou vous n'y avez pas accès.",
  'A gateway can have at most {most_users} users.': 'Un gateway peut avoir au plus {most_users} utilisateurs.',
  'This passphrase is easy to guess. Choose three or more words that do not belong together.':
    'Ce mot de passe est facile à deviner. Choisissez trois mots ou plus qui ne vont pas ensemble.',
  'Only an owner can create or change an owner.': 'Seul un propriétaire peut créer ou modifier un propriétaire.',
  'There is no such person.': "Cette personne n'existe pas.",
  'There is no such user.': "Cet utilisateur n'existe pas.",
  'This is the last owner; make another owner first.':
    "C'est le dernier propriétaire ; désignez d'abord un autre propriétaire.",
  'Only the user can do this. For another user make an invitation.':
    "Seul l'utilisateur peut faire cela. Pour un autre utilisateur, faites une invitation.",
  'The current passphrase is wrong.': 'Le mot de passe actuel est faux.',
  'Only a person who is signed in gets a pass.': 'Seule une personne connectée reçoit un laissez-passer.',
  'Too many people sign in at the moment. Try again in some seconds.':
    'Trop de personnes se connectent en ce moment. Réessayez dans quelques secondes.',
  'a minute': 'une minute',
  'Too many wrong PINs of {name} on this tablet. Wait {wait}, use another tablet, or ask an admin to reset the PIN.':
    'Trop de PIN faux de {name} sur cette tablette. Attendez {wait}, prenez une autre tablette, ou demandez à un administrateur de réinitialiser le PIN.',
  'Too many wrong PINs of {name} today, on all tablets together. Wait {wait}, or ask an admin to reset the PIN.':
    "Trop de PIN faux de {name} aujourd'hui, sur toutes les tablettes ensemble. Attendez {wait}, ou demandez à un administrateur de réinitialiser le PIN.",
  'The PIN of {name} is blocked after too many wrong tries. Ask an admin to reset the PIN, or sign in with the passphrase and set a new PIN.':
    "Le PIN de {name} est bloqué après trop d'essais. Demandez à un administrateur de réinitialiser le PIN, ou connectez-vous avec le mot de passe et définissez un nouveau PIN.",
  '{n} more try before a wait.|{n} more tries before a wait.':
    'Encore {n} essai avant une attente.|Encore {n} essais avant une attente.',
  'This PIN is wrong.': 'Ce PIN est faux.',
  'The gateway has a new key file, so the PIN of {name} is no longer valid. Ask an admin to reset the PIN.':
    "Le gateway a un nouveau fichier de clé : le PIN de {name} n'est plus valable. Demandez à un administrateur de réinitialiser le PIN.",
  'Another PIN of {name} is checked at the moment. Try again.':
    'Un autre PIN de {name} est vérifié en ce moment. Réessayez.',
  'Another box has taken the place of this one at head office, at {revoked_at}, with a code for this site.':
    'Un autre boîtier a pris la place de celui-ci au siège, le {revoked_at}, avec un code pour ce site.',
  'This key may not be used from this address.': 'Cette clé ne peut pas être utilisée depuis cette adresse.',
  'Nobody owns this gateway yet. Open its address in a browser and enter the claim code that it printed, or run `headframe claim-code`.':
    "Ce gateway n'a pas encore de propriétaire. Ouvrez son adresse dans un navigateur et saisissez le code qu'il a affiché, ou lancez `headframe claim-code`.",
  'This key or session is unknown, revoked or expired.': 'Cette clé ou session est inconnue, révoquée ou expirée.',
  'An admin revoked the tablet {name}. To use it again, ask an admin to enrol it with a new QR code.':
    "Un administrateur a révoqué la tablette {name}. Pour la réutiliser, demandez à un administrateur de l'inscrire avec un nouveau code QR.",
  'This gateway accepts requests from other computers only with TLS. Use {base}, and replace a key that you sent without TLS.':
    "Ce gateway n'accepte les requêtes d'autres ordinateurs qu'avec TLS. Utilisez {base}, et remplacez une clé que vous avez envoyée sans TLS.",
  'The role {role} may not call this operation. Allowed roles: {roles}.':
    'Le rôle {role} ne peut pas faire cela. Rôles qui le peuvent : {roles}.',
  'This key does not have the scope {scope}.': "Cette clé n'a pas la portée {scope}.",
  '{name} may not write here any more. Ask an admin.': '{name} ne peut plus écrire ici. Demandez à un administrateur.',
  'The access of {name} has ended. Ask an admin.': "L'accès de {name} est terminé. Demandez à un administrateur.",
  '{name} wrote this. It is sent when {name} signs in here.':
    "{name} a écrit cela. C'est envoyé quand {name} se connecte ici.",
  '{name} may not use this tablet any more. Ask an admin.':
    '{name} ne peut plus utiliser cette tablette. Demandez à un administrateur.',
  'This was written more than {writing_pass} days ago. The gateway can no longer tell whether it has it already.':
    "Cela a été écrit il y a plus de {writing_pass} jours. Le gateway ne peut plus savoir s'il l'a déjà.",
  'The gateway does not have this write. If it is still right, sign in, open "Outbox" and write it again.':
    "Le gateway n'a pas cette modification. Si elle est encore juste, connectez-vous, ouvrez « Boîte d'envoi » et écrivez-la de nouveau.",
  'After this was written, the PIN or passphrase of {name} was changed, or a session was ended.':
    'Après cette saisie, le PIN ou le mot de passe de {name} a été changé, ou une session a été terminée.',
  'After this was written, the tablet was removed or enrolled again.':
    'Après cette saisie, la tablette a été retirée ou inscrite de nouveau.',
  'This gateway did not make the pass of this write, or it has a new key since then.':
    "Ce gateway n'a pas fait le laissez-passer de cette modification, ou il a une nouvelle clé depuis.",
  'Another key wrote this.': 'Une autre clé a écrit cela.',
  'The person who wrote this may not write here any more. Ask an admin.':
    'La personne qui a écrit cela ne peut plus écrire ici. Demandez à un administrateur.',
  'Too many wrong passphrases. Wait {wait_s} s, then try again. If you do not know the passphrase, ask an admin for an invitation.':
    'Trop de mots de passe faux. Attendez {wait_s} s, puis réessayez. Si vous ne connaissez pas le mot de passe, demandez une invitation à un administrateur.',
  'Your key has only some scopes, so it cannot create a key with all of them.':
    "Votre clé n'a que certaines portées : elle ne peut pas créer une clé avec toutes.",
  'one repeated digit': 'un seul chiffre répété',
  'a rising sequence': 'une suite croissante',
  'a falling sequence': 'une suite décroissante',
  'a repeated group of digits': 'un groupe de chiffres répété',
  'the same forwards and backwards': 'le même dans les deux sens',
  'pairs or triples of digits': 'des paires ou triplets de chiffres',
  'only two different digits': 'seulement deux chiffres différents',
  'one of the most common PINs': 'un des PIN les plus courants',
  owner: 'propriétaire',
  admin: 'administrateur',
  supervisor: 'chef',
  viewer: 'lecteur',
  agent: 'agent',
  'The gateway at this address does not answer.': 'Le gateway à cette adresse ne répond pas.',
  'The server at this address is not a Headframe gateway (status {status}).':
    "Le serveur à cette adresse n'est pas un gateway Headframe (statut {status}).",
};
