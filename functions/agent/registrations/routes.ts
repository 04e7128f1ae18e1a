import { inResultForm } from '../../../shared/http/serve/result-form.ts';
import { base, endpoint } from '../deps.ts';
import { RegisterBody, Registered } from './schema.ts';
import { register } from './usecases.ts';

export const registrationOperations = [
  endpoint(
    {
      id: 'agent.register',
      route: `POST ${base}/register`,
      access: 'workplaces.update',
      sited: true,
      summary: 'Register a machine: the token that its agents are initialized with',
      description:
        'Its agents are found workplaces within the sites of the caller. Registering a machine again ends the former token with every agent that came of it.',
      body: { required: RegisterBody },
      returns: [200, Registered],
    },
    async (ctx, { body }) => inResultForm(await register(ctx, body), ctx.now),
  ),
];
