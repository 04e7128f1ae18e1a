import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { Button } from '../../../../shared/web/ui/controls/button.tsx';
import type { InputProps } from '../records/form/input-props.ts';
import { say } from '../texts.ts';
import classes from './webhooks.module.css';

type Choice = { value: string; label: string };
type Group = { name: string; choices: Choice[] };

/** The label of an event is that of the kind of objects and of the event, separated by a colon. */
const between = ': ';

/** Events by the words for the kind of their objects. */
function groupsOf(choices: readonly Choice[]): Group[] {
  const groups = Map.groupBy(choices, ({ label }) => label.split(between)[0] ?? '');
  return [...groups]
    .map(([name, own]) => ({ name, choices: own }))
    .toSorted((a, b) => a.name.localeCompare(b.name));
}

function restOf(label: string, name: string): string {
  const rest = label.slice(name.length + between.length);
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** Events by the kind of their objects: a row of boxes for each, with all of them at once. */
export function EventsInput({ field, value, onChange, place, faults }: InputProps): JSX.Element {
  const { label, help, choices = [] } = field;
  const values = Array.isArray(value) ? value.map(String) : [];
  const fault = faults.get(place);
  const set = (names: readonly string[], isOn: boolean) => {
    const others = values.filter((one) => !names.includes(one));
    onChange(isOn ? [...others, ...names] : others);
  };
  return (
    <fieldset class={classes.events}>
      <legend>{label}</legend>
      {help !== undefined && <span class={classes.hint}>{help}</span>}
      {fault !== undefined && <span class={classes.fault}>{fault}</span>}
      <p class={classes.count}>
        {say('webhooks_events_chosen', { count: values.length })}
        <Button
          look="quiet"
          onClick={() =>
            set(
              choices.map((one) => one.value),
              values.length < choices.length,
            )
          }
        >
          {say(values.length < choices.length ? 'webhooks_events_all' : 'webhooks_events_none')}
        </Button>
      </p>
      {groupsOf(choices).map((group) => (
        <EventGroup key={group.name} group={group} values={values} onSet={set} />
      ))}
    </fieldset>
  );
}

type EventGroupProps = {
  group: Group;
  values: readonly string[];
  onSet: (names: readonly string[], isOn: boolean) => void;
};

function EventGroup({ group: { name, choices }, values, onSet }: EventGroupProps): JSX.Element {
  const own = choices.map(({ value }) => value);
  const isAll = own.every((one) => values.includes(one));
  const id = useId();
  return (
    <fieldset class={classes.kind} aria-labelledby={id}>
      <label id={id}>
        <input type="checkbox" checked={isAll} onChange={() => onSet(own, !isAll)} />
        {name}
      </label>
      <div>
        {choices.map((choice) => (
          <label key={choice.value}>
            <input
              type="checkbox"
              checked={values.includes(choice.value)}
              onChange={({ currentTarget }) => onSet([choice.value], currentTarget.checked)}
            />
            {restOf(choice.label, name)}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
