/** Finds serial ports of this host. */
import { SerialPort } from 'serialport';

/** The serial ports of this host; none where they cannot be listed (udevadm is absent). */
async function listPorts(): Promise<Awaited<ReturnType<typeof SerialPort.list>>> {
  return SerialPort.list().catch(() => []);
}

/** The path of a port: `path` itself, or the port of the adapter that `usb:VENDOR:PRODUCT[:SERIAL]` names. */
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
  if (found === undefined) throw new Error(`no adapter ${path} is plugged in`);
  return found.path;
}

/** A sentence for a port that could not be opened; when it does not exist, the sentence lists the ports that do. */
export async function explainOpenError(error: Error, path: string): Promise<string> {
  if (!/ENOENT|No such file/.test(error.message)) return error.message;
  const names = (await listPorts()).map((port) => port.path);
  return `There is no ${path}${names.length > 0 ? `; there are ${names.slice(0, 8).join(', ')}` : ''}.`;
}
