import { memo, type ReactElement } from 'react'
import { StateBadge } from '../../design/state-badge.tsx'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { Time } from '../../design/texts/time.tsx'
import { useNames } from '../../domain/names.ts'
import { VERDICTS, verdictReason } from '../../domain/signature-verdict.ts'
import { bytes, duration } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { useSetUrl, useUrlState } from '../../shell/url-state.ts'
import { type ListedRequest, requestTitle } from './requests.ts'

const HEAD = [
  'Event',
  'Signature',
  'Response',
  'Attempt',
  'Destination',
  'User',
  'Size',
  'Received',
]

interface RequestTableProps {
  readonly requests: readonly ListedRequest[]
}

export function RequestTable({ requests }: RequestTableProps): ReactElement {
  const [{ request: open }] = useUrlState<'request'>()
  const names = useNames()
  return (
    <Table label="Requests, newest first" head={HEAD}>
      {requests.map((request, index) => (
        <RequestRow
          key={request.id}
          request={request}
          index={index}
          destination={
            request.destinationId === null ? 'unknown' : names.destination(request.destinationId)
          }
          isOpen={request.id === open}
        />
      ))}
    </Table>
  )
}

interface RequestRowProps {
  readonly request: ListedRequest
  readonly index: number
  readonly destination: string
  readonly isOpen: boolean
}

const RequestRow = memo(function RequestRow(props: RequestRowProps): ReactElement {
  const { request, index, destination, isOpen } = props
  const { id, type, userId, anonymousId, attempt, size, receivedAt, signature } = request
  const { tone, words } = VERDICTS[signature.verdict]
  const setUrl = useSetUrl<'request'>()
  const open = (): void => setUrl({ request: id }, { push: true })
  const user = userId ?? anonymousId
  return (
    <Row data-row={index} isCurrent={isOpen} onOpen={open}>
      <Cell className="max-w-72 min-w-36 break-words">
        <button
          type="button"
          className="text-accent max-w-full text-left font-medium break-words hover:underline"
          onClick={open}
        >
          {shownText(requestTitle(request), 60)}
        </button>
        <span className="text-ink-faint text-note block">
          {type === null ? 'not an event' : shownText(type, 20)}
        </span>
      </Cell>
      <Cell className="max-w-64">
        <StateBadge tone={tone}>{words}</StateBadge>
        {signature.reason !== null && (
          <span className="text-ink-faint text-note line-clamp-2 break-words">
            {verdictReason(signature)}
          </span>
        )}
      </Cell>
      <Cell>
        <ShortResponse response={request.response} />
      </Cell>
      <Cell className="tabular-nums">{attempt ?? '–'}</Cell>
      <Cell className="max-w-56 min-w-24 break-words">{destination}</Cell>
      <Cell className="max-w-56 min-w-20 break-words">
        {user === null ? (
          <span className="text-ink-faint">none</span>
        ) : (
          <code>{shownText(user, 40)}</code>
        )}
      </Cell>
      <Cell className="whitespace-nowrap tabular-nums">{bytes(size)}</Cell>
      <Cell className="text-ink-soft">
        <Time at={receivedAt} />
      </Cell>
    </Row>
  )
})

function ShortResponse({ response }: Pick<ListedRequest, 'response'>): ReactElement {
  const { status, delayMs, sent } = response
  return (
    <span className="whitespace-nowrap">
      <code className={status < 300 ? undefined : 'text-failed'}>{status}</code>
      <span className="text-ink-faint text-note">
        {delayMs > 0 && ` after ${duration(delayMs)}`}
        {!sent && ', not sent'}
      </span>
    </span>
  )
}
