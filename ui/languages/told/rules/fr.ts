/** Texts of the gateway in French: answers of rules, where a project has no model. `docs/languages.md` has the glossary. */
import type { RulesTold } from './es.ts';

export const RULES_FR: Readonly<Record<RulesTold, string>> = {
  'No model is set for this project, so rules answered.':
    "Aucun modèle n'est configuré pour ce projet : des règles ont répondu.",
  'Answers by rules, without a model.': 'Répond par des règles, sans modèle.',
  'Alert "{rule}" ({severity}), since {at}.': 'Alerte « {rule} » ({severity}), depuis {at}.',
  '{unit} has {n} more active code.|{unit} has {n} more active codes.':
    '{unit} a encore {n} code actif.|{unit} a encore {n} codes actifs.',
  'No repair of {unit} is open.': "Aucune réparation de {unit} n'est ouverte.",
  'The red stop lamp of {unit} is on. Stop the machine now.':
    "Le voyant rouge STOP de {unit} est allumé. Arrêtez l'engin maintenant.",
  'The protect lamp of {unit} is on.': 'Le voyant de protection de {unit} est allumé.',
  'The amber warning lamp of {unit} is on.': 'Le voyant orange de {unit} est allumé.',
  '{unit} is number {place} of {count} machines that need a person.':
    "{unit} est au rang {place} des {count} engins qui ont besoin de quelqu'un.",
  '{unit} never reported its trouble codes, so it is not known whether it has any.':
    "{unit} n'a jamais transmis ses codes de défaut : on ne sait pas s'il y en a.",
  '{unit} has no active trouble code.': "{unit} n'a aucun code de défaut actif.",
  '{code}: no words are known for this code. Active since {at}.':
    "{code} : la signification de ce code n'est pas connue. Actif depuis {at}.",
  '{code}: {meaning}. Active since {at}.': '{code} : {meaning}. Actif depuis {at}.',
  'The control unit has counted {n} occurrence.|The control unit has counted {n} occurrences.':
    "Le calculateur l'a compté {n} fois.|Le calculateur l'a compté {n} fois.",
  'No values of that moment are stored.': "Aucune valeur de ce moment n'est enregistrée.",
  'At that moment: {values}.': 'À ce moment : {values}.',
  'The log has at least {n} starts of {code} in the last {days} days.':
    'Le journal contient au moins {n} débuts de {code} ces {days} derniers jours.',
  'The log has {n} start of {code} in the last {days} days.|The log has {n} starts of {code} in the last {days} days.':
    'Le journal contient {n} début de {code} ces {days} derniers jours.|Le journal contient {n} débuts de {code} ces {days} derniers jours.',
  'Open repair {number} ({status}): {title}': 'Réparation ouverte {number} ({status}) : {title}',
  'The devices could not be compared with the machines.': "Les appareils n'ont pas pu être comparés aux engins.",
  'Each device has a machine.': 'Chaque appareil a un engin.',
  'Device {device}: no machine fits.': 'Appareil {device} : aucun engin ne correspond.',
  'Device {device}: {unit} fits with {percent} %: {why}': 'Appareil {device} : {unit} correspond à {percent} % : {why}',
  '{n} more device has no machine.|{n} more devices have no machine.':
    "{n} autre appareil n'a pas d'engin.|{n} autres appareils n'ont pas d'engin.",
  'Nothing was linked.': "Rien n'a été relié.",
  'Check each pair, and link it on the page Devices.': 'Vérifiez chaque paire, et reliez-la sur la page Appareils.',
  'The request names no machine of this site.': 'La demande ne nomme aucun engin de ce site.',
  'Start the action on a machine, or write its unit number into the request.':
    "Lancez l'action sur un engin, ou écrivez son numéro dans la demande.",
  'The request names {all} machines. The answer is about the first {first}.':
    'La demande nomme {all} engins. La réponse porte sur les {first} premiers.',
  'The request does not say for which location the shift is.': 'La demande ne dit pas pour quel lieu est le poste.',
  'Start the action on a location, or write the name of one location into the request.':
    "Lancez l'action sur un lieu, ou écrivez le nom d'un lieu dans la demande.",
  '{unit}: working {working} min, idle {idle} min, off {off} min, down {down} min, standby {standby} min, unknown {unknown} min.':
    "{unit} : travail {working} min, ralenti {idle} min, à l'arrêt {off} min, en panne {down} min, en attente {standby} min, inconnu {unknown} min.",
  '{n} more machine is in the draft.|{n} more machines are in the draft.':
    '{n} autre engin est dans le brouillon.|{n} autres engins sont dans le brouillon.',
  '{unit} stopped at {at} for {minutes} min. No reason is stored.':
    "{unit} s'est arrêté le {at} pendant {minutes} min. Aucune raison n'est enregistrée.",
  '{unit} stopped at {at} for {minutes} min: {why}': "{unit} s'est arrêté le {at} pendant {minutes} min : {why}",
  'The draft has no stoppage.': 'Le brouillon ne contient aucun arrêt.',
  '{n} more stoppage is in the draft.|{n} more stoppages are in the draft.':
    '{n} autre arrêt est dans le brouillon.|{n} autres arrêts sont dans le brouillon.',
  'Active alert "{rule}" ({severity}).': 'Alerte active « {rule} » ({severity}).',
  'No shift of the request has ended in the last {days} days.':
    "Aucun poste de la demande ne s'est terminé ces {days} derniers jours.",
  'Write the name of a shift and its date, such as: day 2026-11-21.':
    "Écrivez le nom d'un poste et sa date, par exemple : day 2026-11-21.",
  'The draft of the shift could not be read.': "Le brouillon du poste n'a pas pu être lu.",
  'Shift {shift} of {date}:': 'Poste {shift} du {date} :',
  'Shift {shift} of {date}, not over yet:': 'Poste {shift} du {date}, pas encore terminé :',
  'No machine is at this location.': "Aucun engin n'est à ce lieu.",
  'Yesterday:': 'Hier :',
  'Today until {at}:': 'Aujourd’hui jusqu’à {at} :',
  'The summary of the day could not be read.': 'Le résumé du jour n’a pas pu être lu.',
  'No report was submitted, because a report cannot be changed.':
    "Aucun rapport n'a été envoyé, car un rapport ne peut pas être modifié.",
  'Add crew, loads, safety and weather on the page Shifts, and submit it there.':
    "Ajoutez l'équipe, les chargements, la sécurité et la météo sur la page Postes, et envoyez-le là.",
  'No ticket was made for {unit}, because there is no code to make it from.':
    "Aucune réparation n'a été créée pour {unit}, car il n'y a pas de code.",
  'No ticket was made for {unit}, because the code of the request is not active.':
    "Aucune réparation n'a été créée pour {unit}, car le code de la demande n'est pas actif.",
  'No ticket was made for {unit}, because its open repairs could not be read.':
    "Aucune réparation n'a été créée pour {unit}, car ses réparations ouvertes n'ont pas pu être lues.",
  'No ticket was made: repair {number} of this code is open: {title}':
    "Aucune réparation n'a été créée : la réparation {number} de ce code est ouverte : {title}",
  'This ticket would be made for {unit}: {title}': 'Cette réparation serait créée pour {unit} : {title}',
  'Ticket {number} was made for {unit}: {title}': 'La réparation {number} a été créée pour {unit} : {title}',
  'Logger {name}: each step works, from the connection to decoded values.':
    'Enregistreur {name} : chaque étape fonctionne, de la connexion aux valeurs décodées.',
  'Logger {name}: the data stops at the step "{title}".':
    "Enregistreur {name} : les données s'arrêtent à l'étape « {title} ».",
  'Logger {name}: the data stops at the step "{title}", since {at}.':
    "Enregistreur {name} : les données s'arrêtent à l'étape « {title} », depuis {at}.",
  '{unit} never sent live data.': "{unit} n'a jamais envoyé de données.",
  '{unit} is silent. Its last live data came at {at}.': '{unit} est muet. Ses dernières données sont arrivées le {at}.',
  '{unit} is not silent. Its last live data came at {at}.':
    "{unit} n'est pas muet. Ses dernières données sont arrivées le {at}.",
  'No device is linked to {unit}, so no data of it can arrive.':
    "Aucun appareil n'est relié à {unit} : ses données ne peuvent pas arriver.",
  'Link its logger to it on the page Devices.': 'Reliez son enregistreur sur la page Appareils.',
  'Remove the cause, and start the work again.': 'Supprimez la cause, et relancez le travail.',
};
