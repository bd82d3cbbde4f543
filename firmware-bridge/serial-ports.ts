/** Finds serial ports of this host. */
import { SerialPort } from 'serialport';

/** Returns the serial ports of this host; an empty list when they cannot be listed, for example without udevadm. */
async function listPorts(): Promise<Awaited<ReturnType<typeof SerialPort.list>>> {
  return SerialPort.list().catch(() => []);
}

/** Returns the path of a serial port: `path` itself, or the port of the USB adapter for the form `usb:VENDOR:PRODUCT[:SERIAL]`. */
export async function findPort(path: string): Promise<string> {
  const [, vendor = '', product = '', serial] = /^usb:([0-9a-f]{4}):([0-9a-f]{4})(?::(.+))?$/i.exec(path) ?? [];
  if (vendor === '') return path;
  const same = (a: string | undefined, b: string) => a?.toLowerCase() === b.toLowerCase();
  const found = (await listPorts()).find(
    (one) =>
      same(one.vendorId, vendor) &&
      same(one.productId, product) &&
      (serial === undefined || same(one.serialNumber, serial)),
  );
  if (found === undefined) throw new Error(`no USB adapter ${path} is connected`);
  return found.path;
}

/** Returns the error text for a port that could not be opened. When the port does not exist, the text lists the existing ports. */
export async function explainOpenError(error: Error, path: string): Promise<string> {
  if (!/ENOENT|No such file/.test(error.message)) return error.message;
  const names = (await listPorts()).map((port) => port.path);
  return `There is no serial port ${path}${names.length > 0 ? `; this host has ${names.slice(0, 8).join(', ')}` : ''}.`;
}
