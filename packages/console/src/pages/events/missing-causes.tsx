import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
import { Time } from '../../design/texts/time.tsx'
import { countText } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import type { EventFilters } from './event-filters.ts'

type Cause = Awaited<ReturnType<typeof api.explainMissingEvent>>['causes'][number]

/** The console's page with the remedy. */
const PAGES: Readonly<
  Partial<
    Record<Cause['code'], readonly [path: '/sources' | '/privacy' | '/failures', label: string]>
  >
> = {
  unknown_source: ['/sources', 'Open sources'],
  suppressed: ['/privacy', 'Open suppressions'],
  deleted: ['/privacy', 'Open deletion'],
  source_disabled: ['/sources', 'Open sources'],
  source_silent: ['/sources', 'Open sources'],
  rejected: ['/sources', 'Open rejected calls'],
  users_suppressed: ['/privacy', 'Open suppressions'],
  deletions: ['/privacy', 'Open deletions'],
  quarantined: ['/failures', 'Open failures'],
}

/** Reasons why a call never became an event: a known event ID rules them out. */
const REJECTED_CALLS: ReadonlySet<string> = new Set([
  'unknown_source',
  'source_disabled',
  'source_silent',
  'rejected',
  'users_suppressed',
])

interface MissingCausesProps {
  readonly filters: EventFilters
  readonly eventId?: string
}

/** Possible reasons why an event with these IDs is missing, the most likely first. */
export function MissingCauses({ filters, eventId }: MissingCausesProps): ReactElement | undefined {
  const { messageId, userId, anonymousId, source } = filters
  const ids = {
    ...(eventId && { eventId }),
    ...(messageId && { messageId }),
    ...(userId && { userId }),
    ...(anonymousId && { anonymousId }),
  }
  const query = { ...ids, ...(source && { sourceId: source }) }
  const { data } = useQuery({
    queryKey: ['events', 'why-missing', query],
    queryFn: ({ signal }) => api.explainMissingEvent(query, { signal }),
    enabled: Object.keys(ids).length > 0,
    select: ({ causes }) =>
      eventId === undefined ? causes : causes.filter(({ code }) => !REJECTED_CALLS.has(code)),
  })
  if (data === undefined || data.length === 0) return undefined
  return (
    <section aria-labelledby="why-missing" className="my-3">
      <h3 id="why-missing" className="text-ink mb-1 font-medium">
        Possible reasons
      </h3>
      <ol className="flex list-decimal flex-col gap-2 pl-5">
        {data.map((cause) => (
          <li key={`${cause.code} ${cause.evidence.code} ${cause.evidence.sourceId}`}>
            <CauseText cause={cause} isOfEvent={eventId !== undefined} />
          </li>
        ))}
      </ol>
    </section>
  )
}

interface CauseTextProps {
  readonly cause: Cause
  readonly isOfEvent: boolean
}

function CauseText({ cause, isOfEvent }: CauseTextProps): ReactElement {
  const { code, message, remedy, evidence } = cause
  const { eventId, deletionId } = evidence
  const [path, label] = PAGES[code] ?? []
  return (
    <>
      <span className="text-ink">{shownText(message, 500)}</span> <Evidence {...cause} />{' '}
      {isOfEvent && code === 'not_sent'
        ? 'Check that the ID is from this service.'
        : shownText(remedy, 500)}{' '}
      {path !== undefined && (
        <Link
          to={path}
          {...(deletionId !== undefined && { search: { deletion: deletionId } })}
          className="text-accent underline"
        >
          {label}
        </Link>
      )}
      {eventId !== undefined && (
        <Link to="/events/$id" params={{ id: eventId }} className="text-accent underline">
          Open trace
        </Link>
      )}
    </>
  )
}

const UNITS: Readonly<Record<string, string>> = {
  deleted: 'event',
  deletions: 'event',
  quarantined: 'record',
  event_exists: 'duplicate',
  other_source: 'duplicate',
}

function Evidence({ code, evidence }: Cause): ReactElement {
  const { count = 0, since, lastAt } = evidence
  if (code === 'expired' && since !== undefined && lastAt !== undefined)
    return (
      <>
        It was received on <Time at={lastAt} form="full" />. Only events received since{' '}
        <Time at={since} form="full" /> are still stored.
      </>
    )
  const unit = UNITS[code] ?? 'call'
  return (
    <>
      {count > 0 && <>{countText(count, unit)}. </>}
      {lastAt !== undefined && (
        <>
          Last: <Time at={lastAt} />.
        </>
      )}
    </>
  )
}
