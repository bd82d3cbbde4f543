/** The window with the office page of the gateway. */
import { type NativeImage, session } from 'electron';
import { checkCertificate } from '#electron/core/certificate-pin.ts';
import type { GatewayState } from '#electron/core/gateway-runner.ts';
import { reloadWait } from '#electron/core/kiosk-plan.ts';
import type { SettingsFile } from '#electron/core/settings-file.ts';
import type { Act, ShellView } from '#electron/core/shell-channels.ts';
import { entrance, isSessionCookie, signedInUser } from '#electron/core/sign-in.ts';
import { loadFailedView } from '#electron/core/views.ts';
import { hardenSession, isWithin } from './hardening.ts';
import { type LayeredWindow, openLayeredWindow } from './layered-window.ts';
import type { ShellPages } from './shell-pages.ts';

export interface Office {
  /** Opens the window, or brings it to the front. */
  open(): void;
  /** Shows the present state of the gateway. */
  update(): void;
  close(): void;
}

/** A session that ended is begun anew at most this often, so that a gateway that refuses it gets few requests. */
const ENTER_AGAIN_MS = 60_000;
/** Chromium's code for a load that another load replaced. */
const ABORTED = -3;

export function createOffice(options: {
  readonly settings: SettingsFile;
  readonly shellPages: ShellPages;
  readonly icon: NativeImage;
  readonly state: () => GatewayState;
  /** What the shell page shows now; undefined: the office page. */
  readonly view: () => ShellView | undefined;
  readonly act: (act: Act) => void;
  readonly ownCertificate: string | undefined;
}): Office {
  const { settings, state } = options;
  // The cookie of the session is only in memory: each start of the app signs in with a new code.
  const own = session.fromPartition('office');
  let open: LayeredWindow | undefined;
  /** The address of the gateway whose page is loaded. */
  let loaded: string | null = null;
  let enteredAt = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let failure: ShellView | undefined;
  let timer: NodeJS.Timeout | undefined;

  const check = (host: string, pem: string) => checkCertificate(host, pem, settings.now.data, options.ownCertificate);
  hardenSession(own, check, (url) => isWithin(url, loaded));

  function remember(user_id: string | null): void {
    if (settings.now.user_id === user_id) return;
    settings.change({ user_id });
  }

  own.cookies.on('changed', (_event, cookie, cause, removed) => {
    if (!isSessionCookie(cookie.name) || loaded === null) return;
    // The answer to a sign-out replaces the cookie by one that has expired.
    if (removed) return cause === 'expired-overwrite' ? remember(null) : undefined;
    // Only the cookie of a person who chose to stay signed in has an end.
    if (cookie.session !== false) return;
    void signedInUser(loaded, `${cookie.name}=${cookie.value}`, (host, pem) => check(host, pem) === 0).then((user) => {
      if (user != null) remember(user);
    });
  });
  own.webRequest.onCompleted({ urls: ['<all_urls>'] }, ({ url, statusCode }) => {
    const asked = URL.parse(url);
    if (statusCode !== 401 || asked?.pathname !== '/api/v1/session' || settings.now.user_id === null) return;
    if (performance.now() - enteredAt > ENTER_AGAIN_MS) void enter();
  });

  async function enter(): Promise<void> {
    const now = state();
    if (now.is !== 'running' || open === undefined) return;
    enteredAt = performance.now();
    loaded = now.ready.https;
    const { url, forget } = await entrance(now.ready, settings.now.user_id);
    if (forget) remember(null);
    open?.load(url);
  }

  function watch({ content, window }: LayeredWindow): void {
    const again = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (state().is === 'running') void enter();
      }, reloadWait(++failures));
    };
    content.on('did-fail-load', (_event, code, description, url, isMainFrame) => {
      if (!isMainFrame || code === ABORTED) return;
      failure = loadFailedView(URL.parse(url)?.origin ?? url, description);
      again();
      update();
    });
    content.on('did-finish-load', () => {
      failures = 0;
      failure = undefined;
      update();
    });
    content.on('render-process-gone', again);
    window.on('closed', () => {
      clearTimeout(timer);
      [open, loaded, failure] = [undefined, null, undefined];
    });
  }

  function update(): void {
    if (open === undefined) return;
    const now = state();
    open.show(options.view() ?? failure);
    // After a restart on the same port the page stays and connects again by itself.
    if (now.is === 'running' && now.ready.https !== loaded) void enter();
  }

  return {
    open() {
      if (open === undefined) {
        open = openLayeredWindow({
          window: { width: 1_440, height: 900, minWidth: 380, minHeight: 480, icon: options.icon },
          session: own,
          shellPages: options.shellPages,
          act: options.act,
        });
        watch(open);
      }
      if (open.window.isMinimized()) open.window.restore();
      open.window.show();
      open.window.focus();
      update();
    },
    update,
    close: () => open?.window.close(),
  };
}
