import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { LiveMessage } from '../../stream/live-messages.ts'
import { useLive } from '../../stream/use-live.ts'
import type { LiveFilters } from './live-filters.ts'
import { foldMessages, type LiveRows, NO_ROWS } from './live-rows.ts'

/** Limits rendering to ten times per second. */
const DRAW_MS = 100
/** The maximum number of messages collected per rendering: background tabs have slow timers. */
const MAX_COLLECTED = 2_000

interface LiveTail {
  /** The current rows, or those at the time of the pause. */
  readonly rows: LiveRows
  readonly isPaused: boolean
  /** Events received since then. */
  readonly sincePause: number
  readonly pause: () => void
  readonly resume: () => void
}

/** The live events as rows. A pause freezes the rows; events received in the meantime appear on resume. */
export function useLiveRows(filters: LiveFilters): LiveTail {
  const [rows, setRows] = useState(NO_ROWS)
  const [held, setHeld] = useState<LiveRows>()
  const collected = useRef<LiveMessage[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const flush = useEffectEvent(() => {
    clearTimeout(timer.current)
    timer.current = undefined
    const messages = collected.current
    collected.current = []
    const now = new Date().toISOString()
    setRows((before) => foldMessages(before, messages, filters, now))
  })
  useLive('activity', (messages) => {
    collected.current.push(...messages)
    if (collected.current.length >= MAX_COLLECTED) flush()
    else timer.current ??= setTimeout(() => flush(), DRAW_MS)
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
