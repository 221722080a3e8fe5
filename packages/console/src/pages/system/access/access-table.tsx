import type { ReactElement, ReactNode } from 'react'
import type { Session, Token } from '@hookline/cli/management-client'
import { Button } from '../../../design/controls/button.tsx'
import { IdText } from '../../../design/texts/id-text.tsx'
import { StateBadge } from '../../../design/state-badge.tsx'
import { Cell, Row, Table } from '../../../design/lists/table.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { shownText } from '../../../format/shown-text.ts'
import { useNow } from '../../../format/use-now.ts'
import { useRowKeys } from '../../../shell/keys/row-keys.ts'

interface AccessTableProps<Item> {
  readonly items: readonly Item[]
  readonly noun: 'token' | 'session'
  readonly verb: 'Delete' | 'End'
  readonly onEnd: (item: Item) => void
  /** Shown with the name. */
  readonly note?: (item: Item) => ReactNode
}

export function AccessTable<Item extends Token | Session>({
  items,
  noun,
  verb,
  onEnd,
  note,
}: AccessTableProps<Item>): ReactElement {
  const now = useNow()
  useRowKeys(items.length)
  const actions = (
    <span key="actions" className="sr-only">
      Actions
    </span>
  )
  return (
    <Table
      label={`All ${noun}s`}
      head={['Name', 'Role', 'Last used', 'Expires', 'Created', actions]}
    >
      {items.map((each, index) => (
        <Row key={each.id}>
          <Cell className="max-w-72 min-w-40 break-words">
            {shownText(each.name, 120)} {note?.(each)}
            <span className="text-ink-faint block">
              <IdText id={each.id} what={`the ${noun} ID`} />
            </span>
          </Cell>
          <Cell>{each.role}</Cell>
          <Cell className="text-ink-soft">
            {each.lastUsedAt === null ? 'never' : <Time at={each.lastUsedAt} />}
          </Cell>
          <Cell className="text-ink-soft">
            {each.expiresAt === null ? (
              'never'
            ) : Date.parse(each.expiresAt) <= now ? (
              <StateBadge tone="declined">Expired</StateBadge>
            ) : (
              <Time at={each.expiresAt} />
            )}
          </Cell>
          <Cell className="text-ink-soft">
            <Time at={each.createdAt} />
          </Cell>
          <Cell>
            <Button
              variant="quiet"
              className="-my-1"
              data-row={index}
              aria-label={`${verb} ${noun} ${shownText(each.name, 80)}`}
              onClick={() => onEnd(each)}
            >
              {verb}
            </Button>
          </Cell>
        </Row>
      ))}
    </Table>
  )
}
