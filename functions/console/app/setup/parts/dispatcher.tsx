import type { JSX } from 'preact';
import { may } from '../../facts.ts';
import type { Extension } from '../../records/extension.ts';
import type { Target } from '../../records/requests.ts';
import { say } from '../../texts.ts';
import { TestCard } from '../connection/test-card.tsx';

const Parts = ({ target: { id } }: { target: Target }): JSX.Element | null =>
  may(['dispatchers.update']) ? <TestCard id={id} title={say('setup_connection')} /> : null;

export const dispatcher: Extension = { RecordParts: Parts };
