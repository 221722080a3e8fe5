import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
import { destinationsQuery } from '../../api/queries.ts'
import { Icon } from '../../design/icon.tsx'
import { Panel } from '../../design/panel.tsx'
import { Loaded } from '../../design/states.tsx'
import { type CurrentProblem, currentProblems } from '../../domain/current-problems.ts'
import { systemQuery } from '../../domain/system.ts'
import { shownText } from '../../format/shown-text.ts'

const MOST_SHOWN = 8
const REFETCH_MS = 10_000

/** What is wrong now, in words, with the remedy. */
export function ProblemsPanel(): ReactElement {
  const { data: system } = useQuery(systemQuery)
  const { data: destinations } = useQuery(destinationsQuery)
  const failures = useQuery({
    queryKey: ['deliveries', 'failures'],
    queryFn: () => api.listFailures(),
    refetchInterval: REFETCH_MS,
  })
  return (
    <Panel title="What is wrong now" isFlush>
      <Loaded query={failures} lines={2}>
        {({ data }) => (
          <Problems
            problems={currentProblems({ destinations: destinations ?? [], failures: data, system })}
          />
        )}
      </Loaded>
    </Panel>
  )
}

function Problems({ problems }: { readonly problems: readonly CurrentProblem[] }): ReactElement {
  if (problems.length === 0)
    return (
      <p className="text-delivered flex items-center gap-2 px-4 pb-4">
        <Icon name="check" />
        Nothing is wrong. Every delivery that ended was delivered.
      </p>
    )
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
          <Link to="/failures" className="text-accent underline">
            Failures
          </Link>
          .
        </li>
      )}
    </ul>
  )
}
