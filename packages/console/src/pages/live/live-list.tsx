import { Link } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactElement, useEffect, useRef } from 'react'
import { Empty } from '../../design/states.tsx'
import { useIsWide } from '../../design/use-is-wide.ts'
import { useNames } from '../../domain/names.ts'
import { countText } from '../../format/figures.ts'
import { useRowKeys } from '../../shell/keys/row-keys.ts'
import { LiveLine } from './live-line.tsx'
import type { AnyRow, GapRow } from './live-row.ts'

const HEIGHT = 34
/** The height of a row on a narrow screen, in pixels: it has two lines. */
const NARROW_HEIGHT = 58
/** Scrolling further than this pauses the list. */
const READING_PX = 12

interface LiveListProps {
  readonly rows: readonly AnyRow[]
  readonly isFiltered: boolean
  readonly isPaused: boolean
  readonly openId: string | undefined
  readonly onOpen: (eventId: string) => void
  /** Pauses the list, so that rows do not move while being read. */
  readonly onRead: () => void
}

/** A virtual list of rows, newest first. */
export function LiveList(props: LiveListProps): ReactElement {
  const { rows, isFiltered, isPaused, openId, onOpen, onRead } = props
  const box = useRef<HTMLDivElement>(null)
  const names = useNames()
  const height = useIsWide() ? HEIGHT : NARROW_HEIGHT
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: 4,
  })
  useEffect(() => {
    if (!isPaused) box.current?.scrollTo({ top: 0 })
  }, [isPaused])
  useRowKeys(rows.length, (index) => {
    onRead()
    virtualizer.scrollToIndex(index)
  })
  return (
    <div
      ref={box}
      tabIndex={0}
      role="region"
      aria-label="Live events"
      className="@container bg-surface border-line rounded-panel h-[max(20rem,calc(100dvh-18rem))] overflow-x-hidden overflow-y-auto border"
      onPointerDown={onRead}
      onScroll={({ currentTarget }) => currentTarget.scrollTop > READING_PX && onRead()}
    >
      {rows.length === 0 && (
        <Empty title={isFiltered ? 'No matching events yet' : 'Waiting for events'}>
          {isFiltered
            ? 'New events that match the filters appear here.'
            : 'Send one from Get started or from your application.'}
        </Empty>
      )}
      <ul className="relative" style={{ height: rows.length * height }}>
        {virtualizer.getVirtualItems().map(({ index }) => {
          const row = rows[index]
          if (row === undefined) return undefined
          return (
            <li
              // Keyed by position: hundreds of new rows per second update text instead of creating elements.
              key={index}
              data-row={index}
              aria-setsize={rows.length}
              aria-posinset={index + 1}
              className="absolute inset-x-0 overflow-hidden"
              style={{ height, transform: `translateY(${index * height}px)` }}
            >
              {row.kind === 'event' ? (
                <LiveLine row={row} names={names} isOpen={row.eventId === openId} onOpen={onOpen} />
              ) : (
                <GapLine row={row} />
              )}
            </li>
          )
        })}
      </ul>
    </div>
  )
}

function GapLine({ row: { missed, from, to } }: { readonly row: GapRow }): ReactElement {
  const text = missed === null ? 'Messages missed' : `${countText(missed, 'message')} missed`
  return (
    <p className="bg-retrying-soft text-retrying text-dense flex h-full items-center gap-2 overflow-hidden px-3">
      <span className="truncate" title={text}>
        {text}
      </span>
      <Link
        to="/events"
        search={{ range: 'custom', to, ...(from !== null && { from }) }}
        className="shrink-0 underline"
      >
        View events from this period
      </Link>
    </p>
  )
}
