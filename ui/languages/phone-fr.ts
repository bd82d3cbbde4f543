/** The texts of the page on which anybody reports a fault, in French. `docs/languages.md` has the glossary. */
import type { PhoneText } from './keys.ts';

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
  'Report another fault': 'Signaler une autre panne',
  'Say what is wrong': 'Dites ce qui ne va pas',
  'Send the report': 'Envoyer',
  'Smoke or fire': 'Fumée ou feu',
  'Something else': 'Autre chose',
  'Tell us more': 'Précisez',
  'Tell us more (optional)': 'Précisez (facultatif)',
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
  'it has the report': 'il a le signalement',
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
};
