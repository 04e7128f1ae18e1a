import { kindOf } from './service-tokens.ts';

const registration = kindOf('agrt_');
const agent = kindOf('agat_');
const sessionAgent = kindOf('agsa_');

/** What agents are installed with. */
export const newRegistrationToken = registration.make;
export const isRegistrationToken = registration.matches;

/** The token of the agent of one workplace. */
export const newAgentToken = agent.make;
export const isAgentToken = agent.matches;

/** The token of the agent within one workplace session. */
export const newSessionAgentToken = sessionAgent.make;
export const isSessionAgentToken = sessionAgent.matches;
