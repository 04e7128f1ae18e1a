import { z } from 'zod';
import { absent, cut, resultOf } from '../../../shared/fleet/agents/calls.ts';

export const RegisterBody = z.object({
  hostname: z
    .string()
    .trim()
    .min(1)
    .max(256)
    .regex(/^\P{Cc}*$/u, 'Must not contain control characters')
    .meta({ description: 'The machine that is registered', example: 'golden-image' }),
  mac: absent(cut(64)).meta({ description: 'Tells the machine, whatever it is called' }),
  ip: absent(cut(64)),
  version: absent(cut(64)),
});

export const Registered = resultOf(
  z.string().meta({
    description: 'What agents of this machine, and of copies of it, are to be initialized with; shown once',
    example: 'agrt_8Q0cYk3p1fXr5uWm2sHvJ7dTzLbNgKaEoPiC4yR6xVw',
  }),
);
