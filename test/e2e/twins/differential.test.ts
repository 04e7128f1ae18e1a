import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDispatcherState } from '../../simulator/data/seed.ts';
import { type Simulator, startSimulator } from '../../simulator/start.ts';
import type { Question } from '../paths/questions.ts';
import { readsOf, refusalsOf } from '../paths/reads.ts';
import type { Answer, Api } from '../support/api.ts';
import { webui } from '../support/installation.ts';
import { root } from '../support/portal-process.ts';
import { createComparer, type Difference, type Mask } from './comparison.ts';
import { type Seeded, seedTwins, startTwins, type Twins } from './twins.ts';

/** All that may differ between two runtimes on one database. */
const masks: Mask[] = [
  { at: /^\/body\/sites\/\d+\/fetched_at$/, why: 'the moment of this very answer' },
  { at: /^\/body\/sites\/\d+\/age_ms$/, why: 'how old the snapshot was at the moment of this very answer' },
  { at: /^\/body\/sites\/\d+\/took_ms$/, why: 'how long the dispatcher took this time' },
  { at: /^\/body\/password$/, why: 'good once: the dispatcher makes one for every connection' },
  { at: /^\/body\/gateway\/ticket$/, why: 'good once: every connection gets one of its own' },
  { at: /^\/(?:body\/next|headers\/link)$/, why: 'cursors are sealed with a nonce of their own' },
  { at: /^\/body\/stamp$/, why: 'the second of this very answer' },
  { at: /^\/body\/generated_at$/, why: 'the moment of this very answer' },
  { at: /^\/body\/(?:runtime|os|uptime_s|time)$/, why: 'the answering node reports itself' },
  { at: /^\/body\/last_seen_at$/, why: 'both report the portal all the time' },
  { at: /^\/body\/database\/latency_ms$/, why: 'how long the database took this time' },
  { at: /^\/body\/jobs\/last_run_at$/, why: 'workers report all the time' },
  { at: /^\/body\/reason$/, why: 'a Worker gets no reason why a certificate is not trusted' },
];

/** Every GET of the committed document: a new one fails here by its name until it has a request. */
const document: { paths: Record<string, object> } = JSON.parse(
  readFileSync(join(root, 'shared/openapi/openapi.json'), 'utf8'),
);
const documented = Object.entries(document.paths).flatMap(([path, verbs]) => ('get' in verbs ? [path] : []));

const comparer = createComparer(masks);
let twins: Twins;
let seeded: Seeded;
let stranger: Simulator;
let cursor: string;

beforeAll(async () => {
  twins = await startTwins();
  const state = createDispatcherState({ name: 'stranger', domains: [], pools: [] });
  stranger = await startSimulator({ state, jwks: async () => ({ keys: [] }) });
  seeded = await seedTwins(twins, stranger.url);
  cursor = (await ask(twins.node, { path: `${webui}/sites?limit=2` })).body.next;
});
afterAll(async () => {
  await twins?.stop();
  await stranger?.close();
});

/** One request id for all, so that it need not be masked. */
async function ask(
  api: Api,
  { path, method = 'GET', who = 'admin', headers = {}, body }: Question,
): Promise<Answer> {
  const token = who === 'anonymous' ? {} : { token: seeded.tokens[who] };
  const sent = { ...token, headers: { 'x-request-id': 'twins', ...headers } };
  const answer = await api.send(`${method} ${path}`, body === undefined ? sent : { ...sent, body });
  return withoutTicket(withoutNonce(withoutEncoding(answer)));
}

/** The platform of Workers compresses; Node compresses by itself and sends the header. */
function withoutEncoding(answer: Answer): Answer {
  const vary = String(answer.headers.vary ?? '').replace(/(?:, )?accept-encoding$/, '');
  return { ...answer, headers: { ...answer.headers, vary } };
}

/** A page has a nonce for its scripts in each response. */
function withoutNonce(answer: Answer): Answer {
  const policy = String(answer.headers['content-security-policy'] ?? '');
  const nonce = /'nonce-([\w-]+)'/.exec(policy)?.[1];
  if (nonce === undefined) return answer;
  const headers = { ...answer.headers, 'content-security-policy': policy.replaceAll(nonce, 'nonce') };
  return { ...answer, headers, body: answer.body.replaceAll(nonce, 'nonce') };
}

/** A UTF-16 file, read as bytes; the ticket in it works once. */
function withoutTicket(answer: Answer): Answer {
  if (answer.headers['content-type'] !== 'application/x-rdp') return answer;
  const lines: string = answer.body.replaceAll('\0', '');
  return { ...answer, body: lines.replace(/(?<=loadbalanceinfo:s:)\w{48}/, 'ticket') };
}

type Compared = { status: number; differences: Difference[] };

/**
 * Sends a request to Node, the Workers, and Node again: when the responses of Node differ, the data has changed
 * meanwhile (the sidecar probes nodes), and the request is repeated.
 */
async function compare(question: Question, attempts = 3): Promise<Compared> {
  const before = await ask(twins.node, question);
  const other = await ask(twins.workers, question);
  const after = await ask(twins.node, question);
  const hasMoved = comparer.differences(before, after).length > 0;
  if (hasMoved && attempts > 1) return compare(question, attempts - 1);
  return { status: other.status, differences: comparer.differences(before, other) };
}

describe('Node and Workers on one database', () => {
  it.each(documented)('answer in the same way: GET %s', async (path) => {
    const questions: Question[] | undefined = new Map(Object.entries(readsOf(seeded))).get(path);
    expect(questions, `test/e2e/paths/reads.ts asks nothing of GET ${path}`).toBeDefined();
    for (const question of questions ?? [])
      expect({ question, ...(await compare(question)) }).toEqual({
        question,
        status: question.status ?? 200,
        differences: [],
      });
  });

  it('receive only requests of the OpenAPI document', () => {
    expect(Object.keys(readsOf(seeded)).filter((path) => !documented.includes(path))).toEqual([]);
  });

  it('refuse in the same way', async () => {
    const answers: Record<string, Compared> = {};
    const expected: Record<string, Compared> = {};
    for (const [why, question] of Object.entries(refusalsOf(seeded, cursor))) {
      answers[why] = await compare(question);
      expected[why] = { status: question.status ?? 200, differences: [] };
    }
    expect(answers).toEqual(expected);
  });

  it('accept the cursors of each other', async () => {
    const rest = await ask(twins.node, { path: `${webui}/sites?limit=2&cursor=${cursor}` });
    const first = rest.body.items.map(({ name }: { name: string }) => name);
    expect(first).toHaveLength(2);
    expect((await compare({ path: `${webui}/sites?limit=2&cursor=${cursor}` })).differences).toEqual([]);
    const { next } = (await ask(twins.workers, { path: `${webui}/sites?limit=2` })).body;
    const turned = await ask(twins.node, { path: `${webui}/sites?limit=2&cursor=${next}` });
    expect(turned.body.items).toEqual(rest.body.items);
  });

  it('accept the versions of each other, and a logout from one invalidates the token for both', async () => {
    const site = `${webui}/sites/${seeded.site.id}`;
    const etag = String((await ask(twins.node, { path: site })).headers.etag);
    const known = { path: site, headers: { 'if-none-match': etag } };
    expect((await ask(twins.workers, known)).status).toBe(304);
    const change = {
      path: site,
      method: 'PATCH',
      body: { comments: 'changed' },
      headers: { 'if-match': etag },
    };
    expect((await ask(twins.workers, change)).status).toBe(200);
    expect((await ask(twins.node, change)).status).toBe(412);
    await ask(twins.workers, { path: '/api/auth/v7.0/logout', method: 'POST', who: 'clerk' });
    expect((await ask(twins.node, { path: '/api/userinfo', who: 'clerk' })).status).toBe(401);
  });

  it('need every defined mask', () => expect(comparer.stale()).toEqual([]));
});
