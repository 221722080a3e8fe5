import type { ReactElement } from 'react'
import { Button } from '../design/controls/button.tsx'
import { Icon } from '../design/icon.tsx'
import { ConnectionPill } from './connection-pill.tsx'
import { ZoneSwitch } from './zone-switch.tsx'

interface TopBarProps {
  readonly onMenu: () => void
  readonly onPalette: () => void
}

/** The bar above every page: the way to others, the zone of times, and whether the page is up to date. */
export function TopBar({ onMenu, onPalette }: TopBarProps): ReactElement {
  return (
    <header className="border-line bg-canvas sticky top-0 z-20 flex items-center gap-3 border-b px-4 py-2">
      <Button look="quiet" className="px-2 md:hidden" aria-label="Pages" onClick={onMenu}>
        <Icon name="menu" />
      </Button>
      <Button
        className="text-ink-faint min-w-0 justify-start font-normal sm:w-64"
        onClick={onPalette}
      >
        <Icon name="search" />
        <span>
          Go to <span className="hidden sm:inline">a page or an id</span>
        </span>
        <kbd className="text-note ml-auto hidden sm:inline">Ctrl K</kbd>
      </Button>
      <span className="flex-1" />
      <ZoneSwitch />
      <ConnectionPill />
    </header>
  )
}
