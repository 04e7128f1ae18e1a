import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { useRequest } from '../../../../shared/web/problems/use-request.ts';
import { LinkButton } from '../../../../shared/web/ui/controls/button.tsx';
import { facts } from '../facts.ts';
import { startAddressOf } from '../providers.ts';
import { Refusal } from '../refusal.tsx';
import { confirmProvider } from '../requests.ts';
import classes from '../signin.module.css';
import { say } from '../texts.ts';
import type { MethodProps } from './method.ts';

/** A link for each domain whose users sign in at an identity provider. */
export const ProviderMethod = (): JSX.Element | null =>
  facts.providers.length === 0 ? null : (
    <ul class={classes.providers} aria-label={say('providers')}>
      {facts.providers.map(({ id, name }) => (
        <li key={id}>
          <LinkButton href={startAddressOf(id)} look={facts.domains.length > 0 ? 'plain' : 'main'}>
            {say('sign_in_at', { name })}
          </LinkButton>
        </li>
      ))}
    </ul>
  );

/** Continues a sign-in that a provider has accepted, and that needs a second factor of this portal. */
export function PendingMethod({ onOutcome }: MethodProps): JSX.Element | null {
  const { problem, run } = useRequest();
  useEffect(() => {
    if (facts.step === 'factor') void run(async () => onOutcome(await confirmProvider()));
  }, []);
  return problem ? <Refusal problem={problem} about="signin" /> : null;
}
