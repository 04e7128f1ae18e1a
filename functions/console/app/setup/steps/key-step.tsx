import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { PasswordField } from '../../../../../shared/web/credentials/password-field.tsx';
import { Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { say } from '../../texts.ts';
import { Copyable } from '../connection/copyable.tsx';
import { testQuery } from '../connection/test-query.ts';
import { hasAccount, settingsOf } from '../settings.ts';
import classes from '../setup.module.css';
import type { Setup } from '../use-setup.ts';
import { AccountStep } from './account/account-step.tsx';
import { StepForm } from './step-form.tsx';

/** How the node accepts the portal: what is configured at the node, and the key of its health check. */
export const KeyStep = ({ setup }: { setup: Setup }): JSX.Element =>
  hasAccount(setup.draft) ? <AccountStep setup={setup} /> : <TokenStep setup={setup} />;

function TokenStep({ setup }: { setup: Setup }): JSX.Element {
  const { draft, secret, setSecret, faults, go } = setup;
  const { data } = useQuery(testQuery(settingsOf(draft)));
  return (
    <StepForm
      step="key"
      title={say('setup_key_title')}
      hint={say('setup_key_hint')}
      next={say('setup_test_now')}
      onNext={() => go('test')}
    >
      <section class={classes.card}>
        {data?.portal ? (
          <>
            <Copyable label={say('setup_jwks')} value={data.portal.jwks_url} />
            <Copyable label={say('setup_issuer_claim')} value={data.portal.issuer} />
            <Copyable label={say('setup_audience')} value={data.portal.audience} />
          </>
        ) : (
          <Skeleton height="7rem" />
        )}
      </section>
      <p class={classes.quiet}>{say('setup_key_why')}</p>
      <PasswordField
        label={say('setup_health_key')}
        hint={say('setup_health_key_hint')}
        fault={faults.key}
        maxLength={256}
        required={false}
        autocomplete="new-password"
        value={secret}
        onInput={({ currentTarget }) => setSecret(currentTarget.value)}
      />
    </StepForm>
  );
}
