import { memo, type ReactElement } from 'react'
import { StateBadge } from '../../design/state-badge.tsx'
import { Cell, Row, Table } from '../../design/lists/table.tsx'
import { Time } from '../../design/texts/time.tsx'
import { useNames } from '../../domain/names.ts'
import { VERDICTS, verdictReason } from '../../domain/signature-verdict.ts'
import { bytes, duration } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { useUrlState } from '../../shell/url-state.ts'
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
const MOST_CHARACTERS = 60

/** Requests, a row each. A row opens its drawer. */
export function RequestTable({
  requests,
}: {
  readonly requests: readonly ListedRequest[]
}): ReactElement {
  const [{ request: open }, setUrl] = useUrlState<'request'>()
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
          onOpen={(id) => setUrl({ request: id }, { push: true })}
        />
      ))}
    </Table>
  )
}

interface RequestRowProps {
  readonly request: ListedRequest
  readonly index: number
  /** Its name. */
  readonly destination: string
  readonly isOpen: boolean
  readonly onOpen: (id: string) => void
}

const RequestRow = memo(
  function RequestRow(props: RequestRowProps): ReactElement {
    const { request, index, destination, isOpen, onOpen } = props
    const { id, type, userId, anonymousId, attempt, size, receivedAt } = request
    const user = userId ?? anonymousId
    return (
      <Row
        data-row={index}
        isCurrent={isOpen}
        className="focus-within:bg-accent-soft cursor-pointer"
        onClick={({ target }) => {
          if (!(target instanceof Element && target.closest('button'))) onOpen(id)
        }}
      >
        <Cell className="max-w-72 min-w-36 break-words">
          <button
            type="button"
            className="text-accent max-w-full text-left font-medium break-words hover:underline"
            onClick={() => onOpen(id)}
          >
            {shownText(requestTitle(request), MOST_CHARACTERS)}
          </button>
          <span className="text-ink-faint text-note block">
            {type === null ? 'not an event' : shownText(type, 20)}
          </span>
        </Cell>
        <Cell className="max-w-64">
          <SignatureBadge request={request} />
        </Cell>
        <Cell>
          <ShortResponse request={request} />
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
  },
  (before, after) =>
    before.request === after.request &&
    before.index === after.index &&
    before.destination === after.destination &&
    before.isOpen === after.isOpen,
)

function SignatureBadge({ request }: { readonly request: ListedRequest }): ReactElement {
  const { signature } = request
  const { tone, words } = VERDICTS[signature.verdict]
  return (
    <>
      <StateBadge tone={tone}>{words}</StateBadge>
      {signature.reason !== null && (
        <span className="text-ink-faint text-note line-clamp-2 break-words">
          {verdictReason(signature)}
        </span>
      )}
    </>
  )
}

function ShortResponse({ request }: { readonly request: ListedRequest }): ReactElement {
  const { status, delayMs, sent } = request.response
  const isTaken = status < 300
  return (
    <span className="whitespace-nowrap">
      <code className={isTaken ? undefined : 'text-failed'}>{status}</code>
      <span className="text-ink-faint text-note">
        {delayMs > 0 && ` after ${duration(delayMs)}`}
        {!sent && ', not sent'}
      </span>
    </span>
  )
}
