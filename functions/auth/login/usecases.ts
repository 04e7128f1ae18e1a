import type { z } from 'zod';
import type { ClientCtx } from '../../../shared/context/context.ts';
import { type TwoFactorLoginAnswer, twoFactorAnswer } from '../../../shared/identity/login/answers.ts';
import { logInByTwoFactors, type TwoFactorLoginRequest } from '../../../shared/identity/login.ts';
import type { AuthDeps } from '../deps.ts';

export const answerTwoFactorLogin = async (
  ctx: ClientCtx<AuthDeps>,
  request: TwoFactorLoginRequest,
): Promise<z.input<typeof TwoFactorLoginAnswer>> => twoFactorAnswer(await logInByTwoFactors(ctx, request));
