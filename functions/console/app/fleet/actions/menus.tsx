import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Menu } from '../../../../../shared/web/ui/overlays/menu.tsx';
import { type Kind, type Row, useKinds } from '../../records/kinds.ts';
import { say } from '../../texts.ts';
import { ActionDialog } from './action-dialog.tsx';
import { type ActionGroup, type FleetAction, groupsOf, type Target, targetsOf } from './fleet-actions.ts';
import { type CanDo, useCapabilities } from './use-capabilities.ts';

type ActionMenusProps = {
  kind: Kind;
  rows: readonly Row[];
  /** After an action, completely or in part. */
  onDone: () => void;
};

/** The actions on one record or several, in menus. Few actions are shown as buttons. */
export function ActionMenus({ kind, rows, onDone }: ActionMenusProps): JSX.Element {
  const kinds = useKinds() ?? [];
  const canDo = useCapabilities(rows);
  const [chosen, setChosen] = useState<{ action: FleetAction; targets: Target[] }>();
  const groups = groupsOf(kind, kinds)
    .map(({ label, actions }) => ({
      label,
      actions: actions.filter(
        (action) => isOffered(action, rows, canDo) && rows.some((row) => canDo(row, action.needs)),
      ),
    }))
    .filter(({ actions }) => actions.length > 0);
  const isFlat = groups.flatMap(({ actions }) => actions).length <= mostButtons;
  const open = (action: FleetAction) => setChosen({ action, targets: targetsOf(kind, rows) });
  const close = () => setChosen(undefined);
  return (
    <>
      {groups.map((group) => (
        <Group key={group.label} group={group} isFlat={isFlat} onChoose={open} />
      ))}
      {chosen && (
        <ActionDialog
          kind={kind}
          {...chosen}
          onClose={close}
          onDone={() => {
            close();
            onDone();
          }}
        />
      )}
    </>
  );
}

/** Several records can differ; what has no effect on some of them is said before the action. */
function isOffered(
  { isSingle, isVain, unlessCan }: FleetAction,
  rows: readonly Row[],
  canDo: CanDo,
): boolean {
  const [first, ...others] = rows;
  if (others.length > 0) return isSingle !== true;
  if (first === undefined) return false;
  return isVain?.(first) !== true || (unlessCan !== undefined && canDo(first, unlessCan));
}

const mostButtons = 3;

type GroupProps = { group: ActionGroup; isFlat: boolean; onChoose: (action: FleetAction) => void };

function Group({ group: { label, actions }, isFlat, onChoose }: GroupProps): JSX.Element {
  const buttons = (look: 'plain' | 'quiet') =>
    actions.map((action) => (
      <Button key={action.name} look={look} onClick={() => onChoose(action)}>
        {say(`fleet_do_${action.name}`)}
      </Button>
    ));
  if (isFlat || actions.length === 1) return <>{buttons('plain')}</>;
  return (
    <Menu
      trigger={(attributes) => (
        <Button look="plain" icon="more" {...attributes}>
          {say(label)}
        </Button>
      )}
    >
      {buttons('quiet')}
    </Menu>
  );
}
