/** Texts of the gateway in German: refusals about signing in, people, keys, tablets and head office. `docs/languages.md` has the glossary. */
import type { AccessTold } from './es-access.ts';

export const ACCESS_DE: Readonly<Record<AccessTold, string>> = {
  'The code is wrong or has expired. Print a new one on the gateway with `headframe claim-code`.':
    'Der Code ist falsch oder abgelaufen. Geben Sie am Gateway mit `headframe claim-code` einen neuen aus.',
  'This gateway already has an owner. Ask the owner for a key.':
    'Dieses Gateway hat schon einen Inhaber. Bitten Sie ihn um einen Schlüssel.',
  'There is no scope with the name {unknown}.': 'Es gibt kein Recht mit dem Namen {unknown}.',
  'Your key does not have the scope {wider}, so it cannot create a key with that scope.':
    'Ihr Schlüssel hat das Recht {wider} nicht und kann daher keinen Schlüssel mit diesem Recht erstellen.',
  'Your key is not valid for clients at {elsewhere}, so it cannot create a key for them.':
    'Ihr Schlüssel gilt nicht für Clients bei {elsewhere} und kann daher keinen Schlüssel für sie erstellen.',
  'The project {missing} does not exist, or this key has no access to it.':
    'Das Projekt {missing} gibt es nicht, oder dieser Schlüssel hat keinen Zugriff darauf.',
  'There is no such workspace key.': 'Diesen Schlüssel gibt es nicht.',
  'Only an owner can create owner keys.': 'Nur ein Inhaber kann Inhaberschlüssel erstellen.',
  'An owner key cannot be restricted; leave out scopes and addresses.':
    'Ein Inhaberschlüssel kann nicht eingeschränkt werden; lassen Sie Rechte und Adressen weg.',
  'This key is no longer valid; create a new one.': 'Dieser Schlüssel gilt nicht mehr; erstellen Sie einen neuen.',
  'Only an owner can roll an owner key.': 'Nur ein Inhaber kann einen Inhaberschlüssel erneuern.',
  'This key has more access than your key, so you cannot roll it.':
    'Dieser Schlüssel hat mehr Zugriff als Ihrer, deshalb können Sie ihn nicht erneuern.',
  'Only an owner can revoke an owner key.': 'Nur ein Inhaber kann einen Inhaberschlüssel widerrufen.',
  'This is the last owner; create another owner first.':
    'Das ist der letzte Inhaber; erstellen Sie zuerst einen anderen Inhaber.',
  'You use the gateway without TLS. First open https://{host}:{tls_port} and repeat this there. So you know that you can get in with TLS.':
    'Sie benutzen das Gateway ohne TLS. Öffnen Sie zuerst https://{host}:{tls_port} und wiederholen Sie dies dort. So wissen Sie, dass Sie mit TLS hineinkommen.',
  'This key is restricted to some projects. The listeners belong to the whole gateway, so use a key for all projects.':
    'Dieser Schlüssel ist auf einige Projekte beschränkt. Die Dienste gehören zum ganzen Gateway; nehmen Sie einen Schlüssel für alle Projekte.',
  'This gateway does not run this listener.': 'Dieses Gateway hat diesen Dienst nicht.',
  'This listener has no port with TLS, so nobody could use it.':
    'Dieser Dienst hat keinen Port mit TLS, also könnte ihn niemand benutzen.',
  'The TLS certificate of the gateway is not valid now, so clients would refuse it. See the page Health.':
    'Das TLS-Zertifikat des Gateways ist jetzt nicht gültig, also würden Clients es ablehnen. Siehe die Seite Systemzustand.',
  'The user {name} may not sign in.': 'Der Benutzer {name} darf sich nicht anmelden.',
  'The code for local sign-in is unknown, used or expired. Sign in with your name and your passphrase.':
    'Der Code für die lokale Anmeldung ist unbekannt, benutzt oder abgelaufen. Melden Sie sich mit Namen und Passwort an.',
  'A user or key can have at most {most} tokens; revoke one first.':
    'Ein Benutzer oder Schlüssel kann höchstens {most} Token haben; widerrufen Sie zuerst eines.',
  'Only a user or a workspace key can issue personal tokens.':
    'Nur ein Benutzer oder ein Schlüssel kann persönliche Token ausstellen.',
  'You signed in with a PIN on a shared tablet. To issue a token, sign in with your passphrase on another device.':
    'Sie haben sich mit einer PIN an einem gemeinsamen Tablet angemeldet. Um ein Token auszustellen, melden Sie sich an einem anderen Gerät mit Ihrem Passwort an.',
  'Your key is not allowed to read transcripts, so it cannot issue a token for that.':
    'Ihr Schlüssel darf keine Protokolle lesen und kann daher kein Token dafür ausstellen.',
  'Only owners and admins can list the tokens of another key.':
    'Nur Inhaber und Administratoren können die Token eines anderen Schlüssels sehen.',
  'The PIN {pin} is easy to guess: it is {why}. Choose another PIN.':
    'Die PIN {pin} ist leicht zu erraten: {why}. Wählen Sie eine andere PIN.',
  '{name} has the role {role}. Owners and admins sign in with a passphrase, because a PIN of 6 digits is too short for their rights. For work on a shared tablet, create a second user with another role.':
    '{name} hat die Rolle {role}. Inhaber und Administratoren melden sich mit einem Passwort an, weil eine PIN mit 6 Ziffern für ihre Rechte zu kurz ist. Für die Arbeit an einem gemeinsamen Tablet erstellen Sie einen zweiten Benutzer mit einer anderen Rolle.',
  'The project does not exist, or this credential has no access to it.':
    'Das Projekt gibt es nicht, oder dieser Zugang hat keinen Zugriff darauf.',
  'This key is restricted to some projects and cannot create one.':
    'Dieser Schlüssel ist auf einige Projekte beschränkt und kann keines erstellen.',
  'This invitation is used, replaced or expired. Ask an admin for a new one.':
    'Diese Einladung ist benutzt, ersetzt oder abgelaufen. Bitten Sie einen Administrator um eine neue.',
  'The name or the passphrase is wrong, or the user may not sign in. If you forgot it, ask an admin for an invitation.':
    'Der Name oder das Passwort ist falsch, oder der Benutzer darf sich nicht anmelden. Wenn Sie es vergessen haben, bitten Sie einen Administrator um eine Einladung.',
  'Only owners and admins can list the sessions of another user.':
    'Nur Inhaber und Administratoren können die Sitzungen eines anderen Benutzers sehen.',
  'Another user who is not an owner has this name. Use another name.':
    'Ein anderer Benutzer, der kein Inhaber ist, hat diesen Namen. Nehmen Sie einen anderen Namen.',
  'A setup of this project runs. Wait until it ends, or cancel it.':
    'Eine Einrichtung dieses Projekts läuft. Warten Sie, bis sie endet, oder brechen Sie sie ab.',
  'Somebody has decided this, or changed the field, in the meantime. Look at it again.':
    'Jemand hat das inzwischen entschieden oder das Feld geändert. Sehen Sie es noch einmal an.',
  'This key is restricted to some projects. A bundle has all projects of a site, so use a key for all projects.':
    'Dieser Schlüssel ist auf einige Projekte beschränkt. Eine Datei enthält alle Projekte eines Betriebs; nehmen Sie einen Schlüssel für alle Projekte.',
  'There is no bundle with this id.': 'Es gibt keine Datei mit dieser Kennung.',
  'Head office has at most {most_gateways} enrolments.': 'Die Zentrale hat höchstens {most_gateways} Anmeldungen.',
  'This key is restricted to some projects. A gateway brings projects of its own, so use a key for all projects.':
    'Dieser Schlüssel ist auf einige Projekte beschränkt. Ein Gateway bringt eigene Projekte mit; nehmen Sie einen Schlüssel für alle Projekte.',
  'No box of this gateway has this mark now. A box that is fenced takes a new mark: read sync_status again.':
    'Kein Rechner dieses Gateways hat jetzt dieses Kennzeichen. Ein ausgesperrter Rechner bekommt ein neues: Öffnen Sie die Seite noch einmal.',
  'This gateway is not enrolled at this head office any more.':
    'Dieses Gateway ist bei dieser Zentrale nicht mehr angemeldet.',
  'No gateway with this id was ever connected.': 'Ein Gateway mit dieser Kennung war nie verbunden.',
  'Head office cannot enrol itself.': 'Die Zentrale kann sich nicht selbst anmelden.',
  'Head office does not know this code. Compare it with the code on the page of head office.':
    'Die Zentrale kennt diesen Code nicht. Vergleichen Sie ihn mit dem Code auf der Seite der Zentrale.',
  'This code has expired. Ask head office for a new one.':
    'Dieser Code ist abgelaufen. Bitten Sie die Zentrale um einen neuen.',
  'This code was used already, and a code is valid once. Ask head office for a new one.':
    'Dieser Code wurde schon benutzt, und ein Code gilt einmal. Bitten Sie die Zentrale um einen neuen.',
  'Head office has withdrawn this code. Ask head office for a new one.':
    'Die Zentrale hat diesen Code zurückgezogen. Bitten Sie die Zentrale um einen neuen.',
  'This code is for a new box that takes the place of another one, and this box has a project of its own. Install Headframe on the new box with an empty data folder, and enter the code before you create a site. The code was not used up.':
    'Dieser Code ist für einen neuen Rechner, der einen anderen ersetzt, und dieser Rechner hat ein eigenes Projekt. Installieren Sie Headframe auf dem neuen Rechner mit einem leeren Datenordner, und geben Sie den Code ein, bevor Sie einen Betrieb anlegen. Der Code wurde nicht verbraucht.',
  'This key is restricted to some projects. The link to head office belongs to the whole gateway, so use a key for all projects.':
    'Dieser Schlüssel ist auf einige Projekte beschränkt. Die Verbindung zur Zentrale gehört zum ganzen Gateway; nehmen Sie einen Schlüssel für alle Projekte.',
  'The site does not exist, or this credential has no access to it.':
    'Den Betrieb gibt es nicht, oder dieser Zugang hat keinen Zugriff darauf.',
  'The limits can be lifted for at most 31 days.': 'Die Grenzen können höchstens 31 Tage aufgehoben werden.',
  '{name} has no PIN yet. Ask an admin for a one-time PIN, or set a PIN on the page My account.':
    '{name} hat noch keine PIN. Bitten Sie einen Administrator um eine Einmal-PIN, oder setzen Sie eine PIN auf der Seite Mein Konto.',
  '{name} has no valid PIN: the one-time PIN has expired. Ask an admin for a one-time PIN, or set a PIN on the page My account.':
    '{name} hat keine gültige PIN: Die Einmal-PIN ist abgelaufen. Bitten Sie einen Administrator um eine Einmal-PIN, oder setzen Sie eine PIN auf der Seite Mein Konto.',
  'Only an enrolled tablet may call this operation.': 'Das darf nur ein angemeldetes Tablet.',
  'This link is used, replaced or expired. Ask an admin for a new one on the page Tablets.':
    'Dieser Link ist benutzt, ersetzt oder abgelaufen. Bitten Sie einen Administrator auf der Seite Tablets um einen neuen.',
  'Change your PIN on the page My account.': 'Ändern Sie Ihre PIN auf der Seite Mein Konto.',
  'Choose your own PIN of 6 digits.': 'Wählen Sie Ihre eigene PIN mit 6 Ziffern.',
  'There is no user {id} with access to this project.': 'Es gibt keinen Benutzer {id} mit Zugriff auf dieses Projekt.',
  'A gateway can have at most {most_tablets} tablets.': 'Ein Gateway kann höchstens {most_tablets} Tablets haben.',
  'A site can have at most {most_displays} paired screens. Unpair one that is not used any more.':
    'Ein Standort kann höchstens {most_displays} gekoppelte Bildschirme haben. Entkoppeln Sie einen, der nicht mehr gebraucht wird.',
  'Name at least one role or one user who may use the tablet.':
    'Nennen Sie mindestens eine Rolle oder einen Benutzer, der das Tablet benutzen darf.',
  'The passphrase is wrong.': 'Das Passwort ist falsch.',
  'You have no PIN.': 'Sie haben keine PIN.',
  'Only the user can do this. For another user reset the PIN.':
    'Das kann nur der Benutzer selbst. Für einen anderen Benutzer setzen Sie die PIN zurück.',
  'This user is disabled; enable the user first.': 'Dieser Benutzer ist gesperrt; entsperren Sie ihn zuerst.',
  'The project {missing} does not exist, or you have no access to it.':
    'Das Projekt {missing} gibt es nicht, oder Sie haben keinen Zugriff darauf.',
  'A gateway can have at most {most_users} users.': 'Ein Gateway kann höchstens {most_users} Benutzer haben.',
  'This passphrase is easy to guess. Choose three or more words that do not belong together.':
    'Dieses Passwort ist leicht zu erraten. Wählen Sie drei oder mehr Wörter, die nicht zusammengehören.',
  'Only an owner can create or change an owner.': 'Nur ein Inhaber kann einen Inhaber erstellen oder ändern.',
  'There is no such person.': 'Diese Person gibt es nicht.',
  'There is no such user.': 'Diesen Benutzer gibt es nicht.',
  'This is the last owner; make another owner first.':
    'Das ist der letzte Inhaber; machen Sie zuerst einen anderen zum Inhaber.',
  'Only the user can do this. For another user make an invitation.':
    'Das kann nur der Benutzer selbst. Für einen anderen Benutzer erstellen Sie eine Einladung.',
  'The current passphrase is wrong.': 'Das jetzige Passwort ist falsch.',
  'Only a person who is signed in gets a pass.': 'Nur eine angemeldete Person bekommt einen Berechtigungsschein.',
  'Too many people sign in at the moment. Try again in some seconds.':
    'Im Moment melden sich zu viele Personen an. Versuchen Sie es in einigen Sekunden noch einmal.',
  'a minute': 'eine Minute',
  'Too many wrong PINs of {name} on this tablet. Wait {wait}, use another tablet, or ask an admin to reset the PIN.':
    'Zu viele falsche PINs von {name} an diesem Tablet. Warten Sie {wait}, nehmen Sie ein anderes Tablet, oder bitten Sie einen Administrator, die PIN zurückzusetzen.',
  'Too many wrong PINs of {name} today, on all tablets together. Wait {wait}, or ask an admin to reset the PIN.':
    'Zu viele falsche PINs von {name} heute, an allen Tablets zusammen. Warten Sie {wait}, oder bitten Sie einen Administrator, die PIN zurückzusetzen.',
  'The PIN of {name} is blocked after too many wrong tries. Ask an admin to reset the PIN, or sign in with the passphrase and set a new PIN.':
    'Die PIN von {name} ist nach zu vielen falschen Versuchen gesperrt. Bitten Sie einen Administrator, die PIN zurückzusetzen, oder melden Sie sich mit dem Passwort an und setzen Sie eine neue PIN.',
  '{n} more try before a wait.|{n} more tries before a wait.':
    'Noch {n} Versuch vor einer Wartezeit.|Noch {n} Versuche vor einer Wartezeit.',
  'This PIN is wrong.': 'Diese PIN ist falsch.',
  'The gateway has a new key file, so the PIN of {name} is no longer valid. Ask an admin to reset the PIN.':
    'Das Gateway hat eine neue Schlüsseldatei, deshalb gilt die PIN von {name} nicht mehr. Bitten Sie einen Administrator, die PIN zurückzusetzen.',
  'Another PIN of {name} is checked at the moment. Try again.':
    'Gerade wird eine andere PIN von {name} geprüft. Versuchen Sie es noch einmal.',
  'Another box has taken the place of this one at head office, at {revoked_at}, with a code for this site.':
    'Ein anderer Rechner hat am {revoked_at} bei der Zentrale den Platz von diesem eingenommen, mit einem Code für diesen Betrieb.',
  'This key may not be used from this address.': 'Dieser Schlüssel darf von dieser Adresse aus nicht benutzt werden.',
  'Nobody owns this gateway yet. Open its address in a browser and enter the claim code that it printed, or run `headframe claim-code`.':
    'Dieses Gateway gehört noch niemandem. Öffnen Sie seine Adresse in einem Browser und geben Sie den Code ein, den es ausgegeben hat, oder starten Sie `headframe claim-code`.',
  'This key or session is unknown, revoked or expired.':
    'Dieser Schlüssel oder diese Sitzung ist unbekannt, widerrufen oder abgelaufen.',
  'An admin revoked the tablet {name}. To use it again, ask an admin to enrol it with a new QR code.':
    'Ein Administrator hat das Tablet {name} widerrufen. Um es wieder zu benutzen, bitten Sie einen Administrator, es mit einem neuen QR-Code anzumelden.',
  'This gateway accepts requests from other computers only with TLS. Use {base}, and replace a key that you sent without TLS.':
    'Dieses Gateway nimmt Anfragen von anderen Computern nur mit TLS an. Benutzen Sie {base}, und ersetzen Sie einen Schlüssel, den Sie ohne TLS gesendet haben.',
  'The role {role} may not call this operation. Allowed roles: {roles}.':
    'Die Rolle {role} darf das nicht. Rollen, die es dürfen: {roles}.',
  'This key does not have the scope {scope}.': 'Dieser Schlüssel hat das Recht {scope} nicht.',
  '{name} may not write here any more. Ask an admin.':
    '{name} darf hier nicht mehr schreiben. Fragen Sie einen Administrator.',
  'The access of {name} has ended. Ask an admin.': 'Der Zugang von {name} ist beendet. Fragen Sie einen Administrator.',
  '{name} wrote this. It is sent when {name} signs in here.':
    '{name} hat das geschrieben. Es wird gesendet, wenn {name} sich hier anmeldet.',
  '{name} may not use this tablet any more. Ask an admin.':
    '{name} darf dieses Tablet nicht mehr benutzen. Fragen Sie einen Administrator.',
  'This was written more than {writing_pass} days ago. The gateway can no longer tell whether it has it already.':
    'Das wurde vor mehr als {writing_pass} Tagen geschrieben. Das Gateway kann nicht mehr sagen, ob es das schon hat.',
  'The gateway does not have this write. If it is still right, sign in, open "Outbox" and write it again.':
    'Das Gateway hat diese Änderung nicht. Wenn sie noch stimmt, melden Sie sich an, öffnen Sie „Postausgang“ und schreiben Sie sie noch einmal.',
  'After this was written, the PIN or passphrase of {name} was changed, or a session was ended.':
    'Nachdem das geschrieben war, wurde die PIN oder das Passwort von {name} geändert oder eine Sitzung beendet.',
  'After this was written, the tablet was removed or enrolled again.':
    'Nachdem das geschrieben war, wurde das Tablet entfernt oder neu angemeldet.',
  'This gateway did not make the pass of this write, or it has a new key since then.':
    'Dieses Gateway hat den Berechtigungsschein dieser Änderung nicht ausgestellt, oder es hat seither einen neuen Schlüssel.',
  'Another key wrote this.': 'Ein anderer Schlüssel hat das geschrieben.',
  'The person who wrote this may not write here any more. Ask an admin.':
    'Die Person, die das geschrieben hat, darf hier nicht mehr schreiben. Fragen Sie einen Administrator.',
  'Too many wrong passphrases. Wait {wait_s} s, then try again. If you do not know the passphrase, ask an admin for an invitation.':
    'Zu viele falsche Passwörter. Warten Sie {wait_s} s, dann versuchen Sie es noch einmal. Wenn Sie das Passwort nicht wissen, bitten Sie einen Administrator um eine Einladung.',
  'Your key has only some scopes, so it cannot create a key with all of them.':
    'Ihr Schlüssel hat nur einige Rechte und kann daher keinen Schlüssel mit allen erstellen.',
  'one repeated digit': 'eine wiederholte Ziffer',
  'a rising sequence': 'eine aufsteigende Folge',
  'a falling sequence': 'eine absteigende Folge',
  'a repeated group of digits': 'eine wiederholte Gruppe von Ziffern',
  'the same forwards and backwards': 'vorwärts und rückwärts gleich',
  'pairs or triples of digits': 'Paare oder Dreier von Ziffern',
  'only two different digits': 'nur zwei verschiedene Ziffern',
  'one of the most common PINs': 'eine der häufigsten PINs',
  owner: 'Inhaber',
  admin: 'Administrator',
  supervisor: 'Vorgesetzter',
  viewer: 'Leser',
  agent: 'Agent',
  'The gateway at this address does not answer.': 'Das Gateway unter dieser Adresse antwortet nicht.',
  'The server at this address is not a Headframe gateway (status {status}).':
    'Der Server unter dieser Adresse ist kein Headframe-Gateway (Status {status}).',
};
