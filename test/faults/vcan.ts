/**
 * The SocketCAN source on a real CAN interface of a real kernel: a virtual machine with vcan, made here. For when the kernel at hand
 * has no CAN; as root on Debian, with qemu-system-x86, busybox-static, cpio, kmod, iproute2 and can-utils installed.
 *
 *   qemu (no KVM) ── Debian's kernel ── initramfs: busybox, modules ── this machine's files over 9p, read-only ── vcan-guest.ts
 *
 * `node test/faults/vcan.ts [KERNEL.deb]` prints `N passed, N failed` at the end; takes one to three minutes.
 */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const PACKAGE = 'linux-image-6.1.0-50-amd64';
const MODULES = ['virtio_pci', '9pnet_virtio', '9p', 'can', 'can_raw', 'vcan'] as const;
const PATIENCE_MS = 8 * 60_000;
const ROOT = join(import.meta.dirname, '..', '..');

const run = (command: string, args: readonly string[], cwd?: string): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/** What the kernel starts: modules, this machine's files, an interface, the test. */
function init(node: string): string {
  return `#!/bin/sh
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
for module in ${MODULES.join(' ')}; do modprobe $module || echo "no $module"; done
mount -t 9p -o trans=virtio,version=9p2000.L,ro,msize=512000,cache=loose root /root || poweroff -f
mount -t proc proc /root/proc
mount -t sysfs sys /root/sys
mount -t devtmpfs dev /root/dev
mount -t tmpfs tmp /root/tmp
chroot /root /bin/sh -c 'export PATH=/usr/sbin:/usr/bin:/sbin:/bin; ip link set lo up; ip link add dev vcan0 type vcan; ip link set vcan0 up; cd ${ROOT} && ${node} test/faults/vcan-guest.ts'
poweroff -f
`;
}

const folder = mkdtempSync(join(tmpdir(), 'headframe-vcan-'));
try {
  const given = process.argv[2];
  if (given === undefined) run('apt-get', ['download', PACKAGE], folder);
  else cpSync(given, join(folder, 'kernel.deb'));
  const deb = readdirSync(folder).find((name) => name.endsWith('.deb')) ?? '';
  run('dpkg-deb', ['-x', deb, 'kernel'], folder);
  const boot = join(folder, 'kernel', 'boot');
  const kernel = readdirSync(boot).find((name) => name.startsWith('vmlinuz')) ?? '';
  const release = kernel.slice('vmlinuz-'.length);

  const ram = join(folder, 'ram');
  for (const name of ['bin', 'proc', 'sys', 'dev', 'root']) mkdirSync(join(ram, name), { recursive: true });
  cpSync('/usr/bin/busybox', join(ram, 'bin', 'busybox'), { dereference: true });
  for (const name of ['sh', 'mount', 'modprobe', 'chroot', 'poweroff', 'echo'])
    run('ln', ['-s', 'busybox', join(ram, 'bin', name)]);
  const from = join(folder, 'kernel');
  run('depmod', ['-b', from, release]);
  const wanted = MODULES.flatMap((name) =>
    run('modprobe', ['-d', from, '-S', release, '--show-depends', name])
      .split('\n')
      .flatMap((line) => /^insmod (\S+)/.exec(line)?.[1] ?? []),
  );
  for (const path of new Set(wanted)) {
    const to = join(ram, path.slice(path.indexOf('/lib/modules')));
    mkdirSync(dirname(to), { recursive: true });
    cpSync(path, to);
  }
  for (const name of ['modules.order', 'modules.builtin', 'modules.builtin.modinfo'])
    cpSync(join(from, 'lib/modules', release, name), join(ram, 'lib/modules', release, name));
  run('depmod', ['-b', ram, release]);
  writeFileSync(join(ram, 'init'), init(process.execPath));
  chmodSync(join(ram, 'init'), 0o755);
  run('sh', ['-c', `cd ${ram} && find . | cpio -o -H newc --quiet | gzip -1 > ${join(folder, 'ram.gz')}`]);

  const machine = spawn(
    'qemu-system-x86_64',
    [
      ...['-m', '1536', '-smp', '2', '-nographic', '-no-reboot', '-net', 'none'],
      ...['-kernel', join(boot, kernel), '-initrd', join(folder, 'ram.gz')],
      ...['-append', 'console=ttyS0 quiet panic=-1'],
      ...['-virtfs', 'local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap'],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let said = '';
  machine.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString('latin1');
    process.stdout.write(chunk);
  });
  const late = setTimeout(() => machine.kill('SIGKILL'), PATIENCE_MS);
  await new Promise((done) => machine.once('close', done));
  clearTimeout(late);
  process.exitCode = /^[1-9]\d* passed, 0 failed\r?$/m.test(said) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
