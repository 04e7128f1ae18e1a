import type { JSX } from 'preact';
import { frameText } from '../text/texts.ts';
import { Field, type ValueFieldProps } from '../ui/controls/field.tsx';
import classes from './credentials.module.css';

type CodeFieldProps = ValueFieldProps & {
  /** The code can also be a recovery code, which has letters. */
  isRecovery?: boolean;
};

/** The code of an authenticator app, or a recovery code. */
export const CodeField = ({ isRecovery = false, ...rest }: CodeFieldProps): JSX.Element => (
  <Field
    maxLength={64}
    required={true}
    {...rest}
    class={classes.code}
    label={frameText(isRecovery ? 'recovery_code' : 'code')}
    inputMode={isRecovery ? 'text' : 'numeric'}
    autocomplete="one-time-code"
    autocapitalize="none"
    spellcheck={false}
  />
);

/** Codes are shown in groups, and people type them with the spaces. */
export const codeIn = (text: string): string => text.replace(/\s/g, '');
