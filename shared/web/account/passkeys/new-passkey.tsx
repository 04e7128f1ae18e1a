import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { portal } from '../../client/session.ts';
import { createPasskey } from '../../credentials/passkeys.ts';
import { programOf } from '../../text/programs.ts';
import { Field } from '../../ui/controls/field.tsx';
import { say } from '../texts.ts';
import type { Profile } from '../use-profile.ts';
import { type Proof, ProofForm } from './proof-form.tsx';

type NewPasskeyProps = {
  twoFactor: Profile['two_factor'];
  /** With recovery codes if it is the first second factor. */
  onCreated: (recoveryCodes: readonly string[] | undefined) => void;
  onCancel: () => void;
};

/** Adds a passkey: the user confirms the identity, then the browser creates it. */
export function NewPasskey({ twoFactor, onCreated, onCancel }: NewPasskeyProps): JSX.Element {
  const [name, setName] = useState(programOf(navigator.userAgent));
  const create = async (proof: Proof) => {
    const options = await portal.call('passkey.startRegistration', { body: proof });
    const registration = await createPasskey(options);
    const { recovery_codes } = await portal.call('passkey.register', { body: { name, registration } });
    onCreated(recovery_codes);
  };
  return (
    <ProofForm {...{ twoFactor, onCancel, work: create, label: say('passkey_add') }}>
      <NameField value={name} onValue={setName} />
    </ProofForm>
  );
}

type NameFieldProps = { value: string; onValue: (value: string) => void };

export const NameField = ({ value, onValue }: NameFieldProps): JSX.Element => (
  <Field
    label={say('passkey_name')}
    hint={say('passkey_name_hint')}
    value={value}
    maxLength={128}
    required={true}
    autocomplete="off"
    onInput={({ currentTarget }) => onValue(currentTarget.value)}
  />
);
