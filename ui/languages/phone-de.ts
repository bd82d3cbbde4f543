/** The texts of the page on which anybody reports a fault, in German. `docs/languages.md` has the glossary. */
import type { PhoneText } from './phone-keys.ts';

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
  'Leak or hydraulics': 'Leck oder Hydraulik',
  'Lights or electrics': 'Licht oder Elektrik',
  Loading: 'Wird geladen',
  'Report a fault': 'Störung melden',
  'Say what is wrong': 'Sagen Sie, was nicht stimmt',
  'Smoke or fire': 'Rauch oder Feuer',
  'Something else': 'Etwas anderes',
  'Thank you. The workshop has your report.': 'Danke. Die Werkstatt hat Ihre Meldung.',
  'This address is not complete. Scan the QR code on the machine again.':
    'Diese Adresse ist nicht vollständig. Scannen Sie den QR-Code der Maschine erneut.',
  'This QR code is not valid any more. Tell your supervisor about the fault, and that this machine needs a new QR code.':
    'Dieser QR-Code gilt nicht mehr. Melden Sie die Störung Ihrem Vorgesetzten, und dass diese Maschine einen neuen QR-Code braucht.',
  'Too many faults were reported with this QR code in the last hour. Tell your supervisor about this one.':
    'Mit diesem QR-Code wurden in der letzten Stunde zu viele Störungen gemeldet. Sagen Sie diese Ihrem Vorgesetzten.',
  'Try again': 'Erneut versuchen',
  'Type your name': 'Geben Sie Ihren Namen ein',
  'Tyres or tracks': 'Reifen oder Ketten',
  'What is wrong?': 'Was stimmt nicht?',
  'Your name': 'Ihr Name',
  'The gateway does not answer. Stay in the wireless network of the site and try again.':
    'Das Gateway antwortet nicht. Bleiben Sie im WLAN des Betriebs und versuchen Sie es erneut.',
  'The gateway did not take this report': 'Das Gateway hat diese Meldung nicht angenommen',
  'Tell your supervisor about the fault.': 'Melden Sie die Störung Ihrem Vorgesetzten.',
  'Delete it here': 'Hier löschen',
  'Saved on this phone': 'Auf diesem Telefon gespeichert',
  'It sends by itself when the gateway answers. You may close this page; open it again to send.':
    'Die Meldung wird von selbst gesendet, wenn das Gateway antwortet. Sie können diese Seite schließen; öffnen Sie sie zum Senden wieder.',
  Saved: 'Gespeichert',
  Saving: 'Wird gespeichert',
  '{time}, on this phone': '{time}, auf diesem Telefon',
  'Sent to the gateway': 'An das Gateway gesendet',
  'no Wi-Fi right now': 'gerade kein WLAN',
  'waiting for the answer': 'wartet auf die Antwort',
  'On the list of repairs': 'Auf der Liste der Reparaturen',
  'The machine cannot work': 'Die Maschine kann nicht arbeiten',
  'ticket {number}': 'Auftrag {number}',
  'you will see the ticket here': 'hier sehen Sie dann den Auftrag',
  '{n} report is saved on this phone.|{n} reports are saved on this phone.':
    '{n} Meldung ist auf diesem Telefon gespeichert.|{n} Meldungen sind auf diesem Telefon gespeichert.',
  'Sending now.': 'Wird jetzt gesendet.',
  'They send by themselves when the gateway answers.': 'Sie werden von selbst gesendet, wenn das Gateway antwortet.',
  'This device keeps 1,000 changes that are not sent yet, and cannot keep more. Bring it into the Wi-Fi of the site first.':
    'Auf diesem Gerät liegen 1.000 Änderungen, die noch nicht gesendet sind, und es kann keine weiteren speichern. Bringen Sie es zuerst in das WLAN des Betriebs.',
  'This device keeps 60 MB of photos that are not sent yet, and cannot keep more. Bring it into the Wi-Fi of the site first.':
    'Auf diesem Gerät liegen 60 MB Fotos, die noch nicht gesendet sind, und es kann keine weiteren speichern. Bringen Sie es zuerst in das WLAN des Betriebs.',
  'This report is more than 45 days old. The gateway does not take it any more.':
    'Diese Meldung ist mehr als 45 Tage alt. Das Gateway nimmt sie nicht mehr an.',
  'This form was saved before with other content, and the gateway may have it. Look at what you saved. Press again to save this as a new one.':
    'Dieses Formular wurde schon mit anderem Inhalt gespeichert, und das Gateway hat es vielleicht. Sehen Sie nach, was Sie gespeichert haben. Drücken Sie noch einmal, um dies als neue Meldung zu speichern.',
  'This is': 'Das ist',
  'Not OK': 'Nicht OK',
  'Something is wrong': 'Etwas stimmt nicht',
  OK: 'OK',
  'I checked it, all fine': 'Geprüft, alles in Ordnung',
  'Works without Wi-Fi': 'Geht ohne WLAN',
  'No Wi-Fi right now': 'Gerade kein WLAN',
  'Not you?': 'Nicht Sie?',
  'Go on': 'Weiter',
  Back: 'Zurück',
  'Can it keep working?': 'Kann sie weiterarbeiten?',
  'No, stop it': 'Nein, anhalten',
  'Every screen shows it at once': 'Alle Bildschirme zeigen es sofort',
  'Yes, look at it soon': 'Ja, bald ansehen',
  Photo: 'Foto',
  'Photo, {n}': 'Foto, {n}',
  'Remove photo {n}': 'Foto {n} entfernen',
  'Making the photo smaller': 'Foto wird verkleinert',
  'Add words': 'Text hinzufügen',
  'Your words': 'Ihr Text',
  'Say if it can keep working': 'Sagen Sie, ob sie weiterarbeiten kann',
  'Send: {machine} {problem}': 'Senden: {machine} {problem}',
  'Send: {machine} {problem}, stop': 'Senden: {machine} {problem}, anhalten',
  Done: 'Fertig',
  '{machine} is OK': '{machine} ist OK',
  'Checked at {time} by {name}. Have a safe shift.': 'Geprüft um {time} von {name}. Eine sichere Schicht.',
  Photos: 'Fotos',
  '{n} photo|{n} photos': '{n} Foto|{n} Fotos',
  '{n} of {all} sent': '{n} von {all} gesendet',
  'it has it': 'es hat sie',
  'The report is saved without {n} photo.|The report is saved without {n} photos.':
    'Die Meldung ist ohne {n} Foto gespeichert.|Die Meldung ist ohne {n} Fotos gespeichert.',
  '{n} check is saved on this phone.|{n} checks are saved on this phone.':
    '{n} Prüfung ist auf diesem Telefon gespeichert.|{n} Prüfungen sind auf diesem Telefon gespeichert.',
  '{n} photo is saved on this phone.|{n} photos are saved on this phone.':
    '{n} Foto ist auf diesem Telefon gespeichert.|{n} Fotos sind auf diesem Telefon gespeichert.',
  'The gateway did not take this photo': 'Das Gateway hat dieses Foto nicht angenommen',
  'The gateway did not take this check': 'Das Gateway hat diese Prüfung nicht angenommen',
  'The gateway has the report of this photo.': 'Das Gateway hat die Meldung zu diesem Foto.',
  'This report or its repair has all the photos that it can have.':
    'Diese Meldung oder ihr Auftrag hat schon alle Fotos, die möglich sind.',
  'The gateway does not have the report of this photo.': 'Das Gateway hat die Meldung zu diesem Foto nicht.',
  'The photo must be a JPEG, PNG, WebP, GIF or AVIF image.':
    'Das Foto muss ein Bild im Format JPEG, PNG, WebP, GIF oder AVIF sein.',
  'Too many checks were sent with this QR code in the last hour.':
    'Mit diesem QR-Code wurden in der letzten Stunde zu viele Prüfungen gesendet.',
  'Too many photos were sent with this QR code in the last hour. This photo is sent later.':
    'Mit diesem QR-Code wurden in der letzten Stunde zu viele Fotos gesendet. Dieses Foto wird später gesendet.',
  'Too many photos were sent with QR codes in the last day. This photo is sent later.':
    'Am letzten Tag wurden mit QR-Codes zu viele Fotos gesendet. Dieses Foto wird später gesendet.',
  'This browser cannot read the file as a photo. Take the photo as JPEG or PNG.':
    'Dieser Browser kann die Datei nicht als Foto lesen. Nehmen Sie das Foto als JPEG oder PNG auf.',
  'The photo is too large. Take it again with a lower resolution.':
    'Das Foto ist zu groß. Nehmen Sie es mit geringerer Auflösung neu auf.',
};
