import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
import { allOf } from '../../api/queries.ts'
import { Icon } from '../../design/icon.tsx'
import { Panel } from '../../design/panel.tsx'
import { Failed, Skeleton } from '../../design/states.tsx'
import { checkedDestinationsQuery } from '../../domain/destinations/checked-destinations.ts'
import type { CurrentProblem } from '../../domain/problems/current-problem.ts'
import { currentProblems } from '../../domain/problems/current-problems.ts'
import type { UnlinkedOfSource } from '../../domain/problems/identity-problems.ts'
import { systemQuery } from '../../domain/system.ts'
import { counted } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'

const MOST_SHOWN = 8
const REFETCH_MS = 10_000
const DAY_MS = 86_400_000
const UNLINKED_REFETCH_MS = 60_000
/** Of more sources, the service would have to show too many points. Their counts are shown as one. */
const MAX_SOURCES = 4_000

/** What was not linked in the last 24 hours. */
const unlinkedQuery = queryOptions({
  queryKey: ['statistics', 'unlinked'],
  queryFn: async (): Promise<readonly UnlinkedOfSource[]> => {
    const sources = await allOf((page) => api.listSources(page))
    const names = new Map(sources.map(({ id, name }) => [id, name]))
    const $from = new Date(Date.now() - DAY_MS).toISOString()
    const by = sources.length > MAX_SOURCES ? {} : ({ by: 'source' } as const)
    const { points, series } = await api.getStatistics({ ...by, $from, step: '1d' })
    return (series ?? [{ id: '', points }]).map(({ id, points: days }) => ({
      sourceId: id,
      name: id === '' ? 'All sources' : names.get(id),
      unlinked: sumOf(days.map(({ unlinked }) => unlinked)),
    }))
  },
  refetchInterval: UNLINKED_REFETCH_MS,
})

function sumOf(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const counts of all)
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count
  return sums
}

/** What is wrong now, in words, with the remedy. It says that nothing is only when it knows everything, as it is now. */
export function ProblemsPanel(): ReactElement {
  const system = useQuery(systemQuery)
  const destinations = useQuery(checkedDestinationsQuery)
  const failures = useQuery({
    queryKey: ['deliveries', 'failures'],
    queryFn: () => api.listFailures(),
    refetchInterval: REFETCH_MS,
  })
  const unlinked = useQuery(unlinkedQuery)
  const failed = [system, destinations, failures, unlinked].find(({ error }) => error !== null)
  return (
    <Panel title="What is wrong now" isFlush>
      {failed !== undefined ? (
        <Failed error={failed.error} onRetry={() => void failed.refetch()} />
      ) : system.data && destinations.data && failures.data && unlinked.data ? (
        <Problems
          problems={currentProblems({
            ...destinations.data,
            failures: failures.data.data,
            system: system.data,
            unlinked: unlinked.data,
          })}
          unchecked={destinations.data.others.length}
        />
      ) : (
        <Skeleton lines={2} />
      )}
    </Panel>
  )
}

interface ProblemsProps {
  readonly problems: readonly CurrentProblem[]
  /** How many destinations were not asked how they do. */
  readonly unchecked: number
}

function Problems({ problems, unchecked }: ProblemsProps): ReactElement {
  return (
    <>
      {problems.length > 0 ? (
        <ProblemList problems={problems} />
      ) : (
        <p className="text-delivered flex items-center gap-2 px-4 pb-4">
          <Icon name="check" />
          Nothing is wrong.
        </p>
      )}
      {unchecked > 0 && (
        <p className="text-ink-soft px-4 pb-4">
          {counted(unchecked, 'more destination')} not checked here: <code>hookline doctor</code>{' '}
          checks all.
        </p>
      )}
    </>
  )
}

function ProblemList({ problems }: Pick<ProblemsProps, 'problems'>): ReactElement {
  return (
    <ul className="pb-1">
      {problems.slice(0, MOST_SHOWN).map(({ key, severity, title, remedy, to }) => (
        <li key={key} className="border-line flex items-start gap-3 border-t px-4 py-2.5">
          <Icon
            name={severity === 'failing' ? 'cross' : 'warning'}
            className={severity === 'failing' ? 'text-failed mt-1' : 'text-retrying mt-1'}
          />
          <div className="min-w-0 flex-1">
            <p className="font-medium">{shownText(title)}</p>
            <p className="text-ink-soft">{shownText(remedy)}</p>
          </div>
          <Link to={to} className="text-accent whitespace-nowrap underline">
            Look
          </Link>
        </li>
      ))}
      {problems.length > MOST_SHOWN && (
        <li className="border-line text-ink-soft border-t px-4 py-2.5">
          And {problems.length - MOST_SHOWN} more, on{' '}
          <Link to="/destinations" className="text-accent underline">
            Destinations
          </Link>{' '}
          and{' '}
          <Link to="/failures" className="text-accent underline">
            Failures
          </Link>
          .
        </li>
      )}
    </ul>
  )
}
