import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { PasswordField } from '../../../../../../shared/web/credentials/password-field.tsx';
import { Field as TextField } from '../../../../../../shared/web/ui/controls/field.tsx';
import { MomentField } from '../../../../../../shared/web/ui/controls/moment-field.tsx';
import { say } from '../../../texts.ts';
import type { Field } from '../../kinds.ts';
import classes from '../form.module.css';
import { disabledOf, type InputProps } from '../input-props.ts';

/** JSON of a member without declared parts. What is not JSON yet stays in the input. */
export function JsonInput(props: InputProps): JSX.Element {
  const { value, onChange } = props;
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value, null, 2));
  const type = (typed: string) => {
    setText(typed);
    onChange(typed.trim() === '' ? undefined : parsed(typed));
  };
  return <LongText {...props} hint={props.field.help} text={text} onText={type} isCode={true} />;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The portal names the fault at the member.
    return text;
  }
}

type LongTextProps = InputProps & {
  text: string;
  onText: (text: string) => void;
  onLeave?: () => void;
  hint: string | undefined;
  isCode?: boolean;
};

function LongText({ text, onText, onLeave, hint, isCode = false, ...props }: LongTextProps): JSX.Element {
  const { field, place, faults } = props;
  const id = `member-${place}`;
  const fault = faults.get(place);
  return (
    <div class={classes.group}>
      <label for={id}>{field.label}</label>
      <textarea
        id={id}
        class={isCode ? classes.code : ''}
        rows={isCode ? 6 : 3}
        value={text}
        disabled={disabledOf(props)}
        maxLength={field.isMany || isCode ? undefined : field.maxLength}
        aria-describedby={`${id}-hint`}
        {...(fault !== undefined && { 'aria-invalid': true })}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
        {...(onLeave && { onBlur: onLeave })}
      />
      <span id={`${id}-hint`}>
        {hint && <span class={classes.hint}>{hint}</span>}
        {fault !== undefined && <span class={classes.fault}>{fault}</span>}
      </span>
    </div>
  );
}

export function TextInput(props: InputProps): JSX.Element {
  const { field, value, onChange, place, faults } = props;
  const { type, label, help, isRequired, maxLength } = field;
  if (type === 'long_text')
    return <LongText {...props} hint={help} text={String(value ?? '')} onText={(text) => onChange(text)} />;
  const common = { label, hint: help, fault: faults.get(place), disabled: disabledOf(props) };
  if (type === 'secret')
    return (
      <PasswordField
        {...common}
        autocomplete="new-password"
        required={isRequired === true}
        value={String(value ?? '')}
        onInput={({ currentTarget }) => onChange(currentTarget.value || undefined)}
      />
    );
  if (type === 'time')
    return (
      <MomentField {...common} time={value === null ? undefined : (value as string)} onTime={onChange} />
    );
  const shown = { ...common, required: isRequired === true, value: String(value ?? '') };
  if (type === 'integer' || type === 'number')
    return (
      <TextField
        {...shown}
        {...limitsOf(field)}
        type="number"
        onInput={({ currentTarget: { value: text } }) => onChange(text === '' ? undefined : Number(text))}
      />
    );
  return (
    <TextField
      {...shown}
      type="text"
      maxLength={maxLength ?? 65_536}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

const limitsOf = ({ type, minimum, maximum }: Field) => ({
  ...(minimum !== undefined && { min: minimum }),
  ...(maximum !== undefined && { max: maximum }),
  step: type === 'integer' ? 1 : ('any' as const),
});

/** Texts, one in a line. */
export function LinesInput(props: InputProps): JSX.Element {
  const { field, value, onChange } = props;
  const values = Array.isArray(value) ? value : [];
  return (
    <LongText
      {...props}
      hint={[field.help, say('one_per_line')].filter(Boolean).join(' ')}
      text={values.join('\n')}
      onText={(text) => onChange(text === '' ? [] : text.split('\n'))}
      onLeave={() => onChange(values.map((one) => String(one).trim()).filter((one) => one !== ''))}
    />
  );
}
