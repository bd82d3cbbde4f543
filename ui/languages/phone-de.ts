/** The texts of the page on which anybody reports a fault, in German. `docs/languages.md` has the glossary. */
import type { PhoneText } from './keys.ts';

export const PHONE_DE: Readonly<Record<PhoneText, string>> = {
  'An unknown error occurred. Try again.': 'Ein unbekannter Fehler ist aufgetreten. Versuchen Sie es erneut.',
  'Brakes or steering': 'Bremsen oder Lenkung',
  'Bucket, body or blade': 'Schaufel, Mulde oder Schild',
  'Cab, seat or belt': 'Kabine, Sitz oder Gurt',
  'Choose what is wrong': 'Wählen Sie, was nicht stimmt',
  'Damage from outside': 'Schaden von außen',
  Engine: 'Motor',
  'If the machine is not safe, do not operate it, and tell your supervisor now.':
    'Wenn die Maschine nicht sicher ist, betreiben Sie sie nicht, und melden Sie es sofort Ihrem Vorgesetzten.',
  'It is ticket {number}.': 'Es ist Auftrag {number}.',
  'Leak or hydraulics': 'Leck oder Hydraulik',
  'Lights or electrics': 'Licht oder Elektrik',
  Loading: 'Wird geladen',
  'Report a fault': 'Störung melden',
  'Report another fault': 'Weitere Störung melden',
  'Say what is wrong': 'Sagen Sie, was nicht stimmt',
  'Send the report': 'Meldung senden',
  Sending: 'Wird gesendet',
  'Smoke or fire': 'Rauch oder Feuer',
  'Something else': 'Etwas anderes',
  'Tell us more': 'Mehr dazu',
  'Tell us more (optional)': 'Mehr dazu (freiwillig)',
  'Thank you. The workshop has your report.': 'Danke. Die Werkstatt hat Ihre Meldung.',
  'The gateway does not answer. Stay in the wireless network of the site and try again. Your text is kept here.':
    'Das Gateway antwortet nicht. Bleiben Sie im Funknetz des Betriebs und versuchen Sie es erneut. Ihr Text bleibt hier erhalten.',
  'This address is not complete. Scan the QR code on the machine again.':
    'Diese Adresse ist nicht vollständig. Scannen Sie den QR-Code der Maschine erneut.',
  'This fault was reported before. Your report was added to ticket {number}.':
    'Diese Störung war schon gemeldet. Ihre Meldung gehört nun zu Auftrag {number}.',
  'This QR code is not valid any more. Tell your supervisor about the fault, and that this machine needs a new QR code.':
    'Dieser QR-Code gilt nicht mehr. Melden Sie die Störung Ihrem Vorgesetzten, und dass diese Maschine einen neuen QR-Code braucht.',
  'Too many faults were reported with this QR code in the last hour. Tell your supervisor about this one.':
    'Mit diesem QR-Code wurden in der letzten Stunde zu viele Störungen gemeldet. Sagen Sie diese Ihrem Vorgesetzten.',
  'Try again': 'Erneut versuchen',
  'Type your name': 'Geben Sie Ihren Namen ein',
  'Tyres or tracks': 'Reifen oder Ketten',
  'What is wrong?': 'Was stimmt nicht?',
  'Your name': 'Ihr Name',
};
