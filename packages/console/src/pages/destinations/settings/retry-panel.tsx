import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { Panel } from '../../../design/panel.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { systemQuery } from '../../../domain/system.ts'
import { duration } from '../../../format/figures.ts'
import { type RetrySchedule, retryTimes, scheduleOf } from './retry-times.ts'

const FIRST_SHOWN = 10

/** When a delivery that fails from now on would be tried again, as times of the clock. */
export function RetryPanel(): ReactElement | undefined {
  const { data } = useQuery(systemQuery)
  const schedule = data && scheduleOf(data.settings)
  if (schedule === undefined) return undefined
  return (
    <Panel title="Retry schedule">
      <Schedule schedule={schedule} />
    </Panel>
  )
}

function Schedule({ schedule }: { readonly schedule: RetrySchedule }): ReactElement {
  const [start] = useState(() => Date.now())
  const times = retryTimes(schedule, start)
  const shown = [...times.slice(0, FIRST_SHOWN), ...times.slice(FIRST_SHOWN).slice(-1)]
  const left = times.length - shown.length
  return (
    <div className="flex flex-col gap-2">
      <p>
        A delivery is tried for {duration(schedule.windowMs)}. If an event came now, and every
        attempt failed, it would be tried at about these times:
      </p>
      <ol className="text-dense flex flex-wrap gap-x-5 gap-y-1">
        <li>
          1st attempt <Moment at={start} />
        </li>
        {shown.map((at, index) => (
          <li key={at}>
            {index === FIRST_SHOWN && left > 0 && `… ${left} more … `}
            {index === shown.length - 1 ? 'last retry' : `${ordinal(index + 1)} retry`}{' '}
            <Moment at={at} />
          </li>
        ))}
      </ol>
      <p className="text-ink-faint text-note">
        Waits vary by a quarter, so that not all deliveries are tried at once; a receiver can ask
        for longer ones with Retry-After. The schedule is a setting of the service, the same for all
        destinations: retryWindow and retrySchedule.
      </p>
    </div>
  )
}

function Moment({ at }: { readonly at: number }): ReactElement {
  return <Time at={new Date(at).toISOString()} form="clock" />
}

/** `1st`, `2nd`, `3rd`, `4th` */
function ordinal(count: number): string {
  const suffix = { 1: 'st', 2: 'nd', 3: 'rd' }[count]
  return `${count}${suffix ?? 'th'}`
}
