/** The icon in the notification area, with the state of the gateway and what a person needs often. */
import { app, clipboard, dialog, Menu, type NativeImage, screen, shell, Tray } from 'electron';
import { autostartFile, isAutostarted, setAutostart } from '#electron/core/autostart.ts';
import type { Ready } from '#electron/core/gateway-events.ts';
import type { GatewayState } from '#electron/core/gateway-runner.ts';
import { stateLine } from '#electron/core/problems.ts';
import type { SettingsFile } from '#electron/core/settings-file.ts';
import type { ShellView } from '#electron/core/shell-channels.ts';
import { newClaimCode } from '#electron/core/sign-in.ts';
import { claimCodeView, failedView, kioskSetupView } from '#electron/core/views.ts';

/** Creates the icon. The result shows a new state. */
export function createTray(options: {
  readonly icon: NativeImage;
  readonly settings: SettingsFile;
  readonly ready: () => Ready | undefined;
  readonly say: (view: ShellView) => void;
  readonly open: () => void;
}): (state: GatewayState) => void {
  const { settings, ready, say, open } = options;
  const tray = new Tray(options.icon);
  tray.on('click', open);
  const autostart = createAutostart();

  const showClaimCode = () =>
    newClaimCode(settings.now.data ?? '').then(
      (made) => say(claimCodeView(made)),
      (error: unknown) => say(failedView('There is no claim code', error)),
    );

  function show(state: GatewayState): void {
    const line = settings.now.data === null ? 'No data folder yet' : stateLine(state);
    const address = ready()?.urls[0];
    const off = ready() === undefined;
    tray.setToolTip(`Headframe: ${line}`);
    tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: line, enabled: false },
        { type: 'separator' },
        { label: 'Open Headframe', click: open },
        { label: 'Open the TV screen', enabled: !off, click: () => void shell.openExternal(`${ready()?.http}/tv`) },
        {
          label: address === undefined ? 'Copy the address' : `Copy the address ${address}`,
          enabled: address !== undefined,
          click: () => void clipboard.writeText(address ?? ''),
        },
        { label: 'Show a claim code', enabled: !off, click: () => void showClaimCode() },
        {
          label: 'Kiosk mode',
          click: () => say(kioskSetupView(screen.getAllDisplays(), settings.now.kiosk, null)),
        },
        {
          label: 'Start with the system',
          type: 'checkbox',
          checked: autostart.isOn(),
          click: ({ checked }) => {
            try {
              autostart.set(checked);
            } catch (error) {
              say(failedView('Headframe cannot change what starts with the system', error));
            }
            show(state);
          },
        },
        { type: 'separator' },
        { label: 'Quit and stop the gateway', click: () => void askToQuit() },
      ]),
    );
  }
  return show;
}

/** Start with the system: on Linux with a file in the autostart folder, on Windows by Electron. */
function createAutostart() {
  if (process.platform !== 'linux')
    return {
      isOn: () => app.getLoginItemSettings({ args: ['--hidden'] }).openAtLogin,
      set: (on: boolean) => app.setLoginItemSettings({ openAtLogin: on, args: ['--hidden'] }),
    };
  const file = autostartFile(app.getPath('home'), process.env);
  return {
    isOn: () => isAutostarted(file),
    // An AppImage runs from a temporary folder, so its own file is started.
    set: (on: boolean) => setAutostart(file, process.env.APPIMAGE ?? process.execPath, on),
  };
}

async function askToQuit(): Promise<void> {
  const { response } = await dialog.showMessageBox({
    type: 'question',
    message: 'Quit Headframe and stop the gateway?',
    detail: 'TVs and phones then show no new values. Loggers keep their data and send it when the gateway runs again.',
    buttons: ['Quit', 'Cancel'],
    defaultId: 1,
    cancelId: 1,
  });
  if (response === 0) app.quit();
}
