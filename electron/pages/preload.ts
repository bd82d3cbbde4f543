/** The preload script of the shell page: the only bridge between a page and the app. It offers three functions, and no part of Electron. */
import { contextBridge, ipcRenderer } from 'electron';
import { type Act, CHANNELS, type ShellView } from '#electron/core/shell-channels.ts';

contextBridge.exposeInMainWorld('shell', {
  view: (): Promise<ShellView | null> => ipcRenderer.invoke(CHANNELS.view),
  act: (act: Act): Promise<void> => ipcRenderer.invoke(CHANNELS.act, act),
  follow(listener: (view: ShellView) => void): void {
    ipcRenderer.on(CHANNELS.changed, (_event, view: ShellView) => listener(view));
  },
});
