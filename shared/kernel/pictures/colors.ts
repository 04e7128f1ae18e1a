/** Red, green and blue, 0 to 255. */
type Color = readonly [number, number, number];

const black: Color = [0, 0, 0];
const white: Color = [255, 255, 255];

/** The minimum text contrast of WCAG 2.2 (1.4.3), plus a margin for tinted backgrounds. */
const enough = 5.2;

/** The backgrounds of `frame.css` with the lowest contrast: of pages in light colours, and of cards in dark ones. */
export const grounds = { light: '#f5f6f8', dark: '#191d24' } as const;

/** The contrast of two colours `#rrggbb`, from 1 to 21 (WCAG 2.2). */
export const contrastOf = (one: string, other: string): number => contrast(parse(one), parse(other));

/** Returns black or white, whichever has the higher contrast with a colour `#rrggbb`. */
export function contrasting(color: string): string {
  const ground = parse(color);
  return contrast(ground, black) > contrast(ground, white) ? '#000000' : '#ffffff';
}

/** Makes the colour darker or lighter until it is readable on the background. Both are `#rrggbb`. */
export function readableOn(ground: string, color: string): string {
  const behind = parse(ground);
  const end = contrast(behind, black) > contrast(behind, white) ? black : white;
  const steps = Array.from({ length: 21 }, (_, step) => mix(parse(color), end, step / 20));
  return format(steps.find((step) => contrast(step, behind) >= enough) ?? end);
}

const parse = (color: string): Color => [part(color, 1), part(color, 3), part(color, 5)];
const part = (color: string, at: number): number => Number.parseInt(color.slice(at, at + 2), 16);
const format = (color: Color): string =>
  `#${color.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`;

const mix = ([r, g, b]: Color, [r2, g2, b2]: Color, share: number): Color => [
  r + (r2 - r) * share,
  g + (g2 - g) * share,
  b + (b2 - b) * share,
];

function contrast(one: Color, other: Color): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
