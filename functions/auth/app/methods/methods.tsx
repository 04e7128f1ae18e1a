import type { ComponentType } from 'preact';
import type { Outcome } from '../flow.ts';
import { PasswordMethod } from './password-method.tsx';

export type MethodProps = {
  onOutcome: (outcome: Outcome) => void;
  /** The page is being left. */
  isLeaving: boolean;
};

/**
 * The ways to sign in, in the order of the page. A method reads from the facts whether it is offered, and draws nothing
 * otherwise. It ends with an outcome; second factors, recovery codes and password changes are steps of all methods.
 */
export const methods: readonly ComponentType<MethodProps>[] = [PasswordMethod];
