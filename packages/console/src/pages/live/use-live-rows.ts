import { useEffect, useRef, useState } from 'react'
import type { LiveMessage } from '../../stream/live-messages.ts'
import { useLive } from '../../stream/use-live.ts'
import type { LiveFilters } from './live-filters.ts'
import { fold, type LiveRows, NO_ROWS } from './live-rows.ts'

/** The page is drawn at most ten times per second, however many messages arrive. */
const DRAW_MS = 100
/** A tab in the background has slow timers: what it collects has a bound. */
const MOST_COLLECTED = 2_000

interface LiveTail {
  /** As they are now, or as they were when the person paused. */
  readonly rows: LiveRows
  readonly isPaused: boolean
  /** Events that arrived since the pause began. */
  readonly sincePause: number
  readonly pause: () => void
  readonly resume: () => void
}

/** What happens, in rows. A pause keeps what is shown still; what arrives is shown afterwards. */
export function useLiveRows(filters: LiveFilters): LiveTail {
  const [rows, setRows] = useState(NO_ROWS)
  const [held, setHeld] = useState<LiveRows>()
  const collected = useRef<LiveMessage[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const flush = (): void => {
    clearTimeout(timer.current)
    timer.current = undefined
    const messages = collected.current
    collected.current = []
    const now = new Date().toISOString()
    setRows((before) => fold(before, messages, filters, now))
  }
  useLive('activity', (messages) => {
    collected.current.push(...messages)
    if (collected.current.length >= MOST_COLLECTED) flush()
    else timer.current ??= setTimeout(() => latest.current(), DRAW_MS)
  })
  // The timer of a batch uses the filters of the moment in which it ends.
  const latest = useRef(flush)
  useEffect(() => {
    latest.current = flush
  })
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
  return {
    rows: held ?? rows,
    isPaused: held !== undefined,
    sincePause: held === undefined ? 0 : rows.received - held.received,
    pause: () => setHeld((before) => before ?? rows),
    resume: () => setHeld(undefined),
  }
}
