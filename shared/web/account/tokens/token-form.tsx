import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Operations } from '../../../client/portal-client.ts';
import { PortalError } from '../../../client/refusals.ts';
import { portal } from '../../client/session.ts';
import type { Problem } from '../../problems/problem.ts';
import { ProblemNotice } from '../../problems/problem-notice.tsx';
import { useRequest } from '../../problems/use-request.ts';
import { dateText } from '../../text/moments.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, SelectField } from '../../ui/controls/field.tsx';
import { Notice } from '../../ui/feedback/feedback.tsx';
import classes from '../account.module.css';
import { facts } from '../facts.ts';
import { useOwnerProof } from '../owner-proof.tsx';
import { say } from '../texts.ts';
import type { Profile } from '../use-profile.ts';
import { endOf, type Lifetime, lifetimes } from './expiry.ts';
import { Rights } from './rights.tsx';

type TokenFormProps = { profile: Profile; onCreated: (token: string) => void; onCancel: () => void };

/** Creates a token. Users of the user portal have no administrative rights to choose from. */
export function TokenForm({ profile, onCreated, onCancel }: TokenFormProps): JSX.Element {
  const [name, setName] = useState('');
  const [lifetime, setLifetime] = useState<Lifetime>('90');
  const [permissions, setPermissions] = useState<readonly string[]>([]);
  const [fault, setFault] = useState<string>();
  const { problem, isBusy, run } = useRequest();
  const { fields, proof } = useOwnerProof(profile);
  const submit = (event: Event) => {
    event.preventDefault();
    setFault(undefined);
    void run(async () => {
      // They are those of the profile.
      const granted = permissions as Permissions;
      const body = { name, expires_at: endOf(lifetime, Date.now()), permissions: granted, proof: proof() };
      const made = await create(body);
      if ('fault' in made) setFault(made.fault);
      else onCreated(made.token);
    });
  };
  return (
    <form class={classes.form} onSubmit={submit}>
      <Field
        label={say('token_name')}
        hint={say('token_name_hint')}
        fault={fault}
        value={name}
        maxLength={128}
        required={true}
        autocomplete="off"
        onInput={({ currentTarget }) => setName(currentTarget.value)}
      />
      <LifetimeField value={lifetime} onChange={setLifetime} />
      {facts.user.portal === 'admin' && <Rights chosen={permissions} onChoose={setPermissions} />}
      {fields}
      <Actions problem={problem} isBusy={isBusy} onCancel={onCancel} />
    </form>
  );
}

type ActionsProps = { problem: Problem | undefined; isBusy: boolean; onCancel: () => void };

const Actions = ({ problem, isBusy, onCancel }: ActionsProps): JSX.Element => (
  <>
    {problem?.code === 'invalid_credentials' && (
      <Notice tone="bad" title={say('two_factor_wrong')} isAlert={true} />
    )}
    {problem && problem.code !== 'invalid_credentials' && <ProblemNotice problem={problem} about="token" />}
    <div class={classes.buttons}>
      <Button type="submit" busy={isBusy}>
        {say('token_create')}
      </Button>
      <Button look="plain" onClick={onCancel}>
        {say('cancel')}
      </Button>
    </div>
  </>
);

type LifetimeFieldProps = { value: Lifetime; onChange: (lifetime: Lifetime) => void };

function LifetimeField({ value, onChange }: LifetimeFieldProps): JSX.Element {
  const options = lifetimes.map((days) => {
    const date = dateText(endOf(days, Date.now()));
    return [days, say('token_days', { days: Number(days), date })] as const;
  });
  return <SelectField label={say('token_lifetime')} {...{ value, options, onChange }} />;
}

type NewTokenBody = Operations['userinfo.createServiceToken']['asks']['body'];
type Permissions = NewTokenBody['permissions'];

/** @returns the token, or why its name was refused. @throws PortalError for other refusals */
async function create(body: NewTokenBody): Promise<{ token: string } | { fault: string }> {
  try {
    const { token } = await portal.call('userinfo.createServiceToken', { body });
    return { token };
  } catch (error) {
    const errors = error instanceof PortalError ? error.problem?.errors : undefined;
    const ofName = errors?.find(({ pointer }) => pointer === '/name');
    if (!ofName) throw error;
    return { fault: ofName.detail };
  }
}
