/** Texts of the gateway in German: sentences about the link to head office and about files on a stick. `docs/languages.md` has the glossary. */
import type { LinkTold } from './es-link.ts';

export const LINK_DE: Readonly<Record<LinkTold, string>> = {
  'the quarantine is full: it keeps {commits} changes that this version cannot take, and the names of {keys} further records. What came now is not taken, and nothing is lost: the other end keeps it. Update this end, and start it again.':
    'die Quarantäne ist voll: Sie hält {commits} Änderungen, die diese Version nicht annehmen kann, und die Namen von {keys} weiteren Einträgen. Was jetzt kam, wird nicht angenommen, und nichts geht verloren: Die Gegenstelle behält es. Aktualisieren Sie Headframe hier, und starten Sie es neu.',
  'The comparison of a project makes no progress, because head office answers a question with the same question. Update head office. The site keeps the changes of this project and tries again every hour. Its other projects go on.':
    'Der Vergleich eines Projekts kommt nicht voran, weil die Zentrale auf eine Frage mit derselben Frage antwortet. Aktualisieren Sie die Zentrale. Der Betrieb behält die Änderungen dieses Projekts und versucht es jede Stunde neu. Seine anderen Projekte gehen weiter.',
  'The address of head office must begin with https://, such as https://head-office.example.com.':
    'Die Adresse der Zentrale muss mit https:// beginnen, wie https://head-office.example.com.',
  'The address of head office must have no user name, no ? and no #.':
    'Die Adresse der Zentrale darf keinen Benutzernamen, kein ? und kein # haben.',
  'Use https:// for head office. http:// is possible only for an address of the own network.':
    'Benutzen Sie https:// für die Zentrale. http:// ist nur für eine Adresse des eigenen Netzes möglich.',
  '{n} device has no key at this box, so what it sends is refused. Give it a new key: on the page Connect, enter its serial number, and put the new key into the device.|{n} devices have no key at this box, so what they send is refused. Give each one a new key: on the page Connect, enter its serial number, and put the new key into the device.':
    '{n} Gerät hat auf diesem Rechner keinen Schlüssel, deshalb wird abgelehnt, was es sendet. Geben Sie ihm einen neuen Schlüssel: Geben Sie auf der Seite Verbinden seine Seriennummer ein, und setzen Sie den neuen Schlüssel in das Gerät.|{n} Geräte haben auf diesem Rechner keinen Schlüssel, deshalb wird abgelehnt, was sie senden. Geben Sie jedem einen neuen Schlüssel: Geben Sie auf der Seite Verbinden seine Seriennummer ein, und setzen Sie den neuen Schlüssel in das Gerät.',
  'The newest values, meters and trouble codes of machines are those that head office had, with their times. These come when the machine reports again: values of devices, previously active trouble codes (DM2), and the lamps of a control unit without an active code; if such a lamp was on, also the trouble codes of that machine. The earlier steps of a meter do not come back; its total goes on, and the events of the machine name each step.':
    'Die neuesten Werte, Zähler und Fehlercodes der Maschinen sind die, die die Zentrale hatte, mit ihren Zeiten. Diese kommen, wenn die Maschine wieder meldet: Werte von Geräten, früher aktive Fehlercodes (DM2) und die Lampen eines Steuergeräts ohne aktiven Code; war eine solche Lampe an, auch die Fehlercodes dieser Maschine. Die früheren Schritte eines Zählers kommen nicht zurück; sein Gesamtstand läuft weiter, und das Protokoll der Maschine nennt jeden Schritt.',
  'Bus requests, configuration, firmware and quarantine of devices never come from head office. Set them again on the page of each device; a device that was in quarantine at that box is not in quarantine here.':
    'Bus-Anfragen, Konfiguration, Firmware und Quarantäne von Geräten kommen nie von der Zentrale. Setzen Sie sie auf der Seite jedes Geräts neu; ein Gerät, das auf jenem Rechner in Quarantäne war, ist es hier nicht.',
  'Users, PINs, API keys, shared tablets and the links of TVs were only on that box. Invite people again, pair TVs and tablets again, and make new keys.':
    'Benutzer, PINs, API-Schlüssel, gemeinsame Tablets und die Links der Fernseher waren nur auf jenem Rechner. Laden Sie die Personen neu ein, koppeln Sie Fernseher neu, melden Sie Tablets neu an, und erstellen Sie neue Schlüssel.',
  'Passphrases of log files, signing keys of webhooks, keys of models and the TLS certificate were encrypted with the key of that box, which is gone. Enter them again. Screens and loggers that trust the old certificate must trust the new one.':
    'Passwörter von Logdateien, Signaturschlüssel von Webhooks, Schlüssel von Modellen und das TLS-Zertifikat waren mit dem Schlüssel jenes Rechners verschlüsselt, der verloren ist. Geben Sie sie neu ein. Bildschirme und Logger, die dem alten Zertifikat vertrauen, müssen dem neuen vertrauen.',
  'Raw messages of the last hours were only on the disk of that box.':
    'Die Rohdaten der letzten Stunden waren nur auf dem Datenträger jenes Rechners.',
  'Photos and logs are at head office. This box fetches the content of a file when somebody asks for it on its page.':
    'Fotos und Logs sind bei der Zentrale. Dieser Rechner holt den Inhalt einer Datei, wenn jemand auf ihrer Seite danach fragt.',
  'Head office never heard the box before, so nothing of it can come back.':
    'Die Zentrale hatte nie Kontakt mit dem vorigen Rechner, deshalb kann nichts davon zurückkommen.',
  'The bundle is damaged: its bytes are not those that were written. Copy the file again; if that does not help, make a new bundle.':
    'Die Datei ist beschädigt: Ihre Bytes sind nicht die geschriebenen. Kopieren Sie sie noch einmal; wenn das nicht hilft, erstellen Sie eine neue.',
  'The bundle has version {version} of the form; this end knows versions {plain} and {with_files}. Update the older end, and make a new bundle.':
    'Die Datei hat Version {version} des Formats; Headframe kennt hier die Versionen {plain} und {with_files}. Aktualisieren Sie Headframe dort, wo es älter ist, und erstellen Sie eine neue Datei.',
  'The file ends before its end: it was not copied as a whole. What it has was taken. Copy it again and import it again, or make a new bundle.':
    'Die Datei endet vor ihrem Ende: Sie wurde nicht ganz kopiert. Was sie enthält, wurde angenommen. Kopieren und importieren Sie sie noch einmal, oder erstellen Sie eine neue.',
  'This file is not a bundle of Headframe. Choose the file that the other end made; its name ends in .hfbundle.':
    'Diese Datei ist keine Transportdatei von Headframe. Wählen Sie die Datei, die die Gegenstelle gemacht hat; ihr Name endet auf .hfbundle.',
  'Another bundle is being written or read. Try again when that has ended.':
    'Eine andere Datei wird gerade geschrieben oder gelesen. Versuchen Sie es, wenn das beendet ist.',
  '{n} photo or log|{n} photos and logs': '{n} Foto oder Log|{n} Fotos und Logs',
  '{n} change and 1 photo or log|{n} changes and 1 photo or log':
    '{n} Änderung und 1 Foto oder Log|{n} Änderungen und 1 Foto oder Log',
  '{n} change and {files} photos and logs|{n} changes and {files} photos and logs':
    '{n} Änderung und {files} Fotos und Logs|{n} Änderungen und {files} Fotos und Logs',
  '{what} for head office. Head office has not confirmed it yet.':
    '{what} für die Zentrale. Die Zentrale hat es noch nicht bestätigt.',
  '{what} for {site}. {site} has not confirmed it yet.': '{what} für {site}. {site} hat es noch nicht bestätigt.',
  '{what} for head office. It has arrived.': '{what} für die Zentrale. Es ist angekommen.',
  '{what} for {site}. It has arrived.': '{what} für {site}. Es ist angekommen.',
  '{what}. All changes were taken.': '{what}. Alle Änderungen wurden angenommen.',
  '{what}. Everything was taken.': '{what}. Alles wurde angenommen.',
  '{what}. Everything was taken but live values. {site} must connect once over a network, because one of the two ends was put back from a backup.':
    '{what}. Alles außer Live-Werten wurde angenommen. {site} muss sich einmal über ein Netz verbinden, weil der Betrieb oder die Zentrale aus einer Sicherung wiederhergestellt wurde.',
  '{what}. The file ended early: import it again from a whole copy.':
    '{what}. Die Datei endete zu früh: Importieren Sie sie noch einmal von einer ganzen Kopie.',
  'Not everything fitted: make the next file.': 'Nicht alles passte hinein: Erstellen Sie die nächste Datei.',
  'This was file {volume}; file {next} of the same export has the rest.':
    'Das war Datei {volume}; Datei {next} desselben Exports enthält den Rest.',
  '{n} change was not taken: see the page about the other end.|{n} changes were not taken: see the page about the other end.':
    '{n} Änderung wurde nicht angenommen: Siehe die Seite über die Gegenstelle.|{n} Änderungen wurden nicht angenommen: Siehe die Seite über die Gegenstelle.',
  '{n} project is not in it: it needs one contact over a network first.|{n} projects are not in it: they need one contact over a network first.':
    '{n} Projekt ist nicht darin: Es braucht zuerst einen Kontakt über ein Netz.|{n} Projekte sind nicht darin: Sie brauchen zuerst einen Kontakt über ein Netz.',
  '{n} photo or log for head office waits for the next file.|{n} photos and logs for head office wait for the next file.':
    '{n} Foto oder Log für die Zentrale wartet auf die nächste Datei.|{n} Fotos und Logs für die Zentrale warten auf die nächste Datei.',
  '{n} photo or log for {site} waits for the next file.|{n} photos and logs for {site} wait for the next file.':
    '{n} Foto oder Log für {site} wartet auf die nächste Datei.|{n} Fotos und Logs für {site} warten auf die nächste Datei.',
  '{n} photo or log could not be joined, because earlier parts are not here: import the files of the export in their order.|{n} photos and logs could not be joined, because earlier parts are not here: import the files of the export in their order.':
    '{n} Foto oder Log konnte nicht zusammengesetzt werden, weil frühere Teile fehlen: Importieren Sie die Dateien des Exports der Reihe nach.|{n} Fotos und Logs konnten nicht zusammengesetzt werden, weil frühere Teile fehlen: Importieren Sie die Dateien des Exports der Reihe nach.',
  '{n} photo or log is arriving over the network now: nothing is to be done.|{n} photos and logs are arriving over the network now: nothing is to be done.':
    '{n} Foto oder Log kommt gerade über das Netz: nichts zu tun.|{n} Fotos und Logs kommen gerade über das Netz: nichts zu tun.',
  'The disk had no room for {n} photo or log: make room, and import the file again.|The disk had no room for {n} photos and logs: make room, and import the file again.':
    'Der Datenträger hatte keinen Platz für {n} Foto oder Log: Schaffen Sie Platz und importieren Sie die Datei noch einmal.|Der Datenträger hatte keinen Platz für {n} Fotos und Logs: Schaffen Sie Platz und importieren Sie die Datei noch einmal.',
  'The disk refused {n} photo or log with an error: check the disk of this end, and import the file again.|The disk refused {n} photos and logs with an error: check the disk of this end, and import the file again.':
    'Der Datenträger hat {n} Foto oder Log mit einem Fehler abgelehnt: Prüfen Sie den Datenträger hier, und importieren Sie die Datei noch einmal.|Der Datenträger hat {n} Fotos und Logs mit einem Fehler abgelehnt: Prüfen Sie den Datenträger hier, und importieren Sie die Datei noch einmal.',
  '{n} photo or log is damaged, on the disk of the other end or on the way: make a new file there. If the same happens again, check the disk of the other end, and store the photo or log there anew.|{n} photos and logs are damaged, on the disk of the other end or on the way: make a new file there. If the same happens again, check the disk of the other end, and store the photo or log there anew.':
    '{n} Foto oder Log ist beschädigt, auf dem Datenträger der Gegenstelle oder unterwegs: Erstellen Sie dort eine neue Datei. Wenn es wieder passiert, prüfen Sie den Datenträger der Gegenstelle und speichern Sie das Foto oder Log dort neu.|{n} Fotos und Logs sind beschädigt, auf dem Datenträger der Gegenstelle oder unterwegs: Erstellen Sie dort eine neue Datei. Wenn es wieder passiert, prüfen Sie den Datenträger der Gegenstelle und speichern Sie das Foto oder Log dort neu.',
  '{n} photo or log is not known here: import the earlier files of the export first, and then this one again.|{n} photos and logs are not known here: import the earlier files of the export first, and then this one again.':
    '{n} Foto oder Log ist hier nicht bekannt: Importieren Sie zuerst die früheren Dateien des Exports und dann diese noch einmal.|{n} Fotos und Logs sind hier nicht bekannt: Importieren Sie zuerst die früheren Dateien des Exports und dann diese noch einmal.',
  '{n} photo or log could not be read here, and is not in it: check the disk of this end.|{n} photos and logs could not be read here, and are not in it: check the disk of this end.':
    '{n} Foto oder Log konnte hier nicht gelesen werden und ist nicht in der Datei: Prüfen Sie den Datenträger hier.|{n} Fotos und Logs konnten hier nicht gelesen werden und sind nicht in der Datei: Prüfen Sie den Datenträger hier.',
  '{where}, {message}': '{where}, {message}',
  'At head office': 'Bei der Zentrale',
  'At this site': 'In diesem Betrieb',
  'Head office has revoked {name}, so no bundle is made for it or taken from it. To take its data, make a new code, and connect the site with it.':
    'Die Zentrale hat {name} widerrufen, deshalb wird keine Datei dafür gemacht oder davon angenommen. Um die Daten anzunehmen, erstellen Sie einen neuen Code und verbinden Sie den Betrieb damit.',
  '{name} was never connected to this head office.': '{name} war nie mit dieser Zentrale verbunden.',
  'This bundle was made at head office, for {site}. Import it there, and import here the one that the site makes.':
    'Diese Datei wurde bei der Zentrale für {site} gemacht. Importieren Sie sie dort, und importieren Sie hier die, die der Betrieb macht.',
  'This head office does not know the site {site} of this bundle. Import it at the head office to which that site is connected.':
    'Diese Zentrale kennt den Betrieb {site} dieser Datei nicht. Importieren Sie sie bei der Zentrale, mit der dieser Betrieb verbunden ist.',
  '{site} was connected anew since this bundle was made. Make a new bundle at the site: it has everything of this one.':
    '{site} wurde neu verbunden, seit diese Datei gemacht wurde. Erstellen Sie im Betrieb eine neue Datei: Sie enthält alles von dieser.',
  '{site} was put back from a backup since this bundle was made, or another computer with a copy of its disk made it. If the site itself made it, import it with --earlier-life (over the API: the header Earlier-Life: take): records and events are taken, live values are not. If a copy made it, stop the copy.':
    '{site} wurde aus einer Sicherung wiederhergestellt, seit diese Datei gemacht wurde, oder ein anderer Rechner mit einer Kopie des Datenträgers hat sie gemacht. Wenn der Betrieb selbst sie gemacht hat, importieren Sie sie mit --earlier-life (über die API: der Header Earlier-Life: take): Einträge und Ereignisse werden angenommen, Live-Werte nicht. Wenn eine Kopie sie gemacht hat, stoppen Sie die Kopie.',
  'No gateway with this id is enrolled here.': 'Kein Gateway mit dieser Kennung ist hier angemeldet.',
  'Name the gateway for which the bundle is.': 'Nennen Sie das Gateway, für das die Datei ist.',
  'There is no bundle of this gateway with this id.': 'Es gibt keine Datei dieses Gateways mit dieser Kennung.',
  'This bundle is for another site. Make one at head office for {name}.':
    'Diese Datei ist für einen anderen Betrieb. Erstellen Sie bei der Zentrale eine für {name}.',
  'Head office has revoked this gateway, so it takes no bundle of it. Ask head office for a new code, and connect this site with it.':
    'Die Zentrale hat dieses Gateway widerrufen und nimmt deshalb keine Datei davon an. Bitten Sie die Zentrale um einen neuen Code und verbinden Sie diesen Betrieb damit.',
  'This bundle was made at a site, for head office. Import it at head office, and import here the one that head office makes.':
    'Diese Datei wurde in einem Betrieb für die Zentrale gemacht. Importieren Sie sie bei der Zentrale, und importieren Sie hier die, die die Zentrale macht.',
  'This site was connected to head office anew since this bundle was made. Make a new one at head office.':
    'Dieser Betrieb wurde neu mit der Zentrale verbunden, seit diese Datei gemacht wurde. Erstellen Sie bei der Zentrale eine neue.',
  'Another computer uses the identity of this gateway, such as a copy of its disk. Stop the other one, or ask head office which of the two counts; until then no bundle is made or taken here.':
    'Ein anderer Rechner benutzt die Identität dieses Gateways, zum Beispiel mit einer Kopie des Datenträgers. Stoppen Sie den anderen, oder fragen Sie die Zentrale, welcher von beiden gilt; bis dahin wird hier keine Datei gemacht oder angenommen.',
  'Head office has a bundle that this gateway does not know, so this gateway was put back from a backup since. Connect it to head office once over a network: both then find out what is missing.':
    'Die Zentrale hat eine Datei, die dieses Gateway nicht kennt, also wurde dieses Gateway seither aus einer Sicherung wiederhergestellt. Verbinden Sie es einmal über ein Netz mit der Zentrale: Dann sehen beide, was fehlt.',
  'Changes before those of this bundle are missing here. If the export had several files, import the earlier ones first. Otherwise carry a new bundle to head office, and import the one that it then makes.':
    'Hier fehlen Änderungen vor denen dieser Datei. Wenn der Export mehrere Dateien hatte, importieren Sie zuerst die früheren. Sonst bringen Sie eine neue Datei zur Zentrale und importieren Sie die, die sie dann macht.',
  'The content of this file is lost: {at} does not have it either.':
    'Der Inhalt dieser Datei ist verloren: {at} hat ihn auch nicht.',
  'The content of this file ({size}, of which {received} are here) is at {at}.':
    'Der Inhalt dieser Datei ({size}, davon {received} hier) ist bei {at}.',
  'The content of this file ({size}) is at {at}.': 'Der Inhalt dieser Datei ({size}) ist bei {at}.',
  'Ask for it, and it is sent first.': 'Fordern Sie ihn an, dann wird er zuerst gesendet.',
  'There has been no contact for {time}. It comes when there is a connection again.':
    'Seit {time} gibt es keinen Kontakt. Der Inhalt kommt, wenn es wieder eine Verbindung gibt.',
  'Files do not move now:': 'Dateien werden gerade nicht übertragen:',
  'It comes after more urgent data.': 'Er kommt nach dringenderen Daten.',
  'It comes in about {time}.': 'Er kommt in etwa {time}.',
  'Connected.': 'Verbunden.',
  'Connected. The bytes of this month for the link are used up: the site sends only alerts, and it calls every {time}.':
    'Verbunden. Das Datenvolumen dieses Monats für die Verbindung ist verbraucht: Der Betrieb sendet nur Alarme und meldet sich alle {time}.',
  'Connected. The link costs money by the byte, so it calls every {time}. Alerts come at once.':
    'Verbunden. Die Verbindung wird nach Datenvolumen bezahlt, deshalb meldet sich der Betrieb alle {time}. Alarme kommen sofort.',
  'Head office takes nothing from this gateway, because an admin revoked it.':
    'Die Zentrale nimmt nichts von diesem Gateway an, weil ein Administrator es widerrufen hat.',
  'This site has not sent anything yet.': 'Dieser Betrieb hat noch nichts gesendet.',
  'No connection for {time}. The site works on alone, and head office shows what it knew then.':
    'Keine Verbindung seit {time}. Der Betrieb arbeitet allein weiter, und die Zentrale zeigt, was sie damals wusste.',
  'At the last contact, {n} change waited at the site.|At the last contact, {n} changes waited at the site.':
    'Beim letzten Kontakt wartete {n} Änderung im Betrieb.|Beim letzten Kontakt warteten {n} Änderungen im Betrieb.',
  '{n} change waits here for the site.|{n} changes wait here for the site.':
    '{n} Änderung wartet hier auf den Betrieb.|{n} Änderungen warten hier auf den Betrieb.',
  'Head office could not take {n} change of this site.|Head office could not take {n} changes of this site.':
    'Die Zentrale konnte {n} Änderung dieses Betriebs nicht annehmen.|Die Zentrale konnte {n} Änderungen dieses Betriebs nicht annehmen.',
  'Nothing waits.': 'Nichts wartet.',
  'No site is connected to this head office yet.': 'Noch kein Betrieb ist mit dieser Zentrale verbunden.',
  'The site is connected.': 'Der Betrieb ist verbunden.',
  'The site has no connection now.': 'Der Betrieb hat jetzt keine Verbindung.',
  'All {count} sites are connected.': 'Alle {count} Betriebe sind verbunden.',
  '{n} of {count} sites is connected. The others work on alone.|{n} of {count} sites are connected. The others work on alone.':
    '{n} von {count} Betrieben ist verbunden. Die anderen arbeiten allein weiter.|{n} von {count} Betrieben sind verbunden. Die anderen arbeiten allein weiter.',
  'Several boxes use the identity of this site, such as a computer and a copy of its disk. Head office takes the data of one of them.':
    'Mehrere Rechner benutzen die Identität dieses Betriebs, zum Beispiel ein Rechner und eine Kopie seines Datenträgers. Die Zentrale nimmt die Daten von einem an.',
  'The bytes of this link are counted. A live view uses some of them.':
    'Das Datenvolumen dieser Verbindung wird gezählt. Eine Live-Ansicht verbraucht etwas davon.',
  'Head office has asked the site for live values.': 'Die Zentrale hat den Betrieb um Live-Werte gebeten.',
  'The site sends live values every 2 s.': 'Der Betrieb sendet alle 2 s Live-Werte.',
  'Live view is not possible: the site has no connection now.':
    'Eine Live-Ansicht ist nicht möglich: Der Betrieb hat jetzt keine Verbindung.',
  'Live view is not possible: the link of this site costs money by the byte, and the site calls seldom.':
    'Eine Live-Ansicht ist nicht möglich: Die Verbindung dieses Betriebs wird nach Datenvolumen bezahlt, und der Betrieb meldet sich selten.',
  'Live view is not possible: the bytes of this month for the link of this site are used up.':
    'Eine Live-Ansicht ist nicht möglich: Das Datenvolumen dieses Monats für die Verbindung dieses Betriebs ist verbraucht.',
  'Live view is not possible: the version of this site cannot send live values when it is asked. Update the site.':
    'Eine Live-Ansicht ist nicht möglich: Die Version dieses Betriebs kann auf Anfrage keine Live-Werte senden. Aktualisieren Sie den Betrieb.',
  'A fault of this gateway. Its log has the details.':
    'Ein Fehler dieses Gateways. Sein Protokoll hat die Einzelheiten.',
  'Head office cannot be reached at {url}.': 'Die Zentrale ist unter {url} nicht erreichbar.',
  '({code})': '({code})',
  'The name in this address is not known here. Compare the address, and check that this gateway has a network connection.':
    'Der Name in dieser Adresse ist hier nicht bekannt. Vergleichen Sie die Adresse, und prüfen Sie, ob dieses Gateway eine Netzverbindung hat.',
  'No answer came from this address. Compare the address, and check that a firewall lets this gateway call it.':
    'Von dieser Adresse kam keine Antwort. Vergleichen Sie die Adresse, und prüfen Sie, ob eine Firewall dieses Gateway durchlässt.',
  'The certificate at this address is not trusted here, so this site sends nothing to it. If head office has a certificate of your own authority, start this gateway with NODE_EXTRA_CA_CERTS=/path/of/ca.pem.':
    'Dem Zertifikat dieser Adresse wird hier nicht vertraut, deshalb sendet dieser Betrieb nichts dorthin. Wenn die Zentrale ein Zertifikat Ihrer eigenen Zertifizierungsstelle hat, starten Sie dieses Gateway mit NODE_EXTRA_CA_CERTS=/path/of/ca.pem.',
  'Nothing answers at this address. Compare the address and its port, and check that head office runs.':
    'Unter dieser Adresse antwortet nichts. Vergleichen Sie Adresse und Port, und prüfen Sie, ob die Zentrale läuft.',
  'This gateway has no network connection now.': 'Dieses Gateway hat jetzt keine Netzverbindung.',
  'The connection broke before an answer came. Try again.':
    'Die Verbindung brach ab, bevor eine Antwort kam. Versuchen Sie es noch einmal.',
  'The certificate of head office has expired. The people of head office must renew it.':
    'Das Zertifikat der Zentrale ist abgelaufen. Die Leute der Zentrale müssen es erneuern.',
  'The certificate of head office is not valid yet. Check the date and the time of this gateway and of head office.':
    'Das Zertifikat der Zentrale ist noch nicht gültig. Prüfen Sie Datum und Uhrzeit dieses Gateways und der Zentrale.',
  'The certificate at this address is for another name. Use the name in the certificate, or renew the certificate.':
    'Das Zertifikat dieser Adresse gilt für einen anderen Namen. Benutzen Sie den Namen im Zertifikat, oder erneuern Sie das Zertifikat.',
  'The other side does not speak TLS at this address. Compare the port: https has another port than http.':
    'Die Gegenstelle spricht unter dieser Adresse kein TLS. Vergleichen Sie den Port: https hat einen anderen Port als http.',
  'The connection failed.': 'Die Verbindung ist fehlgeschlagen.',
  '{n} second|{n} seconds': '{n} Sekunde|{n} Sekunden',
  '{n} minute|{n} minutes': '{n} Minute|{n} Minuten',
  '{n} hour|{n} hours': '{n} Stunde|{n} Stunden',
  '{n} day|{n} days': '{n} Tag|{n} Tage',
  '{n} change|{n} changes': '{n} Änderung|{n} Änderungen',
  'A new box takes the place of another one. Head office begins to give it the data of the site.':
    'Ein neuer Rechner ersetzt einen anderen. Die Zentrale beginnt, ihm die Daten des Betriebs zu geben.',
  'A new box takes the place of another one. Head office has given back {documents} of about {of} records.':
    'Ein neuer Rechner ersetzt einen anderen. Die Zentrale hat {documents} von etwa {of} Einträgen zurückgegeben.',
  '{n} change waits to be sent.|{n} changes wait to be sent.':
    '{n} Änderung wartet auf das Senden.|{n} Änderungen warten auf das Senden.',
  'This site works alone. It is not connected to head office.':
    'Dieser Betrieb arbeitet allein. Er ist nicht mit der Zentrale verbunden.',
  'This site connects to head office.': 'Dieser Betrieb verbindet sich mit der Zentrale.',
  'Head office has everything that this site has.': 'Die Zentrale hat alles, was dieser Betrieb hat.',
  'The bytes of this month for the link are used up. Only alerts are sent.':
    'Das Datenvolumen dieses Monats für die Verbindung ist verbraucht. Nur Alarme werden gesendet.',
  'This site and head office compare and exchange data.':
    'Dieser Betrieb und die Zentrale vergleichen und tauschen Daten aus.',
  'This site sends data to head office.': 'Dieser Betrieb sendet Daten an die Zentrale.',
  'There is no connection to head office. This site works on and sends later.':
    'Es gibt keine Verbindung zur Zentrale. Dieser Betrieb arbeitet weiter und sendet später.',
  'There is no connection to head office for {time}. This site works on and sends later.':
    'Seit {time} gibt es keine Verbindung zur Zentrale. Dieser Betrieb arbeitet weiter und sendet später.',
  'Another computer uses the identity of this gateway, perhaps a copy of its disk. This one works on alone, and head office takes nothing from it. Stop one of the two. An admin of head office can choose which one is the site, by its mark, on the page Sites.':
    'Ein anderer Rechner benutzt die Identität dieses Gateways, vielleicht eine Kopie des Datenträgers. Dieser arbeitet allein weiter, und die Zentrale nimmt nichts von ihm an. Stoppen Sie einen der beiden. Ein Administrator der Zentrale kann auf der Seite Betriebe am Kennzeichen wählen, welcher der Betrieb ist.',
  'Head office has revoked this gateway, or does not know it any more. This site works on alone. Ask head office for a new code.':
    'Die Zentrale hat dieses Gateway widerrufen oder kennt es nicht mehr. Dieser Betrieb arbeitet allein weiter. Bitten Sie die Zentrale um einen neuen Code.',
  'This site and head office cannot exchange data.': 'Dieser Betrieb und die Zentrale können keine Daten austauschen.',
  'The content of {n} file is lost: neither end has it.|The content of {n} files is lost: neither end has it.':
    'Der Inhalt von {n} Datei ist verloren: Weder der Betrieb noch die Zentrale hat ihn.|Der Inhalt von {n} Dateien ist verloren: Weder der Betrieb noch die Zentrale hat ihn.',
  '{n} file still waits to be sent.|{n} files still wait to be sent.':
    '{n} Datei wartet noch auf das Senden.|{n} Dateien warten noch auf das Senden.',
  'Head office has all records that this site made and holds.':
    'Die Zentrale hat alle Einträge, die dieser Betrieb gemacht hat und behält.',
  'Head office has everything that this site made and holds.':
    'Die Zentrale hat alles, was dieser Betrieb gemacht hat und behält.',
  'Head office has everything but what {n} gap record names.|Head office has everything but what {n} gap records name.':
    'Die Zentrale hat alles bis auf {n} vermerkte Lücke.|Die Zentrale hat alles bis auf {n} vermerkte Lücken.',
  '{n} change still waits at one end, so nothing can be said yet. Compare again later.|{n} changes still wait at one end, so nothing can be said yet. Compare again later.':
    '{n} Änderung wartet noch im Betrieb oder in der Zentrale, deshalb lässt sich noch nichts sagen. Vergleichen Sie später noch einmal.|{n} Änderungen warten noch im Betrieb oder in der Zentrale, deshalb lässt sich noch nichts sagen. Vergleichen Sie später noch einmal.',
  'Nothing can be said yet.': 'Es lässt sich noch nichts sagen.',
  'Something is missing at head office: {missing} documents, {commits} commits that it could not take, and {times} times in which something vanished here without a record.':
    'Der Zentrale fehlt etwas: {missing} Dokumente, {commits} Änderungen, die sie nicht annehmen konnte, und {times} Zeiten, in denen hier etwas ohne Eintrag verschwand.',
  'Something else than head office answers at this address (HTTP {status}), for example a proxy or the sign-in page of a network.':
    'Unter dieser Adresse antwortet etwas anderes als die Zentrale (HTTP {status}), zum Beispiel ein Proxy oder die Anmeldeseite eines Netzes.',
  'Something else than head office answers at this address.':
    'Unter dieser Adresse antwortet etwas anderes als die Zentrale.',
  'Head office does not know this gateway any more, or has revoked it.':
    'Die Zentrale kennt dieses Gateway nicht mehr oder hat es widerrufen.',
  'The disk of this gateway has no room for the next file.':
    'Der Datenträger dieses Gateways hat keinen Platz für die nächste Datei.',
  'The disk of head office has no room for the next file.':
    'Der Datenträger der Zentrale hat keinen Platz für die nächste Datei.',
  'A file of head office does not have its SHA-256. It is read again.':
    'Eine Datei der Zentrale hat nicht ihren SHA-256. Sie wird noch einmal gelesen.',
  'This site is not connected to head office. Connect it once with a code.':
    'Dieser Betrieb ist nicht mit der Zentrale verbunden. Verbinden Sie ihn einmal mit einem Code.',
  'This site is not connected to head office.': 'Dieser Betrieb ist nicht mit der Zentrale verbunden.',
  'The bytes that are left of this month for the link are too few for it, so it waits for the next month.':
    'Das restliche Datenvolumen dieses Monats für die Verbindung reicht nicht, deshalb wartet er auf den nächsten Monat.',
  'Files are sent only in the hours that were chosen for them.':
    'Dateien werden nur in den gewählten Stunden gesendet.',
  'The link costs money, so large files wait until somebody asks for them.':
    'Die Verbindung kostet Geld, deshalb warten große Dateien, bis jemand sie anfordert.',
  'This file is here.': 'Diese Datei ist hier.',
  'The content of this file is not here, and this site is not connected to head office.':
    'Der Inhalt dieser Datei ist nicht hier, und dieser Betrieb ist nicht mit der Zentrale verbunden.',
  'Find the other computer with a copy of this disk, and stop one of the two. If head office takes the data of the wrong one, choose this one there, on the page Sites.':
    'Suchen Sie den anderen Rechner mit einer Kopie dieses Datenträgers, und stoppen Sie einen der beiden. Wenn die Zentrale die Daten des falschen annimmt, wählen Sie dort auf der Seite Betriebe diesen.',
  'Ask head office for a new code, and connect this site with it.':
    'Bitten Sie die Zentrale um einen neuen Code, und verbinden Sie diesen Betrieb damit.',
  'Read the message. If one of the two ends has an older version, update it.':
    'Lesen Sie die Meldung. Wenn der Betrieb oder die Zentrale eine ältere Version hat, aktualisieren Sie diese.',
  'Stop this box. If it is the right one, ask head office for a code that replaces the box of this site.':
    'Stoppen Sie diesen Rechner. Wenn er der richtige ist, bitten Sie die Zentrale um einen Code, der den Rechner dieses Betriebs ersetzt.',
  'Head office takes nothing from this box, and what it records is only here. Stop it. To use its computer for another site, install Headframe anew with an empty data folder. If this box is the right one after all, ask head office for a code that replaces the box of this site, and connect this box with it.':
    'Die Zentrale nimmt nichts von diesem Rechner an, und was er aufzeichnet, ist nur hier. Stoppen Sie ihn. Um ihn für einen anderen Betrieb zu benutzen, installieren Sie Headframe neu mit einem leeren Datenordner. Wenn dieser Rechner doch der richtige ist, bitten Sie die Zentrale um einen Code, der den Rechner dieses Betriebs ersetzt, und verbinden Sie diesen Rechner damit.',
  'Head office could not take changes of {count} record and has no room to keep them. It noted the names, and this site keeps the records. Update head office and start it again: it then gets them by itself.|Head office could not take changes of {count} records and has no room to keep them. It noted the names, and this site keeps the records. Update head office and start it again: it then gets them by itself.':
    'Die Zentrale konnte Änderungen von {count} Eintrag nicht annehmen und hat keinen Platz dafür. Sie hat die Namen notiert, und dieser Betrieb behält die Einträge. Aktualisieren Sie die Zentrale und starten Sie sie neu: Dann bekommt sie sie von selbst.|Die Zentrale konnte Änderungen von {count} Einträgen nicht annehmen und hat keinen Platz dafür. Sie hat die Namen notiert, und dieser Betrieb behält die Einträge. Aktualisieren Sie die Zentrale und starten Sie sie neu: Dann bekommt sie sie von selbst.',
  'Head office could not take changes of {count} record and has no room to keep them. It noted the names, and the site keeps the records. Update head office and start it again: it then gets them by itself.|Head office could not take changes of {count} records and has no room to keep them. It noted the names, and the site keeps the records. Update head office and start it again: it then gets them by itself.':
    'Die Zentrale konnte Änderungen von {count} Eintrag nicht annehmen und hat keinen Platz dafür. Sie hat die Namen notiert, und der Betrieb behält die Einträge. Aktualisieren Sie die Zentrale und starten Sie sie neu: Dann bekommt sie sie von selbst.|Die Zentrale konnte Änderungen von {count} Einträgen nicht annehmen und hat keinen Platz dafür. Sie hat die Namen notiert, und der Betrieb behält die Einträge. Aktualisieren Sie die Zentrale und starten Sie sie neu: Dann bekommt sie sie von selbst.',
  'This site could not take changes of {count} record and has no room to keep them. It noted the names, and head office keeps the records. Update this site and start it again: it then gets them by itself.|This site could not take changes of {count} records and has no room to keep them. It noted the names, and head office keeps the records. Update this site and start it again: it then gets them by itself.':
    'Dieser Betrieb konnte Änderungen von {count} Eintrag nicht annehmen und hat keinen Platz dafür. Er hat die Namen notiert, und die Zentrale behält die Einträge. Aktualisieren Sie diesen Betrieb und starten Sie ihn neu: Dann bekommt er sie von selbst.|Dieser Betrieb konnte Änderungen von {count} Einträgen nicht annehmen und hat keinen Platz dafür. Er hat die Namen notiert, und die Zentrale behält die Einträge. Aktualisieren Sie diesen Betrieb und starten Sie ihn neu: Dann bekommt er sie von selbst.',
};
