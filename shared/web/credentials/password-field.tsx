import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { frameText } from '../text/texts.ts';
import { IconButton } from '../ui/controls/button.tsx';
import { Field, type ValueFieldProps } from '../ui/controls/field.tsx';

type PasswordFieldProps = ValueFieldProps & {
  label: string;
  maxLength?: number;
  /** Default: true. */
  required?: boolean;
  hint?: string | undefined;
  disabled?: boolean;
  autocomplete: 'current-password' | 'new-password';
};

/**
 * A password, which the user can show. It is hidden again when the form is sent, so that browsers do not store it as
 * plain text. When the page is left it is removed: browsers keep left pages in memory.
 */
export function PasswordField(props: PasswordFieldProps): JSX.Element {
  const [isShown, setShown] = useState(false);
  const place = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const input = place.current;
    const hide = () => setShown(false);
    const remove = () => {
      if (!input) return;
      input.value = '';
      input.dispatchEvent(new Event('input'));
    };
    input?.form?.addEventListener('submit', hide);
    addEventListener('pagehide', remove);
    return () => {
      input?.form?.removeEventListener('submit', hide);
      removeEventListener('pagehide', remove);
    };
  }, []);
  return (
    <Field
      maxLength={1024}
      required={true}
      {...props}
      ref={place}
      {...(isShown ? { type: 'text' as const } : { type: 'password' as const })}
      autocapitalize="none"
      spellcheck={false}
      end={
        <IconButton
          icon={isShown ? 'eye_off' : 'eye'}
          label={frameText('show_password')}
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
        />
      }
    />
  );
}
