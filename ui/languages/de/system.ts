/** The texts of the pages of health and encryption, in German. `docs/languages.md` has the glossary. */
import type { SystemText } from '#ui/languages/es/system.ts';

export const SYSTEM_DE: Readonly<Record<SystemText, string>> = {
  'Screens, REST and MCP': 'Bildschirme, REST und MCP',
  'MQTT with TLS': 'MQTT mit TLS',
  'Bucket for loggers': 'Bucket für Logger',
  User: 'Benutzer',
  Screen: 'Bildschirm',
  'Pages on the port without TLS lead to the port with TLS. TVs, tablets, phones and programs must trust the site authority. Links and printed QR codes with http:// show a certificate warning on a phone that does not trust it. MQTT over WebSocket without TLS ends, too.':
    'Seiten am Port ohne TLS führen zum Port mit TLS. Fernseher, Tablets, Telefone und Programme müssen der Zertifizierungsstelle des Betriebs vertrauen. Links und gedruckte QR-Codes mit http:// zeigen auf einem Telefon, das ihr nicht vertraut, eine Zertifikatswarnung. Auch MQTT über WebSocket ohne TLS endet.',
  'Devices that connect without TLS are disconnected at once and cannot connect again.':
    'Geräte, die sich ohne TLS verbinden, werden sofort getrennt und können sich nicht wieder verbinden.',
  'Loggers that upload without TLS keep their files until their configuration has the port with TLS.':
    'Logger, die ohne TLS hochladen, behalten ihre Dateien, bis ihre Konfiguration den Port mit TLS hat.',
  'In the last {days} days nobody on another computer used {plain} without TLS.':
    'In den letzten {days} Tagen hat niemand auf einem anderen Computer {plain} ohne TLS benutzt.',
  'Connected now': 'Jetzt verbunden',
  '{n} client used {plain} without TLS in the last {days} days.|{n} clients used {plain} without TLS in the last {days} days.':
    '{n} Client hat in den letzten {days} Tagen {plain} ohne TLS benutzt.|{n} Clients haben in den letzten {days} Tagen {plain} ohne TLS benutzt.',
  'The newest {n}:': 'Die neuesten {n}:',
  Client: 'Client',
  'Last use': 'Letzte Nutzung',
  'Allow connections without TLS': 'Verbindungen ohne TLS erlauben',
  'Turn off connections without TLS now': 'Verbindungen ohne TLS jetzt abschalten',
  'Encrypted only': 'Nur verschlüsselt',
  'Keep them': 'Beibehalten',
  'No port': 'Kein Port',
  'Encrypted, {address}': 'Verschlüsselt, {address}',
  '{plain} without TLS': '{plain} ohne TLS',
  'Closed for other computers': 'Für andere Computer geschlossen',
  'Open, not encrypted, {address}': 'Offen, nicht verschlüsselt, {address}',
  'Without TLS everybody on the network can read keys, passphrases and data. Let devices and people {link}, and then turn off connections without TLS, one listener after the other. Programs on the computer of the gateway are not affected. If nobody gets in any more, type {command} on this computer.':
    'Ohne TLS kann jeder im Netz Schlüssel, Passwörter und Daten lesen. Sorgen Sie dafür, dass Geräte und Personen {link}, und schalten Sie dann Verbindungen ohne TLS ab, einen Dienst nach dem anderen. Programme auf dem Computer des Gateways sind nicht betroffen. Wenn niemand mehr hineinkommt, geben Sie auf diesem Computer {command} ein.',
  'trust this gateway': 'diesem Gateway vertrauen',
  Messages: 'Nachrichten',
  Frames: 'Frames',
  Unreadable: 'Unlesbar',
  Duplicates: 'Doppelt',
  Late: 'Verspätet',
  'Unknown PGNs': 'Unbekannte PGN',
  'Incomplete messages': 'Unvollständige Nachrichten',
  '{n} raw file|{n} raw files': '{n} Rohdatei|{n} Rohdateien',
  '{n} sample|{n} samples': '{n} Messwert|{n} Messwerte',
  '{n} refused message|{n} refused messages': '{n} abgelehnte Nachricht|{n} abgelehnte Nachrichten',
  'The gateway has a problem. See below what to do.': 'Das Gateway hat ein Problem. Unten steht, was zu tun ist.',
  'Everything works.': 'Alles funktioniert.',
  'The gateway works. {n} source sent data that the gateway refused or could not read:|The gateway works. {n} sources sent data that the gateway refused or could not read:':
    'Das Gateway funktioniert. {n} Quelle hat Daten gesendet, die das Gateway abgelehnt hat oder nicht lesen konnte:|Das Gateway funktioniert. {n} Quellen haben Daten gesendet, die das Gateway abgelehnt hat oder nicht lesen konnte:',
  'The table below shows all sources.': 'Die Tabelle unten zeigt alle Quellen.',
  'at least {text}': 'mindestens {text}',
  Samples: 'Messwerte',
  'Statistics of minutes': 'Minutenwerte',
  'Raw messages': 'Rohnachrichten',
  '{size} of {limit}; kept {days} days': '{size} von {limit}; {days} Tage aufbewahrt',
  '{size} of {limit}, {back} days back; kept {days} days':
    '{size} von {limit}, {back} Tage zurück; {days} Tage aufbewahrt',
  'none yet': 'noch keine',
  '{count}; {size}, of which {history} history': '{count}; {size}, davon {history} Verlauf',
  '{count}, the newest {age} old; {size}, of which {history} history':
    '{count}, die neueste {age} alt; {size}, davon {history} Verlauf',
  'The samples reached their share of the disk. The gateway deleted samples before their age of {days} days:':
    'Die Messwerte haben ihren Anteil am Datenträger erreicht. Das Gateway hat Messwerte gelöscht, bevor sie {days} Tage alt waren:',
  'up to {time} ({age} ago)': 'bis {time} (vor {age})',
  'To keep samples longer, use a larger disk, or raise {percent} or {gigabytes}.':
    'Um Messwerte länger aufzubewahren, nehmen Sie einen größeren Datenträger, oder erhöhen Sie {percent} oder {gigabytes}.',
  Version: 'Version',
  'Running for': 'Läuft seit',
  '{size} in {n} file|{size} in {n} files': '{size} in {n} Datei|{size} in {n} Dateien',
  'Waiting to be processed': 'Wartet auf Verarbeitung',
  '{n} message|{n} messages': '{n} Nachricht|{n} Nachrichten',
  'Last write to disk': 'Letztes Schreiben auf den Datenträger',
  'took {ms} ms': 'dauerte {ms} ms',
  'Disk free': 'Datenträger frei',
  '{part} of {whole}': '{part} von {whole}',
  'Reserved disk space': 'Reservierter Speicherplatz',
  Database: 'Datenbank',
  '{size}, at most {limit}': '{size}, höchstens {limit}',
  Backups: 'Sicherungen',
  'For {age}.': 'Seit {age}.',
  'The gateway is losing data now: {gaps}. When this ends, the gateway adds it to the log of each machine and device.':
    'Das Gateway verliert gerade Daten: {gaps}. Wenn das endet, trägt das Gateway es in das Protokoll jeder Maschine und jedes Geräts ein.',
  Sources: 'Quellen',
  'No sources yet': 'Noch keine Quellen',
  'This table shows each device that sends data.': 'Diese Tabelle zeigt jedes Gerät, das Daten sendet.',
  'Last error': 'Letzter Fehler',
};
