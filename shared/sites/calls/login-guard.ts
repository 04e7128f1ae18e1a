import type { Db } from '../../../db/client.ts';
import {
  claimLogin,
  endLogin,
  holdUnanswered,
  type LoginTry,
  refuseLogin,
} from '../../../db/repositories/sites/kinds/node-logins.ts';
import { accountRecord } from '../../../db/repositories/sites/node-records.ts';
import { sha256 } from '../../kernel/crypto/digests.ts';
import type { SealedField, Sealer } from '../../kernel/crypto/sealing.ts';
import { AppError } from '../../kernel/errors.ts';
import { canonicalJson } from '../../kernel/json/json.ts';
import { failure } from '../../remotes/dispatcher/failures.ts';
import type { LoginGuard, Node, ServiceAccount } from '../../remotes/dispatcher/port.ts';

/** Milliseconds between two looks at a login of another process. */
const lookAgainMs = 200;

/** The row and column that the sealed password of an account is bound to. */
export const passwordPlace = (nodeId: string): SealedField => ({
  table: 'dispatchers',
  row: nodeId,
  column: 'account_password',
});

/** Limits logins over all processes that share the database. */
export function createLoginGuard({ db, sealer }: { db: Db; sealer: Sealer }): LoginGuard {
  return {
    attempt: async (node, login, isTest = false) => {
      if (!node.account) throw failure('upstream_refused', node, { reason: 'no_account' });
      const password = await sealer.open(node.account.password, passwordPlace(node.id));
      const one = loginOf(node, node.account, isTest);
      await claim(db, node, one);
      return logIn(db, node, one, () => login(password));
    },
  };
}

const loginOf = ({ id, url }: Node, account: ServiceAccount, isTest: boolean): LoginTry => ({
  nodeId: isTest ? null : id,
  origin: new URL(url).origin,
  credentials: sha256(canonicalJson(account)),
});

/** Waits for a login of another process with the same account, up to the time limit of the node. */
async function claim(db: Db, node: Node, login: LoginTry): Promise<void> {
  const endsAt = performance.now() + node.timeoutMs;
  for (;;) {
    const found = await claimLogin(db, login);
    if (found === 'claimed') return;
    if (found === 'refused') throw failure('upstream_refused', node, { reason: 'account_held' });
    if (found === 'pausing') await refuse(db, node, login, 'paused');
    if (found === 'paused' || found === 'pausing')
      throw failure('upstream_refused', node, { reason: 'account_paused' });
    if (performance.now() + lookAgainMs > endsAt) throw failure('upstream_timeout', node);
    await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
  }
}

async function logIn<T>(db: Db, node: Node, one: LoginTry, login: () => Promise<T | undefined>): Promise<T> {
  let key: T | undefined;
  try {
    key = await login();
  } catch (error) {
    // The node may have counted a login without an answer.
    const isUnanswered = error instanceof AppError && error.code === 'upstream_timeout';
    await (isUnanswered ? holdUnanswered(db, one) : endLogin(db, one, false));
    throw error;
  }
  await (key === undefined ? refuse(db, node, one, 'refused') : endLogin(db, one, true));
  if (key === undefined) throw failure('upstream_refused', node, { reason: 'account_refused' });
  return key;
}

const refuse = (db: Db, node: Node, one: LoginTry, outcome: 'refused' | 'paused'): Promise<void> =>
  refuseLogin(db, one, outcome, one.nodeId === null ? undefined : accountRecord(node, outcome, new Date()));
