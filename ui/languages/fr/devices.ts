/** The texts of the pages of devices, in French. `docs/languages.md` has the glossary. */
import type { DevicesText } from '#ui/languages/es/devices.ts';

export const DEVICES_FR: Readonly<Record<DevicesText, string>> = {
  works: 'fonctionne',
  'does not work': 'ne fonctionne pas',
  'not checked yet': 'pas encore vérifié',
  'Data stops at this step: {title}.': "Les données s'arrêtent à cette étape : {title}.",
  'What to do: {remedy}': 'Que faire : {remedy}',
  'Data path': 'Chemin des données',
  'No connection': 'Pas de connexion',
  'Not transmitting yet': 'Ne transmet pas encore',
  'Login refused': 'Connexion refusée',
  'Wrong topic': 'Mauvais topic',
  'Sends no data yet': "N'envoie pas encore de données",
  'Unreadable data': 'Données illisibles',
  'Sends no data now': "N'envoie pas de données maintenant",
  'Not linked': 'Pas lié',
  'No usable values': 'Aucune valeur utilisable',
  'No live values yet': 'Pas encore de valeurs en direct',
  'Show all steps of the device': "Montrer toutes les étapes de l'appareil",
};
