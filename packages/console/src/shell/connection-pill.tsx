import type { ReactElement } from 'react'
import { classNames } from '../design/class-names.ts'
import { useStreamState } from '../stream/use-live.ts'

const WORDS = {
  idle: 'Connecting',
  connecting: 'Connecting',
  live: 'Live',
  reconnecting: 'Reconnecting',
} as const

/** Whether what is on screen is what is happening. */
export function ConnectionPill(): ReactElement {
  const state = useStreamState()
  return (
    <span
      role="status"
      className="text-note text-ink-soft inline-flex items-center gap-1.5 whitespace-nowrap"
      title={
        state === 'reconnecting'
          ? 'The connection to the service broke. The console tries again by itself, and misses nothing.'
          : 'The console shows what happens, as it happens.'
      }
    >
      <span
        className={classNames(
          'rounded-full size-2',
          state === 'live' ? 'bg-delivered' : 'bg-retrying',
          state === 'reconnecting' && 'animate-pulse',
        )}
      />
      {WORDS[state]}
    </span>
  )
}
