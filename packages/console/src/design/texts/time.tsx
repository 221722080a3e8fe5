import type { ReactElement } from 'react'
import { useZone } from '../../format/time-zone.ts'
import { absoluteTime, clockTime, relativeTime } from '../../format/times.ts'
import { useNow } from '../../format/use-now.ts'

interface TimeProps {
  /** ISO 8601. */
  readonly at: string
  readonly form?: 'relative' | 'clock' | 'full'
}

export function Time({ at, form = 'relative' }: TimeProps): ReactElement {
  const zone = useZone()
  const moment = Date.parse(at)
  const exact = absoluteTime(moment, zone)
  return (
    <time dateTime={at} title={exact} className="whitespace-nowrap tabular-nums">
      {form === 'relative' ? (
        <Relative moment={moment} />
      ) : form === 'clock' ? (
        clockTime(moment, zone)
      ) : (
        exact
      )}
    </time>
  )
}

/** A separate component, so that only relative times render each second. */
function Relative({ moment }: { readonly moment: number }): string {
  return relativeTime(moment, useNow())
}
