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
      countsFailures: true,
      summary: 'What the session agent is to show, or to do; waits for it',
      description:
        'By `Authorization: Bearer` with the token that `register` gave. A message comes again until it is acknowledged by `after`. Whoever was not heard of for a minute gets none.',
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
