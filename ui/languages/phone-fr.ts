/** The texts of the page on which anybody reports a fault, in French. `docs/languages.md` has the glossary. */
import type { PhoneText } from './phone-keys.ts';

export const PHONE_FR: Readonly<Record<PhoneText, string>> = {
  'An unknown error occurred. Try again.': 'Une erreur inconnue est survenue. Réessayez.',
  'Brakes or steering': 'Freins ou direction',
  'Bucket, body or blade': 'Godet, benne ou lame',
  'Cab, seat or belt': 'Cabine, siège ou ceinture',
  'Choose what is wrong': 'Choisissez le problème',
  'Damage from outside': 'Choc ou dommage',
  Engine: 'Moteur',
  'If the machine is not safe, do not operate it, and tell your supervisor now.':
    "Si l'engin n'est pas sûr, ne l'utilisez pas et prévenez tout de suite votre chef.",
  'Leak or hydraulics': 'Fuite ou hydraulique',
  'Lights or electrics': 'Feux ou électricité',
  Loading: 'Chargement',
  'Report a fault': 'Signaler une panne',
  'Say what is wrong': 'Dites ce qui ne va pas',
  'Smoke or fire': 'Fumée ou feu',
  'Something else': 'Autre chose',
  'Thank you. The workshop has your report.': "Merci. L'atelier a reçu votre signalement.",
  'This address is not complete. Scan the QR code on the machine again.':
    "Cette adresse n'est pas complète. Scannez à nouveau le code QR de l'engin.",
  'This QR code is not valid any more. Tell your supervisor about the fault, and that this machine needs a new QR code.':
    "Ce code QR n'est plus valable. Signalez la panne à votre chef, et dites que cet engin a besoin d'un nouveau code QR.",
  'Too many faults were reported with this QR code in the last hour. Tell your supervisor about this one.':
    'Trop de pannes ont été signalées avec ce code QR dans la dernière heure. Signalez celle-ci à votre chef.',
  'Try again': 'Réessayer',
  'Type your name': 'Écrivez votre nom',
  'Tyres or tracks': 'Pneus ou chenilles',
  'What is wrong?': "Qu'est-ce qui ne va pas ?",
  'Your name': 'Votre nom',
  'The gateway does not answer. Stay in the wireless network of the site and try again.':
    'Le gateway ne répond pas. Restez dans le réseau Wi-Fi du site et réessayez.',
  'The gateway did not take this report': "Le gateway n'a pas accepté ce signalement",
  'Tell your supervisor about the fault.': 'Signalez la panne à votre chef.',
  'Delete it here': "L'effacer ici",
  'Saved on this phone': 'Enregistré sur ce téléphone',
  'It sends by itself when the gateway answers. You may close this page; open it again to send.':
    "L'envoi se fait tout seul quand le gateway répond. Vous pouvez fermer cette page ; rouvrez-la pour envoyer.",
  Saved: 'Enregistré',
  Saving: 'Enregistrement',
  '{time}, on this phone': '{time}, sur ce téléphone',
  'Sent to the gateway': 'Envoyé au gateway',
  'no Wi-Fi right now': 'pas de Wi-Fi en ce moment',
  'waiting for the answer': 'attend la réponse',
  'On the list of repairs': 'Dans la liste des réparations',
  'The machine cannot work': "L'engin ne peut pas travailler",
  'ticket {number}': 'ticket {number}',
  'you will see the ticket here': 'vous verrez le ticket ici',
  '{n} report is saved on this phone.|{n} reports are saved on this phone.':
    '{n} signalement est enregistré sur ce téléphone.|{n} signalements sont enregistrés sur ce téléphone.',
  'Sending now.': 'Envoi en cours.',
  'They send by themselves when the gateway answers.': "L'envoi se fait tout seul quand le gateway répond.",
  'This device keeps 1,000 changes that are not sent yet, and cannot keep more. Bring it into the Wi-Fi of the site first.':
    "Cet appareil garde 1 000 modifications non envoyées et ne peut pas en garder plus. Amenez-le d'abord dans le Wi-Fi du site.",
  'This device keeps 60 MB of photos that are not sent yet, and cannot keep more. Bring it into the Wi-Fi of the site first.':
    "Cet appareil garde 60 Mo de photos non envoyées et ne peut pas en garder plus. Amenez-le d'abord dans le Wi-Fi du site.",
  'This report is more than 45 days old. The gateway does not take it any more.':
    "Ce signalement a plus de 45 jours. Le gateway ne l'accepte plus.",
  'This form was saved before with other content, and the gateway may have it. Look at what you saved. Press again to save this as a new one.':
    "Ce formulaire a déjà été enregistré avec un autre contenu, et le gateway l'a peut-être. Regardez ce que vous avez enregistré. Appuyez encore une fois pour l'enregistrer comme un nouveau signalement.",
  'This is': 'Voici',
  'Not OK': 'Pas OK',
  'Something is wrong': 'Quelque chose ne va pas',
  OK: 'OK',
  'I checked it, all fine': "J'ai contrôlé, tout va bien",
  'Works without Wi-Fi': 'Marche sans Wi-Fi',
  'No Wi-Fi right now': 'Pas de Wi-Fi en ce moment',
  'Not you?': "Ce n'est pas vous ?",
  'Go on': 'Continuer',
  Back: 'Retour',
  'Can it keep working?': 'Peut-il continuer à travailler ?',
  'No, stop it': "Non, il faut l'arrêter",
  'Every screen shows it at once': 'Tous les écrans le montrent aussitôt',
  'Yes, look at it soon': 'Oui, à contrôler bientôt',
  Photo: 'Photo',
  'Photo, {n}': 'Photo, {n}',
  'Remove photo {n}': 'Retirer la photo {n}',
  'Making the photo smaller': 'Réduction de la photo',
  'Add words': 'Ajouter un mot',
  'Your words': 'Votre message',
  'Say if it can keep working': "Dites s'il peut continuer",
  'Send: {machine} {problem}': 'Envoyer : {machine} {problem}',
  'Send: {machine} {problem}, stop': 'Envoyer : {machine} {problem}, arrêt',
  Done: 'Terminé',
  '{machine} is OK': '{machine} est OK',
  'Checked at {time} by {name}. Have a safe shift.': 'Contrôlé à {time} par {name}. Bon poste, en sécurité.',
  Photos: 'Photos',
  '{n} photo|{n} photos': '{n} photo|{n} photos',
  '{n} of {all} sent': '{n} sur {all} envoyées',
  'it has it': "il l'a reçu",
  'The report is saved without {n} photo.|The report is saved without {n} photos.':
    'Le signalement est enregistré sans {n} photo.|Le signalement est enregistré sans {n} photos.',
  '{n} check is saved on this phone.|{n} checks are saved on this phone.':
    '{n} contrôle est enregistré sur ce téléphone.|{n} contrôles sont enregistrés sur ce téléphone.',
  '{n} photo is saved on this phone.|{n} photos are saved on this phone.':
    '{n} photo est enregistrée sur ce téléphone.|{n} photos sont enregistrées sur ce téléphone.',
  'The gateway did not take this photo': "Le gateway n'a pas accepté cette photo",
  'The gateway did not take this check': "Le gateway n'a pas accepté ce contrôle",
  'The gateway has the report of this photo.': 'Le gateway a le signalement de cette photo.',
  'This report or its repair has all the photos that it can have.':
    'Ce signalement ou son ticket a déjà toutes les photos possibles.',
  'The gateway does not have the report of this photo.': "Le gateway n'a pas le signalement de cette photo.",
  'The photo must be a JPEG, PNG, WebP, GIF or AVIF image.':
    'La photo doit être une image JPEG, PNG, WebP, GIF ou AVIF.',
  'Too many checks were sent with this QR code in the last hour.':
    'Trop de contrôles ont été envoyés avec ce code QR dans la dernière heure.',
  'Too many photos were sent with this QR code in the last hour. This photo is sent later.':
    'Trop de photos ont été envoyées avec ce code QR dans la dernière heure. Cette photo sera envoyée plus tard.',
  'Too many photos were sent with QR codes in the last day. This photo is sent later.':
    'Trop de photos ont été envoyées avec des codes QR en un jour. Cette photo sera envoyée plus tard.',
  'This browser cannot read the file as a photo. Take the photo as JPEG or PNG.':
    'Ce navigateur ne peut pas lire ce fichier comme photo. Prenez la photo en JPEG ou PNG.',
  'The photo is too large. Take it again with a lower resolution.':
    'La photo est trop grande. Reprenez-la avec une résolution plus basse.',
};
