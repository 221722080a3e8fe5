import type { ReactElement } from 'react'
import { useZone } from '../../format/time-zone.ts'
import { absoluteTime, clockTime, dueTime, relativeTime } from '../../format/times.ts'
import { useNow } from '../../format/use-now.ts'

interface TimeProps {
  /** ISO 8601. */
  readonly at: string
  /** `due` is for planned times, and never shows one as past. */
  readonly form?: 'relative' | 'due' | 'clock' | 'full'
}

export function Time({ at, form = 'relative' }: TimeProps): ReactElement {
  const zone = useZone()
  const moment = Date.parse(at)
  const exact = absoluteTime(moment, zone)
  return (
    <time dateTime={at} title={exact} className="whitespace-nowrap tabular-nums">
      {form === 'relative' || form === 'due' ? (
        <Relative moment={moment} text={form === 'due' ? dueTime : relativeTime} />
      ) : form === 'clock' ? (
        clockTime(moment, zone)
      ) : (
        exact
      )}
    </time>
  )
}

interface RelativeProps {
  readonly moment: number
  readonly text: (at: number, now: number) => string
}

/** A separate component, so that only relative times render each second. */
function Relative({ moment, text }: RelativeProps): string {
  return text(moment, useNow())
}
