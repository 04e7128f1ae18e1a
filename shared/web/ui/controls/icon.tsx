import type { JSX } from 'preact';

/** Drawings of 24 by 24 units in the colour of the text. */
const drawings = {
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16.2 16.2 21 21',
  star: 'm12 3.5 2.6 5.4 5.9.8-4.3 4.1 1 5.9-5.2-2.8-5.2 2.8 1-5.9L3.5 9.7l5.9-.8z',
  more: 'M5.5 12h.01M12 12h.01M18.5 12h.01',
  close: 'M6 6l12 12M18 6 6 18',
  check: 'm4.5 12.5 5 5 10-11',
  warning: 'M12 4 2.8 20h18.4zM12 10v4.5M12 17.4h.01',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v5.5M12 7.6h.01',
  user: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4.5 20.5c.8-8 14.2-8 15 0',
  key: 'M8 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 12h9v3.5M17 12v3',
  leave: 'M10 4H5v16h5M14.5 8l4 4-4 4M18.5 12H9.5',
  language: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3.5 12h17M12 3c-5 5-5 13 0 18M12 3c5 5 5 13 0 18',
  scheme: 'M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16z',
  overview: 'M4 4h7v9H4zM15 4h5v5h-5zM15 13h5v7h-5zM4 17h7v3H4z',
  reference: 'M5 4.5h11a3 3 0 0 1 3 3v12H8a3 3 0 0 1-3-3zM5 16.5a3 3 0 0 1 3-3h11M9 8.5h6',
  eye: 'M2.5 12c4-8.5 15-8.5 19 0-4 8.5-15 8.5-19 0zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z',
  eye_off:
    'M4 4l16 16M9.9 9.9a3 3 0 0 0 4.2 4.2M6.6 7.2A11 11 0 0 0 2.5 12c3 6.2 9.4 7.8 14.4 4.8M10 5.9c4.500-.9 9.200 1.200 11.500 6.100a12 12 0 0 1-2.3 3.2',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  save: 'M12 4v11M7.5 11l4.5 4.5 4.5-4.5M4.5 20h15',
  menu: 'M4 6.5h16M4 12h16M4 17.5h16',
  filter: 'M4 5h16l-6.2 7.5V19l-3.6-2v-4.5z',
  columns: 'M4 5h16v14H4zM9.5 5v14M14.7 5v14',
  command: 'M5 7l5 5-5 5M12.5 17H19',
  records: 'M5 5h14M5 9.7h14M5 14.3h14M5 19h9',
  add: 'M12 5v14M5 12h14',
  forward: 'M4.500 12h14M13 6.500l5.500 5.500-5.500 5.500',
  keyboard: 'M3 6.500h18v11H3zM7 10.300h.01M11 10.300h.01M15 10.300h.01M8.500 14h7',
  recent: 'M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17zM12 7.500V12l3.200 2',
  up: 'M6 14.5l6-6 6 6',
  down: 'M6 9.5l6 6 6-6',
  drag: 'M9 6h.01M9 12h.01M9 18h.01M15 6h.01M15 12h.01M15 18h.01',
  screen: 'M3.5 5h17v11h-17zM9 20h6M12 16v4',
} as const;

export type IconName = keyof typeof drawings;

/** A symbol beside a text. It is hidden from screen readers. */
export const Icon = ({ name, filled = false }: { name: IconName; filled?: boolean }): JSX.Element => (
  <svg
    aria-hidden="true"
    viewBox="0 0 24 24"
    width="20"
    height="20"
    fill={filled ? 'currentColor' : 'none'}
    stroke="currentColor"
    stroke-width={name === 'more' || name === 'drag' ? 3 : 1.8}
    stroke-linecap="round"
    stroke-linejoin="round"
  >
    <path d={drawings[name]} />
  </svg>
);
