import { z } from 'zod';
import { absent, cut, resultOf } from '../../../shared/agents/calls.ts';

export const RegisterBody = z.object({
  hostname: z
    .string()
    .trim()
    .min(1)
    .max(256)
    .regex(/^\P{Cc}*$/u, 'Must not contain control characters')
    .meta({ example: 'golden-image' })
    .describe('Name of the machine to register.'),
  mac: absent(cut(64)).describe('MAC address of the machine. It identifies the machine; the name does not.'),
  ip: absent(cut(64)).describe('IP address of the machine.'),
  version: absent(cut(64)).describe('Version of the agent.'),
});

export const Registered = resultOf(
  z
    .string()
    .meta({ example: 'agrt_8Q0cYk3p1fXr5uWm2sHvJ7dTzLbNgKaEoPiC4yR6xVw' })
    .describe(
      'Registration token. Agents of this machine and of its copies call `initialize` with it. Returned once.',
    ),
);
