import { base, endpoint } from '../deps.ts';
import { Changes, ChangesQuery } from './schema.ts';
import { followChanges } from './usecases.ts';

export const changeOperations = [
  endpoint(
    {
      id: 'change.stream',
      route: `GET ${base}/changes`,
      access: 'signed-in',
      forPeers: true,
      conditional: true,
      summary: 'Follow the changes of objects',
      description:
        'With `Accept: text/event-stream` the response is a stream of server-sent events: `change` with a change as in `items`, and `reset` if changes may be missing. The `id` of an event is the cursor behind it; send the last one as `after` or `Last-Event-ID` to continue. Comments keep the connection open. The stream ends with the session. With `Accept: application/json`, and on Cloudflare Workers always, the response is a page of changes for polling, with an `ETag`. A change contains only type and identifier of an object that the caller may read, or could read before the change.',
      query: ChangesQuery,
      returns: [200, Changes],
      alsoReturns: ['text/event-stream'],
      errors: ['forbidden'],
    },
    (ctx, { query: { after } }) => followChanges(ctx, after),
  ),
];
