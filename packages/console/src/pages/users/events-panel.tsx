import type { Deletion } from '@hookline/cli/management-client'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement, ReactNode } from 'react'
import { api } from '../../api/client.ts'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { Panel } from '../../design/panel.tsx'
import { StateBadge, type Tone } from '../../design/state-badge.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { Time } from '../../design/texts/time.tsx'
import { isComputed, summaryOf, titleOf } from '../../domain/events/event-summary.ts'
import { OutcomeBadges } from '../../domain/events/outcome-badges.tsx'
import { useNames } from '../../domain/names.ts'
import { wholeNumber } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'

type Events = Awaited<ReturnType<typeof api.listEvents>>

const LIMIT = 20
const REFETCH_MS = 5_000

/** A user's latest events and suppressions. */
export function userEventsQuery(userId: string) {
  return queryOptions({
    queryKey: ['events', 'of-user', userId],
    queryFn: () => api.listEvents({ userId, limit: LIMIT }),
    refetchInterval: REFETCH_MS,
  })
}

/** A user's latest events, and any deletion or suppression that explains missing ones. */
export function EventsPanel({ userId }: { readonly userId: string }): ReactElement {
  const query = useQuery(userEventsQuery(userId))
  const names = useNames()
  return (
    <Panel
      title="Recent events"
      isFlush
      actions={
        <Link to="/events" search={{ userId }} className="text-accent text-dense hover:underline">
          View all
        </Link>
      }
    >
      <Loaded query={query}>
        {({ data, suppressions = [] }) => (
          <>
            <Deleted userId={userId} />
            {suppressions.map(({ deletionId, since, sourceId, droppedCalls }) => (
              <Notice key={deletionId} tone="held" state="suppressed" deletionId={deletionId}>
                Suppressed in {sourceId === null ? 'all sources' : names.source(sourceId)} since{' '}
                <Time at={since} form="full" />. Calls dropped: {wholeNumber(droppedCalls)}.
              </Notice>
            ))}
            {data.length === 0 ? (
              <Empty title="No events">No stored event has this userId (case-sensitive).</Empty>
            ) : (
              <EventTable events={data} />
            )}
          </>
        )}
      </Loaded>
    </Panel>
  )
}

/** The newest deletion that names the user. The key starts with the resource, so a new deletion appears immediately. */
function useDeletion(userId: string) {
  const { data: deletionId } = useQuery({
    queryKey: ['deletions', 'of-user', userId],
    queryFn: ({ signal }) => api.explainMissingEvent({ userId }, { signal }),
    select: ({ causes }) => causes.find(({ code }) => code === 'deleted')?.evidence.deletionId,
  })
  return useQuery({
    queryKey: ['deletions', 'one', deletionId],
    queryFn: async ({ signal }) => (await api.getDeletion(deletionId!, {}, { signal })) as Deletion,
    enabled: deletionId !== undefined,
    refetchInterval: ({ state }) => (state.data?.purgedAt === null ? REFETCH_MS : false),
  }).data
}

function Deleted({ userId }: { readonly userId: string }): ReactElement | undefined {
  const deletion = useDeletion(userId)
  if (deletion === undefined) return undefined
  const { id, purgedAt } = deletion
  return (
    <Notice tone="waiting" state={purgedAt === null ? 'deleting' : 'deleted'} deletionId={id}>
      {purgedAt === null ? (
        'Deleting this user’s events, profile data and audience memberships.'
      ) : (
        <>
          This user’s events, profile data and audience memberships were deleted{' '}
          <Time at={purgedAt} />. Newer data is kept unless the user is suppressed.
        </>
      )}
    </Notice>
  )
}

interface NoticeProps {
  readonly tone: Tone
  readonly state: string
  readonly deletionId: string
  readonly children: ReactNode
}

function Notice({ tone, state, deletionId, children }: NoticeProps): ReactElement {
  return (
    <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 pb-3">
      <StateBadge tone={tone}>{state}</StateBadge>
      <p className="min-w-0">
        {children}{' '}
        <Link to="/privacy" search={{ deletion: deletionId }} className="text-accent underline">
          View deletion
        </Link>
      </p>
    </div>
  )
}

function EventTable({ events }: { readonly events: Events['data'] }): ReactElement {
  return (
    <Table label="Events, newest first" head={['Event', 'Outcome', 'Type', 'Received']}>
      {events.map(({ id, sourceId, event, outcomes, receivedAt }) => {
        const summary = summaryOf(event, isComputed(sourceId))
        return (
          <Row key={id}>
            <Cell className="min-w-40">
              <Link
                to="/events/$id"
                params={{ id }}
                className="text-accent font-medium hover:underline"
              >
                {shownText(titleOf(summary), 100)}
              </Link>
            </Cell>
            <Cell>
              <OutcomeBadges outcomes={outcomes} />
            </Cell>
            <Cell className="whitespace-nowrap">{shownText(summary.type, 20)}</Cell>
            <Cell>
              <Time at={receivedAt} />
            </Cell>
          </Row>
        )
      })}
    </Table>
  )
}
