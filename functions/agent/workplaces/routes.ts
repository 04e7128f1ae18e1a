import { Done } from '../../../shared/agents/calls.ts';
import { agentCall, machineCall } from '../deps.ts';
import { initialize, noteUnmanaged } from './initializing.ts';
import {
  AddressBody,
  Certified,
  InitializeBody,
  Initialized,
  LogBody,
  TestBody,
  TicketBody,
  UnmanagedBody,
  VersionBody,
} from './schema.ts';
import { changeAddress, notePresence, noteReady, noteVersion, writeLog } from './usecases.ts';

const certificate =
  'Each call issues a new key pair with a certificate for the HTTPS endpoint of the agent. The portal stores only the fingerprint, in the monitoring journal.';

export const workplaceOperations = [
  machineCall({ name: 'test', summary: 'Check a token', body: TestBody, returns: Done }, async () => 'ok'),
  machineCall(
    {
      name: 'initialize',
      summary: 'Find the workplace that an agent runs at, by its MAC addresses',
      description:
        'All members are null if no workplace in the snapshot matches the machine. With the token of a registration the workplace gets a new token, and a former one ends. Until the new token is used, repeated calls return the same token.',
      body: InitializeBody,
      returns: Initialized,
    },
    initialize,
  ),
  agentCall(
    {
      name: 'ready',
      summary: 'Report that the agent is ready at an address',
      description: `Presence and address are in the snapshot at once. ${certificate}`,
      body: AddressBody,
      returns: Certified,
    },
    noteReady,
  ),
  agentCall(
    {
      name: 'ipchange',
      summary: 'Report that the address of the workplace changed',
      description: certificate,
      body: AddressBody,
      returns: Certified,
    },
    changeAddress,
  ),
  agentCall(
    { name: 'version', summary: 'The version of the agent', body: VersionBody, returns: Done },
    noteVersion,
  ),
  agentCall(
    {
      name: 'log',
      summary: 'A line for the monitoring journal',
      description: 'What is below `info` is taken and not kept.',
      body: LogBody,
      returns: Done,
    },
    writeLog,
  ),
  agentCall(
    { name: 'ticket', summary: 'A ticket was used at the workplace', body: TicketBody, returns: Done },
    (ctx) => notePresence(ctx),
  ),
  machineCall(
    {
      name: 'unmanaged',
      summary: 'Report the start of a host that no pool manages',
      description: certificate,
      body: UnmanagedBody,
      returns: Certified,
    },
    noteUnmanaged,
  ),
];
