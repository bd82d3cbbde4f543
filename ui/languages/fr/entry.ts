/** The texts of the sign-in, the shared tablet and the own account, in French. `docs/languages.md` has the glossary. */
import type { EntryText } from '#ui/languages/es/entry.ts';

export const ENTRY_FR: Readonly<Record<EntryText, string>> = {
  'Change the passphrase': 'Changer le mot de passe',
  Save: 'Enregistrer',
  'The two new passphrases differ. Type them again.':
    'Les deux nouveaux mots de passe sont différents. Saisissez-les à nouveau.',
  'Current passphrase': 'Mot de passe actuel',
  'New passphrase': 'Nouveau mot de passe',
  'New passphrase again': 'Confirmer le nouveau mot de passe',
  'Saved. Your other browsers are signed out.': 'Enregistré. Vos autres navigateurs sont déconnectés.',
  'PIN for shared tablets': 'Code PIN pour tablettes partagées',
  'Owners and admins sign in with their passphrase only. A PIN of 6 digits is too short for their rights.':
    'Les propriétaires et administrateurs se connectent seulement avec leur mot de passe. Un code à 6 chiffres est trop court pour leurs droits.',
  'Change the PIN for shared tablets': 'Changer le code PIN pour tablettes partagées',
  'Set a PIN for shared tablets': 'Définir un code PIN pour tablettes partagées',
  'Save the PIN': 'Enregistrer le code PIN',
  'The two new PINs differ. Type them again.': 'Les deux nouveaux codes PIN sont différents. Saisissez-les à nouveau.',
  'Current PIN': 'Code PIN actuel',
  'Your passphrase': 'Votre mot de passe',
  'New PIN': 'Nouveau code PIN',
  '6 digits that are not easy to guess, such as no sequence and no repeated digits.':
    '6 chiffres difficiles à deviner, sans suite ni chiffres répétés.',
  'New PIN again': 'Confirmer le nouveau code PIN',
  'Saved. You can sign in with this PIN on each shared tablet that lists you.':
    'Enregistré. Vous pouvez vous connecter avec ce code sur chaque tablette partagée qui vous connaît.',
  'You signed in with a key. On the page {a} an owner or admin creates an account for you.':
    'Vous êtes connecté avec une clé. Sur la page {a}, un propriétaire ou administrateur vous crée un compte.',
  'Where you are signed in': 'Où vous êtes connecté',
  Nobody: 'Personne',
  '{name}, operator': '{name}, conducteur',
  '{name}, mechanic': '{name}, mécanicien',
  'A record of another site': "Une fiche d'un autre site",
  'Operator or mechanic': 'Conducteur ou mécanicien',
  'Not signed in anywhere.': 'Connecté nulle part.',
  '{where}, used {time}, ends {end}': '{where}, utilisé {time}, se termine {end}',
  '{where} (shared tablet), used {time}, ends {end}': '{where} (tablette partagée), utilisé {time}, se termine {end}',
  'This browser': 'Ce navigateur',
  End: 'Terminer',
  'Keep me signed in on this device': 'Rester connecté sur cet appareil',
  Passphrase: 'Mot de passe',
  'At least 10 characters, for example four words that do not belong together.':
    'Au moins 10 caractères, par exemple quatre mots sans rapport entre eux.',
  'Passphrase again': 'Confirmer le mot de passe',
  'The two passphrases differ. Type them again.': 'Les deux mots de passe sont différents. Saisissez-les à nouveau.',
  'Enter a claim code': 'Saisissez un code de propriétaire',
  'Claim this gateway': 'Prenez possession de ce gateway',
  'Run headframe claim-code on the computer of the gateway, and enter the code that it prints. Use the name with which you signed in before: then you are the same owner. Another name makes a further owner.':
    "Lancez headframe claim-code sur l'ordinateur du gateway et saisissez le code affiché. Utilisez le nom de vos connexions précédentes : vous êtes alors le même propriétaire. Un autre nom crée un propriétaire de plus.",
  'Nobody owns this gateway yet. Become its owner: choose the name and the passphrase with which you sign in.':
    "Ce gateway n'a pas encore de propriétaire. Devenez-le : choisissez le nom et le mot de passe avec lesquels vous vous connectez.",
  'The gateway printed a claim code when it started. Enter it to prove that you run this gateway. You then sign in with your name and a passphrase.':
    'Le gateway a affiché un code à son démarrage. Saisissez-le pour prouver que ce gateway est à vous. Ensuite, vous vous connectez avec votre nom et un mot de passe.',
  'Save and sign in': 'Enregistrer et se connecter',
  Claim: 'Prendre possession',
  'Claim code': 'Code de propriétaire',
  'Your name': 'Votre nom',
  'You sign in with this name, and the gateway shows it beside your changes.':
    "Vous vous connectez avec ce nom, et le gateway l'affiche à côté de vos modifications.",
  'Code expired? Run {code} on the gateway to get a new one.':
    'Code expiré ? Lancez {code} sur le gateway pour en obtenir un nouveau.',
  'Your account': 'Votre compte',
  'Hello {name}. Your role is {role}. Choose a passphrase. You sign in with your name and this passphrase.':
    'Bonjour {name}. Votre rôle est {role}. Choisissez un mot de passe. Vous vous connectez avec votre nom et ce mot de passe.',
  'PIN for shared tablets (optional)': 'Code PIN pour tablettes partagées (facultatif)',
  '6 digits that are not easy to guess. You can also set it later on the page My account.':
    '6 chiffres difficiles à deviner. Vous pouvez aussi le définir plus tard sur la page Mon compte.',
  'Go to the sign-in page': 'Aller à la page de connexion',
  'Sign in': 'Se connecter',
  'Your session has ended. Sign in again.': 'Votre session est terminée. Connectez-vous à nouveau.',
  Name: 'Nom',
  'Forgot the passphrase? Ask an admin for an invitation. An owner can run {code} on the gateway and {a}.':
    'Mot de passe oublié ? Demandez une invitation à un administrateur. Un propriétaire peut lancer {code} sur le gateway et aller à : {a}.',
  'enter the code': 'saisir le code',
  'Use a key instead': 'Utiliser plutôt une clé',
  'Paste a key of this gateway. On the page Users you can then create an account for yourself.':
    'Collez une clé de ce gateway. Vous pourrez ensuite créer votre compte sur la page Utilisateurs.',
  Key: 'Clé',
  'This key is unknown, revoked or expired. Check it, or ask for a new one.':
    'Cette clé est inconnue, révoquée ou expirée. Vérifiez-la ou demandez-en une nouvelle.',
  'No key? Run {code} on the gateway and {a}.': 'Pas de clé ? Lancez {code} sur le gateway et allez à : {a}.',
  'Sign in with name and passphrase': 'Se connecter avec nom et mot de passe',
  'Create your site': 'Créez votre site',
  'Machines, people and reports belong to a site. A new site also has boards and a playlist for a TV. You can change these settings later on the Site page.':
    'Les engins, les personnes et les rapports appartiennent à un site. Un nouveau site a aussi des tableaux et une liste pour un téléviseur. Vous pourrez changer ces réglages plus tard sur la page Site.',
  'Create site': 'Créer le site',
  'Site name': 'Nom du site',
  'This box replaces one that broke': 'Ce boîtier en remplace un qui est en panne',
  'In this network the gateway also has an address that is easier to remember: {addresses}':
    'Dans ce réseau, le gateway a aussi une adresse plus facile à retenir : {addresses}',
  'Time zone': 'Fuseau horaire',
  'The time there is now {time}. Shifts and reports use this time.':
    'Il y est maintenant {time}. Les postes et les rapports utilisent cette heure.',
  'Two shifts of 12 hours': 'Deux postes de 12 heures',
  'Three shifts of 8 hours': 'Trois postes de 8 heures',
  'One day shift': 'Un poste de jour',
  'Shift name': 'Nom du poste',
  Starts: 'Début',
  Ends: 'Fin',
  'Remove the shift {name}': 'Retirer le poste {name}',
  Remove: 'Retirer',
  'Own times': 'Horaires propres',
  'Shift pattern': 'Rythme des postes',
  'shift {n}': 'poste {n}',
  'Add a shift': 'Ajouter un poste',
  'If the end is not later than the start, the shift ends on the next day.':
    "Si la fin n'est pas après le début, le poste se termine le lendemain.",
  'Use this device as a shared tablet': 'Utiliser cet appareil comme tablette partagée',
  'After this step the device shows the names of the people who may use it. Each person signs in with a PIN. Nobody stays signed in.':
    "Après cette étape, l'appareil affiche les noms des personnes qui peuvent l'utiliser. Chacun se connecte avec un code PIN. Personne ne reste connecté.",
  'Do this on the tablet only, not on your own phone or computer.':
    'Faites-le seulement sur la tablette, pas sur votre téléphone ni votre ordinateur.',
  'Enrol this tablet': 'Inscrire cette tablette',
  Cancel: 'Annuler',
  'This tablet is not enrolled': "Cette tablette n'est pas inscrite",
  'An admin opens the page Tablets of the office, makes a new QR code, and you scan it with the camera of this tablet.':
    "Un administrateur ouvre la page Tablettes du bureau, crée un nouveau code QR, et vous le scannez avec l'appareil photo de cette tablette.",
  'Try again': 'Réessayer',
  'Use it as a normal browser': "L'utiliser comme navigateur normal",
  '{n} of {all} digits': '{n} chiffres sur {all}',
  Checking: 'Vérification',
  'Back to the names': 'Retour aux noms',
  'Delete a digit': 'Effacer un chiffre',
  'Enter your PIN.': 'Saisissez votre code PIN.',
  'This PIN was valid once. Choose your own PIN of 6 digits.':
    "Ce code PIN ne servait qu'une fois. Choisissez votre propre code à 6 chiffres.",
  'Enter your new PIN again.': 'Saisissez encore votre nouveau code PIN.',
  'The two new PINs differ. Choose your own PIN again.':
    'Les deux nouveaux codes PIN sont différents. Choisissez de nouveau.',
  'Who are you?': 'Qui êtes-vous ?',
  'Find your name': 'Cherchez votre nom',
  'Nobody may use this tablet yet. An admin chooses the people on the page Tablets of the office.':
    'Personne ne peut encore utiliser cette tablette. Un administrateur choisit les personnes sur la page Tablettes du bureau.',
  'No name contains this text.': 'Aucun nom ne contient ce texte.',
  'More people may use this tablet than the list can show.':
    "Plus de personnes peuvent utiliser cette tablette que la liste n'en montre.",
  'Your name is missing? Ask an admin. Owners and admins do not sign in here: a PIN is too short for their rights.':
    'Votre nom manque ? Demandez à un administrateur. Les propriétaires et administrateurs ne se connectent pas ici : un code PIN est trop court pour leurs droits.',
  'Switch person': 'Changer de personne',
  'Nobody touched the tablet. {name} is signed out in {seconds} s. Touch the screen to stay signed in.':
    "Personne n'a touché la tablette. {name} est déconnecté dans {seconds} s. Touchez l'écran pour rester connecté.",
  'The shift ends. {name} is signed out in {seconds} s. Save your work.':
    'Le poste se termine. {name} est déconnecté dans {seconds} s. Enregistrez votre travail.',
};
