import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { frameText } from '../text/texts.ts';
import type { Ranked } from '../ui/ranking/order.ts';
import { RankedList } from '../ui/ranking/ranked-list.tsx';
import { Section } from './section.tsx';

const names: Readonly<Record<string, string>> = { a: 'Oak', b: 'Pine', c: 'Elm', d: 'Ash' };

/** Items in an order; the second and the third one are of equal rank. */
export function Ranking(): JSX.Element {
  const [ranks, setRanks] = useState<Ranked[]>(
    Object.keys(names).map((key, at) => ({ key, rank: [1, 2, 2, 3][at] ?? 4 })),
  );
  return (
    <Section name="RankedList">
      <RankedList
        label={frameText('code')}
        items={ranks.map((one) => ({ ...one, name: names[one.key] ?? '' }))}
        onOrder={setRanks}
        onRemove={(gone) => setRanks(ranks.filter(({ key }) => key !== gone))}
      />
    </Section>
  );
}
