import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { api } from '../../../api/client.ts'
import { useMay } from '../../../api/session.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Panel } from '../../../design/panel.tsx'
import { Empty, Loaded } from '../../../design/states.tsx'
import { Cell, Row, Table } from '../../../design/lists/table.tsx'
import { Time } from '../../../design/texts/time.tsx'
import type { HealthyDestination } from '../../../domain/destinations/destination-query.ts'
import { shownText } from '../../../format/shown-text.ts'
import { fieldChanges, valueText } from './audit-changes.ts'

const PAGE = 50
const MOST_CHARACTERS = 120

type Entry = Awaited<ReturnType<typeof api.listAudit>>['data'][number]

interface AuditTabProps {
  readonly destination: HealthyDestination
}

/** Who changed the destination, when, and what. */
export function AuditTab({ destination }: AuditTabProps): ReactElement {
  const mayRead = useMay('admin')
  if (mayRead) return <AuditList destination={destination} />
  return (
    <Panel isFlush>
      <Empty title="Only admins see the audit log">
        It tells who changed this destination, when, and what. Ask an admin.
      </Empty>
    </Panel>
  )
}

function AuditList({ destination }: AuditTabProps): ReactElement {
  const { id } = destination
  const query = useInfiniteQuery({
    queryKey: ['destinations', id, 'audit'],
    queryFn: ({ pageParam, signal }) =>
      api.listAudit(
        { targetId: id, limit: PAGE, ...(pageParam !== null && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
  return (
    <Panel isFlush>
      <Loaded query={{ ...query, data: query.data?.pages }} lines={6}>
        {(pages) => (
          <>
            <AuditTable entries={pages.flatMap(({ data }) => data)} />
            {query.hasNextPage && (
              <div className="px-4 py-2">
                <Button
                  isBusy={query.isFetchingNextPage}
                  onClick={() => void query.fetchNextPage()}
                >
                  Load older
                </Button>
              </div>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  )
}

function AuditTable({ entries }: { readonly entries: readonly Entry[] }): ReactElement {
  if (entries.length === 0)
    return (
      <Empty title="No entry">
        The audit log keeps its entries for as long as the setting auditRetention says.
      </Empty>
    )
  return (
    <Table label="Audit log" head={['When', 'Who', 'Action', 'What has changed']}>
      {entries.map((entry) => (
        <Row key={entry.id}>
          <Cell>
            <Time at={entry.at} />
          </Cell>
          <Cell className="max-w-48 min-w-24" title={shownText(entry.actor.id)}>
            {shownText(entry.actor.name, 60)}{' '}
            <span className="text-ink-faint">{shownText(entry.actor.role, 20)}</span>
          </Cell>
          <Cell>
            <code>{shownText(entry.action, 60)}</code>
          </Cell>
          <Cell className="max-w-xl min-w-56">
            <Changes entry={entry} />
          </Cell>
        </Row>
      ))}
    </Table>
  )
}

function Changes({ entry }: { readonly entry: Entry }): ReactElement {
  const { before, after, unreadable } = entry
  if (unreadable) return <span className="text-failed">The stored entry is damaged.</span>
  if (before === null) return <>created</>
  if (after === null) return <>deleted</>
  const changes = fieldChanges(before, after)
  if (changes.length === 0) return <span className="text-ink-faint">nothing of the record</span>
  return (
    <ul>
      {changes.map((change) => (
        <li key={change.path}>
          <code>{shownText(change.path, MOST_CHARACTERS)}</code>:{' '}
          {shownText(valueText(change.before), MOST_CHARACTERS)} →{' '}
          {shownText(valueText(change.after), MOST_CHARACTERS)}
        </li>
      ))}
    </ul>
  )
}
