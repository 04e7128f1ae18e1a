import { jsonTypeOf } from '../../../shared/http/serve/respond.ts';
import {
  describedAs,
  everyOperation,
  isScim,
  type Registered,
  resolve,
} from '../../contract/generated/described.ts';
import { bodySchemaOf, createGround, type Ground } from '../../contract/generated/ground.ts';
import type { Credentials } from '../../contract/support/credentials.ts';
import { asker, unique } from '../../support/factories.ts';
import { startScim } from '../../support/identity/scim.ts';
import type { Answer, Json, TestPortal } from '../../support/portal.ts';
import { rounded } from '../load.ts';
import { cpuOf, longestBlock } from './blocks.ts';
import { mutated, mutatedQuery } from './mutations.ts';

export type ClimbEffort = {
  /** Steps of the search for the worst request of each operation. */
  steps: number;
  /** How often the worst one is repeated; the least of its times counts. */
  repeats: number;
};

/** The accepted request of an operation that needs most processor time. */
export type WorstRequest = {
  operation: string;
  status: number;
  bytes: number;
  cpu_ms: number;
  /** Longest time for which it blocked the event loop. */
  block_ms: number;
  /** The beginning of its query and body. */
  request: string;
};

type Sent = Pick<TestPortal, 'send' | 'db'> & { credentials: Credentials; newToken(): Promise<string> };
type Request = { query: Record<string, string>; body: Json };

/** Names that only one object can have. */
const distinct = ['name', 'uri', 'small_name', 'userName', 'displayName', 'externalId', 'issuer'];

/** Those that read a body or a query of the caller; settings of the whole portal would change the others. */
const searched = everyOperation.filter(
  (operation) =>
    operation.browser === undefined &&
    operation.form === undefined &&
    operation.id !== 'systemParameters.replace' &&
    (operation.body !== undefined || parametersOf(operation).length > 0),
);

function parametersOf(operation: Registered): Json[] {
  return describedAs(operation)
    .parameters.map(resolve)
    .filter(({ in: place, name }: Json) => place === 'query' && name !== 'cursor');
}

/** Looks for the worst accepted request of each operation: changes one thing at a time, and keeps what costs more. */
export async function climbAll(sent: Sent, { steps, repeats }: ClimbEffort): Promise<WorstRequest[]> {
  const token = await sent.newToken();
  const portal = { send: sent.send, deps: { clock: () => new Date() } } as TestPortal;
  const scim = await startScim({ portal, admin: asker(portal, token) });
  const worst: WorstRequest[] = [];
  for (const operation of searched) {
    // Some requests end the sessions of their caller.
    const own = await sent.newToken();
    const at = await createGround(sent, own, {}, scim).of(operation);
    const access = isScim(operation)
      ? { headers: { authorization: `Bearer ${scim.token}` } }
      : { token: own, headers: sent.credentials.of(operation) };
    const send = ({ query, body }: Request): Promise<Answer> => {
      const search = new URLSearchParams(query).toString();
      return sent.send(`${operation.method} ${at.path}${search && `?${search}`}`, {
        ...access,
        ...(body !== undefined && { body: fresh(operation, body) }),
        headers: { ...access.headers, 'content-type': jsonTypeOf(operation) },
      });
    };
    const found = await climb(operation, at, send, steps);
    if (found) worst.push(await measured(operation, found, send, repeats));
  }
  return worst.toSorted((a, b) => b.cpu_ms - a.cpu_ms);
}

/** The texts of unique members differ each time, but not their lengths. */
function fresh({ method }: Registered, body: Json): Json {
  if (method !== 'POST') return body;
  const renamed = Object.entries(body).map(([name, value]) => {
    if (!distinct.includes(name) || typeof value !== 'string') return [name, value];
    const end = unique('n');
    return [name, value.slice(0, Math.max(0, value.length - end.length)) + end];
  });
  return Object.fromEntries(renamed);
}

async function climb(
  operation: Registered,
  { body }: Ground,
  send: (request: Request) => Promise<Answer>,
  steps: number,
): Promise<Request | undefined> {
  let best: Request | undefined;
  let most = 0;
  for (let step = 0; step < steps; step++) {
    const next = changed(operation, best ?? { query: {}, body }, step);
    let status = 0;
    const cpu = await cpuOf(async () => {
      ({ status } = await send(next));
    });
    if (status < 400 && cpu > most) [best, most] = [next, cpu];
  }
  return best;
}

function changed(operation: Registered, { query, body }: Request, step: number): Request {
  if (step === 0) return { query, body };
  const parameters = parametersOf(operation);
  if (!operation.body || (parameters.length > 0 && Math.random() < 0.2))
    return { query: mutatedQuery(query, parameters), body };
  // Several changes at once get over rules that need two members.
  let next: unknown = body ?? {};
  for (let changes = 0; changes < 1 + (step % 3); changes++) next = mutated(next, bodySchemaOf(operation));
  return { query, body: next };
}

async function measured(
  operation: Registered,
  request: Request,
  send: (request: Request) => Promise<Answer>,
  repeats: number,
): Promise<WorstRequest> {
  const [cpus, blocks]: [number[], number[]] = [[], []];
  let status = 0;
  for (let at = 0; at < repeats; at++) {
    cpus.push(await cpuOf(() => send(request)));
    const { block, result } = await longestBlock(() => send(request));
    blocks.push(block);
    status = result.status;
  }
  const body = JSON.stringify(request.body) ?? '';
  return {
    ...{ operation: operation.id, status, bytes: body.length },
    cpu_ms: rounded(Math.min(...cpus), 2),
    block_ms: rounded(Math.min(...blocks), 2),
    request: `${new URLSearchParams(request.query)} ${body}`.slice(0, 120),
  };
}
