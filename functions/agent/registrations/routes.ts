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
      summary: 'Register a machine and issue its registration token',
      description:
        'Agents call `initialize` with the registration token. The token finds workplaces only in the sites of the caller. Registering a machine again revokes its previous token and all agent tokens issued with it.',
      body: { required: RegisterBody },
      returns: [200, Registered],
    },
    async (ctx, { body }) => inResultForm(await register(ctx, body), ctx.now),
  ),
];
