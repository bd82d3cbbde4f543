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
  'It is ticket {number}.': "C'est le ticket {number}.",
  'Leak or hydraulics': 'Fuite ou hydraulique',
  'Lights or electrics': 'Feux ou électricité',
  Loading: 'Chargement',
  'Report a fault': 'Signaler une panne',
  'Report another fault': 'Signaler une autre panne',
  'Say what is wrong': 'Dites ce qui ne va pas',
  'Send the report': 'Envoyer',
  Sending: 'Envoi',
  'Smoke or fire': 'Fumée ou feu',
  'Something else': 'Autre chose',
  'Tell us more': 'Précisez',
  'Tell us more (optional)': 'Précisez (facultatif)',
  'Thank you. The workshop has your report.': "Merci. L'atelier a reçu votre signalement.",
  'The gateway does not answer. Stay in the wireless network of the site and try again. Your text is kept here.':
    'Le gateway ne répond pas. Restez dans le réseau sans fil du site et réessayez. Votre texte est gardé ici.',
  'This address is not complete. Scan the QR code on the machine again.':
    "Cette adresse n'est pas complète. Scannez à nouveau le code QR de l'engin.",
  'This fault was reported before. Your report was added to ticket {number}.':
    'Cette panne était déjà signalée. Votre signalement a été ajouté au ticket {number}.',
  'This QR code is not valid any more. Tell your supervisor about the fault, and that this machine needs a new QR code.':
    "Ce code QR n'est plus valable. Signalez la panne à votre chef, et dites que cet engin a besoin d'un nouveau code QR.",
  'Too many faults were reported with this QR code in the last hour. Tell your supervisor about this one.':
    'Trop de pannes ont été signalées avec ce code QR dans la dernière heure. Signalez celle-ci à votre chef.',
  'Try again': 'Réessayer',
  'Type your name': 'Écrivez votre nom',
  'Tyres or tracks': 'Pneus ou chenilles',
  'What is wrong?': "Qu'est-ce qui ne va pas ?",
  'Your name': 'Votre nom',
};
