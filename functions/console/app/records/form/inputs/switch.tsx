import type { JSX } from 'preact';
import classes from '../form.module.css';

type SwitchProps = {
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  hint?: string | undefined;
  fault?: string | undefined;
  disabled?: boolean;
};

export const Switch = ({
  label,
  isOn,
  onChange,
  hint,
  fault,
  disabled = false,
}: SwitchProps): JSX.Element => (
  <div class={classes.switch}>
    <label>
      <input
        type="checkbox"
        checked={isOn}
        disabled={disabled}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {label}
    </label>
    {hint !== undefined && <span class={classes.hint}>{hint}</span>}
    {fault !== undefined && <span class={classes.fault}>{fault}</span>}
  </div>
);
