import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { SelectField } from '../../../../../../shared/web/ui/controls/field.tsx';
import { say } from '../../../texts.ts';
import { ReferenceInput } from '../../fields/reference-input.tsx';
import classes from '../form.module.css';
import { disabledOf, type InputProps } from '../input-props.ts';
import { Switch } from './switch.tsx';

export function ReferencesInput(props: InputProps): JSX.Element {
  const { field, value, onChange, place, faults } = props;
  const { label, help, reference = '', isMany = false, isRequired = false, all } = field;
  const ids = value === all?.value || value === undefined || value === null ? [] : [value].flat().map(String);
  const input = (
    <ReferenceInput
      label={label}
      type={reference}
      ids={ids}
      isMany={isMany}
      isRequired={isRequired && !isMany}
      disabled={disabledOf(props)}
      hint={help}
      fault={faults.get(place)}
      onChange={(chosen) => onChange(isMany ? chosen : chosen[0])}
    />
  );
  if (!all) return input;
  const isAll = value === all.value;
  return (
    <div class={classes.group}>
      <Switch label={all.label} isOn={isAll} onChange={(isOn) => onChange(isOn ? all.value : [])} />
      {!isAll && input}
    </div>
  );
}

export const FlagInput = (props: InputProps): JSX.Element => (
  <Switch
    label={props.field.label}
    hint={props.field.help}
    fault={props.faults.get(props.place)}
    isOn={props.value === true}
    disabled={disabledOf(props)}
    onChange={props.onChange}
  />
);

export function ChoiceInput(props: InputProps): JSX.Element {
  const { field, value, onChange, place, faults } = props;
  const { label, help, choices = [], isRequired } = field;
  const options = choices.map((choice) => [choice.value, choice.label] as const);
  return (
    <SelectField
      label={label}
      hint={help}
      fault={faults.get(place)}
      disabled={disabledOf(props)}
      value={typeof value === 'string' ? value : ''}
      options={isRequired || field.default !== undefined ? options : [['', '–'], ...options]}
      onChange={(chosen) => onChange(chosen === '' ? undefined : chosen)}
    />
  );
}

/** Boxes, with a filter if there are many. */
export function ChoicesInput({ field, value, onChange, place, faults }: InputProps): JSX.Element {
  const [text, setText] = useState('');
  const { label, help, choices = [] } = field;
  const values = Array.isArray(value) ? value.map(String) : [];
  const fault = faults.get(place);
  const found = choices.filter((choice) => choice.label.toLowerCase().includes(text.toLowerCase()));
  const toggle = (one: string) =>
    onChange(values.includes(one) ? values.filter((other) => other !== one) : [...values, one]);
  return (
    <fieldset class={classes.choices}>
      <legend>{label}</legend>
      {help !== undefined && <span class={classes.hint}>{help}</span>}
      {choices.length > fewChoices && (
        <input
          type="search"
          aria-label={say('search')}
          placeholder={say('search')}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      <div class={classes.boxes}>
        {found.map((choice) => (
          <label key={choice.value}>
            <input
              type="checkbox"
              checked={values.includes(choice.value)}
              onChange={() => toggle(choice.value)}
            />
            {choice.label}
          </label>
        ))}
      </div>
      {fault !== undefined && <span class={classes.fault}>{fault}</span>}
    </fieldset>
  );
}

const fewChoices = 12;
