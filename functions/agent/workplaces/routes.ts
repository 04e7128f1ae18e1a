import { Done } from '../../../shared/fleet/agents/calls.ts';
import { agentCall, machineCall } from '../deps.ts';
import { initialize, noteUnmanaged } from './initializing.ts';
import {
  AddressBody,
  InitializeBody,
  Initialized,
  LogBody,
  TestBody,
  TicketBody,
  UnmanagedBody,
  VersionBody,
} from './schema.ts';
import { changeAddress, notePresence, noteReady, noteVersion, writeLog } from './usecases.ts';

export const workplaceOperations = [
  machineCall({ name: 'test', summary: 'Check a token', body: TestBody, returns: Done }, async () => 'ok'),
  machineCall(
    {
      name: 'initialize',
      summary: 'Find the workplace that an agent runs at, by its MAC addresses',
      description:
        'Nothing but nulls for a machine that no workplace in the snapshot is. With the token of a registration the workplace gets a new token, and a former one ends.',
      body: InitializeBody,
      returns: Initialized,
    },
    initialize,
  ),
  agentCall(
    {
      name: 'ready',
      summary: 'The agent is ready: its presence and address are in the snapshot at once',
      body: AddressBody,
      returns: Done,
    },
    noteReady,
  ),
  agentCall(
    {
      name: 'ipchange',
      summary: 'The address of the workplace has changed',
      body: AddressBody,
      returns: Done,
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
      summary: 'A host that no pool manages tells of itself',
      body: UnmanagedBody,
      returns: Done,
    },
    noteUnmanaged,
  ),
];
