import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { Button } from '../../design/controls/button.tsx'
import { FactList } from '../../design/lists/fact-list.tsx'
import { IdText } from '../../design/texts/id-text.tsx'
import { TabList } from '../../design/controls/tab-list.tsx'
import { CodeBlock } from '../../design/texts/code-block.tsx'
import { JsonBlock } from '../../design/texts/json-block.tsx'
import { Modal } from '../../design/dialogs/modal.tsx'
import { StateBadge } from '../../design/state-badge.tsx'
import { Empty, Loaded } from '../../design/states.tsx'
import { Time } from '../../design/texts/time.tsx'
import { useNames } from '../../domain/names.ts'
import { indentJson } from '../../domain/request-text.ts'
import { SCHEME_RESULTS, VERDICTS, verdictReason } from '../../domain/signature-verdict.ts'
import { bytes, duration } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { useUrlState } from '../../shell/url-state.ts'
import { type FilterName, requestTitle } from './requests.ts'

type WholeRequest = Awaited<ReturnType<typeof api.getInspectedRequest>>

const REFETCH_MS = 1_000

/** Longer bodies are not highlighted: each highlighted token is an element of the page. */
const MAX_HIGHLIGHTED = 100_000

interface RequestDrawerProps {
  readonly id: string
  readonly onClose: () => void
}

/** A received request, the check of its signature, and the response. */
export function RequestDrawer({ id, onClose }: RequestDrawerProps): ReactElement {
  const query = useQuery({
    queryKey: ['inspector', 'one', id],
    queryFn: ({ signal }) => api.getInspectedRequest(id, { signal }),
    // A delayed response is sent later, or never.
    refetchInterval: ({ state }) => (state.data?.response.sent === false ? REFETCH_MS : false),
  })
  const title = query.data === undefined ? 'Request' : shownText(requestTitle(query.data), 80)
  const isRemoved = query.data === undefined && problemOf(query.error).status === 404
  return (
    <Modal title={title} place="drawer" isOpen onClose={onClose}>
      {isRemoved ? (
        <Empty title="Request no longer stored">
          Requests are dropped as newer ones arrive, on a restart, when the list is cleared, or when
          the user is deleted.
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
        ['Response', <ResponseSummary key="response" response={request.response} />],
        [
          'Destination',
          destinationId === null ? (
            'Unknown: no destination matches, or several do.'
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
        ['Request', <IdText key="id" id={id} what="the request ID" />],
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
          Open trace
        </Link>
        <IdText id={id} what="the delivery ID" />
      </span>
      <Button onClick={() => setUrl({ delivery: id, request: undefined, body: undefined })}>
        Show all attempts
      </Button>
    </div>
  )
}

function ResponseSummary({ response }: Pick<WholeRequest, 'response'>): ReactElement {
  const { status, delayMs, sent } = response
  return (
    <>
      <code>{status}</code> {delayMs === 0 ? 'immediately' : `after ${duration(delayMs)}`}
      {!sent && ' (not sent yet, or the connection was closed first)'}
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

function RequestText({ request }: { readonly request: WholeRequest }): ReactElement {
  const { method, path, headers, body } = request
  const lines = headers.map(({ name, value }) => `${name}: ${value}`)
  return (
    <section className="flex min-w-0 flex-col gap-2">
      <h3 className="font-semibold">Request</h3>
      <CodeBlock
        text={[`${method} ${path} HTTP/1.1`, ...lines].join('\n')}
        what="the request headers"
      />
      <p className="text-ink-faint text-note">
        In the order received. The values of static headers, and for viewers also the signatures,
        are replaced with [hidden].
      </p>
      <h3 className="mt-2 font-semibold">Body</h3>
      {body === '' ? <p className="text-ink-soft">Empty.</p> : <Body body={body} />}
    </section>
  )
}

function Body({ body }: { readonly body: string }): ReactElement {
  const [{ body: form }, setUrl] = useUrlState<'body'>()
  const what = 'the request body'
  const pretty = indentJson(body)
  const isRaw = form === 'raw'
  if (pretty === body) return <CodeBlock text={body} what={what} />
  return (
    <TabList
      label="Format"
      tabs={[
        ['pretty', 'Pretty'],
        ['raw', 'Raw'],
      ]}
      value={isRaw ? 'raw' : 'pretty'}
      onChange={(next) => setUrl({ body: next === 'raw' ? 'raw' : undefined })}
    >
      {isRaw || body.length > MAX_HIGHLIGHTED ? (
        <CodeBlock text={isRaw ? body : pretty} what={what} />
      ) : (
        <JsonBlock value={JSON.parse(body)} what={what} />
      )}
    </TabList>
  )
}
