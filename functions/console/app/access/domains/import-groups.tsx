import { useQuery, useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { portal } from '../../../../../shared/web/client/session.ts';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { SearchField } from '../../../../../shared/web/ui/controls/search-field.tsx';
import { Badge, Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Dialog } from '../../../../../shared/web/ui/overlays/dialog.tsx';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import { may } from '../../facts.ts';
import type { Kind, Parents } from '../../records/kinds.ts';
import { forgetKind } from '../../records/record/use-record.ts';
import { say } from '../../texts.ts';
import classes from '../parts/parts.module.css';
import { useDomainTypes } from './domain-fields.ts';

type GroupsHeadProps = { kind: Kind; parents: Parents; answer: unknown };

/** Above the groups of a directory domain: adds groups of the directory. */
export function GroupsHead({ parents: { auth_uuid = '' } }: GroupsHeadProps): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  const { data: types } = useDomainTypes();
  const { data: domain } = useQuery({
    queryKey: ['domain', 'authenticator', auth_uuid],
    queryFn: () => portal.call('authenticator.get', { path: { uuid: auth_uuid } }),
    enabled: may(['authenticators.read', 'groups.create']),
  });
  const entry = types?.find(({ type }) => type === domain?.type);
  if (!entry?.search_groups_supported || !entry.is_external || !may(['groups.create'])) return null;
  return (
    <div>
      <Button look="plain" onClick={() => setOpen(true)}>
        {say('access_import')}
      </Button>
      {isOpen && <ImportDialog domainId={auth_uuid} onClose={() => setOpen(false)} />}
    </div>
  );
}

type ImportDialogProps = { domainId: string; onClose: () => void };

function ImportDialog({ domainId, onClose }: ImportDialogProps): JSX.Element {
  const [text, setText] = useState('');
  const { chosen, toggle, save, isBusy, problem } = useImport(domainId, onClose);
  return (
    <Dialog
      title={say('access_import')}
      onClose={onClose}
      actions={
        <>
          <Button look="plain" onClick={onClose}>
            {say('cancel')}
          </Button>
          <Button busy={isBusy} disabled={chosen.size === 0} onClick={save}>
            {say('access_import_chosen', { count: chosen.size })}
          </Button>
        </>
      }
    >
      <SearchField label={say('access_import_search')} text={text} onText={setText} />
      <Found domainId={domainId} search={useSettled(text)} chosen={chosen} onToggle={toggle} />
      {problem && <ProblemNotice problem={problem} />}
    </Dialog>
  );
}

function useImport(domainId: string, onDone: () => void) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(new Map());
  const { problem, isBusy, run } = useRequest();
  const client = useQueryClient();
  const toggle = (id: string, name: string) => {
    const next = new Map(chosen);
    if (!next.delete(id)) next.set(id, name);
    setChosen(next);
  };
  const save = () =>
    run(async () => {
      for (const [id, name] of chosen) {
        await portal.call('group.create', { path: { auth_uuid: domainId }, body: { name, external_id: id } });
        // What is added stays added if a later one is refused.
        setChosen((rest) => new Map([...rest].filter(([other]) => other !== id)));
      }
      toast(say('access_imported', { count: chosen.size }));
      onDone();
    }).finally(() => forgetKind(client, 'group'));
  return { chosen, toggle, save, isBusy, problem };
}

/** Milliseconds after the last key until the directory is searched. */
const pauseMs = 300;

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

type FoundProps = {
  domainId: string;
  search: string;
  chosen: ReadonlyMap<string, string>;
  onToggle: (id: string, name: string) => void;
};

function Found({ domainId, search, chosen, onToggle }: FoundProps): JSX.Element {
  const { data, error } = useQuery({
    queryKey: ['directoryGroups', 'group', domainId, search],
    queryFn: () =>
      portal.call('group.listExternal', { path: { auth_uuid: domainId }, query: { search, limit: 100 } }),
    retry: false,
  });
  if (error !== null) return <ProblemNotice problem={problemOf(error)} />;
  if (!data) return <Skeleton height="12rem" />;
  if (data.length === 0) return <p class={classes.quiet}>{say('access_import_none')}</p>;
  return (
    <>
      <ul class={classes.boxes}>
        {data.map(({ id, name, registered }) => (
          <li key={id}>
            <label>
              <input
                type="checkbox"
                checked={registered || chosen.has(id)}
                disabled={registered}
                onChange={() => onToggle(id, name)}
              />
              <span>
                {name} {registered && <Badge tone="info">{say('access_import_known')}</Badge>}
                <span class={classes.quiet}>{id}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
      {data.length === 100 && <p class={classes.quiet}>{say('access_import_more')}</p>}
    </>
  );
}
