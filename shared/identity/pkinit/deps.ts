import type { Ctx } from '../../http/context.ts';
import type { OpenTcp } from '../../remotes/kerberos/transport.ts';
import type { LoginDeps } from '../login/attempt.ts';

export type CardDeps = LoginDeps & { openTcp: OpenTcp };
export type CardCtx = Ctx<CardDeps>;
