import type { ComponentType, JSX } from 'preact';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import type { RecordState, Target } from '../../records/requests.ts';
import classes from '../parts/parts.module.css';
import { PasskeysCard } from './passkeys-card.tsx';
import { RightsCard } from './rights-card.tsx';
import { SessionsCard } from './sessions-card.tsx';
import { GroupsCard, SignInCard } from './sign-in-card.tsx';
import { TokensCard } from './tokens-card.tsx';
import { useAccess } from './use-access.ts';
import { UserNotices } from './user-notices.tsx';

type UserPartsProps = { target: Target; state: RecordState };

/** What is special to the page of a user. */
export const UserParts: ComponentType<UserPartsProps> = ({ target, state }): JSX.Element => {
  const { data, error } = useAccess(target.id);
  if (error !== null && !data) return <ProblemNotice problem={problemOf(error)} />;
  if (!data) return <Skeleton height="24rem" />;
  const part = { target, state, access: data };
  return (
    <>
      <UserNotices {...part} />
      <RightsCard access={data} />
      <div class={classes.pair}>
        <SignInCard access={data} />
        <GroupsCard target={target} access={data} />
      </div>
      <div class={classes.pair}>
        <SessionsCard {...part} />
        <TokensCard {...part} />
      </div>
      <PasskeysCard {...part} />
    </>
  );
};
