import type { Capability } from '../../../../../shared/remotes/dispatcher/capabilities.ts';
import type { Values } from '../../records/form/form-values.ts';
import {
  allowed,
  type Field,
  idOf,
  type Kind,
  kindOf,
  type Row,
  titleOf,
  type Verb,
} from '../../records/kinds.ts';
import type { ConsoleText } from '../../texts.ts';

/** A record that an action is for. */
export type Target = {
  key: string;
  row: Row;
  farm_id: string;
  /** Assigned by the dispatcher. */
  uuid: string;
  name: string;
};

export const targetsOf = (kind: Kind, rows: readonly Row[]): Target[] =>
  rows.map((row) => ({
    key: idOf(kind, row),
    row,
    farm_id: String(row.farm_id),
    uuid: String(row.uuid ?? row.session_uuid),
    name: titleOf(kind, row),
  }));

const machineActions = ['start', 'shutdown', 'reboot', 'suspend', 'resume', 'poweroff', 'reset'] as const;

/** As the previews of the API name them. */
type ActionName =
  | (typeof machineActions)[number]
  | 'start_maintenance'
  | 'end_maintenance'
  | 'message'
  | 'tag'
  | 'assign'
  | 'unassign'
  | 'refresh'
  | 'delete'
  | 'disconnect'
  | 'logoff';

export type FleetAction = {
  name: ActionName;
  verb: Verb;
  /** Interrupts work, or cannot be undone. */
  isDangerous?: true;
  /** What it means for users. */
  note?: ConsoleText;
  /** Members of the body that the administrator enters. */
  fields?: readonly Field[];
  /** The record shows that the action would change nothing. */
  isVain?: (row: Row) => boolean;
  /** With one of these capabilities, the action has an effect on such a record as well. */
  unlessCan?: readonly Capability[];
  /** For one record at a time. */
  isSingle?: true;
  bodyOf?: (values: Values, target: Target) => Values;
  /** Where the operation accepts `force`. */
  force?: 'body' | 'query';
  /** The dispatchers need one of these. Default: all can do it. */
  needs?: readonly Capability[];
  /** One request is for all records of a pool. */
  isJoined?: true;
};

export type ActionGroup = { label: ConsoleText; actions: FleetAction[] };

/** The actions on records of a kind that the user may perform, in groups. */
export function groupsOf(kind: Kind, kinds: readonly Kind[]): ActionGroup[] {
  const groups = groupsByType[kind.type];
  if (!groups) return [];
  return groups(kind, kinds)
    .map(({ label, actions }) => ({ label, actions: actions.filter(({ verb }) => allowed(verb)) }))
    .filter(({ actions }) => actions.length > 0);
}

/** True if the user may perform any action on several records of the kind. */
export const hasActions = (kind: Kind, kinds: readonly Kind[]): boolean =>
  groupsOf(kind, kinds).some(({ actions }) => actions.some(({ isSingle }) => !isSingle));

type Groups = (kind: Kind, kinds: readonly Kind[]) => ActionGroup[];

/** Actions that the API has. */
const present = (actions: (FleetAction | undefined)[]): FleetAction[] =>
  actions.filter((action) => action !== undefined);

const verbOf = ({ type, actions }: Kind, name: string): Verb | undefined =>
  actions.find(({ id }) => id === `${type}.${name}`);

const fieldsOf = ({ fields = [] }: Verb, names: readonly string[]): Field[] =>
  names.flatMap((name) => fields.filter((field) => field.name === name));

type Rest = Omit<FleetAction, 'name' | 'verb' | 'fields'> & { members?: readonly string[] };

function actionOf(
  name: ActionName,
  verb: Verb | undefined,
  { members, ...rest }: Rest = {},
): FleetAction | undefined {
  return verb && { name, verb, ...rest, ...(members && { fields: fieldsOf(verb, members) }) };
}

const interrupting: readonly ActionName[] = ['shutdown', 'reboot', 'suspend', 'poweroff', 'reset'];

const powerOf = (kind: Kind): (FleetAction | undefined)[] =>
  machineActions.map((name) =>
    actionOf(name, verbOf(kind, 'driveMachine'), {
      bodyOf: () => ({ action: name }),
      needs: name === 'reset' ? ['machine_actions', 'machine_reset'] : ['machine_actions'],
      ...(interrupting.includes(name) && { force: 'body', note: `fleet_note_${name}` as ConsoleText }),
      ...((name === 'poweroff' || name === 'reset') && { isDangerous: true }),
    }),
  );

const maintenanceNeeds = ({ type }: Kind): readonly Capability[] =>
  type === 'workplace' ? ['workplace_maintenance'] : ['pool_maintenance', 'pool_access'];

const maintenanceOf = (kind: Kind): (FleetAction | undefined)[] => [
  actionOf('start_maintenance', verbOf(kind, 'maintain'), {
    needs: maintenanceNeeds(kind),
    members: ['template_id', 'message'],
    note: 'fleet_note_start_maintenance',
    isVain: ({ maintenance }) => maintenance === true,
    bodyOf: (values) => ({ ...entered(values), maintenance: true }),
  }),
  actionOf('end_maintenance', verbOf(kind, 'maintain'), {
    needs: maintenanceNeeds(kind),
    bodyOf: () => ({ maintenance: false }),
    isVain: ({ maintenance }) => maintenance === false,
  }),
];

/** Dispatchers send messages to workplaces, also for pools and sessions. */
const messageOf = (kinds: readonly Kind[]): FleetAction | undefined => {
  const workplace = kindOf(kinds, 'workplace');
  return actionOf('message', workplace && verbOf(workplace, 'message'), {
    members: ['title', 'message', 'level'],
    isJoined: true,
    needs: ['messages'],
  });
};

const groupsByType: Readonly<Record<string, Groups>> = {
  workplace: (kind, kinds) => [
    { label: 'fleet_power', actions: present(powerOf(kind)) },
    { label: 'fleet_maintenance', actions: present(maintenanceOf(kind)) },
    { label: 'fleet_more', actions: present([messageOf(kinds), ...ownerOf(kind), ...lastingOf(kind)]) },
  ],
  spsession: (kind, kinds) => [
    {
      label: 'fleet_actions',
      actions: present([
        messageOf(kinds),
        actionOf('disconnect', verbOf(kind, 'disconnect'), {
          ...{ note: 'fleet_note_disconnect', needs: ['session_disconnect'] },
        }),
        actionOf('logoff', verbOf(kind, 'logoff'), {
          ...{ note: 'fleet_note_logoff', isDangerous: true, needs: ['session_logoff'] },
        }),
      ]),
    },
  ],
  servicespool: (kind, kinds) => [
    { label: 'fleet_maintenance', actions: present(maintenanceOf(kind)) },
    { label: 'fleet_more', actions: present([messageOf(kinds)]) },
  ],
};

const ownerOf = (kind: Kind): (FleetAction | undefined)[] => [
  actionOf('tag', verbOf(kind, 'tag'), {
    ...{ members: ['tags'], bodyOf: tagsFor, needs: ['workplace_tags'] },
  }),
  actionOf('assign', verbOf(kind, 'assign'), {
    isSingle: true,
    members: [],
    isVain: ({ owner }) => owner !== null,
    unlessCan: ['workplace_reassign'],
  }),
  actionOf('unassign', verbOf(kind, 'assign'), {
    needs: ['workplace_unassign'],
    bodyOf: () => ({ user_id: null }),
    isVain: ({ owner }) => owner === null,
  }),
];

/** Values without those that were left empty. */
export const entered = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  );

export const tagsIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** Tags that only some of the records have stay. `common` are those that all had at first. */
function tagsFor({ tags, common }: Values, { row }: Target): Values {
  const chosen = tagsIn(tags).filter((tag) => tag.trim() !== '');
  const removed = new Set(tagsIn(common).filter((tag) => !chosen.includes(tag)));
  return { tags: [...new Set([...tagsIn(row.tags).filter((tag) => !removed.has(tag)), ...chosen])] };
}

const lastingOf = (kind: Kind): (FleetAction | undefined)[] => [
  actionOf('refresh', verbOf(kind, 'refresh'), {
    ...{ force: 'body', isDangerous: true, note: 'fleet_note_refresh', needs: ['workplace_refresh'] },
    bodyOf: () => ({}),
  }),
  actionOf('delete', kind.delete, { force: 'query', isDangerous: true, note: 'fleet_note_delete' }),
];
