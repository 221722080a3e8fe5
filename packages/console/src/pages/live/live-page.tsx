import { type ReactElement } from 'react'
import { Button } from '../../design/controls/button.tsx'
import { Icon } from '../../design/icon.tsx'
import { StateBadge } from '../../design/state-badge.tsx'
import { wholeNumber } from '../../format/figures.ts'
import { useKeys } from '../../shell/keys/keys.ts'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { LiveDrawer } from './live-drawer.tsx'
import { LiveFilterBar } from './live-filter-bar.tsx'
import { type LiveFilterName, liveFiltersIn } from './live-filters.ts'
import { LiveList } from './live-list.tsx'
import { type LiveRows, shownRows } from './live-rows.ts'
import { useLiveRows } from './use-live-rows.ts'

/** Every event as it arrives, with what becomes of it. */
export function LivePage(): ReactElement {
  const [search, change] = useUrlState<LiveFilterName | 'open'>()
  const filters = liveFiltersIn(search)
  const tail = useLiveRows(filters)
  const { rows, isPaused, sincePause, pause, resume } = tail
  const shown = shownRows(rows, filters)
  const close = (): void => change({ open: undefined })
  useKeys({ p: isPaused ? resume : pause, Escape: search.open === undefined ? undefined : close })
  return (
    <>
      <PageHeading
        title="Live"
        about="Every event as it arrives, with what becomes of it. Older events are on the page Events."
        actions={<PauseButton {...{ isPaused, sincePause, pause, resume }} />}
      />
      <LiveFilterBar filters={filters} onChange={change} />
      <div className="mt-4 flex items-start gap-4">
        <div className="min-w-0 flex-1">
          <LiveList
            rows={shown}
            isFiltered={Object.keys(filters).length > 0}
            isPaused={isPaused}
            openId={search.open}
            onOpen={(id) => change({ open: id })}
            onRead={pause}
          />
          <Footer rows={rows} shown={shown.filter(({ kind }) => kind === 'event').length} />
        </div>
        {search.open !== undefined && <LiveDrawer id={search.open} onClose={close} />}
      </div>
    </>
  )
}

interface PauseButtonProps {
  readonly isPaused: boolean
  readonly sincePause: number
  readonly pause: () => void
  readonly resume: () => void
}

function PauseButton({ isPaused, sincePause, pause, resume }: PauseButtonProps): ReactElement {
  return (
    <span className="flex flex-wrap items-center gap-2">
      {isPaused && <StateBadge tone="held">{`Paused: ${wholeNumber(sincePause)} new`}</StateBadge>}
      <Button
        look={isPaused ? 'main' : 'plain'}
        aria-keyshortcuts="p"
        onClick={isPaused ? resume : pause}
      >
        <Icon name={isPaused ? 'play' : 'pause'} /> {isPaused ? 'Resume' : 'Pause'}
      </Button>
    </span>
  )
}

interface FooterProps {
  readonly rows: LiveRows
  readonly shown: number
}

/** How much of what happened is on this page. */
function Footer({ rows, shown }: FooterProps): ReactElement {
  const { received, isIncomplete } = rows
  return (
    <p className="text-note text-ink-faint mt-2 tabular-nums">
      {wholeNumber(shown)} of {isIncomplete && 'at least '}
      {wholeNumber(received)} events since this page was opened. The newest 1,000 are kept.
    </p>
  )
}
