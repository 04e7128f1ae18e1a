/** The built-in icon, 32 by 32: a screen. `shared/web/icons` has it as PNG files, drawn by `test/support/pages/draw-icons.ts`. */
export const iconSvg = (radius = 8): string =>
  `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='${radius}' fill='#2563eb'/><path d='M8 10h16v9H8zM13 23h6' fill='none' stroke='#fff' stroke-width='2.5' stroke-linecap='round' stroke-linejoin='round'/></svg>`;

/** For pages of an installation without an icon: without one, browsers request a file that does not exist. */
export const defaultIcon = `data:image/svg+xml,${encodeURIComponent(iconSvg()).replaceAll('%20', ' ')}`;
