import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { ConfigError, type Flags, readBridgeConfig, readConfig } from '#settings/config.ts';
import { SETTINGS } from '#settings/settings.ts';

const KEY = `wk_AbCd1234_${'x'.repeat(43)}`;

function refusal(flags: Flags, env: Record<string, string>): ConfigError {
  try {
    readConfig(flags, env);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error;
  }
  throw new Error(`taken: ${JSON.stringify({ flags, env })}`);
}

test('without flags and environment the defaults apply', () => {
  assert.deepEqual(readConfig({}, { PATH: '/bin' }), {
    data: resolve('headframe-data'),
    database: null,
    files: null,
    host: '0.0.0.0',
    port: 8480,
    mqttPort: 1883,
    bucketPort: 9480,
    httpsPort: 8443,
    mqttsPort: 8883,
    bucketTlsPort: 9443,
    ownCertificate: null,
    localName: { base: 'headframe', isChosen: false },
    cloud: { url: null, code: null },
    proxies: {},
    apiKey: null,
    requestsPerMinute: 6_000,
    historyDays: 30,
    rollupDays: 400,
    historyPercent: 60,
    rollupPercent: 10,
    rawPercent: null,
    freeze: { seconds: 60, dayBytes: 256_000_000, totalBytes: 2_048_000_000 },
    databaseBytes: null,
    role: 'gateway',
    log: 'info',
    can: [],
    demo: false,
  });
});

test('a flag has precedence over the environment, the environment over the default of a command, and this over the table', () => {
  const env = { HEADFRAME_PORT: '9000', HEADFRAME_MQTT_PORT: '0', HEADFRAME_LOG: 'debug', HEADFRAME_API_KEY: KEY };
  const config = readConfig({ port: '9001', data: '/srv/x' }, env, { log: 'warn', host: '::1' });
  assert.deepEqual(
    [config.port, config.mqttPort, config.data, config.log, config.host, config.apiKey],
    [9001, 0, '/srv/x', 'debug', '::1', KEY],
  );
});

test('a port with TLS is free if the port without TLS is, unless it is set', () => {
  const config = readConfig({ port: '0', 'mqtt-port': '0' }, { HEADFRAME_MQTTS_PORT: '9001' });
  assert.deepEqual([config.httpsPort, config.mqttsPort, config.bucketTlsPort], [0, 9001, 9443]);
});

test('the files of a TLS certificate are set together', () => {
  const config = readConfig({ 'tls-cert': '/etc/c.pem', 'tls-key': '/etc/k.pem' }, {});
  assert.deepEqual(config.ownCertificate, { certificate: '/etc/c.pem', key: '/etc/k.pem' });
  for (const flag of ['tls-cert', 'tls-key'])
    assert.match(refusal({ [flag]: '/etc/x.pem' }, {}).message, /together with .* only one of them is set/);
});

test('[N7] the name in the network is the usual one, none, or one that fits into an address', () => {
  const nameOf = (mdns: string) => readConfig({ mdns }, {}).localName;
  assert.deepEqual(nameOf('on'), { base: 'headframe', isChosen: false });
  assert.equal(nameOf('OFF'), null);
  assert.deepEqual(nameOf('Quarry-North'), { base: 'quarry-north', isChosen: true });
  assert.deepEqual(nameOf('quarry.local'), { base: 'quarry', isChosen: true });
  for (const wrong of ['', '-a', 'a-', 'a b', 'a.b', 'a_b', 'x'.repeat(60), 'grüße', '.local'])
    assert.match(refusal({ mdns: wrong }, {}).message, /--mdns must be on, off, or a name/, wrong);
});

test('an empty variable counts as not set; an empty flag is an error', () => {
  assert.equal(readConfig({}, { HEADFRAME_PORT: '', HEADFRAME_API_KEY: '' }).port, 8480);
  assert.equal(refusal({ data: '' }, {}).key, '--data');
});

test('a wrong value is refused with the name of its flag or variable and the allowed values', () => {
  const wrong: readonly [Flags, Record<string, string>, string, RegExp][] = [
    [{ port: '70000' }, {}, '--port', /whole number from 0 to 65535/],
    [{ port: '80.5' }, {}, '--port', /"80\.5"/],
    [{}, { HEADFRAME_PORT: 'http' }, 'HEADFRAME_PORT', /whole number/],
    [{}, { HEADFRAME_MQTT_PORT: '-1' }, 'HEADFRAME_MQTT_PORT', /whole number/],
    [{ 'mqtt-port': ' 1' }, {}, '--mqtt-port', /whole number/],
    [{}, { HEADFRAME_HOST: 'a b' }, 'HEADFRAME_HOST', /IP address/],
    [{ log: 'loud' }, {}, '--log', /debug, info, warn, error, silent/],
    [{}, { HEADFRAME_API_KEY: 'wk_short' }, 'HEADFRAME_API_KEY', /43 base64url/],
    [{ data: 'a\0b' }, {}, '--data', /folder/],
    [{}, { HEADFRAME_HISTORY_DAYS: '0' }, 'HEADFRAME_HISTORY_DAYS', /whole number from 1 to 36500, not "0"/],
    [{}, { HEADFRAME_ROLLUP_DAYS: '36501' }, 'HEADFRAME_ROLLUP_DAYS', /whole number from 1 to 36500/],
    [{}, { HEADFRAME_HISTORY_DAYS: '400 days' }, 'HEADFRAME_HISTORY_DAYS', /whole number/],
    [{}, { HEADFRAME_HISTORY_PERCENT: '91' }, 'HEADFRAME_HISTORY_PERCENT', /whole number from 1 to 90/],
    [{}, { HEADFRAME_RAW_PERCENT: '0' }, 'HEADFRAME_RAW_PERCENT', /whole number from 1 to 90/],
    [{}, { HEADFRAME_DATABASE_GIGABYTES: '0.5' }, 'HEADFRAME_DATABASE_GIGABYTES', /from 1 to 100000/],
    [{}, { HEADFRAME_DATABASE_GIGABYTES: '-3' }, 'HEADFRAME_DATABASE_GIGABYTES', /number/],
  ];
  for (const [flags, env, key, says] of wrong) {
    const error = refusal(flags, env);
    assert.equal(error.key, key);
    assert.ok(error.message.startsWith(`${key} must be `), error.message);
    assert.match(error.message, says);
  }
});

test('shares of the disk that are together over 90 % are refused, and the message says what to do', () => {
  const error = refusal({}, { HEADFRAME_HISTORY_PERCENT: '70', HEADFRAME_ROLLUP_PERCENT: '11' });
  assert.equal(error.key, 'HEADFRAME_HISTORY_PERCENT');
  assert.equal(
    error.message,
    'HEADFRAME_HISTORY_PERCENT, HEADFRAME_ROLLUP_PERCENT and HEADFRAME_RAW_PERCENT must together be at most 90, not 70 + 11 + 10 = 91. Lower one of them.',
  );
  const env = { HEADFRAME_HISTORY_PERCENT: '70', HEADFRAME_ROLLUP_PERCENT: '11', HEADFRAME_RAW_PERCENT: '9' };
  assert.equal(readConfig({}, env).historyPercent, 70);
});

test('the limits of history are days and gigabytes; without gigabytes the limit is a share of the disk', () => {
  const { historyDays, databaseBytes } = readConfig(
    {},
    { HEADFRAME_HISTORY_DAYS: '30', HEADFRAME_DATABASE_GIGABYTES: '7.5' },
  );
  assert.deepEqual([historyDays, databaseBytes], [30, 7_500_000_000]);
  assert.equal(readConfig({}, { HEADFRAME_DATABASE_GIGABYTES: '' }).databaseBytes, null);
});

test('buses are named by device and source, and checked at the start', () => {
  const can = 'truck-1=slcan:/dev/ttyACM0?bitrate=250000  can-2=socketcan:can0';
  assert.deepEqual(readConfig({}, { HEADFRAME_CAN: can }).can, [
    { device_id: 'truck-1', source: 'slcan:/dev/ttyACM0?bitrate=250000' },
    { device_id: 'can-2', source: 'socketcan:can0' },
  ]);
  for (const wrong of ['slcan:/dev/ttyACM0', 'a b', 'truck-1=serial:/dev/x', 'truck-1=slcan:/dev/x'])
    assert.equal(refusal({}, { HEADFRAME_CAN: wrong }).key, 'HEADFRAME_CAN');
});

test('the bridge prefers flags over the environment, and names what is missing or wrong, but never shows its key', () => {
  const env = { HEADFRAME_BRIDGE_SOURCE: 'socketcan:can0', HEADFRAME_BRIDGE_KEY: 'dk_secret_1' };
  const flags = { gateway: 'mqtt://10.0.0.1:1883', device: 'truck-1', data: '/srv/x' };
  assert.deepEqual(readBridgeConfig(flags, env), {
    source: 'socketcan:can0',
    url: 'mqtt://10.0.0.1:1883',
    device_id: 'truck-1',
    key: 'dk_secret_1',
    maxBytes: 1024 * 2 ** 20,
    folder: '/srv/x/bridge/truck-1',
    log: 'info',
  });
  const wrong: readonly [Flags, Record<string, string>, RegExp][] = [
    [{ device: 'truck-1' }, env, /--gateway \(HEADFRAME_BRIDGE_GATEWAY\)/],
    [{ ...flags, gateway: 'http://x' }, env, /^--gateway must be mqtt/],
    [{ ...flags, source: 'can0' }, env, /^--source: "can0" is no source/],
    [flags, { ...env, HEADFRAME_BRIDGE_MEGABYTES: '0' }, /^HEADFRAME_BRIDGE_MEGABYTES must be/],
    [flags, { ...env, HEADFRAME_BRIDGE_KEY: 'short' }, /^HEADFRAME_BRIDGE_KEY must be the key[^"]*$/],
  ];
  for (const [given, from, says] of wrong)
    assert.throws(
      () => readBridgeConfig(given, from),
      (error) => error instanceof ConfigError && says.test(error.message),
    );
});

test('the message never shows a wrong owner key', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 4 }), (secret) => {
      fc.pre(!secret.includes(' ') && secret.trim() !== '' && !/^[a-z_0-9]+$/.test(secret));
      assert.ok(!refusal({}, { HEADFRAME_API_KEY: secret }).message.includes(secret));
    }),
  );
});

test('an unknown HEADFRAME_ variable is refused with the nearest one that exists', () => {
  const error = refusal({}, { HEADFRAME_MQQT_PORT: '1883' });
  assert.equal(error.key, 'HEADFRAME_MQQT_PORT');
  assert.match(error.message, /Did you mean HEADFRAME_MQTT_PORT\?/);
  assert.match(refusal({}, { HEADFRAME_DATA_DIR: '/x' }).message, /Did you mean HEADFRAME_DATA\?/);
});

test('every port from 0 to 65535 is accepted unchanged', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 65_535 }), (port) => {
      assert.equal(readConfig({ port: String(port) }, {}).port, port);
    }),
  );
});

test('every variable begins with HEADFRAME_, and no two settings have the same flag', () => {
  const rows = Object.values(SETTINGS);
  for (const row of rows) assert.match(row.env, /^HEADFRAME_[A-Z_]+$/);
  const flags = rows.flatMap((row) => ('flag' in row ? [row.flag] : []));
  assert.equal(new Set(flags).size, flags.length);
});

test('the bucket of the files has a name, a path and a service, and is only for head office', () => {
  const cloud = (env: Record<string, string>) => ({ HEADFRAME_ROLE: 'cloud', ...env });
  const filesOf = (env: Record<string, string>) => readConfig({}, cloud(env)).files;
  assert.equal(filesOf({}), null);
  const amazon = { bucket: 'acme-files', prefix: '', endpoint: null, region: 'eu-north-1' };
  assert.deepEqual(filesOf({ HEADFRAME_FILES: 's3://acme-files', AWS_REGION: 'eu-north-1' }), amazon);
  const own = { HEADFRAME_FILES: 's3://acme-files/head/office/', HEADFRAME_FILES_ENDPOINT: 'http://10.0.0.7:9000' };
  assert.deepEqual(filesOf(own), {
    ...amazon,
    prefix: 'head/office',
    endpoint: 'http://10.0.0.7:9000',
    region: 'us-east-1',
  });
  assert.match(refusal({ files: 's3://acme-files' }, {}).message, /HEADFRAME_FILES is for head office/);
  assert.match(
    refusal({}, cloud({ HEADFRAME_FILES_ENDPOINT: 'https://s3.example.com' })).message,
    /without HEADFRAME_FILES/,
  );
  for (const wrong of ['files', 's3://', 's3://A', 's3://acme/../x', 's3://acme//x', 's3://acme/ x', 'https://acme'])
    assert.match(refusal({}, cloud({ HEADFRAME_FILES: wrong })).message, /must be s3:/, wrong);
  for (const wrong of [
    'http://s3.example.com',
    'https://s3.example.com/path',
    'https://me:secret@s3.example.com',
    's3',
  ])
    assert.match(
      refusal({}, cloud({ HEADFRAME_FILES: 's3://acme', HEADFRAME_FILES_ENDPOINT: wrong })).message,
      /must be https/,
      wrong,
    );
});
