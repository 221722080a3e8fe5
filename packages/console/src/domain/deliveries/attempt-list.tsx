import type { ReactElement } from 'react'
import type { Delivery } from '@hookline/cli/management-client'
import { CodeBlock } from '../../design/texts/code-block.tsx'
import { StateBadge } from '../../design/state-badge.tsx'
import { CodeText } from '../../design/texts/code-text.tsx'
import { Time } from '../../design/texts/time.tsx'
import { countText, duration } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import { attemptNames } from '../trace/attempt-names.ts'
import { classInfo, whyNotStored } from '../trace/explanations.ts'
import { phasesOf } from '../trace/phases.ts'
import { shownOutcome } from '../trace/states.ts'

type Attempt = Delivery['attempts'][number]

const MAX_ATTEMPTS = 30

interface AttemptListProps {
  readonly attempts: readonly Attempt[]
}

/** Attempts, newest first. The first is expanded. */
export function AttemptList({ attempts }: AttemptListProps): ReactElement | undefined {
  if (attempts.length === 0) return undefined
  const names = attemptNames(attempts)
  const newest = attempts
    .toSorted((a, b) => Date.parse(b.startedAt) - Date.parse(a.startedAt))
    .slice(0, MAX_ATTEMPTS)
  return (
    <section className="flex flex-col gap-2">
      <h3 className="font-semibold">Attempts</h3>
      {newest.map((attempt, index) => (
        <AttemptItem
          key={attempt.id}
          attempt={attempt}
          name={names.get(attempt.id)!}
          isFirst={index === 0}
        />
      ))}
      {attempts.length > MAX_ATTEMPTS && (
        <p className="text-ink-faint">
          {countText(attempts.length - MAX_ATTEMPTS, 'earlier attempt is', 'earlier attempts are')}{' '}
          in the event’s trace.
        </p>
      )}
    </section>
  )
}

interface AttemptItemProps {
  readonly attempt: Attempt
  readonly name: string
  readonly isFirst: boolean
}

function AttemptItem({ attempt, name, isFirst }: AttemptItemProps): ReactElement {
  const { url, outcome, status, durationMs, startedAt } = attempt
  const { tone, words } = shownOutcome(outcome)
  return (
    <details open={isFirst} className="border-line rounded-small border">
      <summary className="text-dense flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5">
        <span className="tabular-nums">{name}</span>
        <StateBadge tone={tone}>{words}</StateBadge>
        <code>{status ?? shownText(attempt.class, 40)}</code>
        <span className="text-ink-soft tabular-nums">{duration(durationMs)}</span>
        <span className="text-ink-soft">
          <Time at={startedAt} />
        </span>
        <code className="text-ink-faint text-note w-full">{shownText(url, 120)}</code>
      </summary>
      <AttemptDetails attempt={attempt} explanation={isFirst ? 'none' : 'full'} />
    </details>
  )
}

type AttemptResult = Pick<
  Attempt,
  'class' | 'status' | 'error' | 'timing' | 'startedAt' | 'durationMs' | 'headers' | 'body'
>

interface AttemptDetailsProps {
  readonly attempt: AttemptResult
  /** `remedy` omits the meaning, which may mention retries: tests have none. `none`: the explanation is shown elsewhere. */
  readonly explanation: 'full' | 'remedy' | 'none'
}

/** The meaning of an attempt, its remedy, and the response. */
export function AttemptDetails({ attempt, explanation }: AttemptDetailsProps): ReactElement {
  const { error, startedAt } = attempt
  const info = explanation === 'none' ? undefined : classInfo(attempt)
  const phases = phasesOf(attempt).map(({ words, ms }) => `${words} ${duration(ms)}`)
  return (
    <div className="border-line flex flex-col gap-2 border-t px-3 py-2">
      {error !== undefined && <p className="text-failed">{shownText(error, 1_000)}</p>}
      <p className="text-ink-faint text-note">
        <Time at={startedAt} form="full" />
        {phases.length > 0 && `: ${phases.join(' · ')}`}
      </p>
      <Response {...attempt} />
      {info !== undefined && (
        <p className="empty:hidden">
          {explanation === 'full' && `${info.meaning} `}
          {attempt.class !== 'delivered' && (
            <strong className="font-medium">
              <CodeText text={info.help} />
            </strong>
          )}
        </p>
      )}
    </div>
  )
}

function Response(attempt: AttemptResult): ReactElement | undefined {
  const { status, headers, body } = attempt
  if (status === undefined) return undefined
  if (headers === undefined && body === undefined)
    return <p className="text-ink-faint text-note">{whyNotStored(attempt)}</p>
  const head = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`)
  return (
    <CodeBlock
      text={[`HTTP/1.1 ${status}`, ...head, '', body].join('\n').trimEnd()}
      what="the response"
    />
  )
}
