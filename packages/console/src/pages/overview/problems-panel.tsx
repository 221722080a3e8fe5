import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, type ReactElement, Suspense } from 'react'
import { Icon } from '../../design/icon.tsx'
import { Panel } from '../../design/panel.tsx'
import { StateBadge } from '../../design/state-badge.tsx'
import { Failed, Skeleton } from '../../design/states.tsx'
import { CodeText } from '../../design/texts/code-text.tsx'
import { Time } from '../../design/texts/time.tsx'
import { type Problem, problemsQuery } from '../../domain/problems.ts'
import { shownText } from '../../format/shown-text.ts'

const SampleResponse = lazy(() =>
  import('../../domain/failures/sample-response.tsx').then((module) => ({
    default: module.SampleResponse,
  })),
)

const MAX_PROBLEMS = 8

/** Current problems with their remedies, worst first. Reports that there are none only if the last query succeeded. */
export function ProblemsPanel(): ReactElement {
  const problems = useQuery(problemsQuery)
  return (
    <Panel title="Needs attention" isFlush>
      {problems.error !== null ? (
        <Failed error={problems.error} onRetry={() => void problems.refetch()} />
      ) : problems.data === undefined ? (
        <Skeleton lines={2} />
      ) : (
        <Problems problems={problems.data.data} />
      )}
    </Panel>
  )
}

function Problems({ problems }: { readonly problems: readonly Problem[] }): ReactElement {
  const more = problems.length - MAX_PROBLEMS
  if (problems.length === 0)
    return (
      <p className="text-delivered flex items-center gap-2 px-4 pb-4">
        <Icon name="check" />
        No problems.
      </p>
    )
  return (
    <ul className="pb-1">
      {problems.slice(0, MAX_PROBLEMS).map((problem) => (
        <ProblemItem key={problem.key} problem={problem} />
      ))}
      {more > 0 && (
        <li className="border-line text-ink-soft border-t px-4 py-2.5">
          {more} more: run “hookline problems”.
        </li>
      )}
    </ul>
  )
}

const LOOKS = {
  data_loss: { icon: 'cross', colour: 'text-failed' },
  failing: { icon: 'cross', colour: 'text-failed' },
  attention: { icon: 'warning', colour: 'text-retrying' },
} as const satisfies Record<Problem['severity'], object>

function ProblemItem({ problem }: { readonly problem: Problem }): ReactElement {
  const { condition, severity, title, remedy, since, sampleDeliveryId, causes, to } = problem
  const { icon, colour } = LOOKS[severity]
  return (
    <li className="border-line flex items-start gap-3 border-t px-4 py-2.5">
      <Icon name={icon} className={`${colour} mt-1`} />
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <p className="font-medium">
          {severity === 'data_loss' && (
            <>
              <StateBadge tone="failed">
                {LOST_LABELS.get(condition) ?? 'Lost data'}
              </StateBadge>{' '}
            </>
          )}
          {shownText(title)}
        </p>
        {sampleDeliveryId !== null && (
          <Suspense fallback={null}>
            <SampleResponse deliveryId={sampleDeliveryId} />
          </Suspense>
        )}
        <p className="text-ink-soft">
          <CodeText text={shownText(remedy)} />
        </p>
        {causes.slice(1).map((cause, index) => (
          <p key={`${cause.title} ${index}`} className="text-ink-soft text-dense">
            Also: {shownText(cause.title)} {cause.remedy !== null && shownText(cause.remedy)}
          </p>
        ))}
        {since !== null && (
          <p className="text-ink-soft text-dense">
            Started <Time at={since} />
          </p>
        )}
      </div>
      <Link to={to} className="text-accent whitespace-nowrap underline">
        View
      </Link>
    </li>
  )
}

/** Undelivered events are stored: a replay delivers them. */
const LOST_LABELS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    deliveries_rejected: 'Not delivered',
    deliveries_expired: 'Not delivered',
    quarantine: 'Not delivered',
  } satisfies Partial<Record<Problem['condition'], string>>),
)
