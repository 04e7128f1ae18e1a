import { addUser } from '../seed.ts';
import { isSameName, nowOf, secret } from '../state.ts';
import { type Ask, fault, type Handler, type Reply, refusal, result } from '../wire.ts';
import { openSession } from './login.ts';

const lifeMs = 60_000;
const known36 = [
  ...['authId', 'authTag', 'auth', 'authSmallName', 'username', 'realname', 'password', 'groups'],
  ...['servicePool', 'force', 'userIp', 'time', 'transport'],
];
const known40 = [
  ...known36.filter((name) => name !== 'time'),
  ...['auth_id', 'auth_tag', 'auth_name', 'service_pool', 'user_ip'],
];

export const createTicket: Handler = (ask) => {
  const { state, mode, body } = ask;
  const known = mode === '3.6' ? known36 : known40;
  if (Object.keys(body).some((name) => !known.includes(name)) || typeof body.username !== 'string')
    return fault(ask, 400, 'Invalid parameters');
  const wanted = body.authId ?? body.auth_id;
  const authenticator = state.authenticators.find(({ id }) => id === wanted);
  if (!authenticator) return refusal(ask, 'Authenticator does not exists');
  const names = Array.isArray(body.groups) ? body.groups : [body.groups];
  const groups = state.groups.filter(
    (group) => group.authenticator === authenticator.id && !group.isMeta && names.includes(group.name),
  );
  if (groups.length === 0) return refusal(ask, 'Authenticator does not contain ANY of the requested groups');
  const pool = body.servicePool ?? null;
  if (pool !== null && ![...state.pools, ...state.metaPools].some(({ id }) => id === pool))
    return refusal(ask, 'Service pool does not exists');
  const ticket = secret(40);
  state.tickets.set(ticket, {
    ...{ authenticator: authenticator.id, username: body.username, groups: groups.map(({ id }) => id) },
    ...{ pool: pool === null ? null : String(pool), endsAt: nowOf(state) + lifeMs },
  });
  return result(ask, ticket);
};

/** A ticket is used by opening its page. It replaces the groups of the user, and creates a user that does not exist. */
export function redeem(ask: Ask, id: string): Reply {
  const { state } = ask;
  const ticket = state.tickets.get(id);
  state.tickets.delete(id);
  if (!ticket || ticket.endsAt < nowOf(state)) return redirect('/uds/page/error/18', [webSession()]);
  const found = state.users.find(
    ({ authenticator, name }) =>
      authenticator === ticket.authenticator && isSameName(state, name, ticket.username),
  );
  const user = found ?? addUser(state, { name: ticket.username });
  if (user.state !== 'A') return redirect('/uds/page/error/3', [webSession()]);
  user.authenticator = ticket.authenticator;
  user.groups = new Set(ticket.groups);
  const session = openSession(ask, user.id, 48);
  const cookies = [
    `uds=${session.scrambler}; Path=/`,
    `sessionid=${session.key}; HttpOnly; Path=/; SameSite=Lax`,
  ];
  return redirect(ticket.pool === null ? '/uds/page/services' : '/uds/page/launcher', cookies);
}

const webSession = (): string => `sessionid=${secret(32)}; Path=/; SameSite=Lax`;

const redirect = (location: string, cookies: string[]): Reply => ({
  ...{ status: 302, body: '', type: 'text/html' },
  headers: { location, 'set-cookie': cookies },
});
