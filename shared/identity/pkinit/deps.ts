import type { ClientCtx } from '../../context/context.ts';
import type { KdcRemote } from '../../remotes/kerberos/transport.ts';
import type { LoginDeps } from '../login/account.ts';

export type CardDeps = LoginDeps & { kdcs: KdcRemote };
export type CardCtx = ClientCtx<CardDeps>;
