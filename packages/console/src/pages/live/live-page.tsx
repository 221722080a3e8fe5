import type { ReactElement } from 'react'
import { Button } from '../../design/controls/button.tsx'
import { Icon } from '../../design/icon.tsx'
import { StateBadge } from '../../design/state-badge.tsx'
import { countText, wholeNumber } from '../../format/figures.ts'
import { useKeys } from '../../shell/keys/keys.ts'
import { PageHeading } from '../../shell/page-heading.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { LiveDrawer } from './live-drawer.tsx'
import { LiveFilterBar } from './live-filter-bar.tsx'
import { type LiveFilterName, liveFiltersIn } from './live-filters.ts'
import { LiveList } from './live-list.tsx'
import { MAX_ROWS, shownRows } from './live-rows.ts'
import { useLiveRows } from './use-live-rows.ts'

export function LivePage(): ReactElement {
  const [search, change] = useUrlState<LiveFilterName | 'open'>()
  const filters = liveFiltersIn(search)
  const { rows, isPaused, sincePause, pause, resume } = useLiveRows(filters)
  const shown = shownRows(rows, filters)
  const close = (): void => change({ open: undefined })
  const toggle = isPaused ? resume : pause
  useKeys({ p: toggle, Escape: search.open === undefined ? undefined : close })
  return (
    <>
      <PageHeading
        title="Live"
        actions={
          <span className="flex flex-wrap items-center gap-2">
            {isPaused && (
              <StateBadge tone="held">{`Paused: ${wholeNumber(sincePause)} new`}</StateBadge>
            )}
            <Button variant={isPaused ? 'primary' : 'plain'} aria-keyshortcuts="p" onClick={toggle}>
              <Icon name={isPaused ? 'play' : 'pause'} /> {isPaused ? 'Resume' : 'Pause'}
            </Button>
          </span>
        }
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
          <p className="text-note text-ink-faint mt-2 tabular-nums">
            {countText(shown.filter(({ kind }) => kind === 'event').length, 'event')} shown,{' '}
            {rows.gaps.length > 0 && 'at least '}
            {wholeNumber(rows.received)} received since you opened this page. Only the latest{' '}
            {wholeNumber(MAX_ROWS)} are kept.
          </p>
        </div>
        {search.open !== undefined && <LiveDrawer id={search.open} onClose={close} />}
      </div>
    </>
  )
}
