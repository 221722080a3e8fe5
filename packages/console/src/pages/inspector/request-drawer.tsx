import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { Button } from '../../design/controls/button.tsx'
import { FactList } from '../../design/lists/fact-list.tsx'
import { IdText } from '../../design/texts/id-text.tsx'
import { Modal } from '../../design/windows/modal.tsx'
import { StateBadge } from '../../design/state-badge.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { Time } from '../../design/texts/time.tsx'
import { useNames } from '../../domain/names.ts'
import { SCHEME_RESULTS, VERDICTS, verdictReason } from '../../domain/signature-verdict.ts'
import { bytes, duration } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { useUrlState } from '../../shell/url-state.ts'
import { RequestText } from './request-text.tsx'
import { type FilterName, requestTitle } from './requests.ts'

type WholeRequest = Awaited<ReturnType<typeof api.getInspectedRequest>>

const REFETCH_MS = 1_000

interface RequestDrawerProps {
  readonly id: string
  readonly onClose: () => void
}

/** One request as it came, the verdict on its signature, and what it got. */
export function RequestDrawer({ id, onClose }: RequestDrawerProps): ReactElement {
  const query = useQuery({
    queryKey: ['inspector', 'one', id],
    queryFn: ({ signal }) => api.getInspectedRequest(id, { signal }),
    // A response that is delayed is sent later, or never.
    refetchInterval: ({ state }) => (state.data?.response.sent === false ? REFETCH_MS : false),
  })
  const title = query.data === undefined ? 'Request' : shownText(requestTitle(query.data), 80)
  const isGone = query.data === undefined && problemOf(query.error).status === 404
  return (
    <Modal title={title} place="drawer" isOpen onClose={onClose}>
      {isGone ? (
        <Empty title="The request is no longer kept">
          Newer requests took its place, somebody cleared the list, its user was deleted, or the
          service was restarted. Its delivery is still on the trace of the event.
        </Empty>
      ) : (
        <Loaded query={query} lines={8}>
          {(request) => (
            <div className="flex flex-col gap-5">
              <Facts request={request} />
              <SignaturePart signature={request.signature} />
              <RequestText request={request} />
            </div>
          )}
        </Loaded>
      )}
    </Modal>
  )
}

function Facts({ request }: { readonly request: WholeRequest }): ReactElement {
  const { id, receivedAt, destinationId, deliveryId, attempt, size, messageId } = request
  const names = useNames()
  return (
    <FactList
      facts={[
        ['Received', <Time key="at" at={receivedAt} form="full" />],
        ['Response', <ResponseWords key="response" response={request.response} />],
        [
          'Destination',
          destinationId === null ? (
            'Not certain: several destinations may have sent it.'
          ) : (
            <Link
              key="destination"
              to="/destinations/$id"
              params={{ id: destinationId }}
              className="text-accent underline"
            >
              {names.destination(destinationId)}
            </Link>
          ),
        ],
        ['Delivery', deliveryId === null ? undefined : <DeliveryFact key="d" id={deliveryId} />],
        ['Attempt', attempt ?? undefined],
        ['messageId', messageId === null ? undefined : <IdText key="m" id={messageId} />],
        ['Body', bytes(size)],
        ['Request', <IdText key="id" id={id} what="the id of the request" />],
      ]}
    />
  )
}

function DeliveryFact({ id }: { readonly id: string }): ReactElement {
  const [, setUrl] = useUrlState<FilterName | 'request' | 'body'>()
  return (
    <div className="flex flex-col items-start gap-1">
      <span className="flex flex-wrap items-center gap-x-3">
        <Link
          to="/events"
          search={{ delivery: id }}
          preload={false}
          className="text-accent underline"
        >
          See its trace
        </Link>
        <IdText id={id} what="the id of the delivery" />
      </span>
      <Button onClick={() => setUrl({ delivery: id, request: undefined, body: undefined })}>
        Show only its attempts
      </Button>
    </div>
  )
}

function ResponseWords({ response }: Pick<WholeRequest, 'response'>): ReactElement {
  const { status, delayMs, sent } = response
  return (
    <>
      <code>{status}</code> {delayMs === 0 ? 'at once' : `after ${duration(delayMs)}`}
      {!sent &&
        '. It was not sent: it is still delayed, or Hookline closed the connection meanwhile'}
      .
    </>
  )
}

function SignaturePart({ signature }: Pick<WholeRequest, 'signature'>): ReactElement {
  const { tone, words } = VERDICTS[signature.verdict]
  return (
    <section className="flex flex-col gap-2">
      <h3 className="font-semibold">Signature</h3>
      <p className="flex flex-wrap items-center gap-2 break-words">
        <StateBadge tone={tone}>{words}</StateBadge>
        <span className="min-w-0">{verdictReason(signature)}</span>
      </p>
      <FactList
        facts={[
          ['X-Signature', SCHEME_RESULTS[signature.xSignature]],
          ['webhook-signature', SCHEME_RESULTS[signature.webhookSignature]],
        ]}
      />
    </section>
  )
}
