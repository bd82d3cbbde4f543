/** The kiosk: one page in full size on a chosen display, for a TV or an operator screen. */
import { powerSaveBlocker, screen, session } from 'electron';
import { checkCertificate } from '#electron/core/certificate-pin.ts';
import { chosenDisplay, createPinGuard, reloadWait } from '#electron/core/kiosk-plan.ts';
import type { PinHash, SettingsFile } from '#electron/core/settings-file.ts';
import type { ShellView } from '#electron/core/shell-channels.ts';
import { loadFailedView, pinView } from '#electron/core/views.ts';
import { startWatchdog } from '#electron/core/watchdog.ts';
import { hardenSession, isWithin } from './hardening.ts';
import { type LayeredWindow, openLayeredWindow } from './layered-window.ts';
import type { ShellPages } from './shell-pages.ts';

/** What a kiosk shows, and how it ends. */
export interface KioskPlan {
  readonly url: string;
  readonly display: string | null;
  /** Null: the keys end the kiosk without a PIN. */
  readonly pin: PinHash | null;
}

export interface Kiosk {
  readonly isOpen: boolean;
  open(plan: KioskPlan): void;
  /** Ends the kiosk without a question, because the app ends. */
  close(): void;
}

/** How the page is watched, in milliseconds. */
export interface Patience {
  readonly every_ms: number;
  readonly patience_ms: number;
}
const PATIENCE: Patience = { every_ms: 15_000, patience_ms: 20_000 };
/** Chromium's code for a load that another load replaced. */
const ABORTED = -3;

export function createKiosk(options: {
  readonly settings: SettingsFile;
  readonly shellPages: ShellPages;
  readonly ownCertificate: string | undefined;
  /** Called when a person has ended the kiosk. */
  readonly onLeft: () => void;
  readonly patience?: Patience;
}): Kiosk {
  // A TV stays paired, and a shared tablet enrolled, over restarts.
  const own = session.fromPartition('persist:kiosk');
  let parts: DisposableStack | undefined;
  let home: string | null = null;
  hardenSession(
    own,
    (host, pem) => checkCertificate(host, pem, options.settings.now.data, options.ownCertificate),
    (url) => isWithin(url, home),
  );

  function end(): void {
    parts?.dispose();
    parts = undefined;
  }

  return {
    get isOpen() {
      return parts !== undefined;
    },
    open(plan) {
      end();
      parts = new DisposableStack();
      home = plan.url;
      show(plan, parts);
    },
    close: end,
  };

  function show(plan: KioskPlan, stack: DisposableStack): void {
    const place = () => {
      const displays = screen.getAllDisplays();
      return chosenDisplay(displays, plan.display)?.bounds;
    };
    const layered = openLayeredWindow({
      window: {
        ...place(),
        kiosk: true,
        fullscreen: true,
        frame: false,
        alwaysOnTop: true,
        backgroundColor: '#000000',
      },
      session: own,
      shellPages: options.shellPages,
      act: (act) => {
        if (act.id === 'kiosk-leave') void leave(act.fields.pin ?? '');
        else if (act.id === 'kiosk-stay') cover(failure);
      },
    });
    const { window, content } = layered;
    let failure: ShellView | undefined;
    let asking = false;
    let mayClose = false;
    const guard = plan.pin && createPinGuard(plan.pin, () => performance.now());

    const cover = (view: ShellView | undefined) => {
      asking = false;
      layered.show(view);
    };
    async function leave(pin: string): Promise<void> {
      const verdict = (await guard?.check(pin)) ?? true;
      if (verdict !== true) return layered.show(pinView(verdict));
      end();
      options.onLeft();
    }

    stack.defer(() => {
      mayClose = true;
      window.close();
    });
    window.on('close', (event) => {
      if (!mayClose) event.preventDefault();
    });
    const blocker = powerSaveBlocker.start('prevent-display-sleep');
    stack.defer(() => powerSaveBlocker.stop(blocker));
    const move = () => {
      const bounds = place();
      if (bounds !== undefined) window.setBounds(bounds);
    };
    for (const event of ['display-added', 'display-removed'] as const) {
      screen.on(event as 'display-added', move);
      stack.defer(() => void screen.off(event as 'display-added', move));
    }
    const ask = (event: { preventDefault(): void }, key: Electron.Input) => {
      const isExit = key.type === 'keyDown' && key.control && key.shift && key.key.toLowerCase() === 'q';
      if (!isExit) return;
      event.preventDefault();
      if (guard === null) return void leave('');
      asking = true;
      layered.show(pinView(null));
    };
    for (const page of [content, layered.shell]) page.on('before-input-event', ask);
    keepLoaded(layered, plan.url, stack, options.patience ?? PATIENCE, (view) => {
      failure = view;
      if (!asking) layered.show(view);
    });
  }
}

/** Loads the page, and loads it again when it did not load, crashed or hangs. */
function keepLoaded(
  { content, load }: LayeredWindow,
  url: string,
  stack: DisposableStack,
  patience: Patience,
  cover: (view: ShellView | undefined) => void,
): void {
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  stack.defer(() => clearTimeout(timer));
  const again = (why: string) => {
    cover(loadFailedView(URL.parse(url)?.origin ?? url, why));
    clearTimeout(timer);
    timer = setTimeout(() => load(url), reloadWait(++failures));
  };
  content.on('did-fail-load', (_event, code, description, _url, isMainFrame) => {
    if (isMainFrame && code !== ABORTED) again(description);
  });
  content.on('did-finish-load', () => {
    failures = 0;
    cover(undefined);
  });
  content.on('render-process-gone', (_event, { reason }) => again(reason));
  const kill = () => content.forcefullyCrashRenderer();
  content.on('unresponsive', kill);
  // A TV gets no input, so Electron does not notice by itself that its page hangs.
  const ask = () => (content.isLoading() ? Promise.resolve() : content.executeJavaScript('0'));
  stack.use(startWatchdog({ ...patience, ask, hung: kill }));
  load(url);
}
