import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement, ReactNode } from 'react'
import { api } from '../../api/client.ts'
import { Time } from '../../design/texts/time.tsx'
import { counted } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import type { EventFilters } from './event-filters.ts'

type Cause = Awaited<ReturnType<typeof api.explainMissingEvent>>['causes'][number]

interface Remedy {
  /** The remedy of the API where there are none. */
  readonly words?: string
  readonly to?: '/sources' | '/privacy' | '/failures'
}

/** What to do in the console. The API names routes. */
const REMEDIES: Readonly<Record<Cause['code'], Remedy | undefined>> = {
  event_exists: { words: 'Its trace shows what happened to it.' },
  other_source: {
    words: 'Its trace shows what happened to it. Check the write key of the client.',
  },
  unknown_source: { words: 'See which sources there are.', to: '/sources' },
  suppressed: {
    words: 'If the user agrees to new events, end the suppression.',
    to: '/privacy',
  },
  deleted: {
    words: 'They cannot be restored. Later events are kept, unless the user is suppressed.',
    to: '/privacy',
  },
  expired: {
    words: 'Send it again with another messageId. The setting retention keeps later events longer.',
  },
  source_disabled: { words: 'Enable the source. Then send the call again.', to: '/sources' },
  source_silent: { words: 'Check the write key and the host in the client.', to: '/sources' },
  // The code of the refusal has a remedy of its own. The page has all refused calls by reason.
  refused: { to: '/sources' },
  users_suppressed: { words: 'Filter the events by the userId of the call.', to: '/privacy' },
  deletions: { words: 'Filter the events by the userId of the call.', to: '/privacy' },
  quarantined: { words: 'Look at what is in quarantine.', to: '/failures' },
  not_sent: {
    words:
      'Check that the client flushes before it exits, reports no error, and sends to this host.',
  },
}

/** Why a call made no event. What has the id of an event was accepted, so none of them is its cause. */
const OF_NO_EVENT: ReadonlySet<string> = new Set([
  'unknown_source',
  'source_disabled',
  'source_silent',
  'refused',
  'users_suppressed',
])

interface MissingCausesProps {
  readonly filters: EventFilters
  /** Where a page is about one event. */
  readonly eventId?: string
}

/** Why an event with these ids may be missing, from what the service knows. The surest cause comes first. */
export function MissingCauses({ filters, eventId }: MissingCausesProps): ReactElement | undefined {
  const { messageId, userId, anonymousId, source } = filters
  const isAbout = [eventId, messageId, userId, anonymousId].some((id) => id !== undefined)
  const { data } = useQuery({
    queryKey: ['events', 'why-missing', { eventId, messageId, userId, anonymousId, source }],
    queryFn: ({ signal }) =>
      api.explainMissingEvent(
        {
          ...(eventId && { eventId }),
          ...(messageId && { messageId }),
          ...(userId && { userId }),
          ...(anonymousId && { anonymousId }),
          ...(source && { sourceId: source }),
        },
        { signal },
      ),
    enabled: isAbout,
    select: ({ causes }) =>
      eventId === undefined ? causes : causes.filter(({ code }) => !OF_NO_EVENT.has(code)),
  })
  if (data === undefined || data.length === 0) return undefined
  return (
    <section aria-labelledby="why-missing" className="my-3">
      <h3 id="why-missing" className="text-ink mb-1 font-medium">
        Why it may be missing
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
  // A newer service may know more codes.
  const { words = remedy, to }: Remedy = REMEDIES[code] ?? {}
  const { eventId, deletionId } = evidence
  return (
    <>
      <span className="text-ink">{shownText(message, 500)}</span> <Evidence cause={cause} />{' '}
      {isOfEvent && code === 'not_sent' ? 'Check that the id is one of this service.' : words}{' '}
      {to !== undefined && (
        <Link
          to={to}
          {...(deletionId !== undefined && { search: { deletion: deletionId } })}
          className="text-accent underline"
        >
          {code === 'refused' ? 'Open the refused calls' : 'Open'}
        </Link>
      )}
      {eventId !== undefined && (
        <Link to="/events/$id" params={{ id: eventId }} className="text-accent underline">
          Open the trace
        </Link>
      )}
    </>
  )
}

/** When it was, and how often. */
function Evidence({ cause: { code, evidence } }: { readonly cause: Cause }): ReactNode {
  const { count, since, lastAt } = evidence
  if (code === 'expired' && since !== undefined && lastAt !== undefined)
    return (
      <>
        It was received <Time at={lastAt} form="full" />. Events since{' '}
        <Time at={since} form="full" /> are stored.
      </>
    )
  const isOfEvents = code === 'deleted' || code === 'deletions'
  return (
    <>
      {count !== undefined && count > 0 && <>{counted(count, isOfEvents ? 'event' : 'time')}.</>}
      {lastAt !== undefined && (
        <>
          {' '}
          The last one <Time at={lastAt} />.
        </>
      )}
    </>
  )
}
