import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
import { sourcesQuery } from '../../api/queries.ts'
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

const MAX_PROBLEMS = 8
const REFETCH_MS = 10_000
const DAY_MS = 86_400_000
const UNLINKED_REFETCH_MS = 60_000
/** More series would exceed the API's limit of points: the counts are then shown as one. */
const MAX_SOURCES = 4_000

/** The unlinked ids of the last 24 hours, by source. */
const unlinkedQuery = queryOptions({
  queryKey: ['statistics', 'unlinked'],
  queryFn: async ({ client }): Promise<readonly UnlinkedOfSource[]> => {
    const sources = await client.fetchQuery(sourcesQuery)
    const names = new Map(sources.map(({ id, name }) => [id, name]))
    const $from = new Date(Date.now() - DAY_MS).toISOString()
    const by = sources.length > MAX_SOURCES ? {} : ({ by: 'source' } as const)
    const { points, series } = await api.getStatistics({ ...by, $from, step: '1d' })
    return (series ?? [{ id: '', points }]).map(({ id, points: days }) => ({
      sourceId: id,
      name: id === '' ? 'All sources' : names.get(id),
      unlinked: sumByName(days.map(({ unlinked }) => unlinked)),
    }))
  },
  refetchInterval: UNLINKED_REFETCH_MS,
})

function sumByName(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const counts of all)
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count
  return sums
}

/** Current problems with their remedies. Reports none only once every query has succeeded. */
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
    <Panel title="Needs attention" isFlush>
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
  /** The number of destinations whose health was not fetched. */
  readonly unchecked: number
}

function Problems({ problems, unchecked }: ProblemsProps): ReactElement {
  const more = problems.length - MAX_PROBLEMS
  return (
    <>
      {problems.length === 0 && (
        <p className="text-delivered flex items-center gap-2 px-4 pb-4">
          <Icon name="check" />
          No problems.
        </p>
      )}
      <ul className="pb-1 empty:hidden">
        {problems.slice(0, MAX_PROBLEMS).map(({ key, severity, title, remedy, to }) => (
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
              View
            </Link>
          </li>
        ))}
        {more > 0 && (
          <li className="border-line text-ink-soft border-t px-4 py-2.5">
            {more} more: see{' '}
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
      {unchecked > 0 && (
        <p className="text-ink-soft px-4 pb-4">
          Not checked here: {counted(unchecked, 'more destination')}. <code>hookline doctor</code>{' '}
          checks every destination.
        </p>
      )}
    </>
  )
}
