import { createDispatcherState } from '../../simulator/data/seed.ts';
import { startSimulator } from '../../simulator/start.ts';
import { tellReady } from '../child-process.ts';
import { node } from '../settings.ts';

const { jwks }: { jwks: string } = JSON.parse(process.argv[2] ?? '{}');
const { authUuid, authSmallName, auth } = node.domain;
const { url, caPem } = await startSimulator({
  state: createDispatcherState({
    name: node.name,
    domains: [{ authUuid, authSmallName, auth }],
    pools: [{ name: 'Office', protocols: ['rdp'], workplaces: 10, entitled: 'all' }],
  }),
  jwks,
  healthKey: node.healthKey,
});
tellReady({ url, ca_certificate: caPem });
