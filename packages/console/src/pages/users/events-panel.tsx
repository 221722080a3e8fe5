import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Deletion } from '@hookline/cli/management-client'
import type { ReactElement, ReactNode } from 'react'
import { api } from '../../api/client.ts'
import { Panel } from '../../design/panel.tsx'
import { StateBadge, type Tone } from '../../design/state-badge.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { Time } from '../../design/texts/time.tsx'
import { OutcomeBadges } from '../../domain/events/outcome-badges.tsx'
import { counted } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'

type Events = Awaited<ReturnType<typeof api.listEvents>>

const SHOWN = 20
const AGAIN_MS = 5_000

/** The last events of a user, with the suppressions of it. */
export function userEventsQuery(userId: string) {
  return queryOptions({
    queryKey: ['events', 'of-user', userId],
    queryFn: () => api.listEvents({ userId, limit: SHOWN }),
    refetchInterval: AGAIN_MS,
  })
}

/** The last events of a user, why older ones are gone, and why later ones are not among them. */
export function EventsPanel({ userId }: { readonly userId: string }): ReactElement {
  const query = useQuery(userEventsQuery(userId))
  return (
    <Panel
      title="Last events"
      isFlush
      actions={
        <Link to="/events" search={{ userId }} className="text-accent text-dense hover:underline">
          All events of the user
        </Link>
      }
    >
      <Loaded query={query}>
        {({ data, suppressions = [] }) => (
          <>
            <Deleted userId={userId} />
            {suppressions.map((each) => (
              <Suppressed key={each.deletionId} suppression={each} />
            ))}
            {data.length === 0 ? (
              <Empty title="No events">
                No stored event has this userId. Upper and lower case are different.
              </Empty>
            ) : (
              <EventTable events={data} />
            )}
          </>
        )}
      </Loaded>
    </Panel>
  )
}

/** The newest deletion that names the user. Its key begins with the resource: a new deletion is shown at once. */
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
    refetchInterval: ({ state }) => (state.data?.purgedAt === null ? AGAIN_MS : false),
  }).data
}

function Deleted({ userId }: { readonly userId: string }): ReactElement | undefined {
  const deletion = useDeletion(userId)
  if (deletion === undefined) return undefined
  const { id, purgedAt } = deletion
  return (
    <Notice tone="waiting" words={purgedAt === null ? 'deleting' : 'deleted'} deletionId={id}>
      {purgedAt === null ? (
        'A deletion of the user is running: its events, traits and audiences are being removed.'
      ) : (
        <>
          A deletion removed the events, traits and audiences of the user <Time at={purgedAt} />.
          What arrived since is kept, unless the user is suppressed.
        </>
      )}
    </Notice>
  )
}

interface NoticeProps {
  readonly tone: Tone
  readonly words: string
  readonly deletionId: string
  readonly children: ReactNode
}

/** What a deletion does to the user. */
function Notice({ tone, words, deletionId, children }: NoticeProps): ReactElement {
  return (
    <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 pb-3">
      <StateBadge tone={tone}>{words}</StateBadge>
      <p className="min-w-0">
        {children}{' '}
        <Link to="/privacy" search={{ deletion: deletionId }} className="text-accent underline">
          The deletion
        </Link>
      </p>
    </div>
  )
}

interface SuppressedProps {
  readonly suppression: NonNullable<Events['suppressions']>[number]
}

function Suppressed({ suppression }: SuppressedProps): ReactElement {
  const { since, sourceId, callsLeftOut, deletionId } = suppression
  return (
    <Notice tone="held" words="suppressed" deletionId={deletionId}>
      A deletion suppresses the user <Time at={since} />
      {sourceId === null ? ' in every source' : ` in the source ${sourceId}`}: later calls are not
      kept, {counted(callsLeftOut, 'call')} so far.
    </Notice>
  )
}

function EventTable({ events }: { readonly events: Events['data'] }): ReactElement {
  return (
    <Table label="Events, newest first" head={['Event', 'Outcome', 'Type', 'Received']}>
      {events.map(({ id, event, outcomes, receivedAt }) => (
        <Row key={id}>
          <Cell className="min-w-40">
            <Link
              to="/events/$id"
              params={{ id }}
              className="text-accent font-medium hover:underline"
            >
              {nameOf(event)}
            </Link>
          </Cell>
          <Cell>
            <OutcomeBadges outcomes={outcomes} />
          </Cell>
          <Cell className="whitespace-nowrap">{shownText(String(event['type']), 20)}</Cell>
          <Cell>
            <Time at={receivedAt} />
          </Cell>
        </Row>
      ))}
    </Table>
  )
}

function nameOf(event: Readonly<Record<string, unknown>>): string {
  const name = event['event'] ?? event['name']
  const isNamed = typeof name === 'string' && name !== ''
  return shownText(isNamed ? name : String(event['type']), 100)
}
