import type { JSX } from 'preact';
import { Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { disabledOf, type InputProps } from '../../records/form/input-props.ts';
import { ChoiceInput } from '../../records/form/inputs/choice-inputs.tsx';
import classes from '../parts/parts.module.css';
import { useDomainTypes } from './domain-fields.ts';

/** The type of a domain, with a sentence about each. */
export function TypeInput(props: InputProps): JSX.Element {
  const { field, value, onChange, place, faults } = props;
  const { data: types, error } = useDomainTypes();
  if (disabledOf(props) || error !== null) return <ChoiceInput {...props} />;
  if (!types) return <Skeleton height="10rem" />;
  const fault = faults.get(place);
  return (
    <fieldset class={classes.types}>
      <legend>{field.label}</legend>
      {types.map(({ type, name, description }) => (
        <label key={type}>
          <input
            type="radio"
            name={`choice-${place}`}
            checked={value === type}
            onChange={() => onChange(type)}
          />
          <span>
            <b>{name}</b>
            <span class={classes.quiet}>{description}</span>
          </span>
        </label>
      ))}
      {fault !== undefined && <span class={classes.fault}>{fault}</span>}
    </fieldset>
  );
}
