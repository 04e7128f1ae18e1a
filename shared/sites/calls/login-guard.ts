import type { Db } from '../../../db/client.ts';
import {
  claimLogin,
  endLogin,
  holdLogin,
  type LoginTry,
} from '../../../db/repositories/sites/kinds/node-logins.ts';
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
    attempt: async (node, login) => {
      if (!node.account) throw failure('upstream_refused', node, { reason: 'no_account' });
      const password = await sealer.open(node.account.password, passwordPlace(node.id));
      const one = loginOf(node, node.account);
      await claim(db, node, one);
      return logIn(db, node, one, () => login(password));
    },
  };
}

const loginOf = ({ url }: Node, account: ServiceAccount): LoginTry => ({
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
    if (found === 'paused') throw failure('upstream_refused', node, { reason: 'account_paused' });
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
    await (isUnanswered ? holdLogin(db, one, 'unanswered') : endLogin(db, one));
    throw error;
  }
  await (key === undefined ? holdLogin(db, one, 'refused') : endLogin(db, one));
  if (key === undefined) throw failure('upstream_refused', node, { reason: 'account_refused' });
  return key;
}
