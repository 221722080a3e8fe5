import type { ReactElement } from 'react'
import { classNames } from '../design/class-names.ts'
import { Button } from '../design/controls/button.tsx'
import { Icon } from '../design/icon.tsx'
import { setZone, useZone } from '../format/time-zone.ts'
import { useStreamState } from '../stream/use-live.ts'

interface TopBarProps {
  readonly onMenu: () => void
  readonly onPalette: () => void
}

export function TopBar({ onMenu, onPalette }: TopBarProps): ReactElement {
  return (
    <header className="border-line bg-canvas sticky top-0 z-20 flex items-center gap-3 border-b px-4 py-2">
      <Button variant="quiet" className="px-2 md:hidden" aria-label="Pages" onClick={onMenu}>
        <Icon name="menu" />
      </Button>
      <Button
        className="text-ink-faint min-w-0 justify-start font-normal sm:w-64"
        onClick={onPalette}
      >
        <Icon name="search" />
        <span>
          Go to <span className="hidden sm:inline">page, ID or email</span>
        </span>
        <kbd className="text-note ml-auto hidden sm:inline">Ctrl K</kbd>
      </Button>
      <span className="flex-1" />
      <ZoneSwitch />
      <ConnectionPill />
    </header>
  )
}

function ZoneSwitch(): ReactElement {
  const isUtc = useZone() === 'utc'
  return (
    <Button
      variant="quiet"
      className="text-note min-h-7 px-2"
      title={isUtc ? 'Show local times' : 'Show UTC'}
      onClick={() => setZone(isUtc ? 'local' : 'utc')}
    >
      {isUtc ? 'UTC' : 'Local time'}
    </Button>
  )
}

const CONNECTIONS = {
  idle: 'Connecting',
  connecting: 'Connecting',
  live: 'Live',
  reconnecting: 'Reconnecting',
} as const

function ConnectionPill(): ReactElement {
  const state = useStreamState()
  return (
    <span
      role="status"
      className="text-note text-ink-soft inline-flex items-center gap-1.5 whitespace-nowrap"
    >
      <span
        className={classNames(
          'rounded-full size-2',
          state === 'live' ? 'bg-delivered' : 'bg-retrying',
          state === 'reconnecting' && 'animate-pulse',
        )}
      />
      {CONNECTIONS[state]}
    </span>
  )
}
