/** Start with the system on Linux: a file in the autostart folder of the desktop. On Windows, Electron does it. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Path of the autostart file (Desktop Application Autostart Specification). */
export function autostartFile(home: string, environment: Readonly<Record<string, string | undefined>>): string {
  return join(environment.XDG_CONFIG_HOME || join(home, '.config'), 'autostart', 'headframe.desktop');
}

/** Quotes an argument of the key Exec (Desktop Entry Specification). */
function quoted(text: string): string {
  return `"${text
    .replace(/[\\"`$]/g, (char) => `\\${char}`)
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')}"`;
}

/** Returns the content of the file; `program` is the program of the app (an AppImage, or the installed one). */
export function autostartText(program: string): string {
  return `[Desktop Entry]
Type=Application
Name=Headframe
Comment=Runs the site gateway
Exec=${quoted(program)} --hidden
Terminal=false
X-GNOME-Autostart-enabled=true
`;
}

export function isAutostarted(file: string): boolean {
  return existsSync(file);
}

/** Writes or removes the file. Throws an error of the operating system. */
export function setAutostart(file: string, program: string, on: boolean): void {
  if (on) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, autostartText(program));
  } else rmSync(file, { force: true });
}
