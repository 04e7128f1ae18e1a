import { createHmac } from 'node:crypto';
import { kindOf } from './service-tokens.ts';

const registration = kindOf('agrt_');
const agent = kindOf('agat_');
const sessionAgent = kindOf('agsa_');

/** Tokens for the installation of agents. */
export const newRegistrationToken = registration.make;
export const isRegistrationToken = registration.matches;

/**
 * The token of the agent of one workplace. It is derived from the registration token and a stored nonce, so that a
 * repeated request receives the same token although the database does not contain it.
 * @param nonce random, at least 32 bytes
 */
export const agentTokenOf = (registrationToken: string, nonce: string): string =>
  agent.of(createHmac('sha256', registrationToken).update(`agent:${nonce}`).digest());
export const isAgentToken = agent.matches;

/** The token of the agent within one workplace session. */
export const newSessionAgentToken = sessionAgent.make;
export const isSessionAgentToken = sessionAgent.matches;
