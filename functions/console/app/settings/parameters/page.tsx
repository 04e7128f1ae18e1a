import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { SearchField } from '../../../../../shared/web/ui/controls/search-field.tsx';
import { Empty, Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { may } from '../../facts.ts';
import { addressOf, changedQuery, open, usePlace } from '../../router/place.ts';
import { say } from '../../texts.ts';
import classes from './parameters.module.css';
import { isChanged, matches } from './parameters.ts';
import { SaveBar } from './save-bar.tsx';
import { ParameterSection } from './section.tsx';
import { useEdits } from './use-edits.ts';
import { type Parameters, parametersKey, readParameters, useSaving } from './use-saving.ts';

/** The system parameters in their sections. Only edited ones are sent. */
export function ParametersPage(): JSX.Element {
  const { data, error } = useQuery({
    queryKey: parametersKey,
    queryFn: ({ signal }) => readParameters(signal),
  });
  return (
    <div class={classes.page}>
      <h1>{say('parameters')}</h1>
      {error !== null && <ProblemNotice problem={problemOf(error)} />}
      {data ? <Content {...data} /> : error === null && <Skeleton height="24rem" />}
    </div>
  );
}

function Content({ parameters, etag }: Parameters): JSX.Element {
  const { query } = usePlace();
  const { edits, set, replace, clear } = useEdits();
  const saving = useSaving(edits, clear);
  const view = { text: query.get('search') ?? '', isOnlyChanged: query.get('changed') === 'true' };
  const shown = parameters.filter(
    (parameter) =>
      matches(parameter, view.text) &&
      (!view.isOnlyChanged || isChanged(parameter) || edits.has(parameter.name)),
  );
  const sections = [...new Set(shown.map(({ section }) => section))];
  return (
    <>
      <Tools view={view} changed={parameters.filter(isChanged).length} />
      {shown.length === 0 && <NothingShown isOnlyChanged={view.isOnlyChanged && view.text === ''} />}
      {sections.map((section) => (
        <ParameterSection
          key={section}
          section={section}
          parameters={shown.filter((parameter) => parameter.section === section)}
          edits={edits}
          faults={saving.problem?.faults}
          isReadOnly={!may(['system_parameters.update'])}
          onChange={set}
        />
      ))}
      {edits.size > 0 && (
        <SaveBar
          parameters={parameters}
          etag={etag}
          edits={edits}
          saving={saving}
          onReplace={replace}
          onDiscard={clear}
        />
      )}
    </>
  );
}

type View = { text: string; isOnlyChanged: boolean };

const change = (query: URLSearchParams, changes: Record<string, string | undefined>): void =>
  open(addressOf(['parameters'], changedQuery(query, changes)), { isSame: true });

/** The search, and a switch that leaves the parameters with other values than their defaults. */
function Tools({ view, changed }: { view: View; changed: number }): JSX.Element {
  const { query } = usePlace();
  return (
    <search class={classes.tools}>
      <SearchField
        label={say('parameters_search')}
        text={view.text}
        onText={(text) => change(query, { search: text })}
      />
      <Button
        look="plain"
        icon="filter"
        aria-pressed={view.isOnlyChanged}
        onClick={() => change(query, { changed: view.isOnlyChanged ? undefined : 'true' })}
      >
        {say('parameters_only_changed', { count: changed })}
      </Button>
    </search>
  );
}

const NothingShown = ({ isOnlyChanged }: { isOnlyChanged: boolean }): JSX.Element => (
  <Empty icon="search" title={say(isOnlyChanged ? 'parameters_none_changed' : 'parameters_none_found')}>
    <Button look="plain" onClick={() => open(addressOf(['parameters']), { isSame: true })}>
      {say('parameters_show_all')}
    </Button>
  </Empty>
);
