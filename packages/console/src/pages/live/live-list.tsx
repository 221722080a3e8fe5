import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactElement, useEffect, useRef } from 'react'
import { Empty } from '../../design/states.tsx'
import { useNames } from '../../domain/names.ts'
import { useRowKeys } from '../../shell/keys/row-keys.ts'
import { LiveLine } from './live-line.tsx'
import type { AnyRow } from './live-row.ts'
import { MissingLine } from './missing-line.tsx'
import { useIsWide } from '../../design/use-is-wide.ts'

/** The height of a row: one line, or two on a narrow screen. */
const HEIGHT = 34
const NARROW_HEIGHT = 58
/** A person who has scrolled so far reads what is there. */
const READING_PX = 12

interface LiveListProps {
  readonly rows: readonly AnyRow[]
  readonly isFiltered: boolean
  readonly isPaused: boolean
  readonly openId: string | undefined
  readonly onOpen: (eventId: string) => void
  /** The person reads what is on screen, which must not move now. */
  readonly onRead: () => void
}

/** The rows, newest on top. Only those on screen are drawn. */
export function LiveList({
  rows,
  isFiltered,
  isPaused,
  openId,
  onOpen,
  onRead,
}: LiveListProps): ReactElement {
  const box = useRef<HTMLDivElement>(null)
  const names = useNames()
  const height = useIsWide() ? HEIGHT : NARROW_HEIGHT
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: 4,
  })
  // The newest rows are on top: who resumes wants to see them.
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
      aria-label="What happens"
      className="@container bg-surface border-line rounded-panel h-[max(20rem,calc(100dvh-18rem))] overflow-x-hidden overflow-y-auto border"
      onPointerDown={onRead}
      onScroll={({ currentTarget }) => currentTarget.scrollTop > READING_PX && onRead()}
    >
      {rows.length === 0 && <Nothing isFiltered={isFiltered} />}
      <ul className="relative" style={{ height: rows.length * height }}>
        {virtualizer.getVirtualItems().map(({ index }) => {
          const row = rows[index]
          if (row === undefined) return undefined
          return (
            <li
              // By its place: hundreds of new rows per second change texts, and make no new elements.
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
                <MissingLine row={row} />
              )}
            </li>
          )
        })}
      </ul>
    </div>
  )
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }): ReactElement {
  return isFiltered ? (
    <Empty title="Nothing matches so far">
      Events that match the filters appear here as they arrive.
    </Empty>
  ) : (
    <Empty title="Waiting for events">
      Events appear here the moment they arrive. Send one from Get started, or from your
      application.
    </Empty>
  )
}
