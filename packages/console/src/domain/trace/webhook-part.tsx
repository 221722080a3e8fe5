import type { ReactElement } from 'react'
import { IdText } from '../../design/texts/id-text.tsx'
import { StateBadge } from '../../design/state-badge.tsx'
import { CodeText } from '../../design/texts/code-text.tsx'
import { Time } from '../../design/texts/time.tsx'
import { shownText } from '../../format/shown-text.ts'
import { classInfo, waitExplanation } from './explanations.ts'
import { ExplanationText } from './explanation-text.tsx'
import { ResponseQuote } from './response-quote.tsx'
import { shownState } from './states.ts'
import type { TracedAttempt, TracedWebhook, WaitReason } from './trace-query.ts'

const NOTES: Readonly<Partial<Record<TracedWebhook['state'], string>>> = {
  not_retried:
    'The attempt failed, but another webhook accepted the event, and one is enough for this destination.',
  removed: 'The webhook was removed before the event was delivered.',
  expired: 'The retry window ended before the event was delivered.',
}

interface WebhookPartProps {
  readonly part: TracedWebhook
  /** The attempts of the delivery to all its webhooks. */
  readonly attempts: readonly TracedAttempt[]
  readonly destinationId: string
  /** Omits the state, because it equals the state of the delivery. */
  readonly isOnly?: boolean
}

/** A delivery at one webhook: its state, why it is waiting, and what to do. */
export function WebhookPart({
  part,
  attempts,
  destinationId,
  isOnly = false,
}: WebhookPartProps): ReactElement {
  const { url, state, waiting, lastAttempt } = part
  const { tone, words } = shownState(state, lastAttempt?.outcome === 'retry')
  const info = lastAttempt === null || state === 'delivered' ? undefined : classInfo(lastAttempt)
  return (
    <div className="flex flex-col gap-1">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {!isOnly && <StateBadge tone={tone}>{words}</StateBadge>}
        <IdText id={url} what="the URL" />
      </div>
      {NOTES[state] !== undefined && <p className="max-w-prose">{NOTES[state]}</p>}
      {waiting !== null && (
        <>
          <ExplanationText explanation={waitExplanation(waiting)} destinationId={destinationId} />
          <p className="text-ink-soft">
            Waiting since <Time at={waiting.since} form="full" />. <NextAttempt {...waiting} />
          </p>
        </>
      )}
      {lastAttempt !== null && info !== undefined && (
        <>
          <ResponseQuote attempts={attempts.filter((attempt) => attempt.url === url)} />
          <p className="max-w-prose">
            <code>{shownText(lastAttempt.class, 60)}</code>:{' '}
            {/* With a status, the meaning of the class adds nothing. */}
            {lastAttempt.status === undefined && info.meaning} <CodeText text={info.help} />
          </p>
        </>
      )}
    </div>
  )
}

function NextAttempt({ reason, nextAttemptAt: at }: WaitReason): ReactElement | undefined {
  if (reason === 'in_flight') return undefined
  if (at === null) return <>No attempt is scheduled until the cause is fixed.</>
  return (
    <>
      Next attempt: <Time at={at} form="due" /> (<Time at={at} form="full" />
      ).
    </>
  )
}
