import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { Icon } from '../design/icon.tsx'
import { PAGE_GROUPS } from './pages.ts'

/** `onGo` closes the menu on narrow screens. */
export function Navigation({ onGo }: { readonly onGo?: () => void }): ReactElement {
  return (
    <nav aria-label="Pages" className="flex flex-col gap-4">
      {PAGE_GROUPS.map((pages) => (
        <ul key={pages[0]!.to} className="flex flex-col gap-px">
          {pages.map(({ to, name, icon }) => (
            <li key={to}>
              <Link
                to={to}
                activeOptions={{ exact: to === '/', includeSearch: false }}
                className="text-ink-soft hover:bg-hover hover:text-ink rounded-small flex items-center gap-2.5 px-2 py-1.5"
                activeProps={{ className: 'bg-accent-soft text-accent font-medium' }}
                onClick={() => onGo?.()}
              >
                <Icon name={icon} />
                {name}
              </Link>
            </li>
          ))}
        </ul>
      ))}
    </nav>
  )
}
