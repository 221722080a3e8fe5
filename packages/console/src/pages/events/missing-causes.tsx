import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
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
  users_suppressed: { words: 'Filter by the userId of the call.', to: '/privacy' },
  deletions: { words: 'Filter by the userId of the call.', to: '/privacy' },
  quarantined: { words: 'Look at what is in quarantine.', to: '/failures' },
  not_sent: {
    words:
      'Check that the client flushes before it exits, reports no error, and sends to this host.',
  },
}

/** Why an event with these ids may be missing, from what the service knows. The surest cause comes first. */
export function MissingCauses({
  filters,
}: {
  readonly filters: EventFilters
}): ReactElement | undefined {
  const { messageId, userId, anonymousId, source } = filters
  const isAbout = [messageId, userId, anonymousId].some((id) => id !== undefined)
  const { data } = useQuery({
    queryKey: ['events', 'why-missing', { messageId, userId, anonymousId, source }],
    queryFn: ({ signal }) =>
      api.explainMissingEvent(
        {
          ...(messageId && { messageId }),
          ...(userId && { userId }),
          ...(anonymousId && { anonymousId }),
          ...(source && { sourceId: source }),
        },
        { signal },
      ),
    enabled: isAbout,
  })
  if (data === undefined || data.causes.length === 0) return undefined
  return (
    <section aria-labelledby="why-missing" className="my-3">
      <h3 id="why-missing" className="text-ink mb-1 font-medium">
        Why it may be missing
      </h3>
      <ol className="flex list-decimal flex-col gap-2 pl-5">
        {data.causes.map((cause) => (
          <li key={`${cause.code} ${cause.evidence.code} ${cause.evidence.sourceId}`}>
            <CauseText cause={cause} />
          </li>
        ))}
      </ol>
    </section>
  )
}

function CauseText({ cause }: { readonly cause: Cause }): ReactElement {
  const { code, message, remedy, evidence } = cause
  // A newer service may know more codes.
  const { words = remedy, to }: Remedy = REMEDIES[code] ?? {}
  const { count, lastAt, eventId } = evidence
  return (
    <>
      <span className="text-ink">{shownText(message, 500)}</span>{' '}
      {count !== undefined && count > 0 && <>{counted(count, 'time')}.</>}
      {lastAt !== undefined && (
        <>
          {' '}
          The last one <Time at={lastAt} />.
        </>
      )}{' '}
      {words}{' '}
      {to !== undefined && (
        <Link to={to} className="text-accent underline">
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
