import { Buffer } from 'node:buffer';
import type { Engine } from '../engine.ts';
import { messagesIn, parameterIn, problemIn, rowsIn } from './answers.ts';
import { query } from './messages.ts';
import { SessionError, type StartupRequest } from './startup.ts';

/** The session state of PostgreSQL outside of transactions. */
export type SessionState = {
  /** `session_user`, and the value of `role`, which is `none` unless the session has set it. */
  user: string;
  role: string;
  /** True for all users except superusers: they cannot change the two. */
  isRestricted: boolean;
  /**
   * Settings that differ from those of the server, by name. Values are in the base unit of the setting, without the
   * unit.
   */
  settings: ReadonlyMap<string, string>;
};

/** A new session: its state, and the parameters that the server reports. */
export type Login = { state: SessionState; reported: ReadonlyMap<string, string> };

/** The only database of the engine, and its superuser. */
const databaseName = 'postgres';
const superuser = 'postgres';
/** The state for internal statements. */
export const ownState: SessionState = {
  user: superuser,
  role: 'none',
  isRestricted: false,
  settings: new Map(),
};

/** The only session of the engine, which assumes the state of one client at a time. */
export class EngineSession {
  readonly #engine: Engine;
  readonly #reported = new Map<string, string>();
  /** All customized options that any client has set. */
  readonly #customNames = new Set<string>();
  /** Undefined if an error interrupted a change of the state. */
  #state: SessionState | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.note(engine.greeting);
  }

  /** Records the parameters reported in a response. */
  note(answer: Buffer): void {
    for (const [name, value] of messagesIn(answer, 'S').map(parameterIn)) this.#reported.set(name, value);
  }

  /**
   * Assumes a state with one message, or with none if it is the current state.
   * @throws SessionError if that is no longer possible, for example because the role was dropped
   */
  async enter(state: SessionState): Promise<void> {
    if (this.#state && isSame(this.#state, state)) return;
    const from = this.#state;
    this.#engine.restrict(false);
    this.#state = undefined;
    await this.#run([
      `set session authorization ${literal(superuser)}`,
      ...(from ? [] : ['reset all']),
      ...(from?.role === 'none' ? [] : ['set role none']),
      ...assignments(differences(from?.settings ?? this.#anyCustom(), state.settings)),
      ...(state.user === superuser ? [] : [`set session authorization ${literal(state.user)}`]),
      ...(state.role === 'none' ? [] : [`set role ${literal(state.role)}`]),
    ]);
    this.#engine.restrict(state.isRestricted);
    this.#state = state;
  }

  /**
   * Reads the state left by a client.
   * @param customNames candidates for customized options, which no view of PostgreSQL lists; known ones can be
   * omitted
   */
  async read(isRestricted: boolean, customNames: Iterable<string>): Promise<SessionState> {
    this.#state = undefined;
    const names = new Set([...this.#customNames, ...customNames]);
    const answer = await this.#run([stateQuery([...names])]);
    const values = new Map(rowsIn(answer).map(([name, value]) => [name ?? '', fromHex(value)]));
    const [user = superuser, role = 'none'] = [values.get('session_authorization'), values.get('role')];
    values.delete('session_authorization');
    values.delete('role');
    for (const name of names) if (values.has(name)) this.#customNames.add(name);
    this.#state = { user, role, isRestricted, settings: values };
    return this.#state;
  }

  /**
   * Starts a session like PostgreSQL: the role must exist and have LOGIN, and its settings must be permitted.
   * @throws SessionError with the SQLSTATE and message of PostgreSQL
   */
  async login({ user, database, settings }: StartupRequest): Promise<Login> {
    await this.enter(ownState);
    const isRestricted = !(await this.#isSuperuser(user));
    if (database !== databaseName) {
      throw new SessionError({ code: '3D000', message: `database "${database}" does not exist` });
    }
    this.#state = undefined;
    await this.#run([`set session authorization ${literal(user)}`]);
    this.#engine.restrict(isRestricted);
    await this.#run(assignments(settings));
    return {
      state: await this.read(isRestricted, customIn(settings)),
      reported: new Map(this.#reported),
    };
  }

  async #isSuperuser(user: string): Promise<boolean> {
    const answer = await this.#run([
      `select rolcanlogin, rolsuper, pg_catalog.has_database_privilege(oid, ${literal(databaseName)}, 'connect')
      from pg_catalog.pg_authid where rolname = ${literal(user)}`,
    ]);
    const [row] = rowsIn(answer);
    if (!row) throw new SessionError({ code: '28000', message: `role "${user}" does not exist` });
    const [canLogIn, isSuperuser, mayConnect] = row;
    if (canLogIn !== 't') {
      throw new SessionError({ code: '28000', message: `role "${user}" is not permitted to log in` });
    }
    if (mayConnect !== 't') {
      throw new SessionError({ code: '42501', message: `permission denied for database "${databaseName}"` });
    }
    return isSuperuser === 't';
  }

  /** RESET ALL does not reset customized options. */
  #anyCustom(): Map<string, string> {
    return new Map([...this.#customNames].map((name) => [name, '']));
  }

  async #run(statements: readonly string[]): Promise<Buffer> {
    const answer = await this.#engine.execute(query(statements.join(';')));
    this.note(answer);
    const problem = problemIn(answer);
    if (problem) throw new SessionError(problem);
    return answer;
  }
}

/**
 * All names are qualified, because the search path is that of a client. If a name occurs twice, the last row counts.
 */
const stateQuery = (customNames: readonly string[]): string => {
  const hex = (value: string) => `pg_catalog.encode(pg_catalog.convert_to(${value}, 'UTF8'), 'hex')`;
  const custom = 'pg_catalog.current_setting(name, true)';
  return `select name, ${hex(custom)}
      from pg_catalog.unnest(array[${customNames.map(literal).join(',')}]::pg_catalog.text[]) as custom (name)
      where ${custom} operator(pg_catalog.<>) ''
    union all
    select name, ${hex('setting')} from pg_catalog.pg_settings where source operator(pg_catalog.=) 'session'
    union all select 'session_authorization', ${hex('session_user::pg_catalog.text')}
    union all select 'role', ${hex(`pg_catalog.current_setting('role')`)}`;
};

const fromHex = (value: string | null | undefined): string =>
  Buffer.from(value ?? '', 'hex').toString('utf8');

function isSame(a: SessionState, b: SessionState): boolean {
  if (a === b) return true;
  if (a.user !== b.user || a.role !== b.role || a.isRestricted !== b.isRestricted) return false;
  return differences(a.settings, b.settings).size === 0;
}

/** @returns the changes from one set of settings to another; null resets */
function differences(
  from: ReadonlyMap<string, string>,
  to: ReadonlyMap<string, string>,
): Map<string, string | null> {
  const changes = new Map<string, string | null>();
  for (const name of from.keys()) if (!to.has(name)) changes.set(name, null);
  for (const [name, value] of to) if (from.get(name) !== value) changes.set(name, value);
  return changes;
}

const customIn = (settings: ReadonlyMap<string, string>): string[] =>
  [...settings.keys()].filter((name) => name.includes('.'));

/** `set_config` accepts list values as displayed, and null as a reset. */
function assignments(settings: ReadonlyMap<string, string | null>): string[] {
  if (settings.size === 0) return [];
  const calls = [...settings].map(
    ([name, value]) =>
      `pg_catalog.set_config(${literal(name)}, ${value === null ? 'null' : literal(value)}, false)`,
  );
  return [`select ${calls.join(', ')}`];
}

/** An ASCII literal that is independent of `standard_conforming_strings` and `client_encoding`. */
export function literal(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "''")
    .replace(/[^\x20-\x7e]/gu, (character) => {
      return `\\U${character.codePointAt(0)?.toString(16).padStart(8, '0')}`;
    });
  return `E'${escaped}'`;
}
