import { Done } from '../../../shared/agents/calls.ts';
import { agentCall, machineCall } from '../deps.ts';
import { initialize, noteUnmanaged } from './initialization.ts';
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
      summary: 'Initialize an agent and find its workplace by MAC address',
      description:
        'All fields are null if no workplace in the snapshot matches the machine. A call with a registration token issues a new token for the workplace and revokes the previous one. Repeated calls return the same token until it is used.',
      body: InitializeBody,
      returns: Initialized,
    },
    initialize,
  ),
  agentCall(
    {
      name: 'ready',
      summary: 'Report that the agent is ready',
      description: `The presence and the address appear in the snapshot immediately. ${certificate}`,
      body: AddressBody,
      returns: Certified,
    },
    noteReady,
  ),
  agentCall(
    {
      name: 'ipchange',
      summary: 'Report an address change of the workplace',
      description: certificate,
      body: AddressBody,
      returns: Certified,
    },
    changeAddress,
  ),
  agentCall(
    { name: 'version', summary: 'Report the version of the agent', body: VersionBody, returns: Done },
    noteVersion,
  ),
  agentCall(
    {
      name: 'log',
      summary: 'Write a line to the monitoring journal',
      description: 'Lines below the level `info` are accepted but not stored.',
      body: LogBody,
      returns: Done,
    },
    writeLog,
  ),
  agentCall(
    {
      name: 'ticket',
      summary: 'Report the use of a ticket at the workplace',
      body: TicketBody,
      returns: Done,
    },
    (ctx) => notePresence(ctx),
  ),
  machineCall(
    {
      name: 'unmanaged',
      summary: 'Report the start of a machine outside of all pools',
      description: certificate,
      body: UnmanagedBody,
      returns: Certified,
    },
    noteUnmanaged,
  ),
];
