/** The texts of the sign-in, the shared tablet and the own account, in German. `docs/languages.md` has the glossary. */
import type { EntryText } from '#ui/languages/es/entry.ts';

export const ENTRY_DE: Readonly<Record<EntryText, string>> = {
  'Change the passphrase': 'Passwort ändern',
  Save: 'Speichern',
  'The two new passphrases differ. Type them again.':
    'Die beiden neuen Passwörter sind verschieden. Geben Sie sie noch einmal ein.',
  'Current passphrase': 'Jetziges Passwort',
  'New passphrase': 'Neues Passwort',
  'New passphrase again': 'Neues Passwort noch einmal',
  'Saved. Your other browsers are signed out.': 'Gespeichert. Ihre anderen Browser sind abgemeldet.',
  'PIN for shared tablets': 'PIN für gemeinsame Tablets',
  'Owners and admins sign in with their passphrase only. A PIN of 6 digits is too short for their rights.':
    'Inhaber und Administratoren melden sich nur mit ihrem Passwort an. Eine PIN mit 6 Ziffern ist zu kurz für ihre Rechte.',
  'Change the PIN for shared tablets': 'PIN für gemeinsame Tablets ändern',
  'Set a PIN for shared tablets': 'PIN für gemeinsame Tablets festlegen',
  'Save the PIN': 'PIN speichern',
  'The two new PINs differ. Type them again.': 'Die beiden neuen PINs sind verschieden. Geben Sie sie noch einmal ein.',
  'Current PIN': 'Jetzige PIN',
  'Your passphrase': 'Ihr Passwort',
  'New PIN': 'Neue PIN',
  '6 digits that are not easy to guess, such as no sequence and no repeated digits.':
    '6 Ziffern, die nicht leicht zu erraten sind, ohne Reihen und ohne wiederholte Ziffern.',
  'New PIN again': 'Neue PIN noch einmal',
  'Saved. You can sign in with this PIN on each shared tablet that lists you.':
    'Gespeichert. Mit dieser PIN können Sie sich auf jedem gemeinsamen Tablet anmelden, das Sie aufführt.',
  'You signed in with a key. On the page {a} an owner or admin creates an account for you.':
    'Sie sind mit einem Schlüssel angemeldet. Auf der Seite {a} legt ein Inhaber oder Administrator ein Konto für Sie an.',
  'Where you are signed in': 'Wo Sie angemeldet sind',
  Nobody: 'Niemand',
  '{name}, operator': '{name}, Fahrer',
  '{name}, mechanic': '{name}, Mechaniker',
  'A record of another site': 'Ein Eintrag eines anderen Betriebs',
  'Operator or mechanic': 'Fahrer oder Mechaniker',
  'Not signed in anywhere.': 'Nirgends angemeldet.',
  '{where}, used {time}, ends {end}': '{where}, benutzt {time}, endet {end}',
  '{where} (shared tablet), used {time}, ends {end}': '{where} (gemeinsames Tablet), benutzt {time}, endet {end}',
  'This browser': 'Dieser Browser',
  End: 'Beenden',
  'Keep me signed in on this device': 'Auf diesem Gerät angemeldet bleiben',
  Passphrase: 'Passwort',
  'At least 10 characters, for example four words that do not belong together.':
    'Mindestens 10 Zeichen, zum Beispiel vier Wörter, die nicht zusammengehören.',
  'Passphrase again': 'Passwort noch einmal',
  'The two passphrases differ. Type them again.':
    'Die beiden Passwörter sind verschieden. Geben Sie sie noch einmal ein.',
  'Enter a claim code': 'Inhabercode eingeben',
  'Claim this gateway': 'Dieses Gateway übernehmen',
  'Run headframe claim-code on the computer of the gateway, and enter the code that it prints. Use the name with which you signed in before: then you are the same owner. Another name makes a further owner.':
    'Führen Sie headframe claim-code auf dem Rechner des Gateways aus und geben Sie den Code ein, den es ausgibt. Verwenden Sie den Namen, mit dem Sie sich früher angemeldet haben: Dann sind Sie derselbe Inhaber. Ein anderer Name legt einen weiteren Inhaber an.',
  'Nobody owns this gateway yet. Become its owner: choose the name and the passphrase with which you sign in.':
    'Dieses Gateway hat noch keinen Inhaber. Werden Sie es: Wählen Sie den Namen und das Passwort, mit denen Sie sich anmelden.',
  'The gateway printed a claim code when it started. Enter it to prove that you run this gateway. You then sign in with your name and a passphrase.':
    'Das Gateway hat beim Start einen Code ausgegeben. Geben Sie ihn ein, um zu zeigen, dass Sie dieses Gateway betreiben. Danach melden Sie sich mit Namen und Passwort an.',
  'Save and sign in': 'Speichern und anmelden',
  Claim: 'Übernehmen',
  'Claim code': 'Inhabercode',
  'Your name': 'Ihr Name',
  'You sign in with this name, and the gateway shows it beside your changes.':
    'Mit diesem Namen melden Sie sich an, und das Gateway zeigt ihn bei Ihren Änderungen.',
  'Code expired? Run {code} on the gateway to get a new one.':
    'Code abgelaufen? Führen Sie {code} auf dem Gateway aus, um einen neuen zu erhalten.',
  'Your account': 'Ihr Konto',
  'Hello {name}. Your role is {role}. Choose a passphrase. You sign in with your name and this passphrase.':
    'Hallo {name}. Ihre Rolle ist {role}. Wählen Sie ein Passwort. Sie melden sich mit Ihrem Namen und diesem Passwort an.',
  'PIN for shared tablets (optional)': 'PIN für gemeinsame Tablets (optional)',
  '6 digits that are not easy to guess. You can also set it later on the page My account.':
    '6 Ziffern, die nicht leicht zu erraten sind. Sie können sie auch später auf der Seite Mein Konto festlegen.',
  'Go to the sign-in page': 'Zur Anmeldeseite',
  'Sign in': 'Anmelden',
  'Your session has ended. Sign in again.': 'Ihre Sitzung ist zu Ende. Melden Sie sich erneut an.',
  Name: 'Name',
  'Forgot the passphrase? Ask an admin for an invitation. An owner can run {code} on the gateway and {a}.':
    'Passwort vergessen? Bitten Sie einen Administrator um eine Einladung. Ein Inhaber kann {code} auf dem Gateway ausführen und dann hier weitermachen: {a}.',
  'enter the code': 'Code eingeben',
  'Use a key instead': 'Stattdessen einen Schlüssel verwenden',
  'Paste a key of this gateway. On the page Users you can then create an account for yourself.':
    'Fügen Sie einen Schlüssel dieses Gateways ein. Auf der Seite Benutzer können Sie dann ein Konto für sich anlegen.',
  Key: 'Schlüssel',
  'This key is unknown, revoked or expired. Check it, or ask for a new one.':
    'Dieser Schlüssel ist unbekannt, widerrufen oder abgelaufen. Prüfen Sie ihn oder bitten Sie um einen neuen.',
  'No key? Run {code} on the gateway and {a}.':
    'Kein Schlüssel? Führen Sie {code} auf dem Gateway aus und machen Sie dann hier weiter: {a}.',
  'Sign in with name and passphrase': 'Mit Name und Passwort anmelden',
  'Create your site': 'Betrieb anlegen',
  'Machines, people and reports belong to a site. A new site also has boards and a playlist for a TV. You can change these settings later on the Site page.':
    'Maschinen, Personen und Berichte gehören zu einem Betrieb. Ein neuer Betrieb hat auch Tafeln und eine Abspielliste für einen Fernseher. Sie können das später auf der Seite Betrieb ändern.',
  'Create site': 'Betrieb anlegen',
  'Site name': 'Name des Betriebs',
  'This box replaces one that broke': 'Dieser Rechner ersetzt einen defekten',
  'In this network the gateway also has an address that is easier to remember: {addresses}':
    'In diesem Netz hat das Gateway auch eine Adresse, die leichter zu merken ist: {addresses}',
  'Time zone': 'Zeitzone',
  'The time there is now {time}. Shifts and reports use this time.':
    'Dort ist es jetzt {time}. Schichten und Berichte verwenden diese Zeit.',
  'Two shifts of 12 hours': 'Zwei Schichten zu 12 Stunden',
  'Three shifts of 8 hours': 'Drei Schichten zu 8 Stunden',
  'One day shift': 'Eine Tagschicht',
  'Shift name': 'Name der Schicht',
  Starts: 'Beginnt',
  Ends: 'Endet',
  'Remove the shift {name}': 'Schicht {name} entfernen',
  Remove: 'Entfernen',
  'Own times': 'Eigene Zeiten',
  'Shift pattern': 'Schichtmodell',
  'shift {n}': 'Schicht {n}',
  'Add a shift': 'Schicht hinzufügen',
  'If the end is not later than the start, the shift ends on the next day.':
    'Liegt das Ende nicht nach dem Beginn, endet die Schicht am nächsten Tag.',
  'Use this device as a shared tablet': 'Dieses Gerät als gemeinsames Tablet verwenden',
  'After this step the device shows the names of the people who may use it. Each person signs in with a PIN. Nobody stays signed in.':
    'Nach diesem Schritt zeigt das Gerät die Namen der Personen, die es benutzen dürfen. Jede Person meldet sich mit einer PIN an. Niemand bleibt angemeldet.',
  'Do this on the tablet only, not on your own phone or computer.':
    'Tun Sie das nur auf dem Tablet, nicht auf Ihrem Telefon oder Rechner.',
  'Enrol this tablet': 'Dieses Tablet anmelden',
  Cancel: 'Abbrechen',
  'This tablet is not enrolled': 'Dieses Tablet ist nicht angemeldet',
  'An admin opens the page Tablets of the office, makes a new QR code, and you scan it with the camera of this tablet.':
    'Ein Administrator öffnet im Büro die Seite Tablets, erstellt einen neuen QR-Code, und Sie scannen ihn mit der Kamera dieses Tablets.',
  'Try again': 'Erneut versuchen',
  'Use it as a normal browser': 'Als normalen Browser verwenden',
  '{n} of {all} digits': '{n} von {all} Ziffern',
  Checking: 'Wird geprüft',
  'Back to the names': 'Zurück zu den Namen',
  'Delete a digit': 'Ziffer löschen',
  'Enter your PIN.': 'Geben Sie Ihre PIN ein.',
  'This PIN was valid once. Choose your own PIN of 6 digits.':
    'Diese PIN galt einmal. Wählen Sie Ihre eigene PIN mit 6 Ziffern.',
  'Enter your new PIN again.': 'Geben Sie Ihre neue PIN noch einmal ein.',
  'The two new PINs differ. Choose your own PIN again.':
    'Die beiden neuen PINs sind verschieden. Wählen Sie Ihre PIN noch einmal.',
  'Who are you?': 'Wer sind Sie?',
  'Find your name': 'Ihren Namen suchen',
  'Nobody may use this tablet yet. An admin chooses the people on the page Tablets of the office.':
    'Noch darf niemand dieses Tablet benutzen. Ein Administrator wählt die Personen im Büro auf der Seite Tablets.',
  'No name contains this text.': 'Kein Name enthält diesen Text.',
  'More people may use this tablet than the list can show.':
    'Mehr Personen dürfen dieses Tablet benutzen, als die Liste zeigen kann.',
  'Your name is missing? Ask an admin. Owners and admins do not sign in here: a PIN is too short for their rights.':
    'Ihr Name fehlt? Fragen Sie einen Administrator. Inhaber und Administratoren melden sich hier nicht an: Eine PIN ist zu kurz für ihre Rechte.',
  'Switch person': 'Person wechseln',
  'Nobody touched the tablet. {name} is signed out in {seconds} s. Touch the screen to stay signed in.':
    'Niemand hat das Tablet berührt. {name} wird in {seconds} s abgemeldet. Berühren Sie den Bildschirm, um angemeldet zu bleiben.',
  'The shift ends. {name} is signed out in {seconds} s. Save your work.':
    'Die Schicht endet. {name} wird in {seconds} s abgemeldet. Speichern Sie Ihre Arbeit.',
};
