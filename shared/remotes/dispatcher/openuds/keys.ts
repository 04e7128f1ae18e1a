import { z } from 'zod';
import { badAnswer, failure, isUnauthorized } from '../failures.ts';
import type {
  AuthorizeRequest,
  Call,
  Destination,
  IssuedKey,
  LoginGuard,
  OwnKey,
  ServiceAccount,
} from '../port.ts';
import { type Broker, parseJson, read } from './exchange.ts';
import { denied, fromStatus, refused } from './faults.ts';
import { keyOf, type NodeKey, sealable } from './node-key.ts';
import { type People, type TicketUser, withOwnKey } from './people.ts';

/** The broker keeps sessions for 14 days. A key that is not used any more is logged out. */
const lifeS = { own: 12 * 3_600, user: 600 };

const Login = z.object({
  result: z.string(),
  token: z.string().min(1).max(256).nullish(),
  scrambler: z.string().max(256).nullish(),
});
/** A refusal has a text in `error` and an empty `result`; a result without content is a refusal as well. */
const Created = z.object({ result: z.unknown() });
const ticketPattern = /^[A-Za-z0-9]{16,128}$/;

type PrincipalUser = NonNullable<AuthorizeRequest['principal']['user']>;
type KeyParts = { broker: Broker; people: People; logins: LoginGuard };

/** Session keys: by login for the portal itself, by tickets for users. */
export class Keys {
  readonly #parts: KeyParts;

  constructor(parts: KeyParts) {
    this.#parts = parts;
  }

  authorize(request: AuthorizeRequest): Promise<IssuedKey> {
    const { user } = request.principal;
    return user === null ? this.#ownKey(request) : this.#userKey(request, user);
  }

  /**
   * A key that has ended is refused with 403. Version 3.6 answers 400 to a request whose cookie ends in it: the session
   * has ended then.
   */
  async logOut({ key, ...to }: Call): Promise<void> {
    const question = { ...to, method: 'GET', path: ['auth', 'logout'], key: keyOf(key) } as const;
    const { status } = await this.#parts.broker.ask(question);
    if (![200, 400, 403].includes(status)) throw fromStatus(to.node, status, undefined);
  }

  /** A ticket signs its user in once, within a minute. With a pool, it opens that pool in the browser. */
  async createTicket(to: Destination, own: NodeKey, user: TicketUser, pool?: string): Promise<string> {
    const { authenticator: authId, name: username, groups } = user;
    const body = { authId, username, groups, ...(pool !== undefined && { servicePool: pool }) };
    const path = ['tickets', 'create'];
    const { result } = await read(
      this.#parts.broker,
      { ...to, method: 'PUT', path, body, key: own },
      Created,
    );
    if (typeof result === 'string' && ticketPattern.test(result)) return result;
    throw refused(to.node);
  }

  async #ownKey(to: AuthorizeRequest): Promise<IssuedKey> {
    const { account } = to.node;
    if (!account) throw failure('upstream_refused', to.node, { reason: 'no_account' });
    await this.#parts.people.assertOneDomain(to, account.domain);
    const key = await this.#parts.logins.attempt(
      to.node,
      (password) => this.#logIn(to, account, password),
      to.isTest,
    );
    return { token: sealable(key), expiresInS: lifeS.own };
  }

  /** @returns undefined if the broker refuses the account; it answers 200, or 403 to an address that it has blocked */
  async #logIn(to: Destination, account: ServiceAccount, password: string): Promise<NodeKey | undefined> {
    const body = { authSmallName: account.domain, username: account.name, password };
    const question = { ...to, method: 'POST', path: ['auth', 'login'], body } as const;
    const { status, text } = await this.#parts.broker.ask(question);
    if (status === 403) return undefined;
    if (status !== 200) throw fromStatus(to.node, status, undefined);
    const parsed = Login.safeParse(parseJson(text));
    if (!parsed.success) throw badAnswer(to.node, 'wrong_shape');
    const { result, token, scrambler } = parsed.data;
    if (result !== 'ok' || !token) return undefined;
    return { session: token, scrambler: scrambler ?? '', issuedAt: Date.now() };
  }

  async #userKey(request: AuthorizeRequest, user: PrincipalUser): Promise<IssuedKey> {
    const { ownKey: own } = request;
    if (!own) throw new Error('the key of a user needs the key of the portal');
    const { wanted, ticket } = await withOwnKey(own, isUnauthorized, async (key) => {
      const found = await this.#parts.people.find(request, key, user);
      return { wanted: found, ticket: await this.createTicket(request, key, found) };
    });
    const redeemed =
      (await this.#redeem(request, ticket, user.clientIp)) ?? (await this.#refusalOf(request, own, user));
    const session = { ...redeemed, issuedAt: Date.now() };
    try {
      const person = await withOwnKey(own, isUnauthorized, (key) =>
        this.#parts.people.current(request, key, wanted),
      );
      return {
        token: sealable({ ...session, user: { ...person, clientIp: user.clientIp } }),
        expiresInS: lifeS.user,
      };
    } catch (error) {
      await this.logOut({ ...request, key: sealable(session) }).catch(() => undefined);
      throw error;
    }
  }

  /**
   * The page of errors does not name its cause. The user is judged again, because the row may have changed since.
   * @throws AppError `not_known_here`, otherwise `upstream_refused`
   */
  async #refusalOf(to: Destination, own: OwnKey, user: PrincipalUser): Promise<never> {
    await withOwnKey(own, isUnauthorized, (key) => this.#parts.people.find(to, key, user));
    throw denied(to.node, 'forbidden');
  }

  /**
   * The answer is a redirect in any case. Its destination shows whether the ticket was accepted.
   * @returns undefined if it was not
   */
  async #redeem(
    to: Destination,
    ticket: string,
    clientIp: string,
  ): Promise<Pick<NodeKey, 'session' | 'scrambler'> | undefined> {
    const path = `uds/page/ticket/auth/${ticket}`;
    const { status, headers, cookies = [] } = await this.#parts.broker.open(to, path, { clientIp });
    const target = new URL(headers.location ?? '', to.node.url).pathname;
    if (status !== 302 || !/\/(?:services|launcher)$/.test(target)) return undefined;
    const session = cookieOf(cookies, 'sessionid');
    if (session === undefined) throw badAnswer(to.node, 'wrong_shape');
    return { session, scrambler: cookieOf(cookies, 'uds') ?? '' };
  }
}

function cookieOf(cookies: readonly string[], name: string): string | undefined {
  const found = cookies.find((cookie) => cookie.startsWith(`${name}=`));
  return found?.slice(name.length + 1).split(';')[0];
}
