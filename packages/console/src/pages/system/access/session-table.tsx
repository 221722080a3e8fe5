import type { ReactElement } from 'react'
import type { Session } from '@hookline/cli/management-client'
import { Button } from '../../../design/controls/button.tsx'
import { IdText } from '../../../design/texts/id-text.tsx'
import { StateBadge } from '../../../design/state-badge.tsx'
import { Cell, Row, Table } from '../../../design/lists/table.tsx'
import { shownText } from '../../../format/shown-text.ts'
import { useRowKeys } from '../../../shell/keys/row-keys.ts'
import { Expiry, Moment } from './moments.tsx'

interface SessionTableProps {
  readonly sessions: readonly Session[]
  readonly ownId: string
  readonly onEnd: (session: Session) => void
}

export function SessionTable({ sessions, ownId, onEnd }: SessionTableProps): ReactElement {
  useRowKeys(sessions.length)
  const actions = (
    <span key="actions" className="sr-only">
      Actions
    </span>
  )
  return (
    <Table label="Open sessions" head={['Who', 'Role', 'Last used', 'Expires', 'Opened', actions]}>
      {sessions.map((each, index) => (
        <Row key={each.id}>
          <Cell className="max-w-72 min-w-40 break-words">
            {shownText(each.name, 120)}{' '}
            {each.id === ownId && (
              <StateBadge tone="waiting" icon="check">
                This browser
              </StateBadge>
            )}
            <span className="text-ink-faint block">
              <IdText id={each.id} what="the id of the session" />
            </span>
            <span className="text-ink-faint text-note block">ends with {each.openedBy}</span>
          </Cell>
          <Cell>{each.role}</Cell>
          <Cell className="text-ink-soft">
            <Moment at={each.lastUsedAt} />
          </Cell>
          <Cell className="text-ink-soft">
            <Expiry at={each.expiresAt} />
          </Cell>
          <Cell className="text-ink-soft">
            <Moment at={each.createdAt} />
          </Cell>
          <Cell>
            <Button
              look="quiet"
              className="-my-1"
              data-row={index}
              aria-label={`End the session of ${shownText(each.name, 80)}`}
              onClick={() => onEnd(each)}
            >
              End
            </Button>
          </Cell>
        </Row>
      ))}
    </Table>
  )
}
