import type { JSX } from 'preact';
import type { RecordState, Target } from '../../records/requests.ts';
import { RuleWhy } from '../why/rule-why.tsx';
import { RulePools } from './rule-pools.tsx';

export const RuleParts = ({ target, state }: { target: Target; state: RecordState }): JSX.Element => (
  <>
    <RulePools row={state.row} />
    <RuleWhy target={target} />
  </>
);
