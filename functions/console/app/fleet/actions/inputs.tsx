import type { JSX } from 'preact';
import type { Values } from '../../records/form/form-values.ts';
import { initialValues } from '../../records/form/form-values.ts';
import { Input } from '../../records/form/input.tsx';
import type { Kind } from '../../records/kinds.ts';
import { type FleetAction, type Target, tagsIn } from './fleet-actions.ts';
import { OwnerInput } from './owner-input.tsx';

type InputsProps = {
  kind: Kind;
  action: FleetAction;
  values: Values;
  onChange: (values: Values) => void;
};

const noFaults: ReadonlyMap<string, string> = new Map();

/** What an administrator enters for an action. */
export function Inputs({ action, values, onChange }: InputsProps): JSX.Element | null {
  if (action.name === 'assign') return <OwnerInput values={values} onChange={onChange} />;
  return (
    <>
      {action.fields?.map((field) => (
        <Input
          key={field.name}
          field={field}
          value={values[field.name]}
          place={field.name}
          faults={noFaults}
          isEdit={false}
          values={values}
          onChange={(value) => onChange({ ...values, [field.name]: value })}
        />
      ))}
    </>
  );
}

/** A single record starts with its own values, several ones with those that all of them have. */
export function startValues({ name, fields = [] }: FleetAction, targets: readonly Target[]): Values {
  if (name !== 'tag') return initialValues(fields);
  const [first, ...others] = targets.map(({ row }) => tagsIn(row.tags));
  const common = (first ?? []).filter((tag) => others.every((tags) => tags.includes(tag)));
  return { tags: common, common };
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/** All required entries are there. */
export const isComplete = ({ name, fields = [] }: FleetAction, values: Values): boolean =>
  name === 'assign'
    ? !isEmpty(values.user_id)
    : fields.every((field) => field.isRequired !== true || !isEmpty(values[field.name]));
