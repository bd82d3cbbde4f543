/**
 * The shell page of the app: serves its files from `headframe://shell/`, and passes views to it and actions from it. Only this page has a
 * preload script. The session of the page is its own, and it can load nothing but its files.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type IpcMainInvokeEvent, ipcMain, protocol, session, WebContentsView } from 'electron';
import { readAct } from '#electron/core/read-act.ts';
import { type Act, CHANNELS, SHELL_PAGE, SHELL_SCHEME, type ShellView } from '#electron/core/shell-channels.ts';
import { hardenSession, webPreferences } from './hardening.ts';

const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const FILES: Readonly<Record<string, string>> = {
  '/shell.html': 'text/html; charset=utf-8',
  '/shell.css': 'text/css; charset=utf-8',
  '/shell.js': 'text/javascript; charset=utf-8',
};

/** Must run before Electron is ready. */
export function registerShellScheme(): void {
  protocol.registerSchemesAsPrivileged([{ scheme: SHELL_SCHEME, privileges: { standard: true, secure: true } }]);
}

interface OpenPage {
  view: ShellView;
  readonly act: (act: Act) => void;
}

export interface ShellPages {
  open(act: (act: Act) => void): {
    readonly view: WebContentsView;
    show(view: ShellView): void;
    close(): void;
  };
}

const NOTHING: ShellView = { title: '', text: [], fields: [], actions: [], problem: null, busy: true };

/** `folder` has the built files of the page, and `preload` is its preload script. */
export function createShellPages(folder: string, preload: string): ShellPages {
  const own = session.fromPartition('shell');
  hardenSession(
    own,
    () => -2,
    (url) => url.protocol === `${SHELL_SCHEME}:`,
  );
  own.protocol.handle(SHELL_SCHEME, (request) => {
    const { host, pathname } = new URL(request.url);
    const type = host === 'shell' ? FILES[pathname] : undefined;
    if (type === undefined) return new Response('not found', { status: 404 });
    return new Response(new Uint8Array(readFileSync(join(folder, pathname.slice(1)))), {
      headers: { 'content-type': type, 'content-security-policy': CSP, 'x-content-type-options': 'nosniff' },
    });
  });
  const pages = new Map<number, OpenPage>();

  /** Returns the page that sent a message; undefined for any other page and for frames. */
  function senderOf({ sender, senderFrame }: IpcMainInvokeEvent): OpenPage | undefined {
    if (senderFrame === null || senderFrame !== sender.mainFrame) return undefined;
    return senderFrame.url === SHELL_PAGE ? pages.get(sender.id) : undefined;
  }

  ipcMain.handle(CHANNELS.view, (event) => senderOf(event)?.view ?? null);
  ipcMain.handle(CHANNELS.act, (event, message: unknown) => {
    const page = senderOf(event);
    const act = readAct(message);
    // An action that the view does not offer comes from a view that has been replaced meanwhile.
    if (page === undefined || act === undefined || !page.view.actions.some(({ id }) => id === act.id)) return;
    page.act(act);
  });
  return {
    open(act) {
      const view = new WebContentsView({ webPreferences: webPreferences({ session: own, preload }) });
      const { id } = view.webContents;
      const page: OpenPage = { view: NOTHING, act };
      pages.set(id, page);
      view.webContents.loadURL(SHELL_PAGE).catch(() => {});
      return {
        view,
        show(next) {
          page.view = next;
          view.webContents.send(CHANNELS.changed, next);
        },
        close: () => void pages.delete(id),
      };
    },
  };
}
