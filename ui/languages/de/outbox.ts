/** The texts of the outbox, in German. `docs/languages.md` has the glossary. */
import type { OutboxText } from '#ui/languages/es/outbox.ts';

export const OUTBOX_DE: Readonly<Record<OutboxText, string>> = {
  'Changes that are not sent yet': 'Noch nicht gesendete Änderungen',
  Outbox: 'Postausgang',
  Nothing: 'Nichts',
  Field: 'Feld',
  '{who} saw': '{who} sah',
  '{who} wrote': '{who} schrieb',
  'Not known': 'Nicht bekannt',
  'Show what is there now': 'Jetzigen Stand zeigen',
  'Write it anyway': 'Trotzdem schreiben',
  'Keep what is there now': 'Jetzigen Stand behalten',
  'Send it again': 'Erneut senden',
  'Delete it for good': 'Endgültig löschen',
  'Delete it': 'Löschen',
  'Written {time} by {who}, by the clock of this device': 'Geschrieben {time} von {who}, nach der Uhr dieses Geräts',
  'Written {time} by {who}': 'Geschrieben {time} von {who}',
  'a photo of {size} kB': 'ein Foto mit {size} kB',
  'Send now': 'Jetzt senden',
  'What people write on this device is stored here first, and then sent. It stays here until the gateway has it, also if you close this page or switch the device off.':
    'Was auf diesem Gerät geschrieben wird, wird zuerst hier gespeichert und dann gesendet. Es bleibt hier, bis das Gateway es hat, auch wenn Sie diese Seite schließen oder das Gerät ausschalten.',
  'Room for {n} more change.|Room for {n} more changes.': 'Platz für noch {n} Änderung.|Platz für noch {n} Änderungen.',
  'Nothing waits': 'Nichts wartet',
  'Everything that was written here is sent.': 'Alles, was hier geschrieben wurde, ist gesendet.',
  'Needs you': 'Braucht Sie',
  'To send': 'Zu senden',
  'And {n} more to send.': 'Und {n} weitere zu senden.',
  'Sent last': 'Zuletzt gesendet',
  '{n} change|{n} changes': '{n} Änderung|{n} Änderungen',
  '{n} change needs you|{n} changes need you': '{n} Änderung braucht Sie|{n} Änderungen brauchen Sie',
  'Sending {changes}': 'Sendet {changes}',
  '{changes} to send': '{changes} zu senden',
  'This device keeps {n} change, and sends it by itself.|This device keeps {n} changes, and sends them by itself.':
    'Auf diesem Gerät liegt {n} Änderung; sie wird von selbst gesendet.|Auf diesem Gerät liegen {n} Änderungen; sie werden von selbst gesendet.',
  '{n} change needs the person who wrote it: sign in and open "Outbox".|{n} changes need the person who wrote them: sign in and open "Outbox".':
    '{n} Änderung braucht die Person, die sie schrieb: Melden Sie sich an und öffnen Sie „Postausgang“.|{n} Änderungen brauchen die Person, die sie schrieb: Melden Sie sich an und öffnen Sie „Postausgang“.',
  Sent: 'Gesendet',
  'The gateway has it.': 'Das Gateway hat es.',
  'Somebody changed this after {who} saw it.': 'Jemand hat das geändert, nachdem {who} es sah.',
  'Changed meanwhile': 'Inzwischen geändert',
  '{says} Choose what counts.': '{says} Wählen Sie, was gilt.',
  Refused: 'Abgelehnt',
  Waiting: 'Wartet',
  'An earlier change of the same record needs you first.':
    'Eine frühere Änderung desselben Eintrags braucht Sie zuerst.',
  'It is sent when somebody signs in here.': 'Es wird gesendet, wenn sich hier jemand anmeldet.',
  '{message} It is sent again by itself.': '{message} Es wird von selbst erneut gesendet.',
  'The gateway answers, but cannot take it now. It is sent again by itself.':
    'Das Gateway antwortet, kann es aber gerade nicht annehmen. Es wird von selbst erneut gesendet.',
  'It is sent by itself when the gateway answers.': 'Es wird von selbst gesendet, wenn das Gateway antwortet.',
  'Read it here. If it is still right, write it now. If not, delete it.':
    'Lesen Sie es hier. Wenn es noch stimmt, schreiben Sie es jetzt. Wenn nicht, löschen Sie es.',
  '{who} signs in here and decides about it.': '{who} meldet sich hier an und entscheidet darüber.',
  'The gateway may have it already. Look at the record. Then send it again, or delete it here.':
    'Das Gateway hat es vielleicht schon. Sehen Sie den Eintrag an. Senden Sie es dann erneut, oder löschen Sie es hier.',
  'Write it now': 'Jetzt schreiben',
  'Your role may not do this. Ask a supervisor.': 'Ihre Rolle darf das nicht. Fragen Sie einen Vorgesetzten.',
  'The gateway already has a change with this id. Look at the record. Then delete this one here.':
    'Das Gateway hat schon eine Änderung mit dieser Kennung. Sehen Sie den Eintrag an. Löschen Sie dann diese hier.',
  'This device works in another project now. Tell an admin.':
    'Dieses Gerät arbeitet jetzt in einem anderen Projekt. Sagen Sie es einem Administrator.',
  'The record is gone. Delete this change, or write it to another record.':
    'Den Eintrag gibt es nicht mehr. Löschen Sie diese Änderung, oder schreiben Sie sie in einen anderen Eintrag.',
  'Send it again later.': 'Senden Sie es später erneut.',
  'Send it again, or delete it and write it again.':
    'Senden Sie es erneut, oder löschen Sie es und schreiben Sie es neu.',
  'This device keeps 1,000 changes that are not sent yet, and cannot keep more. Bring it into the Wi-Fi of the site first.':
    'Auf diesem Gerät liegen 1.000 Änderungen, die noch nicht gesendet sind, und es kann keine weiteren speichern. Bringen Sie es zuerst in das WLAN des Betriebs.',
  'This device keeps 60 MB of photos that are not sent yet, and cannot keep more. Bring it into the Wi-Fi of the site first.':
    'Auf diesem Gerät liegen 60 MB Fotos, die noch nicht gesendet sind, und es kann keine weiteren speichern. Bringen Sie es zuerst in das WLAN des Betriebs.',
  'This form was saved before with other content, and the gateway may have it. Look at what you saved. Press again to save this as a new one.':
    'Dieses Formular wurde schon mit anderem Inhalt gespeichert, und das Gateway hat es vielleicht. Sehen Sie nach, was Sie gespeichert haben. Drücken Sie noch einmal, um dies als neuen Eintrag zu speichern.',
  'The gateway has not confirmed who you are. Try again when the gateway answers.':
    'Das Gateway hat nicht bestätigt, wer Sie sind. Versuchen Sie es noch einmal, wenn das Gateway antwortet.',
  'The gateway does not say what is there now. Try again when it answers.':
    'Das Gateway sagt nicht, was jetzt dort steht. Versuchen Sie es noch einmal, wenn es antwortet.',
  'This write cannot be decided here. Delete it and write it again.':
    'Über diese Änderung kann hier nicht entschieden werden. Löschen Sie sie und schreiben Sie sie neu.',
  'This is what is there now. Look at it, then choose again.':
    'Das steht jetzt dort. Sehen Sie es an, und wählen Sie dann noch einmal.',
  'This device does not have a photo of this inspection any more. Remove the photos of the item and take them again.':
    'Dieses Gerät hat ein Foto dieser Kontrolle nicht mehr. Entfernen Sie die Fotos des Punkts und nehmen Sie sie neu auf.',
  'This is too long. Shorten it and try again.': 'Das ist zu lang. Kürzen Sie es und versuchen Sie es noch einmal.',
};
