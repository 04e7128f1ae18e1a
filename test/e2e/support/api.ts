import { Agent, request } from 'undici';

export type Answer = { status: number; headers: Record<string, string | string[] | undefined>; body: Json };
// biome-ignore lint/suspicious/noExplicitAny: answers are read as the caller expects them; a wrong guess fails him
export type Json = any;

export type Asking = { token?: string; body?: unknown; headers?: Record<string, string> };

export type Api = {
  /** `send('POST /api/…', { token, body })`; a body is sent as JSON unless it is text. */
  send(route: string, asking?: Asking): Promise<Answer>;
  /** Logs in. @returns the token @throws Error when the login is refused */
  login(username: string, password: string, authSmallName?: string): Promise<string>;
  close(): Promise<void>;
};

/** A client of the portal that trusts only this authority (PEM); unused over plain HTTP. */
export function createApi(baseUrl: string, ca?: string): Api {
  const agent = new Agent({ connect: ca === undefined ? {} : { ca } });
  const send: Api['send'] = async (route, { token, body, headers = {} } = {}) => {
    const [method = 'GET', path = '/'] = route.split(' ');
    const answer = await request(baseUrl + path, {
      method,
      dispatcher: agent,
      headers: {
        ...(token && { 'x-auth-token': token }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body),
    });
    const text = await answer.body.text();
    const isJson = String(answer.headers['content-type']).includes('json') && text !== '';
    return { status: answer.statusCode, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
  };
  return {
    send,
    login: async (username, password, authSmallName = 'builtin') => {
      const credentials = { username, password, authSmallName };
      const { status, body } = await send('POST /api/auth/v7.0/login', { body: credentials });
      if (status !== 200) throw new Error(`the login of ${username} was refused: ${JSON.stringify(body)}`);
      return body.token;
    },
    close: () => agent.destroy(),
  };
}

/** The body of a successful response. @throws Error with the body of any other */
export async function accepted(api: Api, route: string, asking: Asking = {}): Promise<Json> {
  const { status, body } = await api.send(route, asking);
  if (status >= 300) throw new Error(`${route} was refused: ${status} ${JSON.stringify(body)}`);
  return body;
}
