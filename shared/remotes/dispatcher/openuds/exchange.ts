import { z } from 'zod';
import type { Transport, TransportRequest, TransportResponse } from '../../http/transport.ts';
import { badAnswer, fromTransport } from '../failures.ts';
import { type Destination, deadlineOf, type Node } from '../port.ts';
import { fromStatus } from './faults.ts';
import type { NodeKey } from './node-key.ts';
import { type Dialect, dialectOf } from './versions.ts';

/** One request to the REST interface of a broker. */
export type Question = Destination & {
  method: TransportRequest['method'];
  /** Segments after the base path; they are encoded here. */
  path: readonly string[];
  query?: Record<string, string> | undefined;
  body?: object | undefined;
  headers?: Record<string, string> | undefined;
  /** Absent for public requests. */
  key?: NodeKey | undefined;
  maxBytes?: number | undefined;
  onText?: ((part: string) => void) | undefined;
};

export type Reply = { status: number; text: string; headers: Record<string, string> };

/**
 * The broker lists only services that have a transport for the operating system in this header, and refuses requests
 * without one. The system of the user is not known here, and most transports are for Windows.
 */
const userAgent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Portal';

const rememberedMs = 300_000;
const mostRemembered = 256;

/** Sends requests in the dialect of each broker. */
export class Broker {
  readonly #transport: Transport;
  readonly #dialects = createMemory<Dialect>();

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async dialect(to: Destination): Promise<Dialect> {
    const known = this.#dialects.get(originOf(to.node));
    if (known) return known;
    const { version } = await this.readVersion(to);
    const found = dialectOf(version);
    this.#dialects.set(originOf(to.node), found);
    return found;
  }

  async readVersion(to: Destination): Promise<{ version: string }> {
    const { status, text } = await this.#send({ ...to, method: 'GET', path: ['version'] }, {});
    if (status !== 200) throw fromStatus(to.node, status, undefined);
    const parsed = Version.safeParse(parseJson(text));
    if (!parsed.success) throw badAnswer(to.node, 'wrong_shape');
    return parsed.data;
  }

  /** @throws AppError `upstream_*` without a response; every status is a reply */
  async ask(question: Question): Promise<Reply> {
    const { key } = question;
    if (!key) return this.#send(question, {});
    const { keyHeader, sendsCookie } = await this.dialect(question);
    return this.#send(question, {
      ...keyHeader(key.session),
      ...(sendsCookie && { cookie: `sessionid=${key.session}` }),
      ...addressOf(question.node, key.user?.clientIp),
    });
  }

  /**
   * Opens a page, whose address may be a secret. A redirect is a reply.
   * @param visitor the session with which the page is opened, and the address of the user
   */
  open(
    to: Destination,
    path: string,
    { session, clientIp }: { session?: string; clientIp: string | undefined },
  ): Promise<TransportResponse> {
    const url = `${originOf(to.node)}/${path}`;
    const cookie = session === undefined ? undefined : { cookie: `sessionid=${session}` };
    return this.#exchange({ ...to, method: 'GET', returnsRedirects: true }, url, {
      ...cookie,
      ...addressOf(to.node, clientIp),
    });
  }

  #send(question: Question, credentials: Record<string, string>): Promise<TransportResponse> {
    const { path, query = {}, node } = question;
    const search = new URLSearchParams(query).toString();
    const url = `${originOf(node)}/uds/rest/${path.map(encodeURIComponent).join('/')}${search && `?${search}`}`;
    return this.#exchange(question, url, credentials);
  }

  async #exchange(
    question: Omit<Question, 'path'> & { returnsRedirects?: boolean },
    url: string,
    credentials: Record<string, string>,
  ): Promise<TransportResponse> {
    const { node, method, body, headers, trace, signal, maxBytes, onText, returnsRedirects } = question;
    try {
      return await this.#transport.send({
        ...{ method, url, maxBytes, onText, returnsRedirects, signal },
        headers: {
          ...{ accept: 'application/json', 'accept-language': 'en', 'user-agent': userAgent },
          ...credentials,
          'x-request-id': trace.requestId,
          ...(trace.traceparent && { traceparent: trace.traceparent }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        deadlineMs: deadlineOf(question),
        ...{ ca: node.caCertificate, verifyTls: node.verifyTls, concerns: node.id },
      });
    } catch (error) {
      throw fromTransport(node, error);
    }
  }
}

/** The broker takes the last address of the header, if it is set to trust the portal. */
const addressOf = ({ sendsClientAddress }: Node, clientIp: string | undefined): Record<string, string> =>
  sendsClientAddress && clientIp ? { 'x-forwarded-for': clientIp } : {};

const Version = z.object({ version: z.string().max(64) });

export const originOf = ({ url }: Node): string => new URL(url).origin;

/**
 * Key of what is remembered of the lists of a broker. Accounts see different rows, and nodes of several farms may be one
 * broker, so rows that were read for one node do not serve another one.
 */
export const viewOf = (node: Node): string =>
  JSON.stringify([node.id, originOf(node), node.account?.domain, node.account?.name]);

/** Sends the request and reads its JSON. @throws AppError for every status but 200 */
export async function read<Shape extends z.ZodType>(
  broker: Broker,
  question: Question,
  answer: Shape,
): Promise<z.output<Shape>> {
  const { status, text } = await broker.ask(question);
  if (status !== 200) throw fromStatus(question.node, status, question.key);
  const body = parseJson(text);
  const parsed = answer.safeParse(body);
  if (parsed.success) return parsed.data;
  throw badAnswer(question.node, body === undefined ? 'not_json' : 'wrong_shape');
}

/** @returns undefined if the text is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Remembers values for a few minutes, at most 256. */
export function createMemory<T>(lifeMs = rememberedMs) {
  const values = new Map<string, { value: T; until: number }>();
  return {
    get: (key: string): T | undefined => {
      const found = values.get(key);
      return found && found.until > performance.now() ? found.value : undefined;
    },
    set: (key: string, value: T): void => {
      values.delete(key);
      values.set(key, { value, until: performance.now() + lifeMs });
      for (const oldest of values.keys()) {
        if (values.size <= mostRemembered) return;
        values.delete(oldest);
      }
    },
    delete: (key: string): boolean => values.delete(key),
  };
}
