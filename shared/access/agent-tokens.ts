import { createHmac } from 'node:crypto';
import { kindOf } from './service-tokens.ts';

const registration = kindOf('agrt_');
const agent = kindOf('agat_');
const sessionAgent = kindOf('agsa_');

/** What agents are installed with. */
export const newRegistrationToken = registration.make;
export const isRegistrationToken = registration.matches;

/**
 * The token of the agent of one workplace. It derives from what the caller presents and what the database stores, so that
 * a repeated request can get the same token although the database has no token.
 * @param nonce random, at least 32 bytes
 */
export const agentTokenOf = (registrationToken: string, nonce: string): string =>
  agent.of(createHmac('sha256', registrationToken).update(`agent:${nonce}`).digest());
export const isAgentToken = agent.matches;

/** The token of the agent within one workplace session. */
export const newSessionAgentToken = sessionAgent.make;
export const isSessionAgentToken = sessionAgent.matches;
