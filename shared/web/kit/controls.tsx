import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { CodeField } from '../credentials/code-field.tsx';
import { Enrolment } from '../credentials/enrolment.tsx';
import { PasswordField } from '../credentials/password-field.tsx';
import { RecoveryCodes } from '../credentials/recovery-codes.tsx';
import { frameText } from '../text/texts.ts';
import { Button, IconButton } from '../ui/controls/button.tsx';
import { Field, SelectField } from '../ui/controls/field.tsx';
import { Row, Section } from './section.tsx';

const looks = ['main', 'plain', 'quiet', 'danger'] as const;

/** Buttons, and fields for texts, choices and credentials. */
export const Controls = (): JSX.Element => (
  <>
    <Buttons />
    <Fields />
    <Credentials />
  </>
);

const Buttons = (): JSX.Element => (
  <Section name="Button">
    {[{}, { icon: 'search' as const }, { busy: true }, { disabled: true }].map((state) => (
      <Row key={JSON.stringify(state)}>
        {looks.map((look) => (
          <Button key={look} look={look} {...state}>
            {frameText('sign_in_again')}
          </Button>
        ))}
      </Row>
    ))}
    <Row>
      <IconButton icon="star" label={frameText('close')} />
      <IconButton icon="star" label={frameText('copy')} filled={true} />
      <IconButton icon="close" label={frameText('cancel')} disabled={true} />
    </Row>
  </Section>
);

function Fields(): JSX.Element {
  const [scheme, choose] = useState<'light' | 'dark'>('light');
  return (
    <Section name="Field">
      <Field label={frameText('code')} placeholder={frameText('code')} />
      <Field label={frameText('code')} value="12345" hint={frameText('enrol_by_hand')} />
      <Field label={frameText('code')} value="12 45" fault={frameText('password_differs')} />
      <Field label={frameText('code')} value="12345" disabled={true} />
      <SelectField
        label={frameText('scheme', { scheme: '' })}
        value={scheme}
        options={[
          ['light', frameText('scheme_light')],
          ['dark', frameText('scheme_dark')],
        ]}
        onChange={choose}
      />
    </Section>
  );
}

const secret = 'JBSWY3DPEHPK3PXP';
const codes = ['4f7a-91c2', '08d3-be61', 'c5e9-7a40', '1b26-fd83'];

const Credentials = (): JSX.Element => (
  <Section name="credentials">
    <PasswordField label={frameText('password_current')} autocomplete="current-password" value="abc" />
    <PasswordField
      label={frameText('password_new')}
      autocomplete="new-password"
      fault={frameText('password_missing')}
    />
    <CodeField value="123456" />
    <CodeField isRecovery={true} value="4f7a-91c2" fault={frameText('password_wrong')} />
    <Enrolment uri={`otpauth://totp/Portal:ada?secret=${secret}`} secret={secret} />
    <RecoveryCodes codes={codes} onDone={() => undefined} />
  </Section>
);
