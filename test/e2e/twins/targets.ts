import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Authority, createAuthority } from '../../simulator/authority.ts';
import { createDispatcherState } from '../../simulator/data/seed.ts';
import { type Simulator, startSimulator } from '../../simulator/start.ts';
import { type Api, createApi } from '../support/api.ts';
import {
  type Announced,
  bareVariables,
  type Ending,
  freePorts,
  startPortal,
} from '../support/portal-process.ts';

/** The runtime of the portal, with the differences between runtimes. */
export type Target = {
  /** For test titles. */
  name: string;
  command: readonly string[];
  protocol: 'http:' | 'https:';
  /** A Worker cannot be given the authority of a dispatcher; its runtime trusts that of the installation. */
  takesAuthorities: boolean;
  /** Starts the database with its environment variables; default: the embedded one. */
  database?: () => Promise<{ env: NodeJS.ProcessEnv; stop(): Promise<void> }>;
};

/** A portal on an empty database, with a dispatcher node that trusts it. */
export type Stand = {
  api: Api;
  baseUrl: string;
  adminPassword: string;
  node: Simulator;
  /** Issues certificates of servers that this portal trusts, given `trust`. */
  authority: Authority;
  /** Further properties of a dispatcher record, so that this portal trusts the node. */
  trust: { ca_certificate?: string };
  /** Ends the portal by SIGTERM. */
  stop(): Promise<Ending>;
  /** Deletes all files; after `stop`. */
  remove(): Promise<void>;
};

const run = (program: string): string[] => ['--disable-warning=ExperimentalWarning', program, '--json'];

export const nodeTarget: Target = {
  name: 'Node over HTTPS',
  command: ['shared/tooling/launch.mjs', 'functions/all.ts', '--json'],
  protocol: 'https:',
  takesAuthorities: true,
};
export const workersTarget: Target = {
  name: 'Workers',
  command: run('shared/tooling/workers/workers.ts'),
  protocol: 'http:',
  takesAuthorities: false,
};
export const lambdaTarget: Target = {
  name: 'Lambda functions',
  command: run('test/support/lambda/gateway.ts'),
  protocol: 'http:',
  takesAuthorities: true,
};

/** Starts the portal of a target without variables of the developer, and a node beside it. */
export async function startStand({ command, protocol, takesAuthorities, database }: Target): Promise<Stand> {
  const folder = await mkdtemp(join(tmpdir(), 'aggregator-e2e-'));
  const authority = await createAuthority();
  const caFile = join(folder, 'dispatchers.pem');
  await writeFile(caFile, authority.caPem);
  const own = await database?.();
  const env = {
    ...bareVariables(join(folder, 'data'), await freePorts(2)),
    ...own?.env,
    ...(!takesAuthorities && { NODE_EXTRA_CA_CERTS: caFile }),
  };
  const portal = await startPortal<Announced & { ca_file?: string }>({ env, command });
  const { base_url: baseUrl, admin_password: adminPassword = '', ca_file } = portal.announcement;
  const api = createApi(baseUrl, protocol === 'https:' ? readFileSync(ca_file ?? '', 'utf8') : undefined);
  const node = await startNode({ api, issuer: baseUrl, authority });
  return {
    api,
    baseUrl,
    adminPassword,
    node,
    authority,
    trust: takesAuthorities ? { ca_certificate: node.caPem } : {},
    stop: () => portal.stop(),
    remove: async () => {
      await Promise.all([api.close(), node.close(), portal.stop()]);
      await own?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type NodeOptions = { api: Api; issuer: string; authority: Authority };

/** A dispatcher that verifies tokens with the keys that the portal publishes. */
export const startNode = ({ api, issuer, authority }: NodeOptions): Promise<Simulator> =>
  startSimulator({
    state: createDispatcherState({
      name: 'north-1',
      domains: [
        { authUuid: '0f0e7f6c-5d3c-4a64-9d0c-2b8f2a2f7d11', authSmallName: 'CORP', auth: 'Corporation' },
      ],
      pools: [
        { name: 'Office', protocols: ['rdp'], workplaces: 2, entitled: 'all' },
        { name: 'Payroll', protocols: ['rdp'], workplaces: 1, entitled: { users: [], groups: ['payroll'] } },
        { name: 'Workshop', protocols: ['spice'], workplaces: 1, entitled: 'all', state: 'preparing' },
      ],
    }),
    jwks: async () => (await api.send('GET /api/auth/v7.0/jwks')).body,
    issuer,
    authority,
    healthKey: 'key of north-1',
  });
