import { send } from '../../../../shared/web/client/session.ts';
import type { SwaggerRequest } from './system.ts';

/** Placeholder of the token in displayed requests; a shell expands it in curl commands. */
export const placeholder = '$TOKEN';

/** The request that is sent: as the user if it has the placeholder, which is never sent to another origin. */
export function asUser(request: SwaggerRequest): SwaggerRequest {
  if (request.headers?.['X-Auth-Token'] !== placeholder) return request;
  const { 'X-Auth-Token': _, ...headers } = request.headers;
  const isOwn = new URL(request.url, location.href).origin === location.origin;
  return {
    ...request,
    headers,
    // The token is added outside of Swagger UI, which stores and shows what it sends.
    ...(isOwn && { userFetch: (url: string, sent: RequestInit) => send(new Request(url, sent)) }),
  };
}
