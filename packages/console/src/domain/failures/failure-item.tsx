import { statusError } from '@hookline/protocol'
import { Link } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { useHasRole } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { Icon } from '../../design/icon.tsx'
import { StateBadge } from '../../design/state-badge.tsx'
import { CodeText } from '../../design/texts/code-text.tsx'
import { Time } from '../../design/texts/time.tsx'
import { shownText } from '../../format/shown-text.ts'
import type { Names } from '../names.ts'
import { failureCount } from './failure-count.ts'
import { type FailureGroup, failureLabel } from './failures-query.ts'
import { RetryDialog } from './retry-dialog.tsx'
import { SampleResponse } from './sample-response.tsx'

interface FailureItemProps {
  readonly group: FailureGroup
  readonly names: Names
  /** Whether to show the destination. Off on its own page. */
  readonly hasDestination?: boolean
}

/** A group of failures with its meaning and its remedy. */
export function FailureItem({
  group,
  names,
  hasDestination = true,
}: FailureItemProps): ReactElement {
  const { destinationId, meaning, remedy, lastError, class: kind } = group
  const isRepeated = group.status !== null && lastError === statusError(group.status)
  const canRetry = useHasRole('editor')
  const [isRetrying, setRetrying] = useState(false)
  const toDestination = { to: '/destinations/$id', params: { id: destinationId } } as const
  return (
    <article className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2 px-4 py-3">
      <div className="flex min-w-0 flex-1 basis-96 flex-col gap-1">
        <h3 className="flex flex-wrap items-center gap-x-3 gap-y-1 font-semibold">
          {hasDestination && (
            <Link {...toDestination} className="text-accent hover:underline">
              {names.destination(destinationId)}
            </Link>
          )}
          <StateBadge tone="failed">{failureLabel(group)}</StateBadge>
          <span>{failureCount(group)}</span>
        </h3>
        <SampleResponse deliveryId={group.sampleDeliveryId} />
        {lastError !== null && !isRepeated && (
          <p className="text-failed text-dense">
            {kind === 'quarantined' ? 'Reason' : 'Last error'}: {shownText(lastError)}
          </p>
        )}
        <p className="text-ink-soft">{meaning}</p>
        <p>
          <CodeText text={remedy} />
        </p>
        <Seen group={group} />
      </div>
      <div className="flex flex-wrap gap-2">
        <Links group={group} />
        {canRetry && (
          <Button onClick={() => setRetrying(true)}>
            <Icon name="retry" /> Retry
          </Button>
        )}
      </div>
      {isRetrying && <RetryDialog group={group} names={names} onClose={() => setRetrying(false)} />}
    </article>
  )
}

/** The meaning of `lastSeenAt` if it is not the last attempt. */
const LAST_SEEN: ReadonlyMap<string, string> = new Map([
  ['not_attempted', 'last due'],
  ['quarantined', 'last quarantined'],
])

function Seen({ group }: { readonly group: FailureGroup }): ReactElement {
  const { class: kind, firstSeenAt, lastSeenAt, sampleDeliveryId } = group
  return (
    <p className="text-ink-soft text-dense flex flex-wrap gap-x-3">
      <span>
        Oldest event received <Time at={firstSeenAt} />, {LAST_SEEN.get(kind) ?? 'last attempt'}{' '}
        <Time at={lastSeenAt} />
      </span>
      <Link
        to="/events"
        search={{ delivery: sampleDeliveryId }}
        preload={false}
        className="text-accent underline"
      >
        View example delivery
      </Link>
    </p>
  )
}

function Links({ group }: { readonly group: FailureGroup }): ReactElement {
  const { destinationId, class: kind, status } = group
  const toDestination = { to: '/destinations/$id', params: { id: destinationId } } as const
  const filter = { class: kind, ...(status !== null && { status: `${status}` }) }
  return (
    <>
      <Link
        {...toDestination}
        search={{ tab: 'deliveries', ...filter }}
        preload={false}
        className="text-accent self-center px-1 underline"
      >
        View deliveries
      </Link>
      <Link
        {...toDestination}
        search={{ tab: 'settings' }}
        preload={false}
        className="text-accent self-center px-1 underline"
      >
        Settings
      </Link>
    </>
  )
}
