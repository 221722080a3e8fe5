import { timeOfId } from '@hookline/protocol'
import { memo, type ReactElement } from 'react'
import type { Delivery } from '@hookline/cli/management-client'
import { StateBadge } from '../../../design/state-badge.tsx'
import { Cell, Row, Table } from '../../../design/lists/table.tsx'
import { Time } from '../../../design/texts/time.tsx'
import { titleOf } from '../../../domain/events/event-summary.ts'
import { shownState } from '../../../domain/trace/states.ts'
import { UserHover } from '../../../domain/user-hover.tsx'
import { shownText } from '../../../format/shown-text.ts'
import { useSetUrl, useUrlState } from '../../../shell/url-state.ts'

const HEAD = ['Event', 'State', 'User', 'Last attempt', 'Attempts', 'Received', 'Next attempt']

interface DeliveryTableProps {
  readonly deliveries: readonly Delivery[]
  readonly space: string
}

export function DeliveryTable({ deliveries, space }: DeliveryTableProps): ReactElement {
  const [{ delivery: open }] = useUrlState<'delivery'>()
  return (
    <Table label="Deliveries" head={HEAD}>
      {deliveries.map((delivery, index) => (
        <DeliveryRow
          key={delivery.id}
          delivery={delivery}
          index={index}
          isOpen={delivery.id === open}
          space={space}
        />
      ))}
    </Table>
  )
}

interface DeliveryRowProps {
  readonly delivery: Delivery
  readonly index: number
  readonly isOpen: boolean
  /** The space of its users. */
  readonly space: string
}

const DeliveryRow = memo(function DeliveryRow({
  delivery,
  index,
  isOpen,
  space,
}: DeliveryRowProps): ReactElement {
  const setUrl = useSetUrl<'delivery'>()
  const { id, eventId, event, state, attempts, webhooks, nextAttemptAt } = delivery
  const open = (): void => setUrl({ delivery: id }, { push: true })
  const hasFailed = attempts.some(({ outcome }) => outcome === 'retry')
  const { tone, words } = shownState(state, hasFailed)
  const lasts = webhooks.flatMap(({ lastAttempt }) => lastAttempt ?? [])
  return (
    <Row data-row={index} isCurrent={isOpen} onOpen={open}>
      <Cell className="min-w-40">
        <button
          type="button"
          className="text-accent text-left font-medium hover:underline"
          title={id}
          onClick={open}
        >
          {shownText(event === undefined ? id : titleOf(event), 60)}
        </button>
      </Cell>
      <Cell>
        <StateBadge tone={tone}>{words}</StateBadge>
      </Cell>
      <Cell className="max-w-56 min-w-24 break-words">
        <UserHover userId={event?.userId ?? null} space={space}>
          {shownText(event?.userId ?? event?.anonymousId ?? '', 60)}
        </UserHover>
      </Cell>
      <Cell className="max-w-80 min-w-40">
        {lasts.length === 0 ? (
          <span className="text-ink-faint">
            {state === 'pending' || state === 'held' ? 'none yet' : 'none'}
          </span>
        ) : (
          lasts.map((last) => (
            <span key={last.url} className="block">
              <code>{last.status ?? shownText(last.class, 40)}</code>{' '}
              {last.error !== undefined && (
                <span className="text-ink-soft">{shownText(last.error, 80)}</span>
              )}
            </span>
          ))
        )}
      </Cell>
      <Cell className="tabular-nums">{attempts.length}</Cell>
      <Cell className="text-ink-soft">
        <Time at={new Date(timeOfId(eventId)).toISOString()} />
      </Cell>
      <Cell className="text-ink-soft">
        {nextAttemptAt === null ? '' : <Time at={nextAttemptAt} form="due" />}
      </Cell>
    </Row>
  )
})
