/** The desktop app: connects the gateway's process, the windows, the tray icon and the settings. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { app, Menu, nativeImage } from 'electron';
import { nextFreePort } from '#electron/core/free-port.ts';
import { createGatewayRunner, type GatewayProgram, type GatewayState } from '#electron/core/gateway-runner.ts';
import { kioskUrl } from '#electron/core/kiosk-plan.ts';
import { readLaunch } from '#electron/core/launch.ts';
import { stateView } from '#electron/core/problems.ts';
import { openSettings } from '#electron/core/settings-file.ts';
import type { ShellView } from '#electron/core/shell-channels.ts';
import { failedView } from '#electron/core/views.ts';
import { createActs } from './acts.ts';
import { hardenPages } from './hardening.ts';
import { createKiosk, type Patience } from './kiosk.ts';
import { createOffice } from './office.ts';
import { createSetup } from './setup.ts';
import { createShellPages, registerShellScheme } from './shell-pages.ts';
import { createTray } from './tray.ts';

export interface DesktopPaths {
  /** The Node.js program and the launcher of the gateway. */
  readonly node: string;
  readonly launcher: string;
  /** Folder with the built shell page, and the built preload script. */
  readonly pages: string;
  readonly preload: string;
  readonly icons: string;
}

export interface DesktopOptions {
  readonly backoff?: Parameters<typeof createGatewayRunner>[0]['backoff'];
  readonly patience?: Patience;
}

/** Starts the app. If it runs already, the running app opens its window, and this one ends. */
export async function startDesktop(paths: DesktopPaths, options: DesktopOptions = {}): Promise<void> {
  if (!app.requestSingleInstanceLock() || readLaunch(process.argv).quit) return app.quit();
  registerShellScheme();
  app.enableSandbox();
  // The gateway runs while no window is open.
  app.on('window-all-closed', () => {});
  await app.whenReady();
  const folder = app.getPath('userData');
  mkdirSync(folder, { recursive: true });
  const desktop = createDesktop(paths, folder, options);
  app.on('second-instance', (_event, args) => {
    if (readLaunch(args).quit) app.quit();
    else desktop.open();
  });
  app.on('before-quit', (event) => desktop.beforeQuit(event));
  desktop.start(process.argv.slice(1));
}

/** Returns how to run the gateway, with `folder` for the files that its program writes besides its data. */
function programOf({ node, launcher }: DesktopPaths, folder: string): GatewayProgram {
  return { node, launcher, cache: join(folder, 'compile-cache'), log: join(folder, 'gateway.log') };
}

/** Everything that is there once: settings, the gateway's process, the windows and the tray icon. */
function createDesktop(paths: DesktopPaths, folder: string, options: DesktopOptions) {
  const settings = openSettings(join(folder, 'settings.json'));
  const ownCertificate = process.env.HEADFRAME_TLS_CERT;
  const program = programOf(paths, folder);
  let notice: ShellView | undefined;
  let freePort: number | null = null;
  let ending = false;
  const runner = createGatewayRunner({ program, onState, ...(options.backoff && { backoff: options.backoff }) });
  const ready = () => (runner.state.is === 'running' ? runner.state.ready : undefined);
  hardenPages(() => [ready()?.http ?? [], ready()?.urls ?? []].flat());
  Menu.setApplicationMenu(null);
  const shellPages = createShellPages(paths.pages, paths.preload);
  const setup = createSetup({ settings, say, start: startGateway });
  const onAct = createActs({
    settings,
    setup,
    log: program.log,
    state: () => runner.state,
    freePort: () => freePort,
    notice: () => notice,
    say,
    start: startGateway,
    showKiosk,
  });
  const office = createOffice({
    settings,
    shellPages,
    icon: nativeImage.createFromPath(join(paths.icons, 'icon.png')),
    ownCertificate,
    state: () => runner.state,
    view: () => notice ?? stateView(runner.state, { data: settings.now.data ?? '', freePort }),
    act: (act) => void onAct(act),
  });
  const kiosk = createKiosk({
    settings,
    shellPages,
    ownCertificate,
    onLeft() {
      settings.change({ kiosk: null });
      office.open();
    },
    ...(options.patience && { patience: options.patience }),
  });
  const showTray = createTray({
    icon: nativeImage.createFromPath(join(paths.icons, 'tray.png')),
    settings,
    ready,
    say,
    open: () => office.open(),
  });

  function showState(): void {
    showTray(runner.state);
    office.update();
  }

  function onState(state: GatewayState): void {
    freePort = null;
    if (state.is === 'refused' && state.cause.port !== null)
      void nextFreePort(state.cause.port.number).then((port) => {
        freePort = port;
        office.update();
      });
    if (state.is === 'running') showKiosk();
    showState();
  }

  /** Opens the kiosk of the settings, unless it is open or its gateway does not run yet. */
  function showKiosk(): void {
    const wanted = settings.now.kiosk;
    if (wanted === null || kiosk.isOpen) return;
    const url = kioskUrl(wanted.show, ready()?.https ?? null);
    if (url === undefined) return;
    office.close();
    kiosk.open({ url, display: wanted.display, pin: wanted.pin });
  }

  /** Shows a view until the next one; undefined: the state of the gateway. */
  function say(view: ShellView | undefined): void {
    notice = view;
    // A kiosk covers the office window.
    if (kiosk.isOpen) office.update();
    else office.open();
  }

  async function startGateway(): Promise<void> {
    const { data, ports } = settings.now;
    if (data === null) return setup.ask();
    notice = undefined;
    const flags = Object.entries(ports).flatMap(([flag, port]) => [`--${flag}`, String(port)]);
    await runner.start(['--data', data, ...flags]);
  }

  return {
    open: () => (kiosk.isOpen ? undefined : office.open()),
    start(args: readonly string[]): void {
      const { hidden, tv, problem } = readLaunch(args);
      showState();
      // A computer that shows the page of another gateway needs no gateway of its own.
      if (tv !== null) {
        kiosk.open({ url: tv, display: null, pin: settings.now.kiosk?.pin ?? null });
        return;
      }
      if (!hidden && settings.now.kiosk === null) office.open();
      showKiosk();
      void startGateway().then(() => {
        if (problem !== null) say(failedView('Headframe was started with a wrong address', new Error(problem)));
      });
    },
    /** Stops the gateway before the app quits. */
    beforeQuit(event: { preventDefault(): void }): void {
      if (ending) return;
      event.preventDefault();
      ending = true;
      kiosk.close();
      void runner.stop().finally(() => app.quit());
    },
  };
}
