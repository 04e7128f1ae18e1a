import { useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { useRequest } from '../../../../../shared/web/problems/use-request.ts';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { Dialog } from '../../../../../shared/web/ui/overlays/dialog.tsx';
import { toast } from '../../../../../shared/web/ui/overlays/toasts.tsx';
import { may } from '../../facts.ts';
import { ReferenceInput } from '../../records/fields/reference-input.tsx';
import type { Kind } from '../../records/kinds.ts';
import type { Selected } from '../../records/list/use-selection.ts';
import { CopyCommand } from '../../records/record/copy-command.tsx';
import { forgetKind } from '../../records/record/use-record.ts';
import { curlOf, type Effect, tryWrite, write, writeOf } from '../../records/requests.ts';
import { say } from '../../texts.ts';
import { isTaggedType, taggingOf, useTagKind } from './tagging.ts';

type SelectionProps = { kind: Kind; selection: Selected };

/** Adds a tag to the selected records, or removes it from them. */
export function TagSelection({ kind, selection }: SelectionProps): JSX.Element | null {
  const [isRemoval, setRemoval] = useState<boolean>();
  const tags = useTagKind();
  if (!tags || !isTaggedType(kind.type) || !may([`${kind.type}s.update`])) return null;
  return (
    <>
      <Button look="plain" onClick={() => setRemoval(false)}>
        {say('tag_add')}
      </Button>
      <Button look="plain" onClick={() => setRemoval(true)}>
        {say('tag_remove')}
      </Button>
      {isRemoval !== undefined && (
        <TagDialog
          kind={kind}
          tags={tags}
          selection={selection}
          isRemoval={isRemoval}
          onClose={() => setRemoval(undefined)}
        />
      )}
    </>
  );
}

type DialogProps = SelectionProps & { tags: Kind; isRemoval: boolean; onClose: () => void };

function TagDialog({ kind, tags, selection, isRemoval, onClose }: DialogProps): JSX.Element {
  const [tagId, setTag] = useState<string>();
  const { what, problem, isBusy, effect, attempt, save } = useTagging(
    { kind, tags, selection, isRemoval, onClose },
    tagId,
  );
  const count = selection.keys.length;
  return (
    <Dialog
      title={say(isRemoval ? 'tag_remove_title' : 'tag_add_title', { count })}
      onClose={onClose}
      actions={
        <>
          {what && <CopyCommand command={() => curlOf(writeOf(what))} />}
          {tags.update?.canTry && (
            <Button look="plain" busy={isBusy} disabled={!what} onClick={attempt}>
              {say('try_first')}
            </Button>
          )}
          <Button look="plain" onClick={onClose}>
            {say('cancel')}
          </Button>
          <Button busy={isBusy} disabled={!what} onClick={save}>
            {say(isRemoval ? 'tag_remove' : 'tag_add')}
          </Button>
        </>
      }
    >
      <ReferenceInput
        label={tags.one}
        type="tag"
        ids={tagId === undefined ? [] : [tagId]}
        isMany={false}
        onChange={([id]) => setTag(id)}
      />
      {effect && <Changed kind={kind} effect={effect} />}
      {problem && <ProblemNotice problem={problem} />}
    </Dialog>
  );
}

/** The records that would change; the others have the tag already, or do not have it. */
function Changed({ kind, effect: { events } }: { kind: Kind; effect: Effect }): JSX.Element {
  const changed = events.filter(({ object_type }) => object_type === kind.type);
  return (
    <div role="status">
      <p>{say(changed.length === 0 ? 'no_effect' : 'would_change')}</p>
      <ul>
        {changed.map(({ object_name }) => (
          <li key={object_name}>{object_name}</li>
        ))}
      </ul>
    </div>
  );
}

function useTagging({ kind, tags, selection, isRemoval, onClose }: DialogProps, tagId: string | undefined) {
  const client = useQueryClient();
  const { problem, isBusy, run } = useRequest();
  const { type } = kind;
  const what =
    tagId !== undefined && isTaggedType(type)
      ? taggingOf(tags, { tagId, type, ids: selection.keys, isRemoval })
      : undefined;
  // What was tried with another tag says nothing about this one.
  const [tried, setTried] = useState<{ tagId: string | undefined; effect: Effect }>();
  const attempt = () =>
    run(async () => {
      if (what) setTried({ tagId, effect: await tryWrite(what) });
    });
  const save = () =>
    run(async () => {
      if (!what) return;
      await write(what);
      toast(say('tag_done', { count: selection.keys.length }));
      selection.clear();
      onClose();
      await Promise.all([forgetKind(client, type), forgetKind(client, 'tag')]);
    });
  return { what, problem, isBusy, effect: tried?.tagId === tagId ? tried?.effect : undefined, attempt, save };
}
