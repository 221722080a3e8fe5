import type { ReactElement } from 'react'
import type { Token } from '@hookline/cli/management-client'
import { Button } from '../../../design/controls/button.tsx'
import { IdText } from '../../../design/texts/id-text.tsx'
import { Cell, Row, Table } from '../../../design/lists/table.tsx'
import { shownText } from '../../../format/shown-text.ts'
import { useRowKeys } from '../../../shell/keys/row-keys.ts'
import { Expiry, Moment } from './moments.tsx'

interface TokenTableProps {
  readonly tokens: readonly Token[]
  readonly onRemove: (token: Token) => void
}

export function TokenTable({ tokens, onRemove }: TokenTableProps): ReactElement {
  useRowKeys(tokens.length)
  const actions = (
    <span key="actions" className="sr-only">
      Actions
    </span>
  )
  return (
    <Table label="All tokens" head={['Name', 'Role', 'Last used', 'Expires', 'Created', actions]}>
      {tokens.map((each, index) => (
        <Row key={each.id}>
          <Cell className="max-w-72 min-w-40 break-words">
            {shownText(each.name, 120)}
            <span className="text-ink-faint block">
              <IdText id={each.id} what="the id of the token" />
            </span>
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
              aria-label={`Remove the token ${shownText(each.name, 80)}`}
              onClick={() => onRemove(each)}
            >
              Remove
            </Button>
          </Cell>
        </Row>
      ))}
    </Table>
  )
}
