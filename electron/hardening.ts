/**
 * The limits of all pages in the app: sandbox, no Node.js, no permission, no navigation away from the address that the app opened, and the
 * pinned certificate. docs/desktop.md lists the guidelines of Electron and where each is met.
 */
import { app, type Session, shell, type WebContents, type WebPreferences } from 'electron';
import { mayNavigate, mayOpenOutside } from '#electron/core/url-policy.ts';

/** The preferences of every page. Most are the defaults of Electron; they are written out so that a changed default changes nothing here. */
export function webPreferences(more: Pick<WebPreferences, 'session' | 'preload'>): WebPreferences {
  return {
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    webviewTag: false,
    navigateOnDragDrop: false,
    safeDialogs: true,
    // The spelling checker of Electron loads dictionaries from the internet.
    spellcheck: false,
    devTools: !app.isPackaged,
    ...more,
  };
}

/** The permissions that pages of a gateway get: copying a text on a click, a full screen, and a screen that stays on. */
const GRANTED: readonly string[] = ['clipboard-sanitized-write', 'fullscreen', 'screen-wake-lock'];

/** The address that the app opened in a page; pages without an entry may not navigate at all. */
const homes = new WeakMap<WebContents, string>();

/** Sets the address within whose origin a page may navigate. */
export function setHome(contents: WebContents, home: string): void {
  homes.set(contents, home);
}

/** Limits a session. `checkCertificate` returns the result of a certificate check as Electron defines it. */
export function hardenSession(
  session: Session,
  checkCertificate: (host: string, pem: string) => number,
  /** The origins to which pages of this session may send requests. */
  mayRequest: (url: URL) => boolean,
): void {
  session.setPermissionRequestHandler((contents, permission, callback, details) => {
    callback(GRANTED.includes(permission) && mayNavigate(details.requestingUrl, homes.get(contents) ?? ''));
  });
  session.setPermissionCheckHandler(
    (contents, permission, origin) =>
      contents !== null && GRANTED.includes(permission) && mayNavigate(origin, homes.get(contents) ?? ''),
  );
  session.setDevicePermissionHandler(() => false);
  session.setSpellCheckerEnabled(false);
  session.setCertificateVerifyProc(({ hostname, certificate }, callback) => {
    callback(checkCertificate(hostname, certificate.data));
  });
  session.webRequest.onBeforeRequest({ urls: ['<all_urls>'] }, ({ url }, callback) => {
    const asked = URL.parse(url);
    callback({ cancel: asked === null || !mayRequest(asked) });
  });
}

/** Returns true for a request to the origin of an address, and for one that needs no server. */
export function isWithin(url: URL, home: string | null): boolean {
  if (url.protocol === 'blob:' || url.protocol === 'data:' || url.protocol === 'devtools:') return true;
  return home !== null && mayNavigate(url.href, home);
}

/** Limits every page of the app, also pages that Electron creates later. `gateway` returns the addresses of the gateway. */
export function hardenPages(gateway: () => readonly string[]): void {
  app.on('web-contents-created', (_event, contents) => {
    const stay = (event: { preventDefault(): void }, url: string) => {
      if (!mayNavigate(url, homes.get(contents) ?? '')) event.preventDefault();
    };
    contents.on('will-navigate', (event) => stay(event, event.url));
    contents.on('will-redirect', (event) => stay(event, event.url));
    contents.on('will-frame-navigate', (event) => stay(event, event.url));
    contents.on('will-attach-webview', (event) => event.preventDefault());
    contents.setWindowOpenHandler(({ url }) => {
      // A photo of a ticket is an object in the memory of the page, which only a window of the app can show.
      if (url.startsWith('blob:') && mayNavigate(url, homes.get(contents) ?? ''))
        return {
          action: 'allow',
          overrideBrowserWindowOptions: { webPreferences: webPreferences({ session: contents.session }) },
        };
      if (mayOpenOutside(url, gateway())) void shell.openExternal(url);
      return { action: 'deny' };
    });
  });
  app.on('select-client-certificate', (event, _contents, _url, _list, callback) => {
    event.preventDefault();
    callback();
  });
}
