import type { ReactElement } from 'react'
import { classNames } from './class-names.ts'

/** SVG paths in a 16×16 box. */
const PATHS = {
  check: 'M3 8.5 6.5 12 13 4.5',
  cross: 'M4 4l8 8M12 4l-8 8',
  retry: 'M13 8a5 5 0 1 1-1.5-3.5M12 1.5v3.3H8.7',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.5v9l7-4.5z',
  bar: 'M3.5 8h9',
  clock: 'M8 4.5V8l2.5 2M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0Z',
  warning: 'M8 2.5 14 13H2zM8 6.5v3M8 11.4v.1',
  copy: 'M6 6h7v7H6zM10 6V3H3v7h3',
  search: 'M11.5 11.5 14 14M12 7.5a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0Z',
  plus: 'M8 3v10M3 8h10',
  right: 'M6 3.5 10.5 8 6 12.5',
  down: 'M3.5 6 8 10.5 12.5 6',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  start: 'M4 14V2.5h8l-2 3 2 3H4',
  overview: 'M2.5 13.5h11M4 11V8M8 11V3.5M12 11V6',
  live: 'M2 8h2.5L6 3.5 10 12.5 11.5 8H14',
  events: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  catalog: 'M2.5 2.5h5l6 6-5 5-6-6zM5.4 5.5h.1',
  alerts: 'M8 2a4 4 0 0 0-4 4v2.5L2.5 11.5h11L12 8.5V6a4 4 0 0 0-4-4ZM6.5 14h3',
  destinations: 'M2.5 8h8M7.5 5l3 3-3 3M13.5 3v10',
  sources: 'M13.5 8h-8M8.5 5l-3 3 3 3M2.5 3v10',
  audiences:
    'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM1.5 13.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M11 7.3a2.3 2.3 0 0 0 0-4.4M12 9.8c1.6.5 2.5 1.9 2.5 3.7',
  user: 'M8 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM3 13.5c0-2.5 2.2-4 5-4s5 1.5 5 4',
  privacy: 'M8 1.5 13 3.5v4c0 3.5-2 5.7-5 7-3-1.3-5-3.5-5-7v-4z',
  inspector: 'M2.5 3h11v7h-11zM5.5 13.5h5M8 10v3.5',
  system: 'M3 2.5h10v4H3zM3 9.5h10v4H3zM5.5 4.5h.1M5.5 11.5h.1',
} as const

export type IconName = keyof typeof PATHS

interface IconProps {
  readonly name: IconName
  readonly className?: string
}

/** Decorative, so hidden from screen readers. */
export function Icon({ name, className }: IconProps): ReactElement {
  return (
    <svg
      viewBox="0 0 16 16"
      aria-hidden="true"
      className={classNames('size-4 shrink-0', className)}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
