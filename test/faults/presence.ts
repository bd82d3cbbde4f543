/**
 * Who is connected, over many interleavings of connect, takeover, FIN, RST, DISCONNECT, silence and restart: the broker, and the
 * interface of a whole gateway, must say of each device what its sockets say. `node test/faults/presence.ts [INTERLEAVINGS] [SEED]`
 */
import { mock } from 'node:test';
import { checkBroker } from './presence-broker.ts';
import { checkGateway } from './presence-gateway.ts';

const runs = Number(process.argv[2] ?? 2000);
const seed = Number(process.argv[3] ?? Date.now() & 0x7fffffff);
const say = (text: string) => process.stdout.write(`${text}\n`);

say(`seed ${seed}`);
mock.timers.enable({ apis: ['setInterval'] });
await checkBroker(runs, seed, (ms) => mock.timers.tick(ms));
mock.timers.reset();
say(`broker: ${runs} interleavings, connections said open = sockets open in each`);
await checkGateway(runs, seed);
say(`gateway: ${runs} interleavings, device status and session as the sockets are in each`);
