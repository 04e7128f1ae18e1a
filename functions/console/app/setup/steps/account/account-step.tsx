import type { JSX } from 'preact';
import { PasswordField } from '../../../../../../shared/web/credentials/password-field.tsx';
import { Notice } from '../../../../../../shared/web/ui/feedback/feedback.tsx';
import { say } from '../../../texts.ts';
import type { Faults, Setup } from '../../use-setup.ts';
import { StepField } from '../step-field.tsx';
import { StepForm } from '../step-form.tsx';

/** The account of the portal on the node, and what it may do there. */
export function AccountStep({ setup }: { setup: Setup }): JSX.Element {
  const { secret, setSecret, faults, go, refuse } = setup;
  const next = () => {
    const missing = missingIn(setup);
    if (Object.keys(missing).length > 0) refuse(missing);
    else go('test');
  };
  return (
    <StepForm
      step="key"
      title={say('setup_account_title')}
      hint={say('setup_account_text')}
      next={say('setup_test_now')}
      onNext={next}
    >
      <Names setup={setup} />
      <PasswordField
        label={say('setup_account_password')}
        hint={say('setup_account_password_hint')}
        fault={faults.key}
        maxLength={256}
        required={true}
        autocomplete="new-password"
        value={secret}
        onInput={({ currentTarget }) => setSecret(currentTarget.value)}
      />
      <Notice tone="warn" title={say('setup_account_warning')}>
        {say('setup_account_warning_text')}
      </Notice>
    </StepForm>
  );
}

const missingIn = ({ draft: { accountDomain, accountName }, secret }: Setup): Faults => ({
  ...(accountDomain.trim() === '' && { accountDomain: say('setup_required') }),
  ...(accountName.trim() === '' && { accountName: say('setup_required') }),
  ...(secret === '' && { key: say('setup_required') }),
});

const Names = ({ setup }: { setup: Setup }): JSX.Element => (
  <>
    <StepField
      setup={setup}
      member="accountDomain"
      label={say('setup_account_domain')}
      hint={say('setup_account_domain_hint')}
      maxLength={128}
    />
    <StepField
      setup={setup}
      member="accountName"
      label={say('setup_account_name')}
      hint={say('setup_account_name_hint')}
      maxLength={128}
    />
  </>
);
