import type { JSX } from 'preact';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { lazy } from '../../shell/lazy.tsx';
import { say } from '../../texts.ts';
import type { Field } from '../kinds.ts';
import classes from './form.module.css';
import { initialValues, type Values } from './form-values.ts';
import type { InputProps } from './input-props.ts';
import { ChoiceInput, ChoicesInput, FlagInput, ReferencesInput } from './inputs/choice-inputs.tsx';
import { Switch } from './inputs/switch.tsx';
import { JsonInput, LinesInput, TextInput } from './inputs/text-inputs.tsx';

const PictureInput = lazy<InputProps>(
  async () => (await import('../../gallery/input/picture-input.tsx')).PictureInput,
);
const StoredPictureInput = lazy<InputProps>(
  async () => (await import('../../gallery/input/stored-picture-input.tsx')).StoredPictureInput,
);

/** The input for a member of any type. */
export function Input(props: InputProps): JSX.Element {
  const { type, isMany, choices, reference } = props.field;
  if (type === 'picture') return <PictureInput {...props} />;
  if (reference === 'picture' && !isMany) return <StoredPictureInput {...props} />;
  if (type === 'reference') return <ReferencesInput {...props} />;
  if (type === 'object') return isMany ? <ObjectsInput {...props} /> : <ObjectInput {...props} />;
  if (isMany) return choices ? <ChoicesInput {...props} /> : <LinesInput {...props} />;
  if (type === 'flag') return <FlagInput {...props} />;
  if (type === 'choice') return <ChoiceInput {...props} />;
  return type === 'json' ? <JsonInput {...props} /> : <TextInput {...props} />;
}

type PartsProps = Omit<InputProps, 'field'> & { fields: readonly Field[] };

/** The inputs of the members of an object. */
function Parts({ fields, value, onChange, place, values: _, saved: __, ...rest }: PartsProps): JSX.Element {
  const values = (value ?? {}) as Values;
  return (
    <>
      {fields.map((field) => (
        <Input
          {...rest}
          key={field.name}
          field={field}
          value={values[field.name]}
          values={values}
          place={`${place}/${field.name}`}
          onChange={(changed) => onChange({ ...values, [field.name]: changed })}
        />
      ))}
    </>
  );
}

/** An object, which can be absent if the member can be null. */
function ObjectInput(props: InputProps): JSX.Element {
  const { field, value, onChange, faults, place } = props;
  const { label, help, fields = [], isNullable } = field;
  const isSet = value !== undefined && value !== null;
  const fault = faults.get(place);
  return (
    <fieldset class={classes.object}>
      <legend>{label}</legend>
      {help !== undefined && <span class={classes.hint}>{help}</span>}
      {isNullable && (
        <Switch
          label={say('is_set', { name: label })}
          isOn={isSet}
          onChange={(isOn) => onChange(isOn ? initialValues(fields) : undefined)}
        />
      )}
      {(isSet || !isNullable) && <Parts {...props} fields={fields} />}
      {fault !== undefined && <span class={classes.fault}>{fault}</span>}
    </fieldset>
  );
}

/** A list of objects, each with its own inputs. */
function ObjectsInput(props: InputProps): JSX.Element {
  const { field, value, onChange, place, faults } = props;
  const { label, help, fields = [], maxItems = 1_000 } = field;
  const values: unknown[] = Array.isArray(value) ? value : [];
  const fault = faults.get(place);
  return (
    <fieldset class={classes.object}>
      <legend>{label}</legend>
      {help !== undefined && <span class={classes.hint}>{help}</span>}
      {values.map((one, at) => (
        <fieldset key={at} class={classes.item}>
          <legend class="unseen">{say('item', { name: label, number: at + 1 })}</legend>
          <Parts
            {...props}
            fields={fields}
            value={one}
            place={`${place}/${at}`}
            onChange={(changed) => onChange(values.map((other, index) => (index === at ? changed : other)))}
          />
          <Button
            look="quiet"
            icon="close"
            onClick={() => onChange(values.filter((_, index) => index !== at))}
          >
            {say('remove_item', { number: at + 1 })}
          </Button>
        </fieldset>
      ))}
      {values.length < maxItems && (
        <Button look="plain" onClick={() => onChange([...values, initialValues(fields)])}>
          {say('add_item')}
        </Button>
      )}
      {fault !== undefined && <span class={classes.fault}>{fault}</span>}
    </fieldset>
  );
}
