import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { may } from '../../facts.ts';
import { Input } from '../../records/form/input.tsx';
import type { InputProps } from '../../records/form/input-props.ts';
import { usePlace } from '../../router/place.ts';
import { say } from '../../texts.ts';
import classes from '../parts/parts.module.css';
import { type DomainTypeName, type Setting, useDomainTypes, useSettings } from './domain-fields.ts';
import { DomainTest } from './domain-test.tsx';
import { faultOf, type Params, valueAt, withValue } from './domain-values.ts';
import { identityPermissions } from './provider/former-people.tsx';
import { IssuerChange } from './provider/issuer-change.tsx';

/** The settings of the chosen type as inputs, and a test of what is typed. */
export function SettingsInput(props: InputProps): JSX.Element | null {
  const { values, value, saved, onChange, isEdit } = props;
  const type = values.type as DomainTypeName | undefined;
  const { data: settings, error } = useSettings(type);
  const { data: types } = useDomainTypes();
  const { segments } = usePlace();
  const before = useRef(type);
  useEffect(() => {
    // Settings of one type are not those of another.
    if (!isEdit && before.current !== type) onChange({});
    before.current = type;
  }, [type]);
  if (error !== null) return <ProblemNotice problem={problemOf(error)} />;
  if (!settings) return <Skeleton height="12rem" />;
  const entry = types?.find((one) => one.type === type);
  const isExternal = entry?.is_external === true;
  const id = isEdit ? segments[1] : undefined;
  return (
    <>
      <Tabs {...props} settings={settings} params={(value ?? {}) as Params} />
      {id !== undefined && entry?.provisioning_supported && may(identityPermissions) && (
        <IssuerChange id={id} saved={(saved ?? {}) as Params} next={(value ?? {}) as Params} />
      )}
      {isExternal && type && may(['authenticators.test']) && (
        <DomainTest type={type} body={{ ...values, ...(id !== undefined && { id }) }} settings={settings} />
      )}
    </>
  );
}

type TabsProps = InputProps & { settings: readonly Setting[]; params: Params };

/** Groups of settings; those after the first one are closed unless something in them is needed, set or refused. */
function Tabs({ settings, ...props }: TabsProps): JSX.Element {
  const tabs = [...Map.groupBy(settings, ({ tab }) => tab)];
  return (
    <>
      {tabs.map(([tab, own], at) => (
        <Tab key={tab} {...props} settings={settings} own={own} title={tab} isFirst={at === 0} />
      ))}
    </>
  );
}

type TabProps = TabsProps & { own: readonly Setting[]; title: string; isFirst: boolean };

function Tab({ own, title, isFirst, ...props }: TabProps): JSX.Element {
  const { params, faults, place } = props;
  const inputs = own.map((setting) => <SettingInput key={setting.field.name} {...props} setting={setting} />);
  if (isFirst)
    return (
      <fieldset class={classes.settings}>
        <legend>{title === '' ? say('access_domain_settings') : title}</legend>
        {inputs}
      </fieldset>
    );
  const isFaulty = own.some(({ field }) => faultOf(faults, `${place}/${field.name}`) !== undefined);
  const isSet = own.some(({ path, initial }) => differs(valueAt(params, path), initial));
  const isNeeded = own.some(({ field }) => field.isRequired === true);
  return (
    <details class={classes.settings} open={isFaulty || isSet || isNeeded}>
      <summary>{title}</summary>
      <div class={classes.inputs}>{inputs}</div>
    </details>
  );
}

const differs = (value: unknown, initial: unknown): boolean =>
  value !== undefined && value !== null && JSON.stringify(value) !== JSON.stringify(initial);

type SettingInputProps = TabsProps & { setting: Setting };

function SettingInput({ setting, settings, params, ...props }: SettingInputProps): JSX.Element {
  const { field, path, initial } = setting;
  const { isEdit, onChange, faults } = props;
  const place = `${props.place}/${field.name}`;
  const stored = valueAt(params, path);
  const isStored = valueAt(params, [...path.slice(0, -1), `${path.at(-1)}_set`]) === true;
  const fault = faultOf(faults, place);
  const help = [field.help, field.type === 'secret' && isStored && say('access_secret_kept')];
  return (
    <Input
      {...props}
      field={{ ...field, help: help.filter(Boolean).join(' ') }}
      value={stored ?? (isEdit ? undefined : (initial ?? undefined))}
      values={params}
      place={place}
      faults={fault === undefined ? new Map() : new Map([[place, fault]])}
      onChange={(value) => onChange(withValue(settings, params, { path, value }, isEdit))}
    />
  );
}
