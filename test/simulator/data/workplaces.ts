import { wrongState } from '../refusal.ts';
import type { MachineAction, MachineState, Person, Workplace } from './rows.ts';
import { disconnectSession, endSession } from './sessions.ts';
import { addTag, type DispatcherState, personKey, touchWorkplace } from './state.ts';

/**
 * Assigns the workplace to a person, or removes the owner if `person` is null.
 * @throws Refusal 409 when it has another owner, or the user has another workplace of the pool
 */
export function assignOwner(state: DispatcherState, workplace: Workplace, person: Person | null): void {
  if (person) assertAssignable(workplace, person);
  workplace.owner = person;
  touchWorkplace(state, workplace);
}

/** @throws Refusal 409 when the state of the machine does not allow the action */
export function driveMachine(state: DispatcherState, workplace: Workplace, action: MachineAction): void {
  const next = transitions[action][workplace.machine_state];
  if (!next) throw wrongState('transition', `A machine that is ${workplace.machine_state} cannot ${action}`);
  const { session } = workplace;
  if (session && action === 'suspend') disconnectSession(state, session);
  else if (session && action !== 'resume') endSession(state, session);
  workplace.machine_state = next;
  touchWorkplace(state, workplace);
}

/** @throws Refusal 409 during a session, unless forced, which ends it */
export function refreshMachine(state: DispatcherState, workplace: Workplace, force: boolean): void {
  const { session } = workplace;
  if (session && !force) throw wrongState('session_live', 'A user is working there');
  if (session) endSession(state, session);
  workplace.machine_state = 'running';
  workplace.condition = 'ready';
  workplace.revision += 1;
  touchWorkplace(state, workplace);
}

export function changeWorkplace(
  state: DispatcherState,
  workplace: Workplace,
  change: Partial<Pick<Workplace, 'maintenance' | 'tags'>>,
): void {
  Object.assign(workplace, change);
  for (const tag of change.tags ?? []) addTag(state, tag);
  touchWorkplace(state, workplace);
}

/** @throws Refusal 409 during a session */
export function removeWorkplace(state: DispatcherState, workplace: Workplace): void {
  if (workplace.session) throw wrongState('session_live', 'A user is working there');
  const { pool } = workplace;
  pool.members = pool.members.filter((member) => member !== workplace);
  state.workplaces.remove(workplace.uuid);
  state.pools.touch(pool.uuid);
}

/** A missing one is a conflict. The machines are fast: they have the new state when the response is sent. */
const transitions: Record<MachineAction, Partial<Record<MachineState, MachineState>>> = {
  start: { stopped: 'running' },
  shutdown: { running: 'stopped' },
  poweroff: {
    running: 'stopped',
    suspended: 'stopped',
    starting: 'stopped',
    stopping: 'stopped',
    unknown: 'stopped',
  },
  reboot: { running: 'running' },
  reset: { running: 'running', unknown: 'running' },
  suspend: { running: 'suspended' },
  resume: { suspended: 'running' },
};

function assertAssignable(workplace: Workplace, person: Person): void {
  const key = personKey(person);
  if (workplace.owner && personKey(workplace.owner) !== key) {
    throw wrongState('other_owner', 'The workplace has another owner');
  }
  const isOwner = (member: Workplace) => member.owner !== null && personKey(member.owner) === key;
  if (workplace.pool.members.some((member) => member !== workplace && isOwner(member))) {
    throw wrongState('has_workplace', 'The user has a workplace of this pool already');
  }
}
