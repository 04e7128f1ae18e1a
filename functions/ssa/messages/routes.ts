import { agentErrors } from '../../../shared/agents/calls.ts';
import { sessionAgentOf } from '../../../shared/agents/credentials.ts';
import type { RequestCtx } from '../../../shared/http/context.ts';
import { inResultForm } from '../../../shared/http/serve/result-form.ts';
import { base, endpoint, type SsaDeps } from '../deps.ts';
import { Messages, MessagesQuery } from './schema.ts';
import { waitForMessages } from './usecases.ts';

export const messageOperations = [
  endpoint(
    {
      id: 'ssa.messages',
      route: `GET ${base}/messages`,
      access: 'public',
      begins: true,
      rateLimit: 'failures',
      summary: 'Wait for messages to the session agent',
      description:
        'Long polling: the response is sent when a message arrives or `wait` has passed. Send the token from `register` as `Authorization: Bearer`. A message is repeated until `after` acknowledges it. An agent that has sent no request for a minute receives no messages.',
      query: MessagesQuery,
      credential: { in: 'header', prove: (ctx: RequestCtx<SsaDeps>) => sessionAgentOf(ctx, ctx.bearer) },
      returns: [200, Messages],
      errors: [...agentErrors, 'unauthenticated'],
    },
    async (ctx, { query }) => {
      const items = await waitForMessages(ctx, query);
      return inResultForm({ items }, ctx.deps.clock());
    },
  ),
];
