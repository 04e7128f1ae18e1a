import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { Fault } from '../../../../../shared/web/problems/problem.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Badge } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Input } from '../../records/form/input.tsx';
import { say } from '../../texts.ts';
import classes from './parameters.module.css';
import {
  effectOf,
  faultsByName,
  fieldOf,
  isChanged,
  limitsText,
  type Parameter,
  sectionTitle,
  valueText,
} from './parameters.ts';
import type { Edit, Edits } from './use-edits.ts';

type SectionProps = {
  section: string;
  parameters: readonly Parameter[];
  edits: Edits;
  faults: readonly Fault[] | undefined;
  isReadOnly: boolean;
  onChange: (parameter: Parameter, value: unknown) => void;
};

export function ParameterSection(props: SectionProps): JSX.Element {
  const { section, parameters, edits, isReadOnly, onChange } = props;
  const id = useId();
  const faults = faultsByName(props.faults);
  return (
    <section class={classes.section} aria-labelledby={id}>
      <h2 id={id}>{sectionTitle(section)}</h2>
      {parameters.map((parameter) => (
        <ParameterRow
          key={parameter.name}
          parameter={parameter}
          edit={edits.get(parameter.name)}
          fault={faults.get(parameter.name)}
          isReadOnly={isReadOnly}
          onChange={(value) => onChange(parameter, value)}
        />
      ))}
    </section>
  );
}

type RowProps = {
  parameter: Parameter;
  edit: Edit | undefined;
  fault: string | undefined;
  isReadOnly: boolean;
  onChange: (value: unknown) => void;
};

function ParameterRow({ parameter, edit, fault, isReadOnly, onChange }: RowProps): JSX.Element {
  const { name, label, value: stored, default: standard } = parameter;
  const value = edit ? edit.value : stored;
  const effect = edit && effectOf(name);
  return (
    <div class={`${classes.row} ${edit ? classes.edited : ''}`} data-parameter={name}>
      <div class={classes.input}>
        <Input
          field={fieldOf(parameter, isReadOnly)}
          value={value}
          onChange={onChange}
          place={name}
          faults={new Map(fault === undefined ? [] : [[name, fault]])}
          values={{}}
          isEdit={true}
        />
        {effect && <p class={classes.effect}>{effect}</p>}
      </div>
      <div class={classes.about}>
        <code>{name}</code>
        <p>{say('parameter_default', { value: valueText(parameter, standard) })}</p>
        {limitsText(parameter) !== undefined && <p>{limitsText(parameter)}</p>}
        <Marks parameter={parameter} edit={edit} />
        {value !== standard && !isReadOnly && (
          <Button
            look="quiet"
            aria-label={say('parameter_reset_of', { name: label })}
            onClick={() => onChange(standard)}
          >
            {say('parameter_reset')}
          </Button>
        )}
      </div>
    </div>
  );
}

/** Whether the value is not the default, or is not saved yet. */
const Marks = ({ parameter, edit }: { parameter: Parameter; edit: Edit | undefined }): JSX.Element => (
  <>
    {isChanged(parameter) && (
      <p>
        <Badge tone="info">{say('parameter_changed')}</Badge>
      </p>
    )}
    {edit && (
      <p>
        <Badge tone="warn">{say('parameter_unsaved')}</Badge> {valueText(parameter, parameter.value)} →{' '}
        {valueText(parameter, edit.value)}
      </p>
    )}
  </>
);
