/** The texts of the outbox, in French. `docs/languages.md` has the glossary. */
import type { OutboxText } from '#ui/languages/es/outbox.ts';

export const OUTBOX_FR: Readonly<Record<OutboxText, string>> = {
  'Changes that are not sent yet': 'Modifications pas encore envoyées',
  Outbox: "Boîte d'envoi",
  Nothing: 'Rien',
  Field: 'Champ',
  '{who} saw': '{who} a vu',
  '{who} wrote': '{who} a écrit',
  'Not known': 'Inconnu',
  'Show what is there now': "Montrer l'état actuel",
  'Write it anyway': 'Écrire quand même',
  'Keep what is there now': "Garder l'état actuel",
  'Send it again': 'Renvoyer',
  'Delete it for good': 'Supprimer définitivement',
  'Delete it': 'Supprimer',
  'Written {time} by {who}, by the clock of this device': "Écrit {time} par {who}, selon l'horloge de cet appareil",
  'Written {time} by {who}': 'Écrit {time} par {who}',
  'a photo of {size} kB': 'une photo de {size} kB',
  'Send now': 'Envoyer maintenant',
  'What people write on this device is stored here first, and then sent. It stays here until the gateway has it, also if you close this page or switch the device off.':
    "Ce qu'on écrit sur cet appareil est d'abord enregistré ici, puis envoyé. Cela reste ici jusqu'à ce que le gateway l'ait, même si vous fermez cette page ou éteignez l'appareil.",
  'Room for {n} more change.|Room for {n} more changes.':
    'Place pour encore {n} modification.|Place pour encore {n} modifications.',
  'Nothing waits': 'Rien en attente',
  'Everything that was written here is sent.': 'Tout ce qui a été écrit ici est envoyé.',
  'Needs you': 'A besoin de vous',
  'To send': 'À envoyer',
  'And {n} more to send.': 'Et encore {n} à envoyer.',
  'Sent last': 'Derniers envois',
  '{n} change|{n} changes': '{n} modification|{n} modifications',
  '{n} change needs you|{n} changes need you': '{n} modification a besoin de vous|{n} modifications ont besoin de vous',
  'Sending {changes}': 'Envoi de {changes}',
  '{changes} to send': '{changes} à envoyer',
  'This device keeps {n} change, and sends it by itself.|This device keeps {n} changes, and sends them by itself.':
    "Cet appareil garde {n} modification et l'envoie tout seul.|Cet appareil garde {n} modifications et les envoie tout seul.",
  '{n} change needs the person who wrote it: sign in and open "Outbox".|{n} changes need the person who wrote them: sign in and open "Outbox".':
    "{n} modification a besoin de son auteur : connectez-vous et ouvrez « Boîte d'envoi ».|{n} modifications ont besoin de leur auteur : connectez-vous et ouvrez « Boîte d'envoi ».",
  Sent: 'Envoyé',
  'The gateway has it.': "Le gateway l'a.",
  'Somebody changed this after {who} saw it.': "Quelqu'un l'a modifié après que {who} l'a vu.",
  'Changed meanwhile': 'Modifié entre-temps',
  '{says} Choose what counts.': '{says} Choisissez ce qui compte.',
  Refused: 'Refusé',
  Waiting: 'En attente',
  'An earlier change of the same record needs you first.':
    "Une modification précédente de la même fiche a d'abord besoin de vous.",
  'It is sent when somebody signs in here.': "C'est envoyé quand quelqu'un se connecte ici.",
  '{message} It is sent again by itself.': "{message} C'est renvoyé tout seul.",
  'The gateway answers, but cannot take it now. It is sent again by itself.':
    "Le gateway répond, mais ne peut pas le prendre maintenant. C'est renvoyé tout seul.",
  'It is sent by itself when the gateway answers.': "C'est envoyé tout seul quand le gateway répond.",
  'Read it here. If it is still right, write it now. If not, delete it.':
    "Lisez-le ici. S'il est toujours juste, écrivez-le maintenant. Sinon, supprimez-le.",
  '{who} signs in here and decides about it.': '{who} se connecte ici et décide quoi en faire.',
  'The gateway may have it already. Look at the record. Then send it again, or delete it here.':
    "Le gateway l'a peut-être déjà. Regardez la fiche. Ensuite, renvoyez-le ou supprimez-le ici.",
  'Write it now': "L'écrire maintenant",
  'Your role may not do this. Ask a supervisor.': 'Votre rôle ne le permet pas. Demandez à un chef.',
  'The gateway already has a change with this id. Look at the record. Then delete this one here.':
    'Le gateway a déjà une modification avec cet identifiant. Regardez la fiche. Puis supprimez celle-ci.',
  'This device works in another project now. Tell an admin.':
    'Cet appareil travaille maintenant dans un autre projet. Prévenez un administrateur.',
  'The record is gone. Delete this change, or write it to another record.':
    "La fiche n'existe plus. Supprimez cette modification ou écrivez-la dans une autre fiche.",
  'Send it again later.': 'Renvoyez-le plus tard.',
  'Send it again, or delete it and write it again.': 'Renvoyez-le, ou supprimez-le et écrivez-le à nouveau.',
  'This device keeps 1,000 changes that are not sent yet, and cannot keep more. Bring it into the Wi-Fi of the site first.':
    "Cet appareil garde 1 000 modifications non envoyées et ne peut pas en garder plus. Amenez-le d'abord dans le Wi-Fi du site.",
  'This device keeps 60 MB of photos that are not sent yet, and cannot keep more. Bring it into the Wi-Fi of the site first.':
    "Cet appareil garde 60 Mo de photos non envoyées et ne peut pas en garder plus. Amenez-le d'abord dans le Wi-Fi du site.",
  'This form was saved before with other content, and the gateway may have it. Look at what you saved. Press again to save this as a new one.':
    "Ce formulaire a déjà été enregistré avec un autre contenu, et le gateway l'a peut-être. Regardez ce que vous avez enregistré. Appuyez encore une fois pour enregistrer ceci comme une nouvelle entrée.",
  'The gateway has not confirmed who you are. Try again when the gateway answers.':
    "Le gateway n'a pas confirmé qui vous êtes. Réessayez quand le gateway répond.",
  'The gateway does not say what is there now. Try again when it answers.':
    "Le gateway ne dit pas ce qu'il y a maintenant. Réessayez quand il répond.",
  'This write cannot be decided here. Delete it and write it again.':
    'On ne peut pas décider de cette modification ici. Supprimez-la et écrivez-la à nouveau.',
  'This is what is there now. Look at it, then choose again.':
    "Voici ce qu'il y a maintenant. Regardez, puis choisissez à nouveau.",
  'This device does not have a photo of this inspection any more. Remove the photos of the item and take them again.':
    "Cet appareil n'a plus une photo de cette inspection. Retirez les photos du point et prenez-les à nouveau.",
  'This is too long. Shorten it and try again.': "C'est trop long. Raccourcissez et réessayez.",
};
