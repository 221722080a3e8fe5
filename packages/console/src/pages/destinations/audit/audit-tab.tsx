import type { ReactElement } from 'react'
import { api } from '../../../api/client.ts'
import { useHasRole } from '../../../api/session.ts'
import { usePages } from '../../../api/use-pages.ts'
import { ListFooter } from '../../../design/lists/list-footer.tsx'
import { Panel } from '../../../design/panel.tsx'
import { Empty, Loaded } from '../../../design/states.tsx'
import { Cell, Row, Table } from '../../../design/lists/table.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { describeAction } from '../../../domain/audit-action.ts'
import type { DestinationProps } from '../../../domain/destinations/destination-query.ts'
import { shownText } from '../../../format/shown-text.ts'
import { fieldChanges, valueText } from './audit-changes.ts'

const PAGE = 50
const MAX_CHARACTERS = 120

type Entry = Awaited<ReturnType<typeof api.listAudit>>['data'][number]

export function AuditTab({ destination: { id } }: DestinationProps): ReactElement {
  const canRead = useHasRole('admin')
  if (canRead) return <AuditList id={id} />
  return (
    <Panel isFlush>
      <Empty title="Only admins can see the audit log">
        To find out who changed the destination, ask an admin.
      </Empty>
    </Panel>
  )
}

function AuditList({ id }: { readonly id: string }): ReactElement {
  const query = usePages<Entry>({
    queryKey: ['destinations', id, 'audit'],
    fetch: (page, signal) => api.listAudit({ ...page, targetId: id, limit: PAGE }, { signal }),
  })
  return (
    <Panel isFlush>
      <Loaded query={query} lines={6}>
        {(entries) =>
          entries.length === 0 ? (
            <Empty title="No entries">
              The auditRetention setting determines how long entries are kept.
            </Empty>
          ) : (
            <>
              <AuditTable entries={entries} />
              <ListFooter query={query} count={entries.length} one="entry" many="entries" />
            </>
          )
        }
      </Loaded>
    </Panel>
  )
}

function AuditTable({ entries }: { readonly entries: readonly Entry[] }): ReactElement {
  return (
    <Table label="Audit log" head={['When', 'Who', 'Action', 'Changes']}>
      {entries.map((entry) => (
        <Row key={entry.id}>
          <Cell>
            <Time at={entry.at} />
          </Cell>
          <Cell className="max-w-48 min-w-24" title={shownText(entry.actor.id)}>
            {shownText(entry.actor.name, 60)}{' '}
            <span className="text-ink-faint">{shownText(entry.actor.role, 20)}</span>
          </Cell>
          <Cell>{shownText(describeAction(entry.action), 60)}</Cell>
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
  if (unreadable) return <span className="text-failed">The stored entry is corrupted.</span>
  if (before === null) return <>created</>
  if (after === null) return <>deleted</>
  const changes = fieldChanges(before, after)
  if (changes.length === 0) return <span className="text-ink-faint">no fields changed</span>
  return (
    <ul>
      {changes.map((change) => (
        <li key={change.path}>
          <code>{shownText(change.path, MAX_CHARACTERS)}</code>:{' '}
          {shownText(valueText(change.before), MAX_CHARACTERS)} →{' '}
          {shownText(valueText(change.after), MAX_CHARACTERS)}
        </li>
      ))}
    </ul>
  )
}
