import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Operations } from '../../../../../shared/client/portal-client.ts';
import { portal } from '../../../../../shared/web/client/session.ts';
import { problemOf } from '../../../../../shared/web/problems/problem.ts';
import { ProblemNotice } from '../../../../../shared/web/problems/problem-notice.tsx';
import { Button } from '../../../../../shared/web/ui/controls/button.tsx';
import { SearchField } from '../../../../../shared/web/ui/controls/search-field.tsx';
import { Empty, Skeleton } from '../../../../../shared/web/ui/feedback/feedback.tsx';
import { Dialog } from '../../../../../shared/web/ui/overlays/dialog.tsx';
import { PictureBox } from '../../../../../shared/web/ui/pictures/picture-box.tsx';
import { say } from '../../texts.ts';
import classes from '../gallery.module.css';
import { usePicture } from '../use-picture.ts';

type Picture = Operations['picture.list']['answer']['items'][number];

/** Pictures shown at once; a search finds the others. */
const most = 60;
const limitMs = 15_000;

type ChooserProps = {
  chosen: string | undefined;
  onChoose: (id: string) => void;
  onClose: () => void;
};

/** The pictures of the gallery, one of which can be chosen. */
export function Chooser({ chosen, onChoose, onClose }: ChooserProps): JSX.Element {
  const [text, setText] = useState('');
  const [picked, setPicked] = useState(chosen);
  const search = text.trim();
  const { data, error } = useFound(search);
  return (
    <Dialog
      title={say('gallery_choose_title')}
      isWide={true}
      onClose={onClose}
      actions={
        <>
          <Button look="plain" onClick={onClose}>
            {say('cancel')}
          </Button>
          <Button disabled={picked === undefined} onClick={() => picked !== undefined && onChoose(picked)}>
            {say('gallery_use')}
          </Button>
        </>
      }
    >
      <SearchField label={say('gallery_search')} text={text} onText={setText} onKeyDown={noSubmit} />
      {error !== null && <ProblemNotice problem={problemOf(error)} />}
      {!data && error === null && <Skeleton height="12rem" />}
      {data && (
        <Choices
          items={data.items}
          isSearched={search !== ''}
          picked={picked}
          onPick={setPicked}
          onTake={onChoose}
        />
      )}
      {data?.next != null && <p class={classes.hint}>{say('gallery_more')}</p>}
    </Dialog>
  );
}

const useFound = (search: string) =>
  useQuery({
    queryKey: ['list', 'picture', 'chooser', search],
    queryFn: ({ signal }) =>
      portal.call(
        'picture.list',
        { query: { limit: most, ...(search !== '' && { search }) } },
        { signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]) },
      ),
    placeholderData: keepPreviousData,
  });

/** The dialog is within the form of a record, which the Enter key would send. */
const noSubmit = (event: KeyboardEvent): void => {
  if (event.key === 'Enter') event.preventDefault();
};

type ChoicesProps = {
  items: readonly Picture[];
  isSearched: boolean;
  picked: string | undefined;
  onPick: (id: string) => void;
  onTake: (id: string) => void;
};

function Choices({ items, isSearched, picked, onPick, onTake }: ChoicesProps): JSX.Element {
  const name = useId();
  if (items.length === 0)
    return (
      <Empty icon="search" title={isSearched ? say('no_matches') : say('gallery_empty')}>
        {!isSearched && say('gallery_empty_choice')}
      </Empty>
    );
  return (
    <fieldset class={classes.choices}>
      <legend class="unseen">{say('gallery_choose_title')}</legend>
      {items.map((picture) => (
        <Choice
          key={picture.id}
          group={name}
          picture={picture}
          isPicked={picture.id === picked}
          onPick={() => onPick(picture.id)}
          onTake={() => onTake(picture.id)}
        />
      ))}
    </fieldset>
  );
}

type ChoiceProps = {
  group: string;
  picture: Picture;
  isPicked: boolean;
  onPick: () => void;
  onTake: () => void;
};

function Choice({ group, picture: { id, name }, isPicked, onPick, onTake }: ChoiceProps): JSX.Element {
  const src = usePicture(id);
  return (
    <label class={classes.choice}>
      <input
        type="radio"
        name={group}
        checked={isPicked}
        onChange={onPick}
        onKeyDown={(event) => {
          noSubmit(event);
          if (event.key === 'Enter') onTake();
        }}
      />
      <PictureBox src={src} size="large" />
      <span class={classes.name}>{name}</span>
    </label>
  );
}
