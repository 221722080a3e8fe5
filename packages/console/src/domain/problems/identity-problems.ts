import { counted } from '../../format/figures.ts'
import { shownText } from '../../format/shown-text.ts'
import type { CurrentProblem } from './current-problem.ts'

/** The ids that the calls of a source named, and that were not linked, by reason: in the last 24 hours. */
export interface UnlinkedOfSource {
  readonly sourceId: string
  readonly name: string | undefined
  readonly unlinked: Readonly<Record<string, number>>
}

/**
 * Calls with ids that cannot be right. An anonymousId of another user (`other_user`) is none of them: people share devices.
 */
export function identityProblems(sources: readonly UnlinkedOfSource[]): CurrentProblem[] {
  return sources.flatMap(({ sourceId, name, unlinked }) => {
    const { placeholder = 0, limit = 0 } = unlinked
    const source = shownText(name ?? sourceId, 80)
    const problems: CurrentProblem[] = []
    if (placeholder > 0)
      problems.push({
        key: `placeholder ${sourceId}`,
        severity: 'attention',
        title: `${source}: ${counted(placeholder, 'call')} of the last 24 hours had an id such as undefined or 0.`,
        remedy: 'Let the client leave out an id that it does not have. Such an id links nobody.',
        to: sourceId === '' ? '/sources' : `/sources/${sourceId}`,
      })
    if (limit > 0)
      problems.push({
        key: `links ${sourceId}`,
        severity: 'attention',
        title: `${source}: ${counted(limit, 'id')} of the last 24 hours ${limit === 1 ? 'was' : 'were'} not linked, because the profile has as many as it may.`,
        remedy:
          'Look at the largest profiles. A userId that many people share, such as a test account, is often the reason.',
        to: '/users?order=largest',
      })
    return problems
  })
}
