import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { useMay } from '../../api/session.ts'
import { CodeBlock } from '../../design/texts/code-block.tsx'
import { Panel } from '../../design/panel.tsx'
import { Skeleton } from '../../design/states.tsx'

interface RequestPartProps {
  readonly deliveryId: string
  readonly url: string
}

/** The request to a webhook, and a command that sends it by hand. Its signature is valid, so only editors see it. */
export function RequestPart({ deliveryId, url }: RequestPartProps): ReactElement {
  const mayRead = useMay('editor')
  const { data, error } = useQuery({
    queryKey: ['deliveries', deliveryId, 'requests'],
    queryFn: ({ signal }) => api.getDeliveryRequests(deliveryId, { signal }),
    enabled: mayRead,
  })
  const found = data?.webhooks.find((each) => each.url === url)
  return (
    <Panel title="Request">
      {!mayRead ? (
        <p>The request has a valid signature, so it is shown to editors and admins.</p>
      ) : error !== null ? (
        <p>{problemOf(error).message}</p>
      ) : data === undefined ? (
        <Skeleton />
      ) : found === undefined ? (
        <p>The destination has this webhook no longer, so Hookline would send nothing to it.</p>
      ) : (
        <div className="flex flex-col gap-3">
          <p className="text-ink-soft max-w-prose">
            The body is the one of every attempt. Signature, time and attempt number are those of a
            request that is sent now.
          </p>
          <Part
            title="Headers"
            what="the request headers"
            text={Object.entries(found.request.headers)
              .map(([name, value]) => `${name}: ${value}`)
              .join('\n')}
          />
          <Part title="Body" what="the request body" text={found.request.body} />
          <Part title="As a command" what="the curl command" text={found.curl} />
        </div>
      )}
    </Panel>
  )
}

interface PartProps {
  readonly title: string
  readonly what: string
  readonly text: string
}

export function Part({ title, what, text }: PartProps): ReactElement {
  return (
    <div>
      <h3 className="text-dense mb-1 font-medium">{title}</h3>
      <CodeBlock text={text} what={what} />
    </div>
  )
}
