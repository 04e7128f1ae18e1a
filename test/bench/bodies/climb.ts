import { jsonTypeOf } from '../../../shared/http/serve/respond.ts';
import {
  describedAs,
  everyOperation,
  isScim,
  type Registered,
  resolve,
} from '../../contract/generated/described.ts';
import { bodySchemaOf, createGround, type Ground } from '../../contract/generated/ground.ts';
import { asker, unique } from '../../support/factories.ts';
import { startScim } from '../../support/identity/scim.ts';
import type { Answer, Json, TestPortal } from '../../support/portal.ts';
import { rounded } from '../load.ts';
import { cpuOf, hashTime, longestBlock } from './blocks.ts';
import { mutated, mutatedQuery } from './mutations.ts';
import { onBodiesPortal, type Sent } from './portal.ts';

export type ClimbEffort = {
  /** Steps of the search for the worst request of each operation. */
  steps: number;
  /** How often the worst one is repeated; the least of its times counts. */
  repeats: number;
};

/** The accepted request of an operation that needs most processor time. */
type WorstRequest = {
  operation: string;
  status: number;
  bytes: number;
  cpu_ms: number;
  /** Longest time for which it blocked the event loop. */
  block_ms: number;
  /** The beginning of its query and body. */
  request: string;
};

export type SearchFigures = {
  /** Processor time of one hash of a password in the same run. */
  hash_ms: number;
  /** The worst accepted request of each operation, the worst first. */
  requests: WorstRequest[];
  failed: { operation: string; reason: string }[];
};

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
export async function measureSearches(effort: ClimbEffort): Promise<SearchFigures> {
  const requests: WorstRequest[] = [];
  const failed: SearchFigures['failed'] = [];
  const left = [...searched];
  while (left.length > 0)
    for (const { operation, found, fault } of await onBodiesPortal((sent) =>
      searchWhileGood(sent, left, effort),
    )) {
      if (found) requests.push(found);
      if (fault !== undefined) failed.push({ operation, reason: fault });
      left.shift();
    }
  requests.sort((a, b) => b.cpu_ms - a.cpu_ms);
  return { hash_ms: await hashTime(effort.repeats), requests, failed };
}

/**
 * Searches one operation after the other, until one fails: what an earlier one has accepted can prevent it, such as an address
 * or a lifetime of its caller, so it is tried again as the first one of a new portal.
 */
async function searchWhileGood(sent: Sent, operations: readonly Registered[], effort: ClimbEffort) {
  const results: { operation: string; found: WorstRequest | undefined; fault: string | undefined }[] = [];
  for (const operation of operations) {
    const result = await attempt(sent, operation, effort);
    if (result.fault !== undefined && results.length > 0) break;
    results.push({ operation: operation.id, ...result });
    if (result.fault !== undefined) break;
  }
  return results;
}

const attempt = (sent: Sent, operation: Registered, effort: ClimbEffort) =>
  search(sent, operation, effort).then(
    (found) => ({ found, fault: undefined }),
    (error: unknown) => ({ found: undefined, fault: String(error).slice(0, 200) }),
  );

/** @returns undefined if no request was accepted */
async function search(
  sent: Sent,
  operation: Registered,
  { steps, repeats }: ClimbEffort,
): Promise<WorstRequest | undefined> {
  const token = await sent.newToken();
  const portal = { send: sent.send, deps: { clock: () => new Date() } } as TestPortal;
  const scim = isScim(operation) ? await startScim({ portal, admin: asker(portal, token) }) : undefined;
  const at = await createGround(sent, token, {}, scim).of(operation);
  const access = scim
    ? { headers: { authorization: `Bearer ${scim.token}` } }
    : { token, headers: sent.credentials.of(operation) };
  const send = ({ query, body }: Request): Promise<Answer> => {
    const given = new URLSearchParams(query).toString();
    return sent.send(`${operation.method} ${at.path}${given && `?${given}`}`, {
      ...access,
      ...(body !== undefined && { body: fresh(operation, body) }),
      headers: { ...access.headers, 'content-type': jsonTypeOf(operation) },
    });
  };
  const found = await climb(operation, at, send, steps);
  return found && measured(operation, found, send, repeats);
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
