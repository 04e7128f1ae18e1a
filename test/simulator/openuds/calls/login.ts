import { type Mode, nowOf, secret } from '../state.ts';
import { type Ask, denied, type Handler, ok } from '../wire.ts';

const dayMs = 86_400_000;
const blockMs = 300_000;
const mostFailures = 5;
export const version: Handler = ({ mode }) => ok({ version: versions[mode], build: '20240101' });
const versions = { '3.6': '3.6.0', '4.0': '4.0.0', '5.0': '5.0.0' } as const;

/** Waits as the broker does after a wrong password. */
export type Delays = { wrongPasswordMs: number };

export const login =
  ({ wrongPasswordMs }: Delays): Handler =>
  async (ask) => {
    const { state, mode, body } = ask;
    state.failedLogins = state.failedLogins.filter((at) => at > nowOf(state) - blockMs);
    if (mode !== '3.6' && state.failedLogins.length > mostFailures) return denied(ask, 'Access denied');
    const authenticator = state.authenticators.find(
      ({ id, name, label }) =>
        id === body.authId || name === body.auth || sameLabel(ask, label, body.authSmallName),
    );
    const user = state.users.find(
      (one) => one.authenticator === authenticator?.id && one.name === String(body.username).toLowerCase(),
    );
    if (!user || user.password !== body.password || user.state !== 'A') {
      state.failedLogins.push(nowOf(state));
      await new Promise((resolve) => setTimeout(resolve, wrongPasswordMs));
      const error = authenticator ? 'Invalid credentials' : 'Authenticator not found';
      return ok({ result: 'error', token: null, version: versions[mode], error });
    }
    const { key, scrambler } = openSession(ask, user.id, 32);
    return ok({ result: 'ok', token: `${prefixes[mode]}${key}`, version: versions[mode], scrambler });
  };

/** Version 3.6 compares the case of a label. */
const sameLabel = ({ mode }: Ask, label: string, given: unknown): boolean =>
  mode === '3.6' ? label === given : label.toLowerCase() === String(given).toLowerCase();

/** Keys of logins have a prefix in version 5.0, those of cookies have none. Both are accepted. */
const prefixes: Record<Mode, string> = { '3.6': '', '4.0': '', '5.0': 'ses-' };

export function openSession({ state }: Ask, user: string, scramblerLength: number) {
  const session = {
    key: secret(32),
    scrambler: secret(scramblerLength),
    user,
    endsAt: nowOf(state) + 14 * dayMs,
  };
  state.sessions.set(session.key, session);
  return session;
}

/** With its cookie the session ends within the request, which version 3.6 answers with 400. */
export const logout: Handler = (ask) => {
  const { state, caller, mode, headers } = ask;
  if (!caller) return denied(ask);
  state.sessions.delete(caller.session.key);
  if (mode === '3.6' && headers.cookie?.includes(caller.session.key))
    return { status: 400, body: '<h1>Bad Request (400)</h1>', type: 'text/html' };
  return ok({ result: 'ok' });
};

export const authenticators: Handler = ({ state }) =>
  ok(
    state.authenticators.map(({ id, name, label }) => ({
      ...{ authId: id, authSmallName: label, auth: name, type: 'InternalDBAuth', priority: 1 },
      isCustom: false,
    })),
  );
