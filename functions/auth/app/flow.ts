import { destinationOf } from './destinations.ts';
import type { Credentials, SignedInUser } from './user.ts';

/** A second factor that is required. The credentials of the first one stay in memory until it is answered. */
export type Challenge = {
  login: string;
  challenge_id: string;
  /** Of the first factor, if it was a password. */
  credentials?: Credentials;
  /** What the user can use, or set up. A recovery code replaces any of them. */
  methods: readonly ('totp' | 'passkey')[];
  /** Present if the user sets the second factor up now. */
  enrolment?: { otpauth_uri: string; secret: string } | undefined;
  /** @throws PortalError why the code was refused */
  answer: (code: string) => Promise<Outcome>;
};

/** What a method to sign in leads to. */
export type Outcome =
  | { result: 'challenge'; challenge: Challenge }
  | { result: 'admitted'; user: SignedInUser; recoveryCodes?: readonly string[] | undefined };

type Step =
  | { name: 'methods'; hasEnded?: boolean }
  | { name: 'factor'; challenge: Challenge }
  | { name: 'codes'; codes: readonly string[]; user: SignedInUser }
  | { name: 'change'; user: SignedInUser }
  | { name: 'inside'; user: SignedInUser };

export type Flow = {
  step: Step;
  /** The address that is being opened. The step stays visible until the browser shows the other page. */
  leavesTo?: string;
};

export type FlowEvent =
  | { type: 'answered'; outcome: Outcome }
  | { type: 'codes_saved' }
  | { type: 'password_changed' }
  | { type: 'restarted' }
  | { type: 'session_ended' };

/** The first step: of a user with a session the page for them, or the change of a password that is required. */
export function firstFlow(user: SignedInUser | undefined): Flow {
  if (!user) return { step: { name: 'methods' } };
  return { step: { name: user.must_change_password ? 'change' : 'inside', user } };
}

/**
 * The flow after an event. Events that a step does not expect change nothing.
 * @param next the page that redirected here
 */
export function flowAfter(flow: Flow, event: FlowEvent, next?: string): Flow {
  const { step } = flow;
  switch (event.type) {
    case 'answered':
      return afterAnswer(flow, event.outcome, next);
    case 'codes_saved':
      return step.name === 'codes' ? admitted(step, step.user, next) : flow;
    case 'password_changed':
      return step.name === 'change'
        ? admitted(step, { ...step.user, must_change_password: false }, next)
        : flow;
    case 'restarted':
      return { step: { name: 'methods' } };
    case 'session_ended':
      return { step: { name: 'methods', hasEnded: true } };
  }
}

function afterAnswer({ step }: Flow, outcome: Outcome, next: string | undefined): Flow {
  if (outcome.result === 'challenge') return { step: { name: 'factor', challenge: outcome.challenge } };
  const { user, recoveryCodes } = outcome;
  if (recoveryCodes) return { step: { name: 'codes', codes: recoveryCodes, user } };
  return admitted(step, user, next);
}

function admitted(step: Step, user: SignedInUser, next: string | undefined): Flow {
  if (user.must_change_password) return { step: { name: 'change', user } };
  const leavesTo = destinationOf(user, next);
  return leavesTo === undefined ? { step: { name: 'inside', user } } : { step, leavesTo };
}
