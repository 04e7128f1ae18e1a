/** A box and the place of its centre. */
type Place = { box: HTMLInputElement; x: number; y: number };

/** Pixels by which the centres of boxes of one line can differ. */
const lineHeight = 12;

type Moves = Readonly<Record<string, (places: readonly Place[], from: Place) => Place | undefined>>;

const inLine = (places: readonly Place[], y: number): Place[] =>
  places.filter((place) => Math.abs(place.y - y) < lineHeight).toSorted((a, b) => a.x - b.x);

/** The box of a line that is nearest to a column. */
const nearest = (line: readonly Place[], x: number): Place | undefined =>
  line.toSorted((a, b) => Math.abs(a.x - x) - Math.abs(b.x - x))[0];

/** In the nearest line above or below. */
function vertical(places: readonly Place[], { x, y }: Place, sign: 1 | -1): Place | undefined {
  const beyond = places.filter((place) => (place.y - y) * sign >= lineHeight);
  const [next] = beyond.toSorted((a, b) => (a.y - b.y) * sign);
  return next && nearest(inLine(beyond, next.y), x);
}

const moves: Moves = {
  ArrowDown: (places, from) => vertical(places, from, 1),
  ArrowUp: (places, from) => vertical(places, from, -1),
  ArrowRight: (places, { x, y }) => inLine(places, y).find((place) => place.x > x),
  ArrowLeft: (places, { x, y }) => inLine(places, y).findLast((place) => place.x < x),
  Home: (places, { y }) => inLine(places, y)[0],
  End: (places, { y }) => inLine(places, y).at(-1),
};

const farMoves: Moves = { Home: (places) => places[0], End: (places) => places.at(-1) };

/** Moves the focus between the boxes of an element by the arrow keys, Home and End, as they are drawn. */
export function moveByKey(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  if (event.altKey || event.metaKey || event.shiftKey) return;
  const move = (event.ctrlKey ? farMoves : moves)[event.key];
  if (!move) return;
  const places = [...event.currentTarget.querySelectorAll<HTMLInputElement>('[type=checkbox]')].map(placeOf);
  const from = places.find(({ box }) => box === event.target);
  if (!from) return;
  // The page stays where it is also at the last box.
  event.preventDefault();
  move(places, from)?.box.focus();
}

function placeOf(box: HTMLInputElement): Place {
  const { left, top, width, height } = box.getBoundingClientRect();
  return { box, x: left + width / 2, y: top + height / 2 };
}
