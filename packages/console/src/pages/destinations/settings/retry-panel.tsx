import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { Panel } from '../../../design/panel.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { systemQuery } from '../../../domain/system.ts'
import type { DestinationProps } from '../../../domain/destinations/destination-query.ts'
import { duration } from '../../../format/figures.ts'
import { shownText } from '../../../format/shown-text.ts'
import { MAX_RETRIES, type RetrySchedule, retryTimes, scheduleOf } from './retry-times.ts'

const MAX_FIRST = 10

/**
 * The attempt times of a delivery that keeps failing from now on: with the service's settings, and
 * for each webhook with its own limits for retries.
 */
export function RetryPanel({ destination }: DestinationProps): ReactElement | undefined {
  const { data } = useQuery(systemQuery)
  if (data === undefined) return undefined
  const schedule = scheduleOf(data.settings)
  if (schedule === undefined) return undefined
  const { webhooks } = destination.settings
  const own = webhooks.filter(({ limits }) => limits?.retryWindow ?? limits?.retrySchedule)
  // The delays in the service's retrySchedule are exact.
  const isJittered = schedule.delaysMs.length === 0
  return (
    <Panel title="Retry schedule">
      {own.length < webhooks.length && (
        <Schedule
          schedule={schedule}
          isJittered={isJittered}
          source="Service settings: retryWindow, retrySchedule."
        />
      )}
      {own.map(({ url, limits }) => (
        <Schedule
          key={url}
          schedule={scheduleOf(data.settings, limits) ?? schedule}
          isJittered={isJittered || limits?.retrySchedule !== undefined}
          source={`Limits for ${shownText(url)}.`}
        />
      ))}
    </Panel>
  )
}

interface ScheduleProps {
  readonly schedule: RetrySchedule
  readonly isJittered: boolean
  /** The limits or settings that define it. */
  readonly source: string
}

function Schedule({ schedule, isJittered, source }: ScheduleProps): ReactElement {
  const [start] = useState(() => Date.now())
  const times = retryTimes(schedule, start)
  const shown = [...times.slice(0, MAX_FIRST), ...times.slice(MAX_FIRST).slice(-1)]
  const left = times.length - shown.length
  const count = times.length > MAX_RETRIES ? `at least ${left}` : left
  if (times.length === 0)
    return (
      <p>
        Failed deliveries are not retried.{' '}
        <span className="text-ink-faint text-note">{source}</span>
      </p>
    )
  return (
    <div className="flex flex-col gap-2">
      <p>
        Failed deliveries are retried for {duration(schedule.windowMs)}. Schedule for an event
        received now:
      </p>
      <ol className="text-dense flex flex-wrap gap-x-5 gap-y-1">
        <li>
          1st attempt <Moment at={start} start={start} />
        </li>
        {shown.map((at, index) => (
          <li key={at}>
            {index === MAX_FIRST && left > 0 && `… ${count} more… `}
            {index === shown.length - 1 ? 'last retry' : `${ordinal(index + 1)} retry`}{' '}
            <Moment at={at} start={start} />
          </li>
        ))}
      </ol>
      <p className="text-ink-faint text-note">
        {isJittered && 'Delays vary by up to 25%. '}Retry-After can extend a delay. {source}
      </p>
    </div>
  )
}

const MAX_CLOCK_MS = 12 * 60 * 60 * 1000

/** With its date if it is half a day or more after the start. */
function Moment({ at, start }: { readonly at: number; readonly start: number }): ReactElement {
  const form = at - start < MAX_CLOCK_MS ? 'clock' : 'full'
  return <Time at={new Date(at).toISOString()} form={form} />
}

function ordinal(count: number): string {
  const suffix = { 1: 'st', 2: 'nd', 3: 'rd' }[count]
  return `${count}${suffix ?? 'th'}`
}
