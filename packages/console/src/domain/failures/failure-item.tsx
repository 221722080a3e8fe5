import { Link } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { Icon } from '../../design/icon.tsx'
import { StateBadge } from '../../design/state-badge.tsx'
import { Time } from '../../design/texts/time.tsx'
import { counted } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import type { Names } from '../names.ts'
import type { FailureGroup } from './failures-query.ts'
import { RetryDialog } from './retry-dialog.tsx'
import { classWords } from './class-words.ts'
import { SampleResponse } from './sample-response.tsx'

interface FailureItemProps {
  readonly group: FailureGroup
  readonly names: Names
  /** On the page of its destination, which is not named again. */
  readonly isOfOne?: boolean
}

/** What failed in one way: how many, since when, what it means, what to do. */
export function FailureItem({ group, names, isOfOne = false }: FailureItemProps): ReactElement {
  const { destinationId, count, meaning, remedy, lastError } = group
  const mayRetry = useMay('editor')
  const [isAsking, setAsking] = useState(false)
  return (
    <article className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2 px-4 py-3">
      <div className="flex min-w-0 flex-1 basis-96 flex-col gap-1">
        <h3 className="flex flex-wrap items-center gap-x-3 gap-y-1 font-semibold">
          {!isOfOne && (
            <Link
              to="/destinations/$id"
              params={{ id: destinationId }}
              className="text-accent hover:underline"
            >
              {names.destination(destinationId)}
            </Link>
          )}
          <StateBadge tone="failed">{classWords(group)}</StateBadge>
          <span>{counted(count, 'delivery', 'deliveries')}</span>
        </h3>
        <p className="text-ink-soft">{meaning}</p>
        <p>{remedy}</p>
        {lastError !== null && (
          <p className="text-failed text-dense">
            {group.class === 'quarantined' ? 'Reason' : 'Last error'}: {shownText(lastError)}
          </p>
        )}
        <SampleResponse deliveryId={group.sampleDeliveryId} />
        <Seen group={group} />
      </div>
      <div className="flex flex-wrap gap-2">
        <Actions group={group} />
        {mayRetry && (
          <Button onClick={() => setAsking(true)}>
            <Icon name="retry" /> Retry
          </Button>
        )}
      </div>
      {isAsking && <RetryDialog group={group} names={names} onClose={() => setAsking(false)} />}
    </article>
  )
}

/** What `lastSeenAt` is, where it is not the last attempt. */
const LAST: Readonly<Record<string, string>> = {
  not_attempted: 'last one due',
  quarantined: 'last one stopped',
}

function Seen({ group }: { readonly group: FailureGroup }): ReactElement {
  const { class: kind, firstSeenAt, lastSeenAt, sampleDeliveryId } = group
  const last = Object.hasOwn(LAST, kind) ? LAST[kind] : 'last attempt'
  return (
    <p className="text-ink-soft text-dense flex flex-wrap gap-x-3">
      <span>
        Oldest event received <Time at={firstSeenAt} />, {last} <Time at={lastSeenAt} />
      </span>
      <Link
        to="/events"
        search={{ delivery: sampleDeliveryId }}
        preload={false}
        className="text-accent underline"
      >
        Look at the newest one
      </Link>
    </p>
  )
}

function Actions({ group }: { readonly group: FailureGroup }): ReactElement {
  const { destinationId, class: kind, status } = group
  const search = { tab: 'deliveries', class: kind, ...(status !== null && { status: `${status}` }) }
  return (
    <>
      <Link
        to="/destinations/$id"
        params={{ id: destinationId }}
        search={search}
        preload={false}
        className="text-accent self-center px-1 underline"
      >
        Show them
      </Link>
      <Link
        to="/destinations/$id"
        params={{ id: destinationId }}
        search={{ tab: 'settings' }}
        preload={false}
        className="text-accent self-center px-1 underline"
      >
        Settings
      </Link>
    </>
  )
}
