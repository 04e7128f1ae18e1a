import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Button } from '../../../../../../shared/web/ui/controls/button.tsx';
import { SearchField } from '../../../../../../shared/web/ui/controls/search-field.tsx';
import { Notice } from '../../../../../../shared/web/ui/feedback/feedback.tsx';
import type { InputProps } from '../../../records/form/input-props.ts';
import { say } from '../../../texts.ts';
import { actionOf, matches } from '../../parts/rights.ts';
import { groupsOf, mayGrant, sitesIn } from '../permissions.ts';
import { ChangeList } from './change-list.tsx';
import { boxKeys, PermissionGrid } from './permission-grid.tsx';
import classes from './permissions-input.module.css';
import { type Ticks, useTicks } from './ticks.ts';

const textsIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** The permissions of a role as a matrix of resources and actions. */
export function PermissionsInput(props: InputProps): JSX.Element {
  const { field, value, saved, values: form, isEdit, place, faults, onChange } = props;
  const [text, setText] = useState('');
  const id = useId();
  const names = new Map(field.choices?.map((choice) => [choice.value, choice.label]));
  const labelOf = (permission: string) => names.get(permission) ?? permission;
  const permissions = [...names.keys()];
  const groups = groupsOf(permissions.filter((one) => matches(one, text) || matchesName(labelOf(one), text)));
  const limits = useLimits(props);
  const ticks = useTicks({
    values: textsIn(value),
    saved: isEdit ? textsIn(saved) : undefined,
    sites: sitesIn(form.scope),
    isLocked: limits.locking.length > 0,
    keys: boxKeys(groups),
    onChange,
  });
  const fault = faults.get(place);
  return (
    <fieldset class={classes.permissions} aria-describedby={`${id}-hint`}>
      <legend>{field.label}</legend>
      {field.help !== undefined && <span class={classes.hint}>{field.help}</span>}
      {fault !== undefined && <span class={classes.fault}>{fault}</span>}
      <Limits {...limits} hasForeign={!permissions.every(ticks.canSet)} labelOf={labelOf} />
      <Presets permissions={permissions} ticks={ticks} isLocked={limits.locking.length > 0} />
      <SearchField label={say('roles_filter')} text={text} onText={setText} onKeyDown={stayInForm} />
      <p id={`${id}-hint`} class={classes.hint}>
        {say('roles_keys')}
      </p>
      {groups.length === 0 ? (
        <p class={classes.hint} role="status">
          {say('roles_no_match')}
        </p>
      ) : (
        <PermissionGrid groups={groups} ticks={ticks} labelOf={labelOf} />
      )}
      {isEdit && <ChangeList permissions={permissions} ticks={ticks} labelOf={labelOf} />}
    </fieldset>
  );
}

const matchesName = (name: string, text: string): boolean =>
  name.toLowerCase().includes(text.trim().toLowerCase());

/** Enter in the filter does not save the form. */
function stayInForm(event: KeyboardEvent): void {
  if (event.key === 'Enter') event.preventDefault();
}

/** Permissions that the user lacks: of the saved role, which then cannot be changed, and of what is ticked now. */
function useLimits({ value, saved, values, isEdit }: InputProps) {
  const [savedSites] = useState(() => sitesIn(values.scope));
  const sites = sitesIn(values.scope);
  return {
    locking: isEdit ? textsIn(saved).filter((one) => !mayGrant(one, savedSites)) : [],
    excess: textsIn(value).filter((one) => !mayGrant(one, sites)),
  };
}

type LimitsProps = ReturnType<typeof useLimits> & {
  /** Some boxes cannot be ticked. */
  hasForeign: boolean;
  labelOf: (permission: string) => string;
};

/** Why permissions cannot be granted. */
function Limits({ locking, excess, hasForeign, labelOf }: LimitsProps): JSX.Element | null {
  const list = (permissions: readonly string[]) => permissions.map(labelOf).join(', ');
  if (locking.length > 0)
    return (
      <Notice tone="warn" title={say('roles_locked')}>
        {say('roles_locked_text', { rights: list(locking) })}
      </Notice>
    );
  if (excess.length > 0)
    return (
      <Notice tone="warn" title={say('roles_excess')} isAlert={true}>
        {say('roles_excess_text', { rights: list(excess) })}
      </Notice>
    );
  return hasForeign ? (
    <Notice tone="info" title={say('roles_limited')}>
      {say('roles_limited_text')}
    </Notice>
  ) : null;
}

type PresetsProps = { permissions: readonly string[]; ticks: Ticks; isLocked: boolean };

/** The number of ticked permissions, and sets of them that are often used. */
function Presets({ permissions, ticks, isLocked }: PresetsProps): JSX.Element {
  const only = (isWanted: (permission: string) => boolean) => ticks.replace(permissions.filter(isWanted));
  const count = permissions.filter(ticks.has).length;
  return (
    <div class={classes.presets}>
      <b role="status">{say('roles_ticked', { count, total: permissions.length })}</b>
      <Button
        look="plain"
        disabled={isLocked}
        onClick={() => only((permission) => actionOf(permission) === 'read')}
      >
        {say('roles_preset_read')}
      </Button>
      <Button look="plain" disabled={isLocked} onClick={() => only(() => true)}>
        {say('roles_preset_all')}
      </Button>
      <Button look="plain" disabled={isLocked} onClick={() => only(() => false)}>
        {say('roles_preset_none')}
      </Button>
    </div>
  );
}
