import type { ComponentType } from 'preact';
import type { MethodProps } from './method.ts';
import { PasskeyMethod } from './passkey-method.tsx';
import { PasswordMethod } from './password-method.tsx';
import { PendingMethod, ProviderMethod } from './provider-method.tsx';

/**
 * The ways to sign in, in the order of the page. A method reads from the facts whether it is offered, and draws nothing
 * otherwise. It ends with an outcome; second factors, recovery codes and password changes are steps of all methods.
 */
export const methods: readonly ComponentType<MethodProps>[] = [
  PendingMethod,
  PasswordMethod,
  PasskeyMethod,
  ProviderMethod,
];
