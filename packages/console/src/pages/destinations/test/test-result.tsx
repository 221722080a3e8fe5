import type { ReactElement } from 'react'
import type { api } from '../../../api/client.ts'
import { CodeBlock } from '../../../design/texts/code-block.tsx'
import { Panel } from '../../../design/panel.tsx'
import { StateBadge } from '../../../design/state-badge.tsx'
import { AttemptDetails } from '../../../domain/deliveries/attempt-list.tsx'
import { Warnings } from '../../../domain/destinations/warnings.tsx'
import { requestText } from '../../../domain/request-text.ts'
import { duration } from '../../../format/figures.ts'
import { shownText } from '../../../format/shown-text.ts'

type Result = Awaited<ReturnType<typeof api.testDestination>>
type TestedWebhook = Result['webhooks'][number]

/** What each webhook was sent or would be sent, and what it responded. */
export function TestResult({ result }: { readonly result: Result }): ReactElement {
  return (
    <div className="flex flex-col gap-4" role="status">
      <Warnings warnings={result.warnings} />
      {result.webhooks.map((webhook) => (
        <Panel
          key={webhook.url}
          title={shownText(webhook.url, 120)}
          actions={<Verdict attempt={webhook.attempt} />}
        >
          <Tested webhook={webhook} />
        </Panel>
      ))}
    </div>
  )
}

function Verdict({ attempt }: Pick<TestedWebhook, 'attempt'>): ReactElement {
  if (attempt === null) return <StateBadge tone="declined">not sent</StateBadge>
  const { outcome, status, durationMs } = attempt
  const result = `${status ?? shownText(attempt.class, 40)} in ${duration(durationMs)}`
  return outcome === 'delivered' ? (
    <StateBadge tone="delivered">{`accepted: ${result}`}</StateBadge>
  ) : (
    <StateBadge tone="failed">{`not accepted: ${result}`}</StateBadge>
  )
}

function Tested({ webhook }: { readonly webhook: TestedWebhook }): ReactElement {
  const { url, request, attempt, signature } = webhook
  const headers = Object.entries(request.headers).map(([name, value]) => ({ name, value }))
  const path = URL.canParse(url) ? new URL(url).pathname + new URL(url).search : '/'
  return (
    <div className="flex flex-col gap-4">
      {attempt !== null && (
        <div className="border-line rounded-small border [&>div]:border-t-0">
          <AttemptDetails attempt={attempt} />
        </div>
      )}
      <div className="flex flex-col gap-1">
        <h3 className="text-dense font-medium">
          {attempt === null ? 'This would be sent' : 'This was sent'}
        </h3>
        <CodeBlock
          text={requestText({ method: request.method, path, headers, body: request.body })}
          what="the request"
        />
        <p className="text-ink-faint text-note">
          {signature.webhookSignature === null
            ? 'It has no signature: the destination has no shared secret.'
            : 'The signature is of the body as it is sent, without the line breaks that are added here.'}
        </p>
      </div>
    </div>
  )
}
