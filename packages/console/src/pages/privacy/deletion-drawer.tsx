import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { SERVICE_URL } from '../../api/addresses.ts'
import { api } from '../../api/client.ts'
import type { Deletion } from '@hookline/cli/management-client'
import { destinationsQuery } from '../../api/queries.ts'
import { FactList } from '../../design/lists/fact-list.tsx'
import { IdText } from '../../design/texts/id-text.tsx'
import { Modal } from '../../design/dialogs/modal.tsx'
import { StateBadge } from '../../design/state-badge.tsx'
import { Loaded } from '../../design/states.tsx'
import { Time } from '../../design/texts/time.tsx'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { useNames } from '../../domain/names.ts'
import { countText, wholeNumber } from '../../format/figures.ts'
import { refetchMsOf, shownState, shownStatus, subjectsOf } from './deletion-facts.ts'
import { DeletionNotices } from './deletion-notices.tsx'

const HEAD = ['Destination', 'Source', 'State', 'Notices', 'Requests', 'Last notified']

type DeletionWithIds = Deletion & {
  readonly userIds: readonly string[]
  readonly anonymousIds: readonly string[]
}

/** The progress, notices and receipt of a deletion. */
export function DeletionDrawer({
  id,
  onClose,
}: {
  readonly id: string
  readonly onClose: () => void
}): ReactElement {
  const query = useQuery({
    queryKey: ['deletions', 'one', id],
    queryFn: async ({ signal }) => (await api.getDeletion(id, {}, { signal })) as DeletionWithIds,
    refetchInterval: ({ state }) => refetchMsOf(state.data, Date.now()),
  })
  return (
    <Modal
      title={query.data === undefined ? 'Deletion' : `Deletion of ${subjectsOf(query.data)}`}
      place="drawer"
      isOpen
      onClose={onClose}
    >
      <Loaded query={query} lines={8}>
        {(deletion) => <DeletionDetail deletion={deletion} />}
      </Loaded>
    </Modal>
  )
}

function DeletionDetail({ deletion }: { readonly deletion: DeletionWithIds }): ReactElement {
  const { words, ...badge } = shownState(deletion)
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <div role="status">
          <StateBadge {...badge}>{words}</StateBadge>
        </div>
        {deletion.purgedAt !== null && (
          <a
            href={`${SERVICE_URL}api/v1/deletions/${deletion.id}?format=receipt`}
            download={`receipt-${deletion.id}.json`}
            className="border-line-strong hover:bg-hover rounded-small text-dense inline-flex min-h-8 items-center border px-3 py-1 font-medium"
          >
            Download signed receipt
          </a>
        )}
      </div>
      <DeletionFacts deletion={deletion} />
      <DeletedIds deletion={deletion} />
      {deletion.purgedAt !== null && (
        <>
          <section aria-labelledby="notified">
            <h3 id="notified" className="mb-1 font-semibold">
              Destinations
            </h3>
            <NotificationTable notifications={deletion.notifications} />
          </section>
          {deletion.notifications.length > 0 && <DeletionNotices deletion={deletion} />}
        </>
      )}
    </div>
  )
}

function DeletionFacts({ deletion }: { readonly deletion: DeletionWithIds }): ReactElement {
  const { suppress, suppressedAt, purged, purgedAt, createdAt } = deletion
  const names = useNames()
  return (
    <FactList
      facts={[
        ['ID', <IdText id={deletion.id} />],
        ['Requested', <Time at={createdAt} form="full" />],
        [
          'Sources',
          deletion.sourceIds === null
            ? 'all, including deleted ones'
            : deletion.sourceIds.map(names.source).join(', '),
        ],
        [
          'New events',
          !suppress ? (
            'stored'
          ) : suppressedAt === null ? (
            'will be suppressed'
          ) : (
            <>
              suppressed since <Time at={suppressedAt} form="full" />
            </>
          ),
        ],
        [
          'Deleted data',
          purgedAt === null ? (
            'none yet'
          ) : (
            <>
              {countText(purged.events, 'event')}
              {purged.anonymousEvents > 0 &&
                ` (${purged.anonymousEvents} without a userId)`} and{' '}
              {countText(purged.deliveries, 'delivery', 'deliveries')}, with profile data and
              audience memberships, <Time at={purgedAt} form="full" />
            </>
          ),
        ],
      ]}
    />
  )
}

const MAX_IDS = 50

function DeletedIds({ deletion }: { readonly deletion: DeletionWithIds }): ReactElement {
  const { userIds, anonymousIds } = deletion
  const all = [
    ...userIds.map((id) => ['userId', id] as const),
    ...anonymousIds.map((id) => ['anonymousId', id] as const),
  ]
  return (
    <details open={all.length <= 5}>
      <summary className="font-semibold">Deleted IDs ({all.length})</summary>
      <ul className="mt-1 flex flex-col">
        {all.slice(0, MAX_IDS).map(([kind, id]) => (
          <li key={`${kind}/${id}`} className="text-dense flex flex-wrap items-center gap-x-2">
            <span className="text-ink-faint">{kind}</span> <IdText id={id} what={`the ${kind}`} />
          </li>
        ))}
      </ul>
      {all.length > MAX_IDS && (
        <p className="text-ink-faint text-note">{all.length - MAX_IDS} more in the receipt.</p>
      )}
    </details>
  )
}

/** For each source and destination, whether it was notified. */
function NotificationTable({ notifications }: Pick<Deletion, 'notifications'>): ReactElement {
  const names = useNames()
  const { data: destinations = [] } = useQuery(destinationsQuery)
  if (notifications.length === 0)
    return (
      <p className="text-ink-soft max-w-prose">
        No destination was notified, because none was enabled. Receivers that got earlier events
        must delete their own copies.
      </p>
    )
  return (
    <Table label="Notified destinations" head={HEAD}>
      {notifications.map((each) => {
        const destination = destinations.find(({ id }) => id === each.destinationId)
        const { words, ...badge } = shownStatus(each, destination?.settings.webhooks.length)
        return (
          <Row key={`${each.sourceId}/${each.destinationId}`}>
            <Cell className="max-w-48 min-w-32">
              <Link
                to="/destinations/$id"
                params={{ id: each.destinationId }}
                className="text-accent hover:underline"
              >
                {names.destination(each.destinationId)}
              </Link>
            </Cell>
            <Cell className="text-ink-soft max-w-48">{names.source(each.sourceId)}</Cell>
            <Cell>
              <StateBadge {...badge}>{words}</StateBadge>
            </Cell>
            <Cell className="whitespace-nowrap">{noticesIn(each.notices)}</Cell>
            <Cell className="tabular-nums">{wholeNumber(each.attempts)}</Cell>
            <Cell className="text-ink-soft">
              {each.notifiedAt === null ? '–' : <Time at={each.notifiedAt} />}
            </Cell>
          </Row>
        )
      })}
    </Table>
  )
}

/** `3 delivered, 1 pending` */
function noticesIn({
  delivered,
  waiting,
  failed,
}: Deletion['notifications'][number]['notices']): string {
  const parts = [
    delivered > 0 && `${wholeNumber(delivered)} delivered`,
    waiting > 0 && `${wholeNumber(waiting)} pending`,
    failed > 0 && `${wholeNumber(failed)} failed`,
  ]
  return parts.filter(Boolean).join(', ')
}
